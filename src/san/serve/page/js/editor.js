// The LaTeX of a formula, edited by hand. While it is typed the formula is shown as it would be; what
// does not parse is said in one line, and the last that did stays in sight.

import { keepInk } from "./align.js";
import { Refused, writeLatex } from "./api.js";
import { t, told } from "./texts.js";

const PAUSE = 150; // milliseconds
const GONE = "The server does not answer; what you typed is not lost. Try again in a moment.";

export class Editor extends EventTarget {
  #parts;
  #result = null;
  #edited = null;
  #abort = null;
  #timer = 0;

  /** `parts`: form, field, fault, source (what the form stands for), start (the button), cancel. */
  constructor(parts) {
    super();
    this.#parts = parts;
    parts.field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look(), PAUSE);
    });
    parts.field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
      else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) this.#use();
      else return;
      event.preventDefault();
    });
    parts.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#use();
    });
    parts.cancel.addEventListener("click", () => this.close());
  }

  get isOpen() {
    return this.#result !== null;
  }

  open(result) {
    [this.#result, this.#edited] = [result, null];
    this.#show(true);
    this.#parts.fault.textContent = "";
    this.#parts.field.value = result.latex;
    this.#parts.field.focus();
    this.#parts.form.scrollIntoView({ block: "nearest" }); // with what is wrong, and its buttons
  }

  /** Without a change. */
  close() {
    if (!this.isOpen) return;
    this.drop();
    this.dispatchEvent(new Event("cancel"));
    this.#parts.start.focus({ preventScroll: true });
  }

  /** Without a word: something else is shown now. */
  drop() {
    if (!this.isOpen) return;
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#result = null;
    this.#show(false);
  }

  #show(open) {
    const { form, source, start } = this.#parts;
    form.hidden = !open;
    source.hidden = start.hidden = open;
  }

  async #use() {
    clearTimeout(this.#timer);
    if (!(await this.#look())) return;
    const edited = this.#edited;
    if (edited.latex === this.#result.latex) {
      this.close();
      return;
    }
    this.drop();
    this.dispatchEvent(new CustomEvent("edited", { detail: edited }));
    this.#parts.start.focus({ preventScroll: true });
  }

  /** Whether what is typed is a formula; if so, it is shown. */
  async #look() {
    this.#abort?.abort();
    const [abort, before, { fault, field }] = [new AbortController(), this.#result, this.#parts];
    this.#abort = abort;
    try {
      const written = await writeLatex(field.value, abort.signal);
      if (abort.signal.aborted) return false;
      const symbols = keepInk(before.expression.symbols, written.expression.symbols);
      this.#edited = { ...before, ...written, expression: { ...written.expression, symbols }, corrected: true };
      fault.textContent = "";
      this.dispatchEvent(new CustomEvent("preview", { detail: this.#edited }));
      return true;
    } catch (error) {
      if (!abort.signal.aborted) fault.textContent = error instanceof Refused ? told(error.message) : t(GONE);
      return false;
    }
  }
}
