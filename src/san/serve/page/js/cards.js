// The formulas of a sheet, a card each, in reading order; the chosen one is shown at large.

import { percent } from "./link.js";
import { mathElement } from "./mathml.js";
import { t } from "./texts.js";

export class Cards extends EventTarget {
  #list;

  constructor(list) {
    super();
    this.#list = list;
  }

  /** Nothing is shown where there is only one formula. */
  show(formulas, chosen) {
    this.#list.hidden = formulas.length < 2;
    this.#list.replaceChildren(...(this.#list.hidden ? [] : formulas.map((one, number) => this.#card(one, number, chosen))));
  }

  #card(formula, number, chosen) {
    const [item, button] = [document.createElement("li"), document.createElement("button")];
    button.type = "button";
    button.setAttribute("aria-pressed", number === chosen);
    const { latex, corrected } = formula;
    const values = { number: number + 1, latex, percent: percent(formula.confidence) };
    button.setAttribute("aria-label", corrected ? t("Formula {number}: {latex}, corrected by you", values) : t("Formula {number}: {latex}, {percent} sure", values));
    const sure = document.createElement("small");
    sure.textContent = corrected ? t("corrected by you") : values.percent;
    button.append(mathElement(formula.mathml) ?? latex, sure);
    button.addEventListener("click", () => this.dispatchEvent(new CustomEvent("choose", { detail: number })));
    item.append(button);
    return item;
  }
}
