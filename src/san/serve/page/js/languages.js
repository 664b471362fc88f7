// Texts in a language that is asked for. English stands where it is used; translations lie in texts.de.js and
// texts.zh.js, by their English. What has none stays English.

const TRANSLATIONS = { de: () => import("./texts.de.js"), zh: () => import("./texts.zh.js") };

/** One of ours, or English: the first of these, a browser's or a page's, that is known. */
export function chosen(languages) {
  for (const one of languages) {
    const short = one.slice(0, 2).toLowerCase();
    if (short === "en" || Object.hasOwn(TRANSLATIONS, short)) return short;
  }
  return "en";
}

/** That of an element: said by what is nearest around it, shadow trees too, else by the browser. */
export function languageOf(element) {
  const near = element.closest("[lang]");
  if (near) return chosen([near.getAttribute("lang"), ...navigator.languages]);
  const { host } = element.getRootNode();
  return host ? languageOf(host) : chosen(navigator.languages);
}

export async function textsIn(language) {
  return new Texts((await TRANSLATIONS[language]?.())?.default);
}

export class Texts {
  #words;

  constructor(words = {}) {
    this.#words = words;
  }

  /** A text; `{name}` in it is one of the values. */
  t(english, values = {}) {
    const text = this.#words[english] ?? english;
    return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }

  /** What a server says in English: whole, or by its pattern with what is in it: numbers and symbols as they are,
   * named groups translated in their turn. */
  told(english) {
    if (this.#words[english]) return this.#words[english];
    for (const [pattern, text] of this.#words.patterns ?? []) {
      const found = pattern.exec(english);
      if (!found) continue;
      const part = (_, name) => (found.groups && name in found.groups ? this.told(found.groups[name] ?? "") : (found[name] ?? ""));
      return text.replace(/\{(\w+)\}/g, part);
    }
    return english;
  }
}
