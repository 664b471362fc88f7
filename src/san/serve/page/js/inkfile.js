// InkML -> strokes as the sheet has them. What the page itself downloads comes back as it was.

import { around } from "./stroke.js";

const ROOM = [620, 240]; // pixels that ink of other units is brought to
const USUAL = [40, 3000]; // pixels of ink that is left as large as it is
const EVEN = 0.5;

export function isInkFile(file) {
  return /\.inkml$/i.test(file.name ?? "") || file.type === "application/inkml+xml";
}

/** The strokes of a file; throws where there are none. */
export function strokesOf(text) {
  const root = new DOMParser().parseFromString(text, "application/xml");
  const traces = [...root.getElementsByTagNameNS("*", "trace")];
  const strokes = traces.map(({ textContent }) => pointsOf(textContent)).filter((stroke) => stroke.length);
  if (!strokes.length) throw new Error("no ink");
  const [left, top, right, bottom] = around(strokes);
  const side = Math.max(right - left, bottom - top);
  if (side >= USUAL[0] && side <= USUAL[1] && left >= 0 && top >= 0) return strokes;
  const scale = Math.min(ROOM[0] / Math.max(1e-9, right - left), ROOM[1] / Math.max(1e-9, bottom - top));
  const place = (value, from) => Math.round(10 * ((value - from) * scale + 30)) / 10;
  return strokes.map((stroke) => stroke.map(([x, y, weight]) => [place(x, left), place(y, top), weight]));
}

function pointsOf(text) {
  const points = text.trim().split(",").map((point) => point.trim().split(/\s+/).slice(0, 2).map(Number));
  return points.filter((point) => point.length === 2 && point.every(Number.isFinite)).map(([x, y]) => [x, y, EVEN]);
}
