// Corrections belong to their ink: a corrected symbol is known by its strokes, and stays while more is
// written. The server holds it fixed when it reads the rest.
//
// A known symbol is {symbol, strokes}, with the strokes themselves: numbers change when one is erased.

/** What is known of the ink of a page, as far as its strokes are among those that are left. */
export function knownOf(page, left) {
  const corrected = page.picture ? [] : page.formulas.flatMap((one) => one.expression.symbols).filter(isCorrected);
  const fresh = corrected.map(({ symbol, strokes }) => ({
    symbol,
    strokes: strokes.map((number) => page.strokes[number]),
  }));
  const taken = new Set(fresh.flatMap((one) => one.strokes));
  const older = page.known.filter((one) => !one.strokes.some((stroke) => taken.has(stroke)));
  const there = new Set(left);
  return [...older, ...fresh].filter((one) => one.strokes.every((stroke) => there.has(stroke)));
}

/** The same by numbers, as the server wants them. */
export function numbered(known, strokes) {
  return known.map((one) => ({ symbol: one.symbol, strokes: one.strokes.map((stroke) => strokes.indexOf(stroke)) }));
}

/** Formulas in which the known symbols are marked as corrected. */
export function withKnown(formulas, page) {
  const known = new Map(numbered(page.known, page.strokes).flatMap((one) => one.strokes.map((s) => [s, one.symbol])));
  const isKnown = ({ symbol, strokes }) => strokes?.length > 0 && strokes.every((s) => known.get(s) === symbol);
  return formulas.map((formula) => ({
    ...formula,
    expression: {
      ...formula.expression,
      symbols: formula.expression.symbols.map((one) => (isKnown(one) ? { ...one, corrected: true } : one)),
    },
  }));
}

function isCorrected({ corrected, symbol, strokes }) {
  return corrected && symbol && strokes?.length > 0;
}
