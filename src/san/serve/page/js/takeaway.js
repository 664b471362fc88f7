// What people take away: copies for other programs, and files.

import { copy } from "./copy.js";
import { download, drawing } from "./download.js";
import { aligned, display, forWordProcessors, inline, latexOf, markdown } from "./forms.js";
import { Menu } from "./menu.js";
import { keepSetting, setting } from "./setting.js";
import { t } from "./texts.js";

const STRETCHY = "san.stretchy"; // kept on this device

/** By item of the menu: what it is called when it was copied, and what is copied. */
const COPIES = {
  inline: ["LaTeX", ({ result }, grow) => plain(inline(latexOf(result, grow)))],
  display: ["LaTeX", ({ result }, grow) => plain(display(latexOf(result, grow)))],
  aligned: ["LaTeX", async ({ formulas }, grow) => plain(await aligned(formulas, grow))],
  word: ["MathML", ({ result }) => forWordProcessors(result)],
  typst: ["Typst", ({ result }) => plain(result.typst)],
  picture: ["Picture", ({ result }) => ({ "image/png": drawing().then(({ formulaPng }) => formulaPng(result)) })],
  ink: ["Picture of the ink", ({ strokes }) => ({ "image/png": drawing().then(({ inkPng }) => inkPng(strokes)) })],
  sheet: ["Markdown of the sheet", ({ formulas }, grow) => plain(markdown(formulas, grow))],
};

/** Items that are not of the chosen formula alone. */
const OF_ALL = new Set(["aligned", "ink", "sheet"]);

export class TakeAway {
  #parts;
  #menu;

  /** `parts`: menu, more (its button), copy (the button), files (buttons), ofAll and ofOne (their headings); `page()` is what is shown,
   * `result` its text in the chosen format, `say(text, isTrouble)` tells. */
  constructor(parts, { page, result, say }) {
    this.#parts = { ...parts, page, result, say };
    this.#menu = new Menu(parts.menu, parts.more);
    this.#menu.addEventListener("choose", ({ detail }) => this.#take(detail));
    parts.copy.addEventListener("click", () => this.copyShown());
    for (const button of parts.files) button.addEventListener("click", () => this.#file(button.dataset.download));
    this.#grow(setting(STRETCHY) === "yes");
  }

  /** What can be taken of a page: ink only where no picture was read. */
  offer({ result, picture, formulas, strokes, chosen }) {
    const { menu, more, files, ofAll, ofOne } = this.#parts;
    const several = formulas.length > 1;
    ofAll.textContent = several ? t("All {number} formulas", { number: formulas.length }) : t("Download");
    ofOne.textContent = t("Only formula {number}", { number: chosen + 1 });
    ofOne.hidden = !several;
    const written = result !== null && picture === null && strokes.length > 0;
    more.disabled = !result;
    menu.querySelector("[data-item=ink]").disabled = !written;
    for (const button of files) {
      const kind = button.dataset.download;
      const allowed = kind === "inkml" ? written && !several : !kind.startsWith("ink") || written;
      button.disabled = !result || !allowed;
    }
  }

  openMenu() {
    return this.#menu.open();
  }

  async copyShown() {
    const { result } = this.#parts;
    await this.#copied(this.#ofOne(result.formatName), plain(result.source));
  }

  async #take(item) {
    const { page, result } = this.#parts;
    if (item === "grow") {
      this.#grow(!result.stretchy);
      return;
    }
    const [name, make] = COPIES[item];
    try {
      await this.#copied(OF_ALL.has(item) ? t(name) : this.#ofOne(t(name)), await make(page(), result.stretchy));
    } catch {
      this.#cannot();
    }
  }

  /** Of which formula something is, where there are several. */
  #ofOne(name) {
    const { formulas, chosen } = this.#parts.page();
    return formulas.length > 1 ? t("{name} of formula {number}", { name, number: chosen + 1 }) : name;
  }

  async #copied(name, types) {
    const { copy: button, say } = this.#parts;
    const done = await copy(types);
    say(done ? t("{name} copied", { name }) : t("The browser forbids copying; select the text instead."));
    button.dataset.done = done;
    setTimeout(() => delete button.dataset.done, 1600);
  }

  async #file(kind) {
    const { page, result } = this.#parts;
    try {
      await download(kind, page(), result.stretchy);
    } catch {
      this.#cannot();
    }
  }

  #cannot() {
    this.#parts.say(t("The file could not be made: the server does not answer. Try again in a moment."), true);
  }

  #grow(on) {
    const { menu, result } = this.#parts;
    menu.querySelector("[data-item=grow]").setAttribute("aria-checked", on);
    result.stretchy = on;
    keepSetting(STRETCHY, on ? "yes" : "no");
  }
}

function plain(text) {
  return { "text/plain": text };
}
