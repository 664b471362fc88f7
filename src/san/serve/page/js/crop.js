// The frame around the part of a picture that is to be read. It is drawn anew by dragging over the
// picture, moved by dragging it, and shaped at its corners with pointer or arrow keys.

const MIN_SIDE = 24; // pixels of the screen: a smaller frame was a slip of the hand
const STEP = 8; // pixels an arrow key moves a corner

export class Crop {
  #view; // PictureView: where the picture lies on the screen
  #frame;
  #part = null; // {x, y, width, height} in pixels of the screen, within the picture
  #drag = null;

  constructor(view, frame) {
    this.#view = view;
    this.#frame = frame;
    const surface = view.surface;
    surface.addEventListener("pointerdown", (event) => this.#down(event));
    surface.addEventListener("pointermove", (event) => this.#move(event));
    surface.addEventListener("pointerup", () => this.#up());
    surface.addEventListener("pointercancel", () => this.#up());
    for (const handle of frame.querySelectorAll("[data-corner]")) {
      handle.addEventListener("keydown", (event) => this.#key(event, handle.dataset.corner));
    }
    view.addEventListener("laid", ({ detail: before }) => this.#relaid(before));
  }

  get active() {
    return !this.#frame.hidden;
  }

  start() {
    this.#frame.hidden = false;
    this.whole();
  }

  stop() {
    this.#frame.hidden = true;
    this.#drag = null;
  }

  whole() {
    this.#set({ x: 0, y: 0, width: this.#view.width, height: this.#view.height });
  }

  /** The part in pixels of the picture. */
  get part() {
    const { x, y, width, height } = this.#part;
    const [left, top] = [Math.floor(x / this.#view.scale), Math.floor(y / this.#view.scale)];
    const { width: most, height: tallest } = this.#view.picture;
    return {
      x: left,
      y: top,
      width: Math.max(1, Math.min(most - left, Math.round(width / this.#view.scale))),
      height: Math.max(1, Math.min(tallest - top, Math.round(height / this.#view.scale))),
    };
  }

  #down(event) {
    if (!this.active || event.button !== 0) return;
    const at = this.#view.place(event);
    const corner = event.target.dataset?.corner;
    this.#view.surface.setPointerCapture(event.pointerId);
    if (corner) {
      this.#drag = { from: opposite(this.#part, corner), at, kind: "draw", before: this.#part };
    } else {
      const inside = event.target === this.#frame && !this.#isWhole();
      this.#drag = { from: at, at, kind: inside ? "move" : "draw", before: this.#part };
    }
    if (!corner) event.preventDefault();
  }

  #move(event) {
    if (!this.#drag) return;
    const at = this.#view.place(event);
    const { from, kind, before } = this.#drag;
    if (kind === "draw") this.#set(between(from, at));
    else this.#set({ ...before, x: before.x + at.x - from.x, y: before.y + at.y - from.y });
  }

  #up() {
    if (!this.#drag) return;
    const { width, height } = this.#part;
    if (width < MIN_SIDE || height < MIN_SIDE) this.#set(this.#drag.before);
    this.#drag = null;
  }

  #key(event, corner) {
    const step = event.shiftKey ? 4 * STEP : STEP;
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const at = cornerOf(this.#part, corner);
    const to = { x: at.x + step * move[0], y: at.y + step * move[1] };
    const part = between(opposite(this.#part, corner), to);
    if (part.width >= MIN_SIDE && part.height >= MIN_SIDE) this.#set(part);
  }

  /** The picture is shown larger or smaller than before: the frame keeps to the same part. */
  #relaid(before) {
    if (!this.active || !this.#part || !before) return;
    const ratio = this.#view.scale / before;
    const { x, y, width, height } = this.#part;
    this.#set({ x: x * ratio, y: y * ratio, width: width * ratio, height: height * ratio });
  }

  #set(part) {
    const [most, tallest] = [this.#view.width, this.#view.height];
    const width = Math.min(part.width, most);
    const height = Math.min(part.height, tallest);
    const x = Math.max(0, Math.min(part.x, most - width));
    const y = Math.max(0, Math.min(part.y, tallest - height));
    this.#part = { x, y, width, height };
    const sides = { left: x, top: y, width, height };
    for (const [side, value] of Object.entries(sides)) this.#frame.style[side] = `${value}px`;
  }

  #isWhole() {
    const { width, height } = this.#part;
    return width > this.#view.width - 2 && height > this.#view.height - 2;
  }
}

function cornerOf({ x, y, width, height }, corner) {
  return { x: corner.endsWith("e") ? x + width : x, y: corner.startsWith("s") ? y + height : y };
}

function opposite(part, corner) {
  const across = { nw: "se", ne: "sw", sw: "ne", se: "nw" };
  return cornerOf(part, across[corner]);
}

function between(a, b) {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}
