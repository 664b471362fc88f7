// Pictures of a formula and of ink, for other programs: SVG and PNG.
//
// The formula is drawn by the browser itself, as MathML within SVG, with the page's font in it: a picture
// that browsers show. Ink is made of plain curves.

import { mathElement, unmarked } from "./mathml.js";
import { around, outlineOf, widthOf } from "./stroke.js";

const SIZE = 40; // pixels, of the letters of a formula
const SHARPNESS = 3; // pixels of a picture to one of the page
const MARGIN = 8;
const FONT = new URL("../fonts/stix-two-math.woff", import.meta.url);
const INK = "#1b2333";

/** SVG of a formula: {text, width, height}. */
export async function formulaSvg(formula) {
  const { width, height } = measured(formula.mathml);
  const font = await dataUrl(await (await fetch(FONT)).blob());
  const style =
    `@font-face{font-family:"san math";src:url(${font})}` +
    `math{font:${SIZE}px "san math",math;color:#000;display:block math}`;
  const body =
    `<style>${style}</style><foreignObject x="${MARGIN}" y="${MARGIN}" width="${width}" height="${height}">` +
    `${unmarked(formula.mathml)}</foreignObject>`;
  return svg(width + 2 * MARGIN, height + 2 * MARGIN, body);
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

/** PNG of an SVG, on white. */
export async function png({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(SHARPNESS * width), Math.ceil(SHARPNESS * height)];
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function svg(width, height, body) {
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}"`;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}">${body}</svg>`;
  return { text, width, height };
}

function measured(mathml) {
  const room = document.createElement("div");
  room.className = "measured";
  room.style.setProperty("--size", `${SIZE}px`);
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
