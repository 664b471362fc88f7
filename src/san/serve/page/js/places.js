// Relations that were corrected stay while more is written: a symbol that was moved is known by its strokes
// and by those of the symbol that it was moved to, and is moved again where a new reading has it elsewhere.
//
// A place is {strokes, relation, target}, with the strokes themselves; `placed` of a symbol has numbers.

import { movedIn } from "./rewrite.js";

/** The places of the symbols of a page, as far as their strokes are among those that are left. */
export function placesOf(page, left) {
  const symbols = page.picture ? [] : page.formulas.flatMap((one) => one.expression.symbols);
  const ink = (numbers) => numbers.map((number) => page.strokes[number]);
  const fresh = symbols
    .filter(({ placed, strokes }) => placed?.target?.length && strokes?.length)
    .map(({ placed, strokes }) => ({ strokes: ink(strokes), relation: placed.relation, target: ink(placed.target) }));
  const moved = new Set(fresh.map((one) => one.strokes[0]));
  const older = (page.places ?? []).filter((one) => !moved.has(one.strokes[0]));
  const there = new Set(left);
  return [...older, ...fresh].filter((one) => [...one.strokes, ...one.target].every((stroke) => there.has(stroke)));
}

/** Formulas with their symbols where they were moved to; one that cannot be so is left as it was read. */
export async function withPlaces(formulas, { places, strokes }) {
  const numbers = (list) => String(list.map((stroke) => strokes.indexOf(stroke)).sort((a, b) => a - b));
  const result = [];
  for (let formula of formulas) {
    for (const place of places ?? []) {
      const { symbols } = formula.expression;
      const find = (wanted) => symbols.find((one) => one.strokes?.length && String(one.strokes.toSorted((a, b) => a - b)) === numbers(wanted));
      const [symbol, target] = [find(place.strokes), find(place.target)];
      if (!symbol || !target || stands(symbols, symbol, target, place.relation)) continue;
      formula = (await movedIn(formula, symbol.id, { target: target.id, relation: place.relation }).catch(() => null)) ?? formula;
    }
    result.push(formula);
  }
  return result;
}

/** Whether a symbol stands in a relation to another one: in the row there, or right behind it. */
export function stands(symbols, symbol, target, relation) {
  if (relation === "right") return symbol.relation === "right" && symbol.parent === target.id;
  let row = symbol;
  while (row.relation === "right") row = symbols[row.parent];
  return row.parent === target.id && row.relation === relation;
}
