// A formula that was corrected, or picked, is kept whole by its ink: read again with no stroke more or less, it is
// what it was. An edit to something quite different leaves symbols without ink of their own, which could not be
// brought back one by one.
//
// A whole is {strokes, symbols}, or {strokes, picked} with the LaTeX of another reading; strokes are numbers here.
// The boxes of the symbols are left out: ink can be moved.

import { taken } from "./result.js";
import { rewritten } from "./rewrite.js";
import { around } from "./stroke.js";

/** Formulas with the numbers of all their strokes, as they were read: an edit does not change these. */
export function withOwnInk(formulas) {
  const own = ({ expression, unread, crossed_out: crossedOut }) =>
    [...expression.symbols, ...(unread ?? []), ...(crossedOut ?? [])].flatMap(({ strokes }) => strokes ?? []);
  return formulas.map((formula) => ({ ...formula, ink: [...new Set(own(formula))] }));
}

export function wholes(formulas) {
  const bare = ({ expression }) => expression.symbols.map(({ box, ...symbol }) => symbol);
  return formulas
    .filter(({ corrected, picked, ink }) => (corrected || picked) && ink?.length)
    .map((one) => ({ strokes: one.ink, ...(one.corrected ? { symbols: bare(one) } : { picked: one.latex }) }));
}

/** By formula: as it was corrected, or null where the ink is another. `strokes` are those of the sheet. */
export function withWholes(formulas, records, strokes) {
  const sorted = (numbers) => String(numbers.toSorted((a, b) => a - b));
  return Promise.all(
    formulas.map((formula) => {
      const record = records.find((one) => sorted(one.strokes) === sorted(formula.ink));
      return record ? restored(formula, record, strokes).catch(() => null) : null;
    }),
  );
}

async function restored(formula, { symbols, picked }, strokes) {
  const other = formula.alternatives?.find(({ latex }) => latex === picked);
  if (!symbols) return other ? taken(formula, other) : null;
  const box = (one) => (one.strokes?.length ? { box: around(one.strokes.map((number) => strokes[number])) } : {});
  return rewritten(formula, symbols.map((one) => ({ ...one, ...box(one) })));
}
