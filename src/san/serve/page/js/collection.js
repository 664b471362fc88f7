// Ink and pictures with their truth, kept on this device to be trained on: a corpus that `san data pack` takes.

import { inkml } from "./api.js";
import { segments } from "./download.js";
import { cut } from "./photo.js";
import { all, count, empty, freshId, put } from "./store.js";
import { zip } from "./zip.js";

const STORE = "samples";

/** Adds the formula that is shown, with its own part of the ink or of the picture. */
export async function collect(page) {
  const id = `san-${freshId()}`;
  const { result } = page;
  const sample = page.picture
    ? { name: `${id}.png`, content: await partOf(page) }
    : { name: `${id}.inkml`, content: await inkOf(page) };
  await put(STORE, { id, latex: result.latex, ...sample });
}

async function inkOf({ result, strokes, formulas }) {
  const symbols = segments(result);
  if (formulas.length === 1) return inkml(strokes, result.latex, symbols);
  // Of several formulas: its own strokes, numbered anew.
  const own = [...new Set(symbols.flatMap((one) => one.strokes))].sort((a, b) => a - b);
  const renumbered = symbols.map((one) => ({ ...one, strokes: one.strokes.map((stroke) => own.indexOf(stroke)) }));
  return inkml(own.map((number) => strokes[number]), result.latex, renumbered);
}

async function partOf({ result, picture, formulas }) {
  if (formulas.length === 1 || !result.box) return picture.blob;
  const { width, height } = picture.canvas;
  const [left, top, right, bottom] = result.box;
  const margin = Math.round(0.1 * (bottom - top));
  const [x, y] = [Math.max(0, Math.floor(left) - margin), Math.max(0, Math.floor(top) - margin)];
  const part = { x, y, width: Math.min(width, Math.ceil(right) + margin) - x, height: Math.min(height, Math.ceil(bottom) + margin) - y };
  return (await cut(picture.canvas, part)).blob;
}

export function collected() {
  return count(STORE);
}

export function emptyCollection() {
  return empty(STORE);
}

/** One zip: a file for each sample, and their labels. */
export async function corpus() {
  const samples = await all(STORE);
  const labels = samples.map(({ id, latex }) => `${id}\t${latex}\n`).join("");
  return zip([...samples.map(({ name, content }) => ({ name, content })), { name: "labels.tsv", content: labels }]);
}
