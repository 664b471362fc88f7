// The paper under the ink: dotted, ruled or squared; it moves with the ink, and its edges say where ink
// goes on beyond them. The buttons in its corner zoom.

import { keepSetting, setting } from "./setting.js";

const KEY = "san.paper";
const KINDS = ["dotted", "ruled", "squared", "plain"];
const UNIT = 26; // pixels between dots

export class Paper {
  #paper;

  constructor(paper, pad, { larger, smaller, whole, kind }) {
    this.#paper = paper;
    pad.addEventListener("view", ({ detail }) => this.#follow(detail));
    larger.addEventListener("click", () => pad.zoom(1.25));
    smaller.addEventListener("click", () => pad.zoom(0.8));
    whole.addEventListener("click", () => pad.showAll());
    kind.addEventListener("click", () => this.#use(KINDS[(KINDS.indexOf(paper.dataset.kind) + 1) % KINDS.length]));
    this.#use(setting(KEY));
  }

  #use(kind) {
    this.#paper.dataset.kind = KINDS.includes(kind) ? kind : KINDS[0];
    keepSetting(KEY, this.#paper.dataset.kind);
  }

  #follow({ x, y, scale, beyond }) {
    const { style, classList } = this.#paper;
    style.setProperty("--unit", `${UNIT * scale}px`);
    style.setProperty("--across", `${-x * scale}px`);
    style.setProperty("--down", `${-y * scale}px`);
    for (const side of ["left", "top", "right", "bottom"]) classList.toggle(`more-${side}`, Boolean(beyond[side]));
  }
}
