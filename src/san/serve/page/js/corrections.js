// What was corrected of a sheet, by its ink: symbols (known.js), relations (places.js), symbols that were
// inserted (inserted.js), and whole formulas (wholes.js). It stays while more is written, and over a reload.
//
// Each is a list of plain records, which name ink as `strokes` or `target`.

import { insertions, leftOf, withInserted } from "./inserted.js";
import { knownOf, withKnown } from "./known.js";
import { placesOf, withPlaces } from "./places.js";
import { wholes, withOwnInk, withWholes } from "./wholes.js";

const INK = new Set(["strokes", "target"]);

/** {known, places, inserted, wholes} of a page, as far as their ink is among the strokes that are left. */
export function correctionsOf(page, left) {
  const there = new Set(left);
  const formulas = page.picture ? [] : page.formulas;
  const fresh = (records) => withInk(records, (number) => page.strokes[number]);
  const inserted = [...page.inserted, ...fresh(formulas.flatMap(({ expression }) => insertions(expression.symbols)))];
  return {
    known: knownOf(page, left),
    places: placesOf(page, left),
    inserted: inserted.map((record) => leftOf(record, (stroke) => there.has(stroke))).filter(Boolean),
    wholes: newest([...page.wholes, ...fresh(wholes(formulas))]).filter(({ strokes }) => strokes.every((one) => there.has(one))),
  };
}

/** Of records with the same ink in them, the last. */
function newest(records) {
  const later = (at) => new Set(records.slice(at + 1).flatMap(({ strokes }) => strokes));
  return records.filter(({ strokes }, at) => !strokes.some((stroke) => later(at).has(stroke)));
}

/** The same with other ink: what `exchange` makes of each stroke, or of its number. */
export function withInk(record, exchange) {
  if (Array.isArray(record)) return record.map((one) => withInk(one, exchange));
  if (!record || typeof record !== "object") return record;
  const entry = ([key, value]) => [key, INK.has(key) ? value.map(exchange) : withInk(value, exchange)];
  return Object.fromEntries(Object.entries(record).map(entry));
}

/** {formulas, inserted}: what was read of a page's ink, as it was corrected. Insertions that found their place are
 * in the formulas from now on; the others wait. */
export async function withCorrections(formulas, page) {
  const number = (stroke) => page.strokes.indexOf(stroke);
  const own = withOwnInk(formulas);
  const whole = await withWholes(own, withInk(page.wholes, number), page.strokes);
  const others = own.filter((_, at) => !whole[at]);
  const done = new Set(whole.flatMap((one) => one?.ink ?? []));
  const waiting = withInk(page.inserted, number).map((record) => leftOf(record, (at) => !done.has(at))).filter(Boolean);
  const found = await withInserted(await withPlaces(withKnown(others, page), page), waiting);
  const read = found.formulas.map(inPart);
  return { formulas: whole.map((one) => one ?? read.shift()), inserted: withInk(found.left, (at) => page.strokes[at]) };
}

/** There is other ink than when it was corrected: the rest is as sure as it was read. */
function inPart(formula) {
  const corrected = formula.expression.symbols.some((one) => one.corrected);
  return corrected ? { ...formula, corrected: false, inPart: true } : formula;
}
