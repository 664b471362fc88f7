// For pages of others: `<san-sheet>`, a sheet that reads what is written on it, and the client.
//
//   <script type="module" src="http://127.0.0.1:8000/static/js/san.js"></script>
//   <san-sheet></san-sheet>
//
// - Attributes: `server` (by default the one that this file came from) and `token`. It speaks the language that
//   the nearest `lang` says, its own or one around it, else the browser's: English, German or Chinese.
// - Events, which bubble: `reading`; `read`, with {latex, formulas, notes, strokes}; `trouble`, with
//   {message, status}, where status is 0 when nobody answers and 503 when the server is busy.
// - Properties: `strokes` (may be set), `latex`, `formulas`; methods `undo`, `redo` and `clear`.
//   `recognizer`, a function of strokes and an AbortSignal that promises a page, reads instead of a
//   server where it is set.
// - Colours: the CSS properties --ink, --paper, --accent and --warn. Nothing is stored.

import { Client } from "./client.js";
import { History } from "./history.js";
import { Pad } from "./ink.js";
import { languageOf, Texts, textsIn } from "./languages.js";
import { mathElement } from "./mathml.js";
import { Reader } from "./reader.js";

export { Busy, Client, FORMATS, Gone, Refused } from "./client.js";

const STYLE = `
  :host { --ink: #1c1c22; --paper: #fffdf8; --accent: #1d5fa8; --halo: #cfe0f3; --warn: #a63d00;
    display: grid; grid-template: minmax(0, 1fr) auto / minmax(0, 1fr); height: 20rem; border: 1px solid #8886;
    border-radius: 8px; background: var(--paper); color: var(--ink); font: 1rem system-ui, sans-serif; }
  :host([hidden]) { display: none; }
  canvas { width: 100%; height: 100%; min-height: 0; touch-action: none; cursor: crosshair;
    background: var(--paper); border-radius: 7px 7px 0 0; forced-color-adjust: none; }
  div { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; padding: 0.4rem 0.6rem; min-height: 2.2rem;
    border-top: 1px solid #8886; }
  output { flex: 1; overflow-x: auto; font-size: 1.3em; }
  output.trouble { font-size: 1em; color: var(--warn); }
  button { font: inherit; min-height: 2.2rem; }
  button:empty { visibility: hidden; }`; // until its language is there

export class SanSheet extends HTMLElement {
  static observedAttributes = ["server", "token"];
  #canvas = document.createElement("canvas");
  #bar = document.createElement("div");
  #output = document.createElement("output");
  #buttons = new Map();
  #history = new History([]);
  #reader = new Reader();
  #language = "";
  #texts = new Texts();
  #around = new MutationObserver(() => this.#speak());
  recognizer = null;
  #pad = null;
  #client = null;
  #read = { latex: "", formulas: [] };

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet(); // which no security policy of the page around bars
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.#bar.append(this.#output);
    for (const name of ["Undo", "Redo", "Clear"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.addEventListener("click", () => this[name.toLowerCase()]());
      this.#buttons.set(name, button);
      this.#bar.append(button);
    }
    this.#canvas.setAttribute("role", "img");
    root.append(this.#canvas, this.#bar);
    this.#pad = new Pad(this.#canvas);
    this.#pad.addEventListener("stroke", ({ detail }) => this.#change([...this.strokes, detail]));
    this.#pad.addEventListener("erase", ({ detail }) => this.#change(detail));
    this.#pad.addEventListener("begin", () => this.#reader.cancel());
    this.#pad.addEventListener("cancel", () => this.#shown());
    this.#reader.addEventListener("reading", () => this.#tell("reading"));
    this.#reader.addEventListener("read", ({ detail }) => this.#answered(detail));
    this.#reader.addEventListener("refused", ({ detail }) => this.#trouble(this.#texts.told(detail.message), detail.status ?? 0));
    this.#reader.addEventListener("busy", () => this.#trouble(this.#texts.t("The server is busy."), 503));
    this.#reader.addEventListener("gone", () => this.#trouble(this.#texts.t("The server does not answer."), 0));
    this.#label();
  }

  /** In the order of writing; a stroke is its points [x, y], y down. */
  get strokes() {
    return this.#history.now;
  }

  set strokes(strokes) {
    this.#change(strokes.map((stroke) => stroke.map(([x, y, weight]) => [x, y, weight])));
  }

  /** What was read last, a line for each formula. */
  get latex() {
    return this.#read.latex;
  }

  get formulas() {
    return this.#read.formulas;
  }

  undo() {
    this.#history.undo();
    this.#shown();
  }

  redo() {
    this.#history.redo();
    this.#shown();
  }

  clear() {
    if (this.strokes.length) this.#change([]);
  }

  connectedCallback() {
    for (let root = this.getRootNode(); root; root = root.host?.getRootNode()) {
      this.#around.observe(root, { subtree: true, attributeFilter: ["lang"] });
    }
    this.#speak();
  }

  attributeChangedCallback() {
    this.#client = null;
    if (this.strokes.length && this.isConnected) this.#shown();
  }

  disconnectedCallback() {
    this.#around.disconnect();
    this.#reader.cancel();
  }

  #change(strokes) {
    this.#history.push(strokes);
    this.#shown();
  }

  /** Shows the strokes of this moment, and has them read. */
  #shown() {
    const strokes = this.strokes;
    this.#pad.show(strokes);
    this.#label();
    if (!strokes.length) {
      this.#reader.cancel();
      this.#answered({ formulas: [], notes: [] });
      return;
    }
    const read = this.recognizer ?? this.#byServer();
    this.#reader.read((signal) => read(strokes, signal));
  }

  #byServer() {
    const server = this.getAttribute("server") || new URL("../../", import.meta.url).href;
    this.#client ??= new Client(server, this.getAttribute("token"));
    const client = this.#client;
    return (strokes, signal) => client.readInk(strokes, { signal, formats: ["mathml"] });
  }

  #answered({ formulas, notes }) {
    const latex = formulas.map((formula) => formula.latex).join("\n");
    this.#read = { latex, formulas, notes, strokes: this.strokes };
    this.#output.className = "";
    this.#output.replaceChildren(...formulas.map(({ mathml, latex }) => mathElement(mathml) ?? latex));
    this.#pad.mark(formulas.flatMap(({ unread }) => (unread ?? []).flatMap(({ strokes }) => strokes ?? [])));
    this.#tell("read", this.#read);
  }

  #trouble(message, status) {
    this.#output.className = "trouble";
    this.#output.replaceChildren(message);
    this.#tell("trouble", { message, status });
  }

  async #speak() {
    const language = languageOf(this);
    if (language === this.#language) return;
    this.#language = language;
    const found = await textsIn(language).catch(() => null);
    if (language !== this.#language) return;
    const texts = (this.#texts = found ?? new Texts());
    this.#canvas.lang = this.#bar.lang = found ? language : "en";
    this.#buttons.get("Undo").textContent = texts.t("Undo");
    this.#buttons.get("Redo").textContent = texts.t("Redo");
    this.#buttons.get("Clear").textContent = texts.t("Clear");
    this.#label();
  }

  #label() {
    const said = this.#texts.t("Sheet to write on, {number} strokes", { number: this.strokes.length });
    this.#canvas.setAttribute("aria-label", said);
    this.#buttons.get("Undo").disabled = !this.#history.canUndo;
    this.#buttons.get("Redo").disabled = !this.#history.canRedo;
    this.#buttons.get("Clear").disabled = !this.strokes.length;
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

// A page may have it twice: of two servers, or of two cells of a notebook.
if (!customElements.get("san-sheet")) customElements.define("san-sheet", SanSheet);
