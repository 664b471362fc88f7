// The formulas of a sheet, a card each, in reading order; the chosen one is shown at large.

import { percent } from "./link.js";
import { mathElement } from "./mathml.js";
import { unseen } from "./result.js";
import { t } from "./texts.js";

export class Cards extends EventTarget {
  #list;
  #strokes = []; // of the sheet that was shown last
  #ink = []; // the numbers of those of its chosen formula

  constructor(list) {
    super();
    this.#list = list;
  }

  /** Nothing is shown where there is only one formula. */
  show({ formulas, chosen, strokes }) {
    if (formulas.length) [this.#strokes, this.#ink] = [strokes, formulas[chosen].ink ?? []];
    const focused = this.#list.contains(document.activeElement);
    this.#list.hidden = formulas.length < 2;
    this.#list.replaceChildren(...(this.#list.hidden ? [] : formulas.map((one, number) => this.#card(one, number, chosen))));
    if (focused) this.#list.querySelector("[aria-pressed=true]")?.focus({ preventScroll: true });
  }

  /** Strokes were moved: they are others now. */
  follow(moved) {
    this.#strokes = this.#strokes.map((stroke) => moved.get(stroke) ?? stroke);
  }

  /** Which of these is the formula that was chosen last, by its ink; the first, where that is gone. */
  same(formulas, strokes) {
    const ink = new Set(this.#ink.map((number) => this.#strokes[number]));
    const shared = formulas.map((one) => (one.ink ?? []).filter((number) => ink.has(strokes[number])).length);
    return Math.max(0, shared.indexOf(Math.max(...shared)));
  }

  #card(formula, number, chosen) {
    const [item, button] = [document.createElement("li"), document.createElement("button")];
    button.type = "button";
    button.setAttribute("aria-pressed", number === chosen);
    const { latex, corrected } = formula;
    const sure = document.createElement("small");
    sure.textContent = corrected ? t("corrected by you") : percent(formula.confidence);
    const words = unseen(t("Formula {number}: {latex}", { number: number + 1, latex }));
    button.append(words, mathElement(formula.mathml) ?? latex, sure, corrected ? "" : unseen(t("sure")));
    button.addEventListener("click", () => this.#choose(button, formula, number));
    item.append(button);
    return item;
  }

  #choose(button, { ink }, number) {
    this.#ink = ink ?? [];
    for (const one of this.#list.querySelectorAll("button")) one.setAttribute("aria-pressed", one === button);
    this.dispatchEvent(new CustomEvent("choose", { detail: number }));
  }
}
