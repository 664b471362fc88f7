// The sheet: a canvas that takes strokes from pen, touch and mouse.
//
// - Strokes are immutable arrays; the pad shows those it is given and tells of new ones. Who keeps
//   them, undoes them and reads them is not its business.
// - Once a pen was seen, fingers do not write: the palm may rest on the sheet.
// - Ink that no longer fits (a phone turned upright) is shown smaller, never cut off.

import { around, dashedBox, distance, haloStroke, inkStroke, weigh } from "./stroke.js";

const ERASER_BUTTON = 32;
const REACH = 14; // pixels within which a stroke is touched
const MARGIN = 16;

export class Pad extends EventTarget {
  tool = "write"; // or "erase", "point"
  #canvas;
  #context;
  #strokes = [];
  #live = null; // the stroke under the pen
  #erased = null; // indices that the eraser has touched, while it is down
  #lit = { strokes: new Set(), box: null };
  #marked = new Set(); // strokes that were not read
  #faint = new Set(); // strokes that are crossed out
  #scale = 1;
  #penSeen = false;
  #pointer = null; // the one that is down: a second finger neither writes nor disturbs

  constructor(canvas) {
    super();
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", (event) => this.#cancel(event));
    canvas.addEventListener("click", (event) => {
      if (this.tool === "point") this.#tell("tap", this.#under(...this.#place(event)));
    });
    canvas.addEventListener("pointerleave", () => this.#tell("hover", null));
    new ResizeObserver(() => this.#fit()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  get busy() {
    return this.#live !== null || this.#erased !== null;
  }

  show(strokes) {
    this.#strokes = strokes;
    this.#lit = { strokes: new Set(), box: null };
    this.#marked = new Set();
    this.#faint = new Set();
    this.#fit();
  }

  /** Marks strokes that were not read, by a dashed line as well as by their colour; those that are
   * crossed out turn faint. */
  mark(strokes, faint = []) {
    this.#marked = new Set(strokes);
    this.#faint = new Set(faint);
    this.#draw();
  }

  /** Lights some strokes, or a box where it is not known which strokes they are. */
  light(strokes, box) {
    this.#lit = { strokes: new Set(strokes), box: strokes.length ? null : box };
    this.#draw();
  }

  /** Where a box of ink stands on the screen: to place what speaks of it. */
  onScreen([left, top, right, bottom]) {
    const own = this.#canvas.getBoundingClientRect();
    const [x, y] = [own.left + left * this.#scale, own.top + top * this.#scale];
    return new DOMRect(x, y, (right - left) * this.#scale, (bottom - top) * this.#scale);
  }

  #down(event) {
    if (event.pointerType === "pen") this.#penSeen = true;
    const palm = event.pointerType === "touch" && this.#penSeen;
    if (palm || this.busy || (event.pointerType === "mouse" && event.button !== 0)) return;
    if (this.tool === "point") return; // a click will follow
    const [x, y] = this.#place(event);
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointer = event.pointerId;
    this.#tell("begin");
    if (this.tool === "erase" || event.buttons & ERASER_BUTTON) {
      this.#erased = new Set();
      this.#erase(x, y);
    } else {
      this.#live = [[x, y, weigh(event)]];
      this.#ink(this.#live, 0);
    }
  }

  #move(event) {
    if (this.busy && event.pointerId !== this.#pointer) return;
    if (this.#live) {
      const from = this.#live.length;
      const coalesced = event.getCoalescedEvents?.() ?? [];
      for (const one of coalesced.length ? coalesced : [event]) this.#add(one);
      this.#ink(this.#live, from);
    } else if (this.#erased) {
      this.#erase(...this.#place(event));
    } else if (event.pointerType !== "touch") {
      this.#tell("hover", this.#under(...this.#place(event)));
    }
  }

  #add(event) {
    const [x, y] = this.#place(event);
    const last = this.#live.at(-1);
    if (Math.hypot(x - last[0], y - last[1]) < 0.5) return; // a pen at rest still reports
    this.#live.push([x, y, weigh(event, last, this.#live.at(-2))]);
  }

  #up(event) {
    if (event.pointerId !== this.#pointer) return;
    if (this.#live) {
      this.#add(event);
      const stroke = this.#live;
      this.#live = null;
      this.#tell("stroke", stroke);
    } else if (this.#erased) {
      const left = this.#strokes.filter((_, index) => !this.#erased.has(index));
      this.#erased = null;
      this.#tell("erase", left);
    }
  }

  #cancel(event) {
    if (event.pointerId !== this.#pointer || !this.busy) return;
    this.#live = this.#erased = null;
    this.#draw();
    this.#tell("cancel");
  }

  #erase(x, y) {
    const reach = REACH / this.#scale;
    this.#strokes.forEach((stroke, index) => {
      if (distance(stroke, x, y) < reach) this.#erased.add(index);
    });
    this.#draw();
  }

  /** The stroke at a place, and the place itself for those who only know boxes. */
  #under(x, y) {
    let [stroke, nearest] = [null, REACH / this.#scale];
    this.#strokes.forEach((one, index) => {
      const away = distance(one, x, y);
      if (away < nearest) [stroke, nearest] = [index, away];
    });
    return { stroke, x, y };
  }

  #place(event) {
    const own = this.#canvas.getBoundingClientRect();
    const inUnits = (length) => Math.round((length / this.#scale) * 10) / 10;
    return [inUnits(event.clientX - own.left), inUnits(event.clientY - own.top)];
  }

  #fit() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const ratio = window.devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#scale = 1;
    if (this.#strokes.length) {
      const [, , right, bottom] = around(this.#strokes);
      this.#scale = Math.min(1, width / (right + MARGIN), height / (bottom + MARGIN));
    }
    this.#draw();
  }

  #draw() {
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    const unit = this.#scale * (window.devicePixelRatio || 1);
    context.setTransform(unit, 0, 0, unit, 0, 0);
    const { ink, accent, halo, warn } = this.#colours();
    this.#strokes.forEach((stroke, index) => {
      if (this.#lit.strokes.has(index)) haloStroke(context, stroke, halo);
    });
    if (this.#lit.box) {
      const [left, top, right, bottom] = this.#lit.box;
      context.fillStyle = halo;
      context.beginPath();
      context.roundRect(left - 6, top - 6, right - left + 12, bottom - top + 12, 6);
      context.fill();
    }
    this.#strokes.forEach((stroke, index) => {
      context.globalAlpha = this.#erased?.has(index) ? 0.15 : this.#faint.has(index) ? 0.4 : 1;
      const marked = this.#marked.has(index);
      inkStroke(context, stroke, this.#lit.strokes.has(index) ? accent : marked ? warn : ink);
      if (marked) dashedBox(context, around([stroke]), warn);
    });
    context.globalAlpha = 1;
    if (this.#live) this.#ink(this.#live, 0);
  }

  #ink(stroke, from) {
    inkStroke(this.#context, stroke, this.#colours().ink, from - 1);
  }

  #colours() {
    const style = getComputedStyle(this.#canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    return { ink: colour("--ink"), accent: colour("--accent"), halo: colour("--halo"), warn: colour("--warn") };
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
