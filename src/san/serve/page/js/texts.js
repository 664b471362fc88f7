// Texts of the page in the language of the browser.

import { chosen, textsIn } from "./languages.js";

export const language = chosen(navigator.languages);

const texts = await textsIn(language);

export const t = (english, values) => texts.t(english, values);

export const told = (english) => texts.told(english);

/** Several things that the server says, in one phrase. */
export function toldTogether(notes) {
  return notes.map(told).join(t("; "));
}

/** With a capital and a full stop. */
export function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!。？！]$/.test(whole) ? whole : `${whole}${t(".")}`;
}

/** The texts of the document itself: its text, and what only assistive technology or a pointer sees. */
export function translate(root) {
  if (language === "en") return;
  document.documentElement.lang = language;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const [, before, text, after] = /^(\s*)([^]*?)(\s*)$/.exec(walker.currentNode.data);
    walker.currentNode.data = before + t(text) + after;
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const element of root.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, t(element.getAttribute(name)));
    }
  }
}
