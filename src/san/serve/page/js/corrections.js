// What was corrected of a sheet, by its ink: symbols (known.js), relations (places.js), symbols that were
// inserted (inserted.js). It stays while more is written, and over a reload.
//
// Each is a list of plain records, which name ink as `strokes` or `target`.

import { insertions, leftOf, withInserted } from "./inserted.js";
import { knownOf, withKnown } from "./known.js";
import { placesOf, withPlaces } from "./places.js";

const INK = new Set(["strokes", "target"]);

/** {known, places, inserted} of a page, as far as their ink is among the strokes that are left. */
export function correctionsOf(page, left) {
  const there = new Set(left);
  const symbols = page.picture ? [] : page.formulas.map(({ expression }) => expression.symbols);
  const fresh = symbols.flatMap(insertions).map((record) => withInk(record, (number) => page.strokes[number]));
  const inserted = [...page.inserted, ...fresh].map((record) => leftOf(record, (stroke) => there.has(stroke)));
  return { known: knownOf(page, left), places: placesOf(page, left), inserted: inserted.filter(Boolean) };
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
  const read = await withPlaces(withKnown(formulas, page), page);
  const found = await withInserted(read, withInk(page.inserted, number));
  return { formulas: found.formulas, inserted: withInk(found.left, (at) => page.strokes[at]) };
}
