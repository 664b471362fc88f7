// Which symbol of an edited formula is which of the one before: each keeps its ink where it still fits.

/** The symbols after an edit, with what is known of those before that they stand for. */
export function keepInk(before, after) {
  const kept = [];
  let [old, next] = [0, 0];
  for (const [i, j] of [...matches(before, after), [before.length, after.length]]) {
    kept.push(...exchanged(before.slice(old, i), after.slice(next, j)));
    if (j < after.length) {
      const moved = before[i].relation !== after[j].relation;
      kept.push({ ...before[i], ...(moved ? { corrected: true, moved } : {}), ...after[j] });
    }
    [old, next] = [i + 1, j + 1];
  }
  return kept.map((one) => (one.moved ? placedIn(kept, one) : one));
}

/** A symbol whose relation was changed: where it stands now, by the ink of the symbol that it stands to. */
function placedIn(symbols, { moved, ...symbol }) {
  const target = symbols[symbol.parent]?.strokes ?? [];
  return { ...symbol, placed: { relation: symbol.relation, target } };
}

/** Numbers of the symbols of another reading that are not in this one, or stand elsewhere in it. */
export function differing(symbols, others) {
  const other = new Set(others.map((_, number) => number));
  for (const [i, j] of matches(symbols, others)) {
    if (symbols[i].relation === others[j].relation) other.delete(j);
  }
  return other;
}

/** Symbols for others in the same place: one for one, or one for all of their ink. What is more than there was
 * is inserted, and so is what stands for something inserted. */
function exchanged(gone, come) {
  const standsFor = (some, one) => ({ ...inkOf(some), inserted: some.every(({ inserted }) => inserted), corrected: true, ...one });
  if (come.length === 1) return [standsFor(gone, come[0])];
  if (gone.length <= come.length) return come.map((one, place) => standsFor(gone.slice(place, place + 1), one));
  return come.map((one) => ({ corrected: true, ...one }));
}

function inkOf(symbols) {
  const boxes = symbols.map((one) => one.box).filter(Boolean);
  const strokes = symbols.flatMap((one) => one.strokes ?? []);
  const side = (pick, number) => pick(...boxes.map((box) => box[number]));
  const box = boxes.length
    ? [side(Math.min, 0), side(Math.min, 1), side(Math.max, 2), side(Math.max, 3)]
    : null;
  return strokes.length ? { box, strokes } : { box };
}

/** Pairs of places with the same name, in order, as many as there are. */
function matches(before, after) {
  const same = (i, j) => before[i].symbol === after[j].symbol;
  const length = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      length[i][j] = same(i, j) ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (same(i, j)) pairs.push([i++, j++]);
    else if (length[i + 1][j] >= length[i][j + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}
