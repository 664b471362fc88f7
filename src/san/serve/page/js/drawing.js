// Pictures of a formula and of ink, for other programs: SVG and PNG.
//
// The formula is drawn by the browser itself, as MathML with the page's font. Other programs do not know MathML
// within SVG, so what they get are the outlines of that drawing. Ink is made of plain curves.

import { mathElement, unmarked } from "./mathml.js";
import { around, outlineOf, widthOf } from "./stroke.js";
import { outlines } from "./trace.js";

const SIZE = 40; // pixels, of the letters of a formula
const SHARPNESS = 3; // pixels of a picture to one of the page
const LARGE = 8; // the same of a drawing whose outlines are taken
const MOST_PIXELS = 12_000_000; // of it: browsers of phones have no larger ones
const TOLERANCE = 0.02; // pixels of the page by which an outline may be beside the letter
const MARGIN = 8;
const FONT = new URL("../fonts/stix-two-math.woff", import.meta.url);
const INK = "#1b2333";

/** SVG of a formula for any program, in outlines: {text, width, height}. */
export async function formulaSvg(formula) {
  const { width, height } = measured(formula.mathml, SIZE);
  const scale = Math.min(LARGE, Math.sqrt(MOST_PIXELS / (width * height)));
  const drawn = await drawing(formula, scale);
  const path = outlines(await canvasOf(drawn, 1), scale, TOLERANCE);
  const title = document.createElement("title");
  title.textContent = formula.latex;
  return svg(drawn.width / scale, drawn.height / scale, `${title.outerHTML}<path fill-rule="evenodd" d="${path}"/>`);
}

/** PNG of a formula. */
export async function formulaPng(formula) {
  return pngOf(await canvasOf(await drawing(formula, SHARPNESS), 1));
}

/** The formula in MathML within SVG, which browsers show. It is laid out as large as it is wanted: browsers set
 * bars to whole pixels, and a root enlarged afterwards would show it. */
async function drawing(formula, scale) {
  const [size, margin] = [scale * SIZE, scale * MARGIN];
  const { width, height } = measured(formula.mathml, size);
  const font = await dataUrl(await (await fetch(FONT)).blob());
  const style =
    `@font-face{font-family:"san math";src:url(${font})}` +
    `math{font:${size}px "san math",math;color:#000;display:block math}`;
  const body =
    `<style>${style}</style><foreignObject x="${margin}" y="${margin}" width="${width}" height="${height}">` +
    `${unmarked(formula.mathml)}</foreignObject>`;
  return svg(width + 2 * margin, height + 2 * margin, body);
}

/** SVG of strokes. */
export function inkSvg(strokes) {
  const [left, top, right, bottom] = around(strokes);
  const paths = strokes.map(
    (stroke) => `<path d="${outlineOf(stroke)}" stroke-width="${widthOf(stroke).toFixed(1)}"/>`,
  );
  const style = `fill="none" stroke="${INK}" stroke-linecap="round" stroke-linejoin="round"`;
  const body = `<g ${style} transform="translate(${MARGIN - left} ${MARGIN - top})">${paths.join("")}</g>`;
  return svg(right - left + 2 * MARGIN, bottom - top + 2 * MARGIN, body);
}

/** PNG of strokes. */
export async function inkPng(strokes) {
  return pngOf(await canvasOf(inkSvg(strokes), SHARPNESS));
}

function pngOf(canvas) {
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** On white, with the formula or the ink in it. */
async function canvasOf({ text, width, height }, scale) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(scale * width), Math.ceil(scale * height)];
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function svg(width, height, body) {
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}"`;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}">${body}</svg>`;
  return { text, width, height };
}

function measured(mathml, size) {
  const room = document.createElement("div");
  room.className = "measured";
  room.style.setProperty("--size", `${size}px`);
  room.append(mathElement(mathml));
  document.body.append(room);
  const { width, height } = room.getBoundingClientRect();
  room.remove();
  return { width: Math.ceil(width) + 2, height: Math.ceil(height) };
}

function dataUrl(blob) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = failed;
    reader.readAsDataURL(blob);
  });
}
