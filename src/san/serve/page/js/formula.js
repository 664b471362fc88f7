// The formula, drawn large. Its symbols can be pointed at, and walked through with the arrow keys.

import { isDoubtful } from "./link.js";
import { mathElement } from "./mathml.js";
import { speech } from "./speech.js";
import { labelOf } from "./tree.js";

const LARGEST = 44; // font size in pixels; a long formula shrinks to fit, down to the smallest
const SMALLEST = 18;

export class Formula {
  #frame;
  #link;
  #say;
  #symbols = [];

  /** `say(text)`: to who hears the page, of a symbol that the arrow keys come to. */
  constructor(frame, link, say = () => {}) {
    this.#frame = frame;
    this.#link = link;
    this.#say = say;
    const under = (event) => event.target.closest("[data-symbol]");
    frame.addEventListener("pointerover", (event) => link.light(numberOf(under(event))));
    frame.addEventListener("pointerleave", () => link.light(null));
    frame.addEventListener("click", (event) => this.#choose(under(event)));
    frame.addEventListener("keydown", (event) => this.#key(event));
    link.addEventListener("light", ({ detail: id }) => this.#light(id));
    new ResizeObserver(() => this.#fit()).observe(frame);
    document.fonts.load('1em "san math"', "x").then(() => this.#fit());
  }

  show(result) {
    this.#symbols = result?.expression.symbols ?? [];
    const math = result && mathElement(result.mathml);
    math?.setAttribute("aria-label", speech(this.#symbols));
    this.#frame.replaceChildren(...(math ? [math] : []));
    for (const symbol of this.#symbols) {
      const element = this.#element(symbol.id);
      element?.classList.toggle("doubtful", isDoubtful(symbol));
      element?.classList.toggle("corrected", Boolean(symbol.corrected));
    }
    this.#fit();
  }

  /** What a symbol looks like, in one character or word; null for what is drawn by lines. */
  glyph(id) {
    const element = this.#element(id);
    if (!element || !["mi", "mn", "mo"].includes(element.localName)) return null;
    const text = element.textContent;
    return { text, slanted: element.localName === "mi" && [...text].length === 1 };
  }

  onScreen(id) {
    return this.#element(id)?.getBoundingClientRect() ?? null;
  }

  #element(id) {
    return this.#frame.querySelector(`[data-symbol="${id}"]`);
  }

  #light(id) {
    this.#frame.querySelector(".lit")?.classList.remove("lit");
    if (id !== null) this.#element(id)?.classList.add("lit");
  }

  #choose(element) {
    if (element) this.#link.choose(numberOf(element), element.getBoundingClientRect());
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && this.#symbols.length) {
      const now = this.#link.lit ?? (step > 0 ? -1 : this.#symbols.length);
      const id = Math.min(this.#symbols.length - 1, Math.max(0, now + step));
      this.#link.light(id);
      this.#element(id)?.scrollIntoView({ block: "nearest", inline: "nearest" });
      this.#say(labelOf(this.#symbols[id], this.#symbols));
      event.preventDefault();
    } else if (event.key === "Enter" && this.#link.lit !== null) {
      this.#choose(this.#element(this.#link.lit));
      event.preventDefault();
    }
  }

  #fit() {
    const row = this.#frame.querySelector("math > *");
    if (!row) return;
    const style = getComputedStyle(this.#frame);
    const room = (side, ...paddings) =>
      this.#frame[side] - paddings.reduce((sum, name) => sum + parseFloat(style[name]), 0);
    /** How much of it fits when it is drawn so large. */
    const share = (size) => {
      this.#frame.style.setProperty("--size", `${size}px`);
      const drawn = row.getBoundingClientRect();
      return Math.min(
        1,
        room("clientWidth", "paddingLeft", "paddingRight") / drawn.width,
        room("clientHeight", "paddingTop", "paddingBottom") / drawn.height,
      );
    };
    let size = Math.max(SMALLEST, Math.floor(LARGEST * share(LARGEST)));
    // Small letters are wider for their size, so that the first guess may be too large.
    while (share(size) < 1 && size > SMALLEST) size -= 1;
  }
}

function numberOf(element) {
  return element ? Number(element.dataset.symbol) : null;
}
