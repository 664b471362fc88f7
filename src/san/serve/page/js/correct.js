// Correcting one symbol: another from its alternatives, one that is typed, or none at all; more before or
// behind it; another place for it.
//
// The page edits the tree and lets the server write the expression anew; what it cannot be (a plus sign
// with a numerator) the server says.

import { Refused, write, writeLatex } from "./api.js";
import { inserted, removed } from "./edits.js";
import { percent } from "./link.js";
import { mathElement } from "./mathml.js";
import { unseen } from "./result.js";
import { expressionOf, movedIn, rewritten, steps } from "./rewrite.js";
import { t, told } from "./texts.js";

const MANY = "Only one symbol fits here: no symbol, or several, were typed. For more, edit the LaTeX.";
const GONE = "The server does not answer; the correction is not made yet. Try again in a moment.";
const MOVES = {
  sup: "Superscript of {name}",
  sub: "Subscript of {name}",
  into: "Into {name}",
  out: "Out of {name}",
};
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
    const names = ["title", "sure", "choices", "form", "field", "remove", "error", "close", "moves", "before", "behind"];
    this.#parts = Object.fromEntries(names.map((name) => [name, part(name)]));
    this.#parts.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = this.#parts.field.value.trim();
      if (typed) this.#type(typed);
    });
    this.#parts.remove.addEventListener("click", () => this.#remove());
    this.#parts.before.addEventListener("click", () => this.#insert("before"));
    this.#parts.behind.addEventListener("click", () => this.#insert("right"));
    this.#parts.close.addEventListener("click", () => this.close());
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
      else if (isTyped(event)) this.#parts.field.focus(); // which then gets the character
    });
    document.addEventListener("pointerdown", (event) => {
      if (dialog.open && !dialog.contains(event.target)) this.close(false);
    });
  }

  open(result, id, anchor) {
    const symbol = result.expression.symbols[id];
    if (!symbol) return;
    [this.#result, this.#symbol, this.#return] = [result, symbol, document.activeElement];
    const { title, sure, choices, field, error } = this.#parts;
    title.textContent = symbol.symbol || t("nothing");
    sure.textContent = symbol.corrected
      ? t("corrected by you")
      : typeof symbol.probability === "number"
        ? t("{percent} sure", { percent: percent(symbol.probability) })
        : "";
    error.textContent = "";
    field.value = "";
    this.#moves();
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
    try {
      const { symbols } = (await writeLatex(asLatex(typed))).expression;
      if (this.#symbol !== before) return;
      if (symbols.length === 1) this.#replace(symbols[0].symbol);
      else this.#parts.error.textContent = t(MANY);
    } catch (error) {
      this.#say(error);
    }
  }

  #replace(symbol) {
    const { id } = this.#symbol;
    const renamed = (one) => (one.id === id ? { ...one, symbol, corrected: true } : one);
    this.#use(rewritten(this.#result, this.#result.expression.symbols.map(renamed)));
  }

  #remove() {
    this.#use(rewritten(this.#result, removed(this.#result.expression.symbols, this.#symbol.id)));
  }

  /** What is typed, before or behind the symbol; it has no ink. */
  async #insert(place) {
    const typed = this.#parts.field.value.trim();
    if (!typed) {
      this.#parts.error.textContent = t("Type what is missing first.");
      this.#parts.field.focus();
      return;
    }
    const { id } = this.#symbol;
    const written = writeLatex(asLatex(typed)).then(({ expression }) =>
      rewritten(this.#result, inserted(this.#result.expression.symbols, id, expression.symbols, place)),
    );
    await this.#use(written);
  }

  #moves() {
    const { symbols } = this.#result.expression;
    const places = steps(symbols, this.#symbol.id);
    for (const button of this.#parts.moves.querySelectorAll("[data-move]")) {
      const place = places[button.dataset.move];
      button.hidden = !place;
      if (!place) continue;
      button.textContent = t(MOVES[button.dataset.move], { name: symbols[place.target].symbol || t("nothing") });
      button.onclick = () => this.#use(movedIn(this.#result, this.#symbol.id, place));
    }
    this.#parts.moves.hidden = !Object.keys(places).length;
  }

  /** An edited formula takes the place of the one that the dialog is open for. */
  async #use(edited) {
    const before = this.#result;
    let detail;
    try {
      detail = await edited;
    } catch (error) {
      this.#say(error);
      return;
    }
    if (!detail || !this.#dialog.open || this.#result !== before) return;
    this.#return = null;
    this.close(false);
    this.dispatchEvent(new CustomEvent("corrected", { detail }));
  }

  #say(error) {
    this.#parts.error.textContent = error instanceof Refused ? told(error.message) : t(GONE);
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

/** Who types a character means it, wherever the focus is; a space presses the button that has it. With Ctrl and Alt,
 * as AltGr is told, many keyboards type a backslash. */
function isTyped({ key, ctrlKey, metaKey, altKey }) {
  return [...key].length === 1 && key !== " " && !metaKey && (!ctrlKey || altKey);
}

/** People type alpha. */
function asLatex(typed) {
  return /^[A-Za-z]{2,}$/.test(typed) ? `\\${typed}` : typed;
}
