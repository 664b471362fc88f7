// Ink and what was corrected of it survive a reload: they are kept in the browser's own storage, on this
// device only.

import { correctionsOf, withInk } from "./corrections.js";

const KEY = "san.ink";
const SHEET = "san.sheet"; // its name in the records
const KNOWN = "san.known"; // corrected symbols, by the numbers of their strokes
const PLACES = "san.places"; // corrected relations, the same way
const INSERTED = "san.inserted"; // symbols without ink
const WHOLES = "san.wholes"; // corrected formulas

/** Whether it is kept: where storage is full or forbidden (a private window), the page works, but forgets. */
export function keep(page) {
  const { strokes } = page;
  try {
    if (strokes.length) localStorage.setItem(KEY, JSON.stringify(strokes.map(thin)));
    else localStorage.removeItem(KEY);
    const { known, places, inserted, wholes } = withInk(correctionsOf(page, strokes), (stroke) => strokes.indexOf(stroke));
    localStorage.setItem(KNOWN, JSON.stringify(known));
    localStorage.setItem(PLACES, JSON.stringify(places));
    localStorage.setItem(INSERTED, JSON.stringify(inserted));
    localStorage.setItem(WHOLES, JSON.stringify(wholes));
    localStorage.setItem(SHEET, JSON.stringify(page.sheet ? [page.sheet] : []));
    return true;
  } catch {
    return false;
  }
}

/** Calls `act` when another tab keeps its ink, or its corrections, in place of this one's. */
export function whenTaken(act) {
  addEventListener("storage", ({ key }) => [KEY, KNOWN, PLACES, INSERTED, WHOLES].includes(key) && act());
}

/** {sheet, strokes, known, places, inserted, wholes}, as a page has them. */
export function kept() {
  const strokes = stored(KEY, isStroke);
  const are = (numbers) => Array.isArray(numbers) && numbers.every((number) => strokes[number]);
  const known = stored(KNOWN, (one) => typeof one?.symbol === "string" && are(one.strokes));
  const places = stored(PLACES, (one) => typeof one?.relation === "string" && are(one.strokes) && are(one.target));
  const isName = (one) => are(one?.strokes) && Number.isInteger(one.up);
  const isBranch = (one) => typeof one?.relation === "string" && (one.names ? one.names.every(isName) : Array.isArray(one.symbols));
  const isInserted = (one) => (one?.branches ? typeof one.symbol === "string" && one.branches.every(isBranch) : isName(one?.at) && Array.isArray(one.symbols));
  const inserted = stored(INSERTED, isInserted);
  const isSymbol = (one) => typeof one?.symbol === "string" && are(one.strokes ?? []) && are(one.placed?.target ?? []);
  const isWhole = (one) => are(one?.strokes) && (one.symbols ? Array.isArray(one.symbols) && one.symbols.every(isSymbol) : typeof one.picked === "string");
  const wholes = stored(WHOLES, isWhole);
  const [sheet = null] = stored(SHEET, (name) => typeof name === "string");
  return { sheet, strokes, ...withInk({ known, places, inserted, wholes }, (number) => strokes[number]) };
}

function stored(key, isGood) {
  try {
    const list = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(list) && list.every(isGood) ? list : [];
  } catch {
    return [];
  }
}

function thin(stroke) {
  return stroke.map(([x, y, weight]) => [x, y, Math.round(weight * 100) / 100]);
}

function isStroke(stroke) {
  const isPoint = (point) => Array.isArray(point) && point.length === 3 && point.every(Number.isFinite);
  return Array.isArray(stroke) && stroke.length > 0 && stroke.every(isPoint);
}
