// Ink and what was corrected of it survive a reload: they are kept in the browser's own storage, on this
// device only.

import { knownOf, numbered } from "./known.js";
import { placesOf } from "./places.js";

const KEY = "san.ink";
const KNOWN = "san.known"; // corrected symbols, by the numbers of their strokes
const SHEET = "san.sheet"; // its name in the records
const PLACES = "san.places"; // corrected relations, the same way

export function keep(page) {
  const { strokes } = page;
  try {
    if (strokes.length) localStorage.setItem(KEY, JSON.stringify(strokes.map(thin)));
    else localStorage.removeItem(KEY);
    const numbers = (list) => list.map((stroke) => strokes.indexOf(stroke));
    const places = placesOf(page, strokes).map((one) => ({ ...one, strokes: numbers(one.strokes), target: numbers(one.target) }));
    localStorage.setItem(KNOWN, JSON.stringify(numbered(knownOf(page, strokes), strokes)));
    localStorage.setItem(PLACES, JSON.stringify(places));
    localStorage.setItem(SHEET, JSON.stringify(page.sheet ? [page.sheet] : []));
  } catch {
    // Storage is full or forbidden (a private window): the page works, but forgets.
  }
}

/** {sheet, strokes, known, places}, as a page has them. */
export function kept() {
  const strokes = stored(KEY, isStroke);
  const ink = (numbers) => numbers.map((number) => strokes[number]);
  const are = (numbers) => Array.isArray(numbers) && numbers.every((number) => strokes[number]);
  const known = stored(KNOWN, (one) => typeof one?.symbol === "string" && are(one.strokes));
  const places = stored(PLACES, (one) => typeof one?.relation === "string" && are(one.strokes) && are(one.target));
  const [sheet = null] = stored(SHEET, (name) => typeof name === "string");
  return {
    sheet,
    strokes,
    known: known.map((one) => ({ ...one, strokes: ink(one.strokes) })),
    places: places.map((one) => ({ ...one, strokes: ink(one.strokes), target: ink(one.target) })),
  };
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
