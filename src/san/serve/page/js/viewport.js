// Which part of the sheet is seen: the sheet has no end, the window is moved and zoomed over it.

const SMALLEST = 0.2;
const LARGEST = 4;
const MARGIN = 16;

export class Viewport {
  x = 0; // the ink's place at the window's corner
  y = 0;
  scale = 1; // pixels of the screen to one of the ink
  moved = false; // by hand: then it stays where it is

  toInk(x, y) {
    return [x / this.scale + this.x, y / this.scale + this.y];
  }

  toScreen(x, y) {
    return [(x - this.x) * this.scale, (y - this.y) * this.scale];
  }

  /** By pixels of the screen. */
  pan(dx, dy) {
    this.moved = true;
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
  }

  /** What is at this place of the window stays there. */
  zoom(factor, x, y) {
    const [left, top] = this.toInk(x, y);
    this.moved = true;
    this.scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    [this.x, this.y] = [left - x / this.scale, top - y / this.scale];
  }

  /** As it was written, or smaller where a box does not fit, unless it was moved by hand. */
  rest(box, width, height) {
    if (this.moved) return;
    Object.assign(this, { x: 0, y: 0, scale: 1 });
    if (!box) return;
    const [left, top, right, bottom] = box;
    this.x = Math.min(0, left - MARGIN);
    this.y = Math.min(0, top - MARGIN);
    this.scale = Math.min(1, width / (right + MARGIN - this.x), height / (bottom + MARGIN - this.y));
  }

  /** All of a box, as large as it fits but no larger than written. */
  show(box, width, height) {
    this.moved = false;
    this.rest(box, width, height);
  }

  /** On which sides of the window a box goes on. */
  beyond([left, top, right, bottom], width, height) {
    const [x0, y0] = this.toScreen(left, top);
    const [x1, y1] = this.toScreen(right, bottom);
    return { left: x0 < 0, top: y0 < 0, right: x1 > width, bottom: y1 > height };
  }
}
