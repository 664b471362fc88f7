// The result as a file. Ink goes with its truth: corrections made here can be trained on.

import { inkml } from "./api.js";
import { DEFINITIONS } from "./definitions.js";
import { latexOf, markdown } from "./forms.js";
import { unmarked } from "./mathml.js";

/** What draws pictures: few take one away, so it is loaded when it is wanted. */
export const drawing = () => import("./drawing.js");

/** Kinds that hold all formulas of a sheet; of the others each file is of one, or of the ink. */
const OF_ALL = new Set(["tex", "typ", "md", "json"]);

/** A file of one of the kinds; `stretchy`: LaTeX with brackets that grow. */
export async function download(kind, page, stretchy) {
  const made = await FILES[kind](page, stretchy);
  const formula = OF_ALL.has(kind) && page.formulas.length > 1 ? "formulas" : "formula";
  save(made instanceof Blob ? made : new Blob([made.text], { type: made.type }), `${NAMES[kind] ?? formula}.${kind.split(".").at(-1)}`);
}

/** Hands a file to the browser. */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const NAMES = { md: "formulas", "ink.svg": "ink", "ink.png": "ink" };

const FILES = {
  tex: ({ formulas }, stretchy) => ({ type: "application/x-tex", text: standalone(formulas.map((one) => latexOf(one, stretchy))) }),
  mml: ({ result }) => ({ type: "application/mathml+xml", text: `${unmarked(result.mathml)}\n` }),
  typ: ({ formulas }) => ({ type: "text/plain", text: formulas.map(({ typst }) => `$ ${typst} $\n`).join("\n") }),
  md: ({ formulas }, stretchy) => ({ type: "text/markdown", text: markdown(formulas, stretchy) }),
  json: ({ formulas }) => ({ type: "application/json", text: `${JSON.stringify(trees(formulas), null, 2)}\n` }),
  inkml: async ({ result, strokes }) => ({
    type: "application/inkml+xml",
    text: await inkml(strokes, result.latex, segments(result)),
  }),
  svg: async ({ result }) => ({ ...(await (await drawing()).formulaSvg(result)), type: "image/svg+xml" }),
  png: async ({ result }) => (await drawing()).formulaPng(result),
  "ink.svg": async ({ strokes }) => ({ ...(await drawing()).inkSvg(strokes), type: "image/svg+xml" }),
  "ink.png": async ({ strokes }) => (await drawing()).inkPng(strokes),
};

/** One tree, or a list of them. */
function trees(formulas) {
  const all = formulas.map(({ expression }) => expression);
  return all.length > 1 ? all : all[0];
}

function standalone(lines) {
  const words = new Set(lines.join(" ").match(/\\?[A-Za-z]+|[^\x00-\x7f]/g));
  const text = [
    "\\documentclass{article}",
    "\\usepackage{amsmath,amssymb}",
    ...Object.keys(DEFINITIONS).filter((name) => words.has(name)).map((name) => DEFINITIONS[name]),
    "\\begin{document}",
    ...lines.map((latex) => `\\[ ${latex} \\]`),
    "\\end{document}",
  ];
  return `${text.join("\n")}\n`;
}

/** Which strokes each symbol was written with, where that is known. */
export function segments(result) {
  const written = result.expression.symbols.filter((one) => one.strokes?.length);
  return written.map(({ symbol, strokes }) => ({ symbol, strokes }));
}
