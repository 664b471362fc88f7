// The dialog of what this device keeps: what was read, and the collection to train on.

import { collected, corpus, emptyCollection } from "./collection.js";
import { save } from "./download.js";
import { mathElement } from "./mathml.js";
import { unseen } from "./result.js";
import { t } from "./texts.js";

export class Device extends EventTarget {
  #dialog;
  #records;
  #parts;

  /** Tells `open` with an entry that is to be shown again. */
  constructor(dialog, records) {
    super();
    this.#dialog = dialog;
    this.#records = records;
    const part = (name) => dialog.querySelector(`[data-part=${name}]`);
    const names = ["search", "list", "none", "forget", "keep", "count", "export", "empty", "close"];
    this.#parts = Object.fromEntries(names.map((name) => [name, part(name)]));
    const { search, forget, keep, empty, close } = this.#parts;
    search.addEventListener("input", () => this.#show());
    keep.addEventListener("change", () => (records.on = keep.checked));
    close.addEventListener("click", () => dialog.close());
    confirmed(forget, t("Really delete all?"), async () => (await records.forgetAll(), this.#show()));
    confirmed(empty, t("Really delete all?"), async () => (await emptyCollection(), this.#show()));
    this.#parts.export.addEventListener("click", async () => save(await corpus(), "san-corpus.zip"));
  }

  async open() {
    this.#parts.search.value = "";
    this.#parts.keep.checked = this.#records.on;
    this.#dialog.showModal();
    await this.#show();
  }

  async #show() {
    const { search, list, none, forget, count, empty } = this.#parts;
    const found = await this.#records.find(search.value).catch(() => null);
    const entries = found ?? [];
    list.replaceChildren(...entries.map((entry) => this.#entry(entry)));
    none.hidden = entries.length > 0;
    if (!found) none.textContent = t("This browser forbids storage: nothing is kept.");
    else none.textContent = search.value ? t("Nothing like that was read here.") : t("Nothing was read here yet.");
    forget.disabled = !entries.length && !search.value;
    const samples = await collected().catch(() => 0);
    count.textContent = samples === 1 ? t("1 formula with its ink or picture") : t("{number} formulas with their ink or picture", { number: samples });
    this.#parts.export.disabled = empty.disabled = !samples;
  }

  #entry(entry) {
    const [item, open, drop] = ["li", "button", "button"].map((name) => document.createElement(name));
    const time = document.createElement("small");
    const [first, ...more] = entry.formulas;
    const date = new Date(entry.time).toLocaleString(navigator.languages, { dateStyle: "short", timeStyle: "short" });
    time.textContent = more.length ? `${t("and {number} more", { number: more.length })} · ${date}` : date;
    open.type = drop.type = "button";
    open.className = "entry";
    const words = unseen(t("Open {latex}", { latex: entry.formulas.map(({ latex }) => latex).join("; ") }));
    open.append(words, mathElement(first.mathml) ?? first.latex, time);
    open.addEventListener("click", () => {
      this.#dialog.close();
      this.dispatchEvent(new CustomEvent("open", { detail: entry }));
    });
    drop.className = "quiet";
    drop.textContent = "✕";
    drop.setAttribute("aria-label", t("Delete {latex}", { latex: first.latex }));
    drop.addEventListener("click", async () => {
      const { list, close } = this.#parts;
      const at = [...list.children].indexOf(item);
      await this.#records.forget(entry.id);
      await this.#show();
      ((list.children[at] ?? list.lastElementChild)?.lastElementChild ?? close).focus();
    });
    item.append(open, drop);
    return item;
  }
}

/** What cannot be undone is asked twice: the button says so, and is pressed again. */
function confirmed(button, question, act) {
  const text = button.textContent;
  let asked = false;
  const rest = () => ([asked, button.textContent] = [false, text]);
  button.addEventListener("blur", rest);
  button.addEventListener("click", async () => {
    if (!asked) {
      [asked, button.textContent] = [true, question];
      return;
    }
    rest();
    await act();
  });
}
