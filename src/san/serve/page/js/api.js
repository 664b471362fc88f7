// The page's own client of the service that it comes from, with what it asks for.

import { Client, FORMATS } from "./client.js";
import { keepSetting, setting } from "./setting.js";

export { Busy, FORMATS, Gone, Refused } from "./client.js";

const TOKEN = "san.token";
let given = null; // by hand, in this tab
const client = new Client("./", () => given ?? setting(TOKEN, "sessionStorage"));
const wanted = { n_best: 3, formats: FORMATS };

/** A sheet, which may have several formulas: `formulas`; `known` symbols are held fixed. */
export function readInk(strokes, known, signal) {
  return client.readInk(strokes, { ...wanted, known, signal });
}

/** The same of a picture. */
export function readPicture(blob, signal) {
  return client.readPicture(blob, { ...wanted, signal });
}

/** One page of a file that the browser cannot draw: {page, pages, image, notes}. */
export function drawPage(file, page) {
  return client.drawPage(file, page);
}

/** What an expression, corrected by hand, looks like: the grammar lives on the server only. */
export function write(expression, signal) {
  return client.write({ expression, formats: FORMATS }, signal);
}

/** The same of LaTeX, in any spelling. */
export function writeLatex(latex, signal) {
  return client.write({ latex, formats: FORMATS }, signal);
}

/** Ink with its truth, as a file. */
export function inkml(strokes, latex, symbols) {
  return client.inkml(strokes, latex, symbols);
}

/** For a server that was started with a token; kept until the tab is closed. */
export function useToken(token) {
  given = token;
  keepSetting(TOKEN, token, "sessionStorage");
}
