// LaTeX, Markdown and MathML as people paste them elsewhere.

import { writeLatex } from "./api.js";
import { unmarked } from "./mathml.js";

/** The LaTeX of a formula; `stretchy`: with \left( and \right) around what is tall. */
export function latexOf(formula, stretchy) {
  return (stretchy && formula.stretchy) || formula.latex;
}

export function inline(latex) {
  return `$${latex}$`;
}

export function display(latex) {
  return `\\[\n${latex}\n\\]`;
}

/** All formulas of a sheet as lines that are aligned at their relation signs: the server knows these. */
export async function aligned(formulas, stretchy) {
  const lines = formulas.map((formula) => formula.latex);
  if (lines.length === 1) return `\\begin{aligned}\n${latexOf(formulas[0], stretchy)}\n\\end{aligned}`;
  const written = await writeLatex(`\\begin{aligned}${lines.join("\\\\")}\\end{aligned}`);
  return latexOf(written, stretchy).replaceAll("\\\\", "\\\\\n");
}

/** A sheet as Markdown: a block of mathematics for each formula. */
export function markdown(formulas, stretchy) {
  return formulas.map((formula) => `$$\n${latexOf(formula, stretchy)}\n$$\n`).join("\n");
}

/** What word processors take: MathML as text, which Word turns into an equation, and as HTML. */
export function forWordProcessors(formula) {
  const mathml = unmarked(formula.mathml);
  return { "text/html": mathml, "text/plain": mathml };
}
