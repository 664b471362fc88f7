/** Types of san.js: the client of the HTTP API (docs/service.md) and the element <san-sheet>. */

export type Point = [x: number, y: number] | [x: number, y: number, weight: number | undefined];
export type Stroke = Point[];
export type Box = [left: number, top: number, right: number, bottom: number];
export type Format = "stretchy" | "mathml" | "typst" | "tokens" | "lg" | "tree";
export type Written = { latex: string; expression: Expression } & Partial<Record<Format, string>>;

export interface SymbolResult {
  id: number;
  symbol: string;
  parent: number | null;
  relation: "above" | "below" | "sub" | "sup" | "upper-left" | "inside" | "right" | null;
  probability?: number;
  alternatives?: [symbol: string, probability: number][];
  box?: Box | null;
  strokes?: number[] | null;
}

export interface Expression {
  format: "san-expression";
  version: 1;
  latex?: string;
  symbols: SymbolResult[];
}

export type Reading = Written & { confidence: number };
export type Formula = Reading & {
  box: Box;
  words: "sure" | "fairly sure" | "doubtful";
  alternatives: Reading[];
  unread?: { box: Box; strokes?: number[] }[];
  notes?: string[];
  doubts?: string[];
};

export interface Page {
  format: "san-page";
  version: 1;
  formulas: Formula[];
  derivations: number[][];
  left_out: { box: Box; reason: string }[];
  notes: string[];
}

export interface Options {
  n_best?: number;
  /** The image lies as it should: it is not turned or set level. */
  upright?: boolean;
  formats?: Format[];
  signal?: AbortSignal;
}

/** One page of a file, drawn: `image` is PNG in base64. */
export interface DrawnPage {
  page: number;
  pages: number;
  width: number;
  height: number;
  image: string;
  notes: string[];
}

/** Which strokes, by number, make a symbol. */
export interface Glyph {
  symbol: string;
  strokes: number[];
}

export interface InkOptions extends Options {
  /** Symbols that are known, corrected ones say: held fixed when the rest is read. */
  known?: Glyph[];
}

export const FORMATS: Format[];

/** Nobody answers. */
export class Gone extends Error {}
/** Too much to do; ask again after so many seconds. */
export class Busy extends Error {
  seconds: number;
}
/** The server says no; the message is its one line. */
export class Refused extends Error {
  status: number;
}

export class Client {
  constructor(server: string | URL, token?: string | null | (() => string | null));
  readInk(strokes: Stroke[], options?: InkOptions): Promise<Page>;
  readPicture(picture: Blob, options?: Options): Promise<Page>;
  drawPage(file: Blob, page?: number, signal?: AbortSignal): Promise<DrawnPage>;
  write(
    content: { expression: Expression; formats?: Format[] } | { latex: string; formats?: Format[] },
    signal?: AbortSignal,
  ): Promise<Written>;
  inkml(strokes: Stroke[], latex: string, symbols?: Glyph[]): Promise<string>;
}

export interface SheetEvents extends HTMLElementEventMap {
  reading: CustomEvent<null>;
  read: CustomEvent<{ latex: string; formulas: Formula[]; notes: string[]; strokes: Stroke[] }>;
  trouble: CustomEvent<{ message: string; status: number }>;
}

/** Attributes: `server` (by default the one that san.js came from) and `token`; the nearest `lang` is its language. */
export class SanSheet extends HTMLElement {
  strokes: Stroke[];
  readonly latex: string;
  readonly formulas: Formula[];
  /** Reads instead of a server, where it is set. */
  recognizer: ((strokes: Stroke[], signal: AbortSignal) => Promise<Page>) | null;
  undo(): void;
  redo(): void;
  clear(): void;
  addEventListener<K extends keyof SheetEvents>(
    type: K,
    listener: (this: SanSheet, event: SheetEvents[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "san-sheet": SanSheet;
  }
}
