// A picture on the sheet, as large as it fits, with the box of the symbol that is lit in it, a dashed one around
// each part that was not read and a dotted one around each block that was left out.

import { t } from "./texts.js";

const AROUND = 5; // pixels between a symbol and its box, so that a dot can be seen in it

export class PictureView extends EventTarget {
  picture = null; // a canvas
  scale = 1; // pixels of the screen to one of the picture
  #room;
  #box;
  #lit = null;
  #marks = []; // elements with the boxes that they stand for

  /** `room` holds `surface`, which holds the picture; all are elements. */
  constructor(room, surface, box) {
    super();
    this.#room = room;
    this.surface = surface;
    this.#box = box;
    new ResizeObserver(() => this.#lay()).observe(room);
    surface.addEventListener("pointermove", (event) => this.#tell("hover", this.#inPicture(event)));
    surface.addEventListener("pointerleave", () => this.#tell("hover", null));
    surface.addEventListener("click", (event) => this.#tell("tap", this.#inPicture(event)));
  }

  get width() {
    return this.picture.width * this.scale;
  }

  get height() {
    return this.picture.height * this.scale;
  }

  show(picture) {
    this.#room.hidden = !picture;
    this.picture?.remove();
    this.picture = picture;
    this.light(null);
    this.mark([]);
    if (!picture) return;
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", t("The picture"));
    this.surface.prepend(picture);
    this.#lay();
  }

  light(box) {
    this.#lit = box;
    this.#box.hidden = !box;
    if (!box) return;
    this.#place(this.#box, box);
  }

  /** Marks boxes of parts that were not read, and of blocks that were left out. */
  mark(unread, leftOut = []) {
    for (const [element] of this.#marks) element.remove();
    const marked = (name) => (box) => {
      const element = document.createElement("div");
      element.className = name;
      this.#place(element, box);
      this.surface.append(element);
      return [element, box];
    };
    this.#marks = [...unread.map(marked("unread")), ...leftOut.map(marked("left-out"))];
  }

  #place(element, box) {
    const [left, top, right, bottom] = box.map(
      (side, at) => side * this.scale + (at < 2 ? -AROUND : AROUND),
    );
    const sides = { left, top, width: right - left, height: bottom - top };
    for (const [side, value] of Object.entries(sides)) element.style[side] = `${value}px`;
  }

  onScreen() {
    return this.#box.getBoundingClientRect();
  }

  /** Where a pointer is, in pixels of the screen from the picture's corner. */
  place(event) {
    const own = this.surface.getBoundingClientRect();
    return { x: event.clientX - own.left, y: event.clientY - own.top };
  }

  #inPicture(event) {
    const { x, y } = this.place(event);
    return { stroke: null, x: x / this.scale, y: y / this.scale };
  }

  #lay() {
    if (!this.picture || this.#room.hidden) return;
    const style = getComputedStyle(this.#room);
    const width = this.#room.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const height = this.#room.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    const before = this.scale;
    this.scale = Math.min(3, width / this.picture.width, height / this.picture.height);
    this.surface.style.width = `${this.width}px`;
    this.surface.style.height = `${this.height}px`;
    this.light(this.#lit);
    for (const [element, box] of this.#marks) this.#place(element, box);
    this.#tell("laid", before);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
