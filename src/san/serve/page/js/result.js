// What was read, in words: how sure, where to look twice, the source to copy, other readings.

import { differing } from "./align.js";
import { FORMATS } from "./api.js";
import { isDoubtful, percent } from "./link.js";
import { mathElement, unmarked } from "./mathml.js";
import { speech } from "./speech.js";
import { sentence, t, told, toldTogether } from "./texts.js";

const WORDS = { sure: "Sure", "fairly sure": "Fairly sure", doubtful: "Doubtful" };
const PLAUSIBLE = 0.02; // less probable readings are no help

export class Result extends EventTarget {
  #parts;
  #link;
  #result = null;
  #format = "latex";
  #stretchy = false;

  /** `parts`: the elements by name; see main.js. */
  constructor(parts, link) {
    super();
    this.#parts = parts;
    this.#link = link;
    const tabs = [...parts.tabs.querySelectorAll("[role=tab]")];
    for (const tab of tabs) tab.addEventListener("click", () => this.#pickFormat(tab));
    parts.tabs.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const shown = tabs.filter((tab) => !tab.hidden);
      const next = shown[(shown.indexOf(event.target) + step + shown.length) % shown.length];
      next.focus();
      this.#pickFormat(next);
    });
  }

  show(result) {
    this.#result = result;
    const { surety, doubtful, alternatives, tabs } = this.#parts;
    for (const tab of tabs.querySelectorAll("[role=tab]:not([data-format=latex])")) {
      tab.hidden = !result || !sourceOf(result, tab.dataset.format);
      if (tab.hidden && this.#format === tab.dataset.format) this.#pickFormat(tabs.querySelector("[role=tab]"));
    }
    surety.replaceChildren(...(result ? suretyOf(result) : []));
    doubtful.replaceChildren(...(result ? this.#chips(result) : []));
    const others = (result?.alternatives ?? []).filter((one) => one.confidence >= PLAUSIBLE);
    alternatives.replaceChildren(...others.map((one) => this.#alternative(one)));
    this.#parts.others.classList.toggle("none", !others.length);
    for (const button of this.#parts.actions) button.disabled = !result;
    this.#showSource();
  }

  /** The text that is shown, in the chosen format. */
  get source() {
    if (!this.#result) return "";
    return sourceOf(this.#result, this.#stretchy && this.#format === "latex" ? "stretchy" : this.#format);
  }

  /** Whether LaTeX is written with \left( and \right) around what is tall. */
  get stretchy() {
    return this.#stretchy;
  }

  set stretchy(on) {
    this.#stretchy = on;
    this.#showSource();
  }

  /** What is edited is LaTeX, whatever was shown. */
  showLatex() {
    this.#pickFormat(this.#parts.tabs.querySelector("[data-format=latex]"));
  }

  get formatName() {
    return this.#parts.tabs.querySelector("[aria-selected=true]").textContent;
  }

  #pickFormat(chosen) {
    for (const tab of this.#parts.tabs.querySelectorAll("[role=tab]")) {
      tab.setAttribute("aria-selected", tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
    this.#format = chosen.dataset.format;
    this.#parts.source.setAttribute("aria-labelledby", chosen.id);
    this.#showSource();
  }

  #showSource() {
    this.#parts.source.textContent = this.source;
  }

  #chips(result) {
    const unsure = result.expression.symbols.filter(isDoubtful);
    const lead = document.createElement("span");
    lead.textContent = unsure.length ? t("Look twice at") : doubtWords(result);
    return [lead, ...unsure.map((symbol) => this.#chip(symbol))];
  }

  #chip(symbol) {
    const button = document.createElement("button");
    button.className = "chip";
    const seen = `${symbol.symbol || t("nothing")} · ${percent(symbol.probability)}`;
    button.append(unseen(t("Correct:")), seen, unseen(t("sure")));
    button.addEventListener("pointerenter", () => this.#link.light(symbol.id));
    button.addEventListener("pointerleave", () => this.#link.light(null));
    button.addEventListener("focus", () => this.#link.light(symbol.id));
    button.addEventListener("click", () => this.#link.choose(symbol.id, button.getBoundingClientRect()));
    return button;
  }

  #alternative(one) {
    const button = document.createElement("button");
    button.className = "alternative";
    const math = mathElement(one.mathml);
    const other = differing(this.#result.expression.symbols, one.expression?.symbols ?? []);
    for (const marked of math?.querySelectorAll("[data-symbol]") ?? []) {
      if (other.has(Number(marked.dataset.symbol))) marked.classList.add("differs");
      marked.removeAttribute("data-symbol");
    }
    math?.setAttribute("display", "inline");
    const number = document.createElement("span");
    number.className = "number";
    number.textContent = percent(one.confidence);
    button.append(unseen(t("Take {latex} instead:", { latex: one.latex })), math ?? one.latex, number, unseen(t("sure")));
    button.addEventListener("click", () => this.dispatchEvent(new CustomEvent("take", { detail: taken(this.#result, one) })));
    return button;
  }
}

/** A result with another of its readings; what was shown takes the place of that one: nothing is lost. */
export function taken(result, one) {
  const shown = Object.fromEntries(["latex", "confidence", "expression", ...FORMATS].map((field) => [field, result[field]]));
  const others = result.alternatives.map((other) => (other === one ? shown : other));
  return { ...result, ...one, alternatives: others, picked: true };
}

/** The result in one sentence, for those who hear it. */
export function spoken(result) {
  const doubtful = result.expression.symbols.filter(isDoubtful).map((symbol) => symbol.symbol);
  const twice = doubtful.length ? `${t("Look twice at")} ${doubtful.join(", ")}` : doubtWords(result);
  const notes = (result.notes ?? []).map((note) => ` ${sentence(told(note))}`).join("");
  const said = [speech(result.expression.symbols) || t("nothing"), suretyWords(result), twice];
  return `${said.map((words) => `${words}${t(".")}`).join(" ")}${notes}`;
}

/** What the doubt is about where no symbol is in doubt; never "none" beside "Doubtful". */
function doubtWords(result) {
  const doubts = result.corrected || result.picked ? [] : (result.doubts ?? []);
  return doubts.length ? t("In doubt: {what}", { what: toldTogether(doubts) }) : t("No symbol is in doubt");
}

export function sourceOf(result, format) {
  if (format === "mathml") return unmarked(result.mathml);
  if (format === "json") return JSON.stringify(result.expression, null, 2);
  return result[format] ?? "";
}

/** Words for those who hear the page, beside what is seen. */
export function unseen(text) {
  const words = document.createElement("span");
  words.className = "unseen";
  words.textContent = ` ${text} `;
  return words;
}

function suretyWords(result) {
  if (result.corrected) return t("Corrected by you");
  if (result.inPart) return `${t("Corrected by you in part")}, ${percent(result.confidence)}`;
  if (result.picked) return `${t("Picked by you")}, ${percent(result.confidence)}`;
  return `${t(WORDS[result.words] ?? result.words)}, ${percent(result.confidence)}`;
}

function suretyOf(result) {
  const words = document.createElement("strong");
  words.textContent = suretyWords(result);
  const bar = document.createElement("span");
  bar.className = "bar";
  const filled = document.createElement("span");
  filled.style.setProperty("--share", result.corrected ? 1 : result.confidence);
  bar.append(filled);
  return [words, bar];
}
