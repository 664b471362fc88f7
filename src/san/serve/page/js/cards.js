// The formulas of a sheet, a card each, in reading order; the chosen one is shown at large.

import { percent } from "./link.js";
import { mathElement } from "./mathml.js";
import { unseen } from "./result.js";
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
    const sure = document.createElement("small");
    sure.textContent = corrected ? t("corrected by you") : percent(formula.confidence);
    const words = unseen(t("Formula {number}: {latex}", { number: number + 1, latex }));
    button.append(words, mathElement(formula.mathml) ?? latex, sure, corrected ? "" : unseen(t("sure")));
    button.addEventListener("click", () => this.dispatchEvent(new CustomEvent("choose", { detail: number })));
    item.append(button);
    return item;
  }
}
