// A part of the ink that is read by itself: strokes are numbered within it, and shown on the whole sheet.

/** Formulas of a part, with the numbers of their strokes on the sheet. */
export function onSheet(formulas, { part, strokes }) {
  if (!part) return formulas;
  const numbers = part.map((stroke) => strokes.indexOf(stroke));
  const moved = (one) => (one.strokes ? { ...one, strokes: one.strokes.map((number) => numbers[number]) } : one);
  return formulas.map((formula) => ({
    ...formula,
    ...Object.fromEntries(["unread", "crossed_out"].map((name) => [name, (formula[name] ?? []).map(moved)])),
    expression: { ...formula.expression, symbols: formula.expression.symbols.map(moved) },
  }));
}

/** The ink beside the part that was read: it is shown faint. */
export function besides({ part, strokes }) {
  if (!part) return [];
  const read = new Set(part);
  return [{ strokes: strokes.map((_, number) => number).filter((number) => !read.has(strokes[number])) }];
}
