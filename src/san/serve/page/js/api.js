// The service, as docs/service.md describes it. Three things can go wrong, and each is an error of
// its own: nobody answers, the server is busy, or it says no and why.

const PATIENCE = 30_000; // milliseconds before a silent server counts as gone
const TOKEN = "san.token";

export class Gone extends Error {}

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

/** What the page shows beside LaTeX: the written formats of san.grammar.formats. */
export const FORMATS = ["mathml", "typst", "tokens", "lg", "tree"];
const READ = `n_best=3&${FORMATS.map((format) => `formats=${format}`).join("&")}`;

/** A sheet, which may have several formulas: `formulas`. */
export function readInk(strokes, signal) {
  return json(`page?${READ}`, { strokes: strokes.map(bare) }, signal);
}

/** The same of a picture. */
export async function readPicture(blob, signal) {
  const answer = await post(`page?${READ}`, blob, blob.type || "application/octet-stream", signal);
  return answer.json();
}

/** What an expression, corrected by hand, looks like: the grammar lives on the server only. */
export function write(expression, signal) {
  return json("write", { expression, formats: FORMATS }, signal);
}

/** Ink with its truth, as a file. */
export async function inkml(strokes, latex, symbols) {
  const body = JSON.stringify({ strokes: strokes.map(bare), latex, symbols });
  return (await post("inkml", body, "application/json")).text();
}

/** For a server that was started with a token; kept until the tab is closed. */
export function useToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

async function json(path, body, signal) {
  return (await post(path, JSON.stringify(body), "application/json", signal)).json();
}

async function post(path, body, type, signal) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE);
  const stop = () => patience.abort();
  signal?.addEventListener("abort", stop);
  const headers = { "Content-Type": type };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  try {
    const options = { method: "POST", body, headers, signal: patience.signal, cache: "no-store" };
    const answer = await fetch(`api/v1/${path}`, options);
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
