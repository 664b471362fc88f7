// The syntax tree as a picture. It is a tree for the keyboard and the screen reader too: arrow keys
// walk it, left and right also fold and unfold, Enter corrects a symbol, with Alt they move it.

import { childrenOf, layout, RADIUS } from "./layout.js";
import { isDoubtful, percent } from "./link.js";
import { t } from "./texts.js";
import { TreeDrag } from "./treedrag.js";

const SMALLEST = 0.75; // a large tree is drawn smaller to fit, but no smaller than can be read
const STEPS = { ArrowUp: "sup", ArrowDown: "sub", ArrowLeft: "into", ArrowRight: "out" }; // with Alt: rewrite.js
const SVG = "http://www.w3.org/2000/svg";
const DRAWN = {
  "\\frac": "a/b",
  "\\binom": "(ᵃ)",
  "\\sqrt": "√",
  "\\matrix": "▦",
  "\\boxed": "□",
  "\\textcircled": "○",
  "\\overline": "‾",
  "\\underline": "_",
  "\\\\": "↵",
  "": "∅",
};

export class Tree {
  #svg;
  #link;
  #formula;
  #symbols = [];
  #folded = new Set();
  #focus = 0;
  #size = { width: 0, height: 0 };

  constructor(svg, link, formula) {
    this.#svg = svg;
    this.#link = link;
    this.#formula = formula;
    const under = (event) => event.target.closest("[data-symbol]");
    svg.addEventListener("pointerover", (event) => link.light(numberOf(under(event))));
    svg.addEventListener("pointerleave", () => link.light(null));
    svg.addEventListener("focusin", (event) => this.#focused(numberOf(under(event))));
    svg.addEventListener("click", (event) => this.#click(event, under(event)));
    svg.addEventListener("keydown", (event) => this.#key(event));
    link.addEventListener("light", ({ detail: id }) => this.#light(id));
    new ResizeObserver(() => this.#fit()).observe(svg.parentElement);
    const drag = new TreeDrag(svg, {
      names: (id) => formula.glyph(id)?.text ?? this.#symbols[id].symbol,
      held: (id) => [...childrenOf(this.#symbols)[id].keys()],
    });
    drag.addEventListener("move", ({ detail }) => link.move(detail));
  }

  show(result) {
    this.#symbols = result?.expression.symbols ?? [];
    this.#folded.clear();
    this.#focus = 0;
    this.#draw();
  }

  /** Puts the focus on a symbol that was moved. */
  focus(id) {
    this.#node(id)?.focus();
  }

  fold(id, folded) {
    if (folded) this.#folded.add(id);
    else this.#folded.delete(id);
    const focused = this.#svg.contains(document.activeElement);
    this.#draw();
    if (focused) this.#node(id)?.focus();
  }

  #draw() {
    const { nodes, edges, width, height } = layout(this.#symbols, this.#folded);
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#size = { width, height };
    this.#fit();
    this.#svg.toggleAttribute("hidden", nodes.length === 0);
    const lines = make("g", { class: "edges", "aria-hidden": "true" });
    for (const edge of edges) lines.append(...drawEdge(edge));
    this.#svg.replaceChildren(lines, ...nodes.map((node) => this.#drawNode(node)));
  }

  #fit() {
    const { width, height } = this.#size;
    const room = this.#svg.parentElement;
    const style = getComputedStyle(room);
    const across = room.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const down = room.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    const scale = Math.max(SMALLEST, Math.min(1, across / width, down / height));
    this.#svg.setAttribute("width", Math.floor(width * scale));
    this.#svg.setAttribute("height", Math.floor(height * scale));
  }

  #drawNode({ symbol, x, y, level, foldable, open, hidden }) {
    const doubtful = isDoubtful(symbol);
    const glyph = this.#formula.glyph(symbol.id) ?? {
      text: DRAWN[symbol.symbol] ?? symbol.symbol,
      drawn: true,
    };
    const node = make("g", {
      class: `node ${chosen({ doubtful, corrected: symbol.corrected })}`,
      transform: `translate(${x} ${y})`,
      role: "treeitem",
      tabindex: symbol.id === this.#focus ? 0 : -1,
      "aria-level": level + 1,
      "aria-label": labelOf(symbol, this.#symbols, glyph.text, hidden),
      "data-symbol": symbol.id,
    });
    if (foldable) node.setAttribute("aria-expanded", open);
    const { slanted, drawn } = glyph;
    const looks = { slanted, drawn, long: [...glyph.text].length > 2 };
    const text = make("text", { class: `glyph ${chosen(looks)}` });
    text.textContent = glyph.text;
    node.append(make("circle", { r: RADIUS }), text);
    if (doubtful) node.append(badge("?"));
    if (foldable) node.append(foldMark(open));
    return node;
  }

  #click(event, node) {
    if (!node) return;
    const id = numberOf(node);
    if (event.target.closest(".fold")) this.fold(id, !this.#folded.has(id));
    else this.#link.choose(id, node.querySelector("circle").getBoundingClientRect());
  }

  #focused(id) {
    if (id === null) return;
    this.#node(this.#focus)?.setAttribute("tabindex", -1);
    this.#node(id).setAttribute("tabindex", 0);
    this.#focus = id;
    this.#link.light(id);
  }

  #key(event) {
    const node = event.target.closest("[data-symbol]");
    if (!node || event.ctrlKey || event.metaKey) return;
    const id = numberOf(node);
    if (event.altKey) {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      this.#link.move({ id, step });
      return;
    }
    const shown = [...this.#svg.querySelectorAll("[data-symbol]")];
    const at = shown.indexOf(node);
    const expanded = node.getAttribute("aria-expanded");
    if (event.key === "ArrowDown") shown[at + 1]?.focus();
    else if (event.key === "ArrowUp") shown[at - 1]?.focus();
    else if (event.key === "Home") shown[0].focus();
    else if (event.key === "End") shown.at(-1).focus();
    else if (event.key === "ArrowRight" && expanded === "false") this.fold(id, false);
    else if (event.key === "ArrowRight") shown[at + 1]?.focus();
    else if (event.key === "ArrowLeft" && expanded === "true") this.fold(id, true);
    else if (event.key === "ArrowLeft") shown[at - 1]?.focus();
    else if (event.key === "Enter" || event.key === " ") {
      this.#link.choose(id, node.querySelector("circle").getBoundingClientRect());
    } else return;
    event.preventDefault();
  }

  #light(id) {
    this.#svg.querySelector(".lit")?.classList.remove("lit");
    if (id !== null) this.#node(id)?.classList.add("lit");
  }

  #node(id) {
    return this.#svg.querySelector(`[data-symbol="${id}"]`);
  }
}

/** What is seen comes first, so that it can be spoken to as well. */
/** A symbol in words; `glyph`: what is drawn for it, `hidden`: how many symbols are folded under it. */
export function labelOf(symbol, symbols, glyph = symbol.symbol, hidden = 0) {
  const name = symbol.symbol || t("nothing");
  const seen = !glyph || glyph === name ? name : `${glyph} ${name}`;
  const parts = [seen];
  if (symbol.relation) {
    parts.push(t("{relation} of {name}", { relation: t(symbol.relation), name: symbols[symbol.parent].symbol }));
  }
  if (symbol.corrected) parts.push(t("corrected by you"));
  else if (typeof symbol.probability === "number") parts.push(t("{percent} sure", { percent: percent(symbol.probability) }));
  if (isDoubtful(symbol)) parts.push(t("doubtful"));
  if (hidden) parts.push(t("{number} symbols folded", { number: hidden }));
  return parts.join(", ");
}

function drawEdge({ from, to, relation }) {
  if (relation === "right") {
    const d = `M${from.x + RADIUS} ${from.y}H${to.x - RADIUS}`;
    return [make("path", { class: "edge right", d })];
  }
  const [top, bottom] = [from.y + RADIUS, to.y - RADIUS];
  const bend = (top + bottom) / 2;
  const d = `M${from.x} ${top}C${from.x} ${bend} ${to.x} ${bend - 8} ${to.x} ${bottom}`;
  const label = make("text", { class: "relation", x: to.x, y: bottom - 9 });
  label.textContent = t(relation);
  return [make("path", { class: "edge", d }), label];
}

function badge(text) {
  const mark = make("g", { class: "badge", transform: `translate(${0.72 * RADIUS} ${-0.72 * RADIUS})` });
  const letter = make("text", {});
  letter.textContent = text;
  mark.append(make("circle", { r: 7.5 }), letter);
  return mark;
}

function foldMark(open) {
  const mark = make("g", { class: "fold", transform: `translate(0 ${RADIUS})` });
  const sign = make("path", { d: open ? "M-3.5 0h7" : "M-3.5 0h7M0 -3.5v7" });
  mark.append(make("circle", { class: "target", r: 13 }), make("circle", { r: 7.5 }), sign);
  return mark;
}

function chosen(names) {
  return Object.keys(names).filter((name) => names[name]).join(" ");
}

function make(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function numberOf(element) {
  return element ? Number(element.dataset.symbol) : null;
}
