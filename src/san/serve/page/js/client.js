// A client of the HTTP API, as docs/service.md describes it; for the page and for pages of others.
//
// Three things can go wrong, and each is an error of its own: nobody answers, the server is busy,
// or it says no and why. Types: san.d.ts.

const PATIENCE = 30_000; // milliseconds before a silent server counts as gone

export class Gone extends Error {
  constructor() {
    super("The server does not answer");
  }
}

export class Busy extends Error {
  constructor(seconds) {
    super("The server is busy");
    this.seconds = seconds;
  }
}

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** All written formats beside LaTeX: those of san.grammar.formats. */
export const FORMATS = ["stretchy", "mathml", "typst", "tokens", "lg", "tree"];

export class Client {
  #base;
  #token;

  /** `server`: the address of its page. `token`: one, or a function that knows it when asked. */
  constructor(server, token = null) {
    const base = new URL(server, document.baseURI);
    if (!base.pathname.endsWith("/")) base.pathname += "/";
    this.#base = new URL("api/v1/", base);
    this.#token = typeof token === "function" ? token : () => token;
  }

  /**
   * A sheet, which may have several formulas: `formulas`. A stroke is its points [x, y].
   * `known` symbols, corrected ones say, are held fixed: {symbol, strokes}, the strokes by number.
   */
  readInk(strokes, { signal, known = [], ...options } = {}) {
    return this.#json("page" + query(options), { strokes: strokes.map(bare), known }, signal);
  }

  /** The same of a picture: a Blob or a File. */
  async readPicture(blob, { signal, ...options } = {}) {
    const kind = blob.type || "application/octet-stream";
    return (await this.#post("page" + query(options), blob, kind, signal)).json();
  }

  /** One page of a PDF or a TIFF, or an image that browsers cannot open, as PNG in base64: `image`, of `pages`. */
  async drawPage(file, page = 1, signal) {
    const kind = file.type || "application/octet-stream";
    return (await this.#post(`document?page=${page}`, file, kind, signal)).json();
  }

  /** A tree, corrected perhaps, or any LaTeX, in the formats that are asked for. */
  write(content, signal) {
    return this.#json("write", content, signal);
  }

  /** Ink with its truth, as a file. */
  async inkml(strokes, latex, symbols = []) {
    const body = JSON.stringify({ strokes: strokes.map(bare), latex, symbols });
    return (await this.#post("inkml", body, "application/json")).text();
  }

  async #json(path, body, signal) {
    return (await this.#post(path, JSON.stringify(body), "application/json", signal)).json();
  }

  async #post(path, body, type, signal) {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE);
    const stop = () => patience.abort();
    signal?.addEventListener("abort", stop);
    const headers = { "Content-Type": type };
    const token = this.#token();
    if (token) headers.Authorization = `Bearer ${token}`;
    try {
      const options = { method: "POST", body, headers, signal: patience.signal, cache: "no-store" };
      const answer = await fetch(new URL(path, this.#base), options);
      if (answer.ok) return answer;
      if (answer.status === 503 || answer.status === 429) {
        throw new Busy(Number(answer.headers.get("Retry-After")) || 1);
      }
      if (answer.status >= 502) throw new Gone();
      throw new Refused(answer.status, await detailOf(answer));
    } catch (error) {
      if (signal?.aborted) throw new DOMException("superseded", "AbortError");
      if (error instanceof Busy || error instanceof Refused) throw error;
      throw new Gone();
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}

function query({ n_best, formats, upright }) {
  const options = new URLSearchParams();
  if (n_best) options.set("n_best", n_best);
  if (upright) options.set("upright", "true");
  for (const format of formats ?? []) options.append("formats", format);
  return options.size ? `?${options}` : "";
}

async function detailOf(answer) {
  try {
    const problem = await answer.json();
    if (typeof problem.detail === "string") return problem.detail;
  } catch {
    // Not problem+json: something between us and the server spoke.
  }
  return `The server answered ${answer.status}.`;
}

function bare(stroke) {
  return stroke.map(([x, y]) => [x, y]);
}
