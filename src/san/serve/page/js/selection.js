// What the lasso chose: moved by dragging, copied, read by itself, deleted.

import { shifted } from "./lasso.js";
import { around } from "./stroke.js";

const BESIDE = 24; // pixels that a copy lies off

export class Selection {
  #bar;
  #pad;
  #host;
  #numbers = [];

  /** `bar`: the buttons, by `data-act`. `host`: `strokes()`; `change(strokes, moved)` with those after an
   * edit and, by stroke before, the ones that were moved; `readPart(strokes)`. */
  constructor(bar, pad, host) {
    this.#bar = bar;
    this.#pad = pad;
    this.#host = host;
    pad.addEventListener("chosen", ({ detail }) => this.choose(detail));
    pad.addEventListener("dragged", ({ detail }) => this.#move(detail));
    pad.addEventListener("view", () => this.#place());
    bar.addEventListener("click", (event) => this.#act(event.target.closest("[data-act]")?.dataset.act));
  }

  get isEmpty() {
    return this.#numbers.length === 0;
  }

  choose(numbers) {
    this.#numbers = numbers;
    this.#pad.choose(numbers);
    this.#place();
  }

  remove() {
    const gone = new Set(this.#numbers);
    this.#change(this.#host.strokes().filter((_, number) => !gone.has(number)), []);
  }

  #act(act) {
    const strokes = this.#host.strokes();
    if (act === "copy") {
      const copies = shifted(strokes, this.#numbers, BESIDE, BESIDE).filter((_, number) => this.#numbers.includes(number));
      this.#change([...strokes, ...copies], copies.map((_, place) => strokes.length + place));
    } else if (act === "delete") this.remove();
    else if (act === "read") {
      const part = this.#numbers.map((number) => strokes[number]);
      this.choose([]);
      this.#host.readPart(part);
    }
  }

  #move({ numbers, dx, dy }) {
    if (!dx && !dy) return;
    const before = this.#host.strokes();
    const after = shifted(before, numbers, dx, dy);
    this.#change(after, numbers, new Map(numbers.map((number) => [before[number], after[number]])));
  }

  #change(strokes, numbers, moved = new Map()) {
    this.#host.change(strokes, moved);
    this.choose(numbers);
  }

  #place() {
    this.#bar.hidden = this.isEmpty;
    if (this.isEmpty) return;
    const strokes = this.#host.strokes();
    const box = this.#pad.onScreen(around(this.#numbers.map((number) => strokes[number])));
    const room = this.#bar.parentElement.getBoundingClientRect();
    const within = (value, most) => Math.max(4, Math.min(value, most - 4));
    const below = box.bottom - room.top + 14;
    const top = below + this.#bar.offsetHeight < room.height ? below : box.top - room.top - 14 - this.#bar.offsetHeight;
    this.#bar.style.left = `${within(box.left - room.left, room.width - this.#bar.offsetWidth)}px`;
    this.#bar.style.top = `${within(top, room.height - this.#bar.offsetHeight)}px`;
  }
}
