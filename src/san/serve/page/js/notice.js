// The line at the foot of the sheet: what the page is doing, and plainly what went wrong. At the foot of the
// page: whether ink is kept.

import { useToken } from "./api.js";

const MOMENT = 4000; // milliseconds

export class Notice {
  #text;
  #retry;
  #token;
  #kept;
  #unsaid = [];
  #timer = 0;

  constructor({ line, text, retry, token, kept, unkept }, tryAgain) {
    this.line = line;
    this.#text = text;
    this.#retry = retry;
    this.#token = token;
    this.#kept = { kept, unkept };
    retry.addEventListener("click", tryAgain);
    token.addEventListener("submit", (event) => {
      event.preventDefault();
      useToken(token.elements.token.value);
      tryAgain();
    });
  }

  /** `details`: for who points at it. */
  quiet(text = "", details = "") {
    this.#say("quiet", text);
    this.#text.title = details;
  }

  /** Of what was read: what has to be said of it, or else something quiet. */
  answer(notes, quietly = "", details = "") {
    const all = [...this.#unsaid.splice(0), notes].filter(Boolean).join(" ");
    if (all) this.trouble(all);
    else this.quiet(quietly, details);
  }

  /** Said with the next answer, which would hide it otherwise. */
  withAnswer(text) {
    this.#unsaid.push(text);
  }

  /** That ink is no longer kept, the next answer says, too. */
  tellKept(isKept) {
    const { kept, unkept } = this.#kept;
    if (!isKept && unkept.hidden) this.withAnswer(unkept.textContent);
    [kept.hidden, unkept.hidden] = [!isKept, isKept];
  }

  working(text) {
    this.#say("working", text);
  }

  trouble(text, { retry = false, token = false } = {}) {
    this.#say("trouble", text, retry, token);
  }

  #say(mood, text, retry = false, token = false) {
    this.line.dataset.mood = mood;
    this.#text.title = "";
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#retry.hidden = !retry;
    this.#token.hidden = !token;
    this.#bringNear();
  }

  /** On a phone the line may be out of sight for who presses a button further down: what it says is shown at the
   * foot of the screen for a moment. */
  #bringNear() {
    const { top, bottom } = this.line.getBoundingClientRect();
    const middle = (top + bottom) / 2; // where the text is: an edge of the line alone says nothing
    const isNear = (near) => this.#text.classList.toggle("near", near);
    clearTimeout(this.#timer);
    if (isNear(this.#text.textContent !== "" && (middle < 0 || middle > innerHeight))) {
      this.#timer = setTimeout(() => isNear(false), MOMENT);
    }
  }
}
