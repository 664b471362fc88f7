// The sheet: a canvas that takes strokes from pen, touch and mouse.
//
// - Strokes are immutable arrays; the pad shows those it is given and tells of new ones. Who keeps
//   them, undoes them and reads them is not its business.
// - Once a pen was seen, fingers do not write: the palm may rest on the sheet. Where it came before the pen,
//   the pen takes over.
// - The sheet has no end: two fingers or the wheel move and zoom it. Until then ink that no longer fits
//   (a phone turned upright) is shown smaller, never cut off.
// - A lasso chooses strokes, which are then dragged.

import { listenForGestures } from "./gestures.js";
import { enclosed } from "./lasso.js";
import { around, dashedBox, distance, haloStroke, inkStroke, lassoLine, weigh } from "./stroke.js";
import { Viewport } from "./viewport.js";

const ERASER_BUTTON = 32;
const REACH = 14; // pixels within which a stroke is touched

export class Pad extends EventTarget {
  tool = "write"; // or "erase", "point", "lasso"
  #canvas;
  #context;
  #strokes = [];
  #live = null; // the stroke under the pen
  #erased = null; // indices that the eraser has touched, while it is down
  #lit = { strokes: new Set(), box: null };
  #marked = new Set(); // strokes that were not read
  #faint = new Set(); // strokes that are crossed out
  #view = new Viewport();
  #lasso = null; // the line under the pen
  #chosen = []; // numbers of strokes that the lasso chose
  #drag = null; // {from, by} while they are dragged
  #penSeen = false;
  #pointer = null; // the one that is down: a second finger neither writes nor disturbs
  #byTouch = false; // whether that is a finger, or the palm

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
    listenForGestures(canvas, {
      begin: () => this.#abandon(),
      pan: (dx, dy) => this.#look(() => this.#view.pan(dx, dy)),
      zoom: (factor, x, y) => this.#look(() => this.#view.zoom(factor, x, y)),
      whole: () => this.showAll(),
    });
    new ResizeObserver(() => this.#fit()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  get busy() {
    return this.#live !== null || this.#erased !== null || this.#lasso !== null || this.#drag !== null;
  }

