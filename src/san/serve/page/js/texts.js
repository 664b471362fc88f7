// Texts of the page in the language of the browser. English stands where it is used; translations lie in
// texts.de.js and texts.zh.js, by their English. What has none stays English.

const LANGUAGES = ["de", "zh"];

/** One of ours, or English: the first of the browser's that is known. */
export const language = chosen();

const words = LANGUAGES.includes(language) ? (await import(`./texts.${language}.js`)).default : {};

function chosen() {
  for (const one of navigator.languages ?? []) {
    const short = one.slice(0, 2).toLowerCase();
    if (short === "en" || LANGUAGES.includes(short)) return short;
  }
  return "en";
}

/** A text in the language of the browser; `{name}` in it is one of the values. */
export function t(english, values = {}) {
  const text = words[english] ?? english;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** What a server says in English: whole, or by its pattern with what is in it: numbers and symbols as they are,
 * named groups translated in their turn. */
export function told(english) {
  if (words[english]) return words[english];
  for (const [pattern, text] of words.patterns ?? []) {
    const found = pattern.exec(english);
    if (!found) continue;
    const part = (_, name) => (found.groups && name in found.groups ? told(found.groups[name] ?? "") : (found[name] ?? ""));
    return text.replace(/\{(\w+)\}/g, part);
  }
  return english;
}

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
    if (words[text]) walker.currentNode.data = before + words[text] + after;
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const element of root.querySelectorAll(`[${name}]`)) {
      const text = words[element.getAttribute(name)];
      if (text) element.setAttribute(name, text);
    }
  }
}
