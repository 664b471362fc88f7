// The result as a file. Ink goes with its truth: corrections made here can be trained on.

import { inkml } from "./api.js";
import { unmarked } from "./mathml.js";

/** A file of one of the four kinds. */
export async function download(kind, page) {
  const { result, strokes } = page;
  const made = await FILES[kind](result, strokes);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([made.text], { type: made.type }));
  link.download = `formula.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const FILES = {
  tex: (result) => ({ type: "application/x-tex", text: standalone(result.latex) }),
  mml: (result) => ({ type: "application/mathml+xml", text: `${unmarked(result.mathml)}\n` }),
  json: (result) => ({ type: "application/json", text: `${JSON.stringify(result.expression, null, 2)}\n` }),
  inkml: async (result, strokes) => ({
    type: "application/inkml+xml",
    text: await inkml(strokes, result.latex, segments(result)),
  }),
};

function standalone(latex) {
  const lines = [
    "\\documentclass{article}",
    "\\usepackage{amsmath,amssymb}",
    "\\begin{document}",
    `\\[ ${latex} \\]`,
    "\\end{document}",
  ];
  return `${lines.join("\n")}\n`;
}

/** Which strokes each symbol was written with, where that is known. */
function segments(result) {
  const written = result.expression.symbols.filter((one) => one.strokes?.length);
  return written.map(({ symbol, strokes }) => ({ symbol, strokes }));
}
