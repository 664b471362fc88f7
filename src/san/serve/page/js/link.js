// One symbol is lit at a time, wherever it is pointed at; formula, tree and ink all listen.

export class Link extends EventTarget {
  lit = null;

  light(id) {
    if (id === this.lit) return;
    this.lit = id;
    this.dispatchEvent(new CustomEvent("light", { detail: id }));
  }

  /** Somebody wants to correct this symbol; `anchor` is where on the screen it was pointed at. */
  choose(id, anchor) {
    this.light(id);
    this.dispatchEvent(new CustomEvent("choose", { detail: { id, anchor } }));
  }

  /** Somebody wants a symbol in another place: {id, target, relation}, or {id, step} by name. */
  move(detail) {
    this.dispatchEvent(new CustomEvent("move", { detail }));
  }
}

/** The symbol at a place of the sheet: by its stroke, in a picture the smallest box around it. */
export function symbolUnder(symbols, { stroke, x, y }, onPicture) {
  if (!onPicture) return symbols.find((one) => stroke !== null && one.strokes?.includes(stroke))?.id ?? null;
  const area = ({ box: [left, top, right, bottom] }) => (right - left) * (bottom - top);
  const around = symbols.filter(({ box }) => box && box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3]);
  return around.sort((a, b) => area(a) - area(b))[0]?.id ?? null;
}

export const DOUBTFUL = 0.8;

export function isDoubtful(symbol) {
  return !symbol.corrected && typeof symbol.probability === "number" && symbol.probability < DOUBTFUL;
}

export function percent(probability) {
  // "100 %" would promise more than a network can keep.
  if (probability < 0.01) return "< 1 %";
  return `${Math.min(99, Math.floor(100 * probability))} %`;
}

/** Where some symbols stand together: their strokes, and the box around them, null where none has one. */
export function together(symbols) {
  const boxes = symbols.flatMap(({ box }) => (box ? [box] : []));
  const side = (furthest, number) => furthest(...boxes.map((box) => box[number]));
  const box = boxes.length ? [side(Math.min, 0), side(Math.min, 1), side(Math.max, 2), side(Math.max, 3)] : null;
  return { box, strokes: symbols.flatMap(({ strokes }) => strokes ?? []) };
}
