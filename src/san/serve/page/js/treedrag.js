// Dragging in the syntax tree: a symbol is dropped beside another, or into one of its places.

import { t } from "./texts.js";

const BEGIN = 6; // pixels before a press is a drag
const REACH = 3.2; // radii around a node within which it is meant

const PLACES = {
  before: "before {name}",
  right: "behind {name}",
  sup: "superscript of {name}",
  sub: "subscript of {name}",
  above: "above {name}",
  below: "below {name}",
  inside: "inside {name}",
};

export class TreeDrag extends EventTarget {
  #svg;
  #drag = null;
  #hint = document.createElement("div");

  /** Tells `move` with {id, target, relation}; `names(id)` is what a symbol is called, and `held(id)` the
   * relations in which something stands to it. */
  constructor(svg, { names, held }) {
    super();
    this.#svg = svg;
    Object.assign(this, { names, held });
    this.#hint.className = "drop-hint";
    this.#hint.hidden = true;
    svg.parentElement.append(this.#hint);
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    addEventListener("pointermove", (event) => this.#move(event));
    addEventListener("pointerup", (event) => this.#end(event, true));
    addEventListener("pointercancel", (event) => this.#end(event, false));
    addEventListener("keydown", (event) => event.key === "Escape" && this.#stop());
    svg.addEventListener("click", (event) => this.#swallow(event), { capture: true });
  }

  #down(event) {
    const node = event.target.closest("[data-symbol]");
    if (!node || event.button !== 0 || event.target.closest(".fold")) return;
    this.#drag = { node, id: idOf(node), from: event, pointer: event.pointerId, active: false, drop: null };
  }

  #move(event) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!drag.active && Math.hypot(event.clientX - drag.from.clientX, event.clientY - drag.from.clientY) < BEGIN) return;
    drag.active = true;
    drag.node.classList.add("dragged");
    drag.drop = this.#dropAt(event, drag.id);
    for (const node of this.#svg.querySelectorAll(".drop")) node.classList.remove("drop");
    this.#hint.hidden = !drag.drop;
    if (!drag.drop) return;
    const { target, relation } = drag.drop;
    this.#svg.querySelector(`[data-symbol="${target}"]`).classList.add("drop");
    this.#hint.textContent = t(PLACES[relation], { name: this.names(target) });
    const room = this.#svg.parentElement;
    const own = room.getBoundingClientRect();
    this.#hint.style.left = `${event.clientX - own.left + room.scrollLeft + 14}px`;
    this.#hint.style.top = `${event.clientY - own.top + room.scrollTop + 14}px`;
  }

  #end(event, done) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    this.#stop();
    if (!drag.active) return;
    this.dropped = performance.now(); // the click that follows is none
    if (done && drag.drop) this.dispatchEvent(new CustomEvent("move", { detail: { id: drag.id, ...drag.drop } }));
  }

  #stop() {
    this.#drag?.node.classList.remove("dragged");
    for (const node of this.#svg.querySelectorAll(".drop")) node.classList.remove("drop");
    this.#hint.hidden = true;
    this.#drag = null;
  }

  #swallow(event) {
    if (performance.now() - (this.dropped ?? -1000) < 50) event.stopImmediatePropagation();
  }

  /** The node that is nearest, and on which side of it the pointer is. */
  #dropAt(event, id) {
    let nearest = null;
    for (const node of this.#svg.querySelectorAll("[data-symbol]")) {
      const box = node.querySelector("circle").getBoundingClientRect();
      const [dx, dy] = [event.clientX - (box.left + box.width / 2), event.clientY - (box.top + box.height / 2)];
      const away = Math.hypot(dx, dy) / (box.width / 2);
      if (idOf(node) !== id && away < (nearest?.away ?? REACH)) nearest = { target: idOf(node), dx, dy, away };
    }
    if (!nearest) return null;
    const { target, dx, dy, away } = nearest;
    return { target, relation: placeAt(dx, dy, away, this.held(target)) };
  }
}

/** Straight above or below only where something stands there by nature, as over a fraction. */
export function placeAt(dx, dy, away, held) {
  if (away < 0.9 && held.includes("inside")) return "inside";
  const angle = (Math.atan2(-dy, dx) * 180) / Math.PI;
  if (angle > 100 && held.includes("above")) return "above";
  if (angle < -100 && held.includes("below")) return "below";
  if (Math.abs(angle) > 110) return "before";
  if (angle > 20) return held.includes("above") && !held.includes("sup") ? "above" : "sup";
  if (angle < -20) return held.includes("below") && !held.includes("sub") ? "below" : "sub";
  return "right";
}

function idOf(node) {
  return Number(node.dataset.symbol);
}