  show(strokes) {
    if (!strokes.length) this.#view.moved = false; // a blank sheet begins at its corner
    this.#strokes = strokes;
    this.#chosen = [];
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

  /** Strokes that are chosen, by number: framed, and dragged by their frame. */
  choose(numbers) {
    this.#chosen = numbers;
    this.#draw();
  }

  /** All ink, as large as it fits. */
  showAll() {
    this.#look(() => this.#view.show(this.#box(), this.#canvas.clientWidth, this.#canvas.clientHeight));
  }

  /** Larger or smaller, around the middle. */
  zoom(factor) {
    this.#look(() => this.#view.zoom(factor, this.#canvas.clientWidth / 2, this.#canvas.clientHeight / 2));
  }

  /** Where a box of ink stands on the screen: to place what speaks of it. */
  onScreen([left, top, right, bottom]) {
    const own = this.#canvas.getBoundingClientRect();
    const [[x0, y0], [x1, y1]] = [this.#view.toScreen(left, top), this.#view.toScreen(right, bottom)];
    return new DOMRect(own.left + x0, own.top + y0, x1 - x0, y1 - y0);
  }

  #down(event) {
    this.#see(event);
    const touch = event.pointerType === "touch";
    if ((touch && this.#penSeen) || this.busy || (event.pointerType === "mouse" && event.button !== 0)) return;
    if (this.tool === "point") return; // a click will follow
    const [x, y] = this.#place(event);
    this.#canvas.setPointerCapture(event.pointerId);
    [this.#pointer, this.#byTouch] = [event.pointerId, touch];
    if (this.tool === "lasso") {
      if (this.#chosen.length && within(x, y, this.#frame())) this.#drag = { from: [x, y], by: [0, 0] };
      else this.#lasso = [[x, y]];
      return;
    }
    this.#tell("begin");
    if (this.tool === "erase" || event.buttons & ERASER_BUTTON) {
      this.#erased = new Set();
      this.#erase(x, y);
    } else {
      this.#live = [[x, y, weigh(event)]];
      this.#ink(this.#live, 0);
    }
  }

  /** A pen, hovering already, says that what touches is the palm. */
  #see(event) {
    if (event.pointerType !== "pen") return;
    this.#penSeen = true;
    if (this.#byTouch) this.#abandon();
  }

  #move(event) {
    this.#see(event);
    if (this.busy && event.pointerId !== this.#pointer) return;
    if (this.#live) {
      const from = this.#live.length;
      const coalesced = event.getCoalescedEvents?.() ?? [];
      for (const one of coalesced.length ? coalesced : [event]) this.#add(one);
      this.#ink(this.#live, from);
    } else if (this.#erased) {
      this.#erase(...this.#place(event));
    } else if (this.#lasso) {
      this.#lasso.push(this.#place(event));
      this.#draw();
    } else if (this.#drag) {
      const [x, y] = this.#place(event);
      this.#drag.by = [x - this.#drag.from[0], y - this.#drag.from[1]];
      this.#draw();
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
    } else if (this.#lasso) {
      const numbers = enclosed(this.#strokes, this.#lasso);
      this.#lasso = null;
      this.choose(numbers);
      this.#tell("chosen", numbers);
    } else if (this.#drag) {
      const [dx, dy] = this.#drag.by;
      this.#drag = null;
      this.#tell("dragged", { numbers: this.#chosen, dx, dy });
    }
  }

  /** Two fingers move the sheet: what the first one began is none. */
  #abandon() {
    if (!this.busy) return;
    this.#live = this.#erased = this.#lasso = this.#drag = null;
    this.#draw();
    this.#tell("cancel");
  }

  #cancel(event) {
    if (event.pointerId !== this.#pointer || !this.busy) return;
    this.#abandon();
  }

  #erase(x, y) {
    const reach = REACH / this.#view.scale;
    this.#strokes.forEach((stroke, index) => {
      if (distance(stroke, x, y) < reach) this.#erased.add(index);
    });
    this.#draw();
  }

  /** The stroke at a place, and the place itself for those who only know boxes. */
  #under(x, y) {
    let [stroke, nearest] = [null, REACH / this.#view.scale];
    this.#strokes.forEach((one, index) => {
      const away = distance(one, x, y);
      if (away < nearest) [stroke, nearest] = [index, away];
    });
    return { stroke, x, y };
  }

  #place(event) {
    const own = this.#canvas.getBoundingClientRect();
    return this.#view.toInk(event.clientX - own.left, event.clientY - own.top).map((side) => Math.round(side * 10) / 10);
  }

  #look(change) {
    change();
    this.#draw();
    this.#seen();
  }

  /** Tells which part of the sheet is seen, and on which sides ink goes on beyond it. */
  #seen() {
    const { x, y, scale } = this.#view;
    const box = this.#box();
    const beyond = box ? this.#view.beyond(box, this.#canvas.clientWidth, this.#canvas.clientHeight) : {};
    this.#tell("view", { x, y, scale, beyond });
  }

  #box() {
    return this.#strokes.length ? around(this.#strokes) : null;
  }

  /** Around the strokes that are chosen. */
  #frame() {
    const [left, top, right, bottom] = around(this.#chosen.map((number) => this.#strokes[number]));
    return [left - 8, top - 8, right + 8, bottom + 8];
  }

  #fit() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const ratio = window.devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#view.rest(this.#box(), width, height);
    this.#seen();
    this.#draw();
  }

  #draw() {
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    const unit = this.#view.scale * (window.devicePixelRatio || 1);
    context.setTransform(unit, 0, 0, unit, -unit * this.#view.x, -unit * this.#view.y);
    const { ink, accent, halo, warn } = this.#colours();
    const chosen = new Set(this.#chosen);
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
      const dragged = this.#drag && chosen.has(index);
      if (dragged) context.translate(...this.#drag.by);
      inkStroke(context, stroke, this.#lit.strokes.has(index) || chosen.has(index) ? accent : marked ? warn : ink);
      if (marked) dashedBox(context, around([stroke]), warn);
      if (dragged) context.translate(...this.#drag.by.map((side) => -side));
    });
    context.globalAlpha = 1;
    if (this.#chosen.length && !this.#drag) dashedBox(context, this.#frame(), accent);
    if (this.#lasso) lassoLine(context, this.#lasso, accent);
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

function within(x, y, [left, top, right, bottom]) {
  return left <= x && x <= right && top <= y && y <= bottom;
}
