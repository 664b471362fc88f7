// What can be undone. A page is a plain immutable value: BLANK has its fields; only what was read may
// be filled in later, when the reader answers, so that going back needs no new reading. `result` is
// the chosen one of the formulas, `notes` are of all of them, `leftOut` blocks that are none; `known` are
// symbols that were corrected before the ink was read (known.js), `places` relations (places.js), `inserted`
// symbols without ink (inserted.js), `wholes` formulas (wholes.js); `part` are the strokes that are read by
// themselves, or null for all; `sheet` is its name in the records.

const LONGEST = 200;

export const BLANK = Object.freeze({ sheet: null, strokes: [], known: [], places: [], inserted: [], wholes: [], part: null, picture: null, formulas: [], notes: [], leftOut: [], chosen: 0, result: null });

export class History {
  #past = [];
  #future = [];

  constructor(page) {
    this.now = page;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  push(page) {
    this.#past.push(this.now);
    if (this.#past.length > LONGEST) this.#past.shift();
    this.#future = [];
    this.now = page;
  }

  undo() {
    if (!this.canUndo) return;
    this.#future.push(this.now);
    this.now = this.#past.pop();
  }

  redo() {
    if (!this.canRedo) return;
    this.#past.push(this.now);
    this.now = this.#future.pop();
  }
}
