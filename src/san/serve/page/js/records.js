// What was read on this device: an entry for each sheet or picture, the newest first.

import { keepSetting, setting } from "./setting.js";
import { all, empty, freshId, put, remove } from "./store.js";

const STORE = "records";
const MOST = 200;
const LARGEST = 500_000; // bytes of a picture that is kept with its formulas
const OFF = "san.records"; // "off": nothing is kept

export class Records {
  #saving = Promise.resolve();

  get on() {
    return setting(OFF) !== "off";
  }

  set on(wanted) {
    keepSetting(OFF, wanted ? "on" : "off");
  }

  /** What was read of a page: its sheet has one entry, however long it is written on, and so has a picture. */
  note(page) {
    const { strokes, picture, formulas } = page;
    const read = formulas.filter((formula) => formula.latex);
    if (!this.on || !read.length) return this.#saving;
    const entry = {
      id: picture ? (picture.record ??= freshId()) : (page.sheet ??= freshId()),
      time: Date.now(),
      formulas: read.map(({ latex, mathml }) => ({ latex, mathml })),
      strokes: picture ? [] : strokes,
      picture: picture && picture.blob.size <= LARGEST ? picture.blob : null,
    };
    this.#saving = this.#saving.then(() => put(STORE, entry)).then(() => this.#trim()).catch(() => {});
    return this.#saving;
  }

  /** Entries whose LaTeX has all the words, the newest first; it fails where storage is forbidden. */
  async find(words) {
    await this.#saving;
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const entries = await all(STORE);
    const text = (entry) => entry.formulas.map(({ latex }) => latex).join(" ").toLowerCase();
    return entries.reverse().filter((entry) => wanted.every((word) => text(entry).includes(word)));
  }

  async forget(id) {
    await remove(STORE, id);
  }

  async forgetAll() {
    await this.#saving;
    await empty(STORE);
  }

  async #trim() {
    const entries = await all(STORE);
    for (const { id } of entries.slice(0, Math.max(0, entries.length - MOST))) await remove(STORE, id);
  }
}
