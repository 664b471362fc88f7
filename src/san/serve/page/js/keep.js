// Ink and what was corrected of it survive a reload: they are kept in the browser's own storage, on this
// device only.

import { knownOf, numbered } from "./known.js";

const KEY = "san.ink";
const KNOWN = "san.known"; // corrected symbols, by the numbers of their strokes

export function keep(page) {
  const { strokes } = page;
  try {
    if (strokes.length) localStorage.setItem(KEY, JSON.stringify(strokes.map(thin)));
    else localStorage.removeItem(KEY);
    const known = numbered(knownOf(page, strokes), strokes);
    if (known.length) localStorage.setItem(KNOWN, JSON.stringify(known));
    else localStorage.removeItem(KNOWN);
  } catch {
    // Storage is full or forbidden (a private window): the page works, but forgets.
  }
}

/** {strokes, known}, as a page has them. */
export function kept() {
  const strokes = stored(KEY, isStroke);
  const isKnown = (one) => typeof one?.symbol === "string" && one.strokes?.every?.((number) => strokes[number]);
  const known = stored(KNOWN, isKnown);
  return { strokes, known: known.map((one) => ({ ...one, strokes: one.strokes.map((number) => strokes[number]) })) };
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
