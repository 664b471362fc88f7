// Correcting one symbol: another from its alternatives, one that is typed, or none at all.
//
// The page only exchanges names and lets the server write the expression anew; what it cannot be
// (a plus sign with a numerator) the server says.

import { Refused, write, writeLatex } from "./api.js";
import { childrenOf } from "./layout.js";
import { percent } from "./link.js";
import { mathElement } from "./mathml.js";
import { unseen } from "./result.js";

const MANY = "Only one symbol fits here: no symbol, or several, were typed. For more, edit the LaTeX.";
const EDGE = 12; // pixels kept free around the window's edge

export class Corrector extends EventTarget {
  #dialog;
  #parts;
  #result = null;
  #symbol = null;
  #return = null; // what had the focus
  #glyphs = new Map();

  constructor(dialog) {
    super();
    this.#dialog = dialog;
    const part = (name) => dialog.querySelector(`[data-part=${name}]`);
    const names = ["title", "sure", "choices", "form", "field", "remove", "error", "close"];
    this.#parts = Object.fromEntries(names.map((name) => [name, part(name)]));
    this.#parts.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = this.#parts.field.value.trim();
      if (typed) this.#type(typed);
    });
    this.#parts.remove.addEventListener("click", () => this.#remove());
    this.#parts.close.addEventListener("click", () => this.close());
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
    document.addEventListener("pointerdown", (event) => {
      if (dialog.open && !dialog.contains(event.target)) this.close(false);
    });
  }

  open(result, id, anchor) {
    const symbol = result.expression.symbols[id];
    if (!symbol) return;
    [this.#result, this.#symbol, this.#return] = [result, symbol, document.activeElement];
    const { title, sure, choices, field, remove, error } = this.#parts;
    title.textContent = symbol.symbol || "nothing";
    sure.textContent = symbol.corrected
      ? "corrected by you"
      : typeof symbol.probability === "number"
        ? `${percent(symbol.probability)} sure`
        : "";
    error.textContent = "";
    field.value = "";
    remove.hidden = [...childrenOf(result.expression.symbols)[id].keys()].some((r) => r !== "right");
    const others = (symbol.alternatives ?? []).filter(([name]) => name !== symbol.symbol);
    choices.replaceChildren(...others.map(([name, chance]) => this.#choice(name, chance)));
    if (!this.#dialog.open) this.#dialog.show();
    this.#placeAt(anchor);
    (choices.firstElementChild ?? field).focus({ preventScroll: true });
  }

  close(giveBack = true) {
    if (!this.#dialog.open) return;
    this.#dialog.close();
    if (giveBack && this.#return?.isConnected) this.#return.focus({ preventScroll: true });
    this.dispatchEvent(new Event("close"));
  }

  #choice(name, chance) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "choice";
    button.dataset.name = name;
    const face = document.createElement("span");
    face.className = "face";
    face.textContent = name;
    this.#face(name).then((math) => math && face.replaceChildren(math.cloneNode(true)));
    const number = document.createElement("span");
    number.className = "number";
    number.textContent = percent(chance);
    button.append(unseen(`${name}:`), face, number);
    button.addEventListener("click", () => this.#replace(name));
    return button;
  }

  /** How a symbol looks: the server draws it once; without one its name will do. */
  #face(name) {
    if (!this.#glyphs.has(name)) {
      const drawn = write(expressionOf([{ id: 0, symbol: name, parent: null, relation: null }]))
        .then(({ mathml }) => mathElement(mathml))
        .catch(() => (this.#glyphs.delete(name), null));
      this.#glyphs.set(name, drawn);
    }
    return this.#glyphs.get(name);
  }

  /** Any spelling of one symbol. */
  async #type(typed) {
    const before = this.#symbol;
    const latex = /^[A-Za-z]{2,}$/.test(typed) ? `\\${typed}` : typed; // people type alpha
    try {
      const { symbols } = (await writeLatex(latex)).expression;
      if (this.#symbol !== before) return;
      if (symbols.length === 1) this.#replace(symbols[0].symbol);
      else this.#parts.error.textContent = MANY;
    } catch (error) {
      this.#say(error);
    }
  }

  #replace(symbol) {
    const { id } = this.#symbol;
    const renamed = (one) => (one.id === id ? { ...one, symbol, corrected: true } : one);
    this.#rewrite(this.#result.expression.symbols.map(renamed));
  }

  #remove() {
    this.#rewrite(without(this.#result.expression.symbols, this.#symbol.id));
  }

  async #rewrite(symbols) {
    const before = this.#result;
    let written;
    try {
      written = await write(expressionOf(symbols));
    } catch (error) {
      this.#say(error);
      return;
    }
    if (!this.#dialog.open || this.#result !== before) return;
    // The server's ids are ours as long as its normal form kept every symbol where it was.
    const kept = written.expression.symbols.length === symbols.length;
    const known = (one) => (kept && symbols[one.id].symbol === one.symbol ? symbols[one.id] : {});
    const expression = {
      ...written.expression,
      symbols: written.expression.symbols.map((one) => ({ ...known(one), ...one })),
    };
    this.#return = null;
    this.close(false);
    const detail = { ...before, ...written, expression, corrected: true };
    this.dispatchEvent(new CustomEvent("corrected", { detail }));
  }

  #say(error) {
    const gone = "The server does not answer; the correction is not made yet. Try again in a moment.";
    this.#parts.error.textContent = error instanceof Refused ? error.message : gone;
  }

  #placeAt(anchor) {
    const { style, offsetWidth: width, offsetHeight: height } = this.#dialog;
    const within = (value, most) => Math.max(EDGE, Math.min(value, most - EDGE));
    const left = within(anchor.left + anchor.width / 2 - width / 2, innerWidth - width);
    const below = anchor.bottom + EDGE;
    const top = below + height + EDGE < innerHeight ? below : within(anchor.top - EDGE - height, innerHeight - height);
    style.setProperty("--left", `${left}px`);
    style.setProperty("--top", `${top}px`);
  }
}

/** The symbols without one that carries nothing; what stood right of it moves up. */
function without(symbols, gone) {
  const { parent, relation } = symbols[gone];
  const renumber = (id) => (id === null || id < gone ? id : id - 1);
  return symbols
    .filter((one) => one.id !== gone)
    .map((one) => {
      const orphan = one.parent === gone;
      const stands = orphan ? { parent, relation } : { parent: renumber(one.parent) };
      return { ...one, ...stands, id: renumber(one.id) };
    });
}

/** What the server needs to know; probabilities and boxes stay here. */
function expressionOf(symbols) {
  const bare = symbols.map(({ id, symbol, parent, relation }) => ({ id, symbol, parent, relation }));
  return { format: "san-expression", version: 1, symbols: bare };
}
