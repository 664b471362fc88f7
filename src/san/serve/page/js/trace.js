// Outlines of what is drawn: a picture in black on white -> paths.
//
// Outlines run where a picture is half dark, between its pixels (marching squares), so that a picture drawn
// large gives curves that stay smooth when they are enlarged. What is dark lies to the right of them.

const HALF = 127.5;
const [TOP, RIGHT, BOTTOM, LEFT] = [0, 1, 2, 3]; // sides of a square between four pixels
/** By which corners are dark (top left 1, top right 2, bottom right 4, bottom left 8): from side to side. */
const CROSSINGS = [
  [], [[TOP, LEFT]], [[RIGHT, TOP]], [[RIGHT, LEFT]],
  [[BOTTOM, RIGHT]], [[TOP, LEFT], [BOTTOM, RIGHT]], [[BOTTOM, TOP]], [[BOTTOM, LEFT]],
  [[LEFT, BOTTOM]], [[TOP, BOTTOM]], [[RIGHT, TOP], [LEFT, BOTTOM]], [[RIGHT, BOTTOM]],
  [[LEFT, RIGHT]], [[TOP, RIGHT]], [[LEFT, TOP]], [],
];

/** The outlines of a canvas with a white edge, as the `d` of a path. A pixel is `1 / scale` long; points that lie
 * nearer to the line than `tolerance`, of the same unit, are left out. */
export function outlines(canvas, scale, tolerance) {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const light = (at) => data[4 * at];
  const next = crossings(width, height, light);
  const parts = [];
  for (const [start] of next) {
    if (!next.has(start)) continue;
    const loop = [];
    for (let at = start; next.has(at); ) {
      const to = next.get(at);
      next.delete(at);
      loop.push(point(at, width, light));
      at = to;
    }
    const few = simplified(loop, tolerance * scale);
    if (few.length > 2) parts.push(`M${few.map(([x, y]) => `${short(x / scale)} ${short(y / scale)}`).join("L")}Z`);
  }
  return parts.join("");
}

/** By the side that an outline comes in at, the one that it leaves at. A side is twice the number of the pixel at
 * its beginning, and one more where it goes down. */
function crossings(width, height, light) {
  const next = new Map();
  for (let y = 0; y + 1 < height; y += 1) {
    for (let x = 0; x + 1 < width; x += 1) {
      const at = y * width + x;
      const dark = (pixel, bit) => (light(pixel) < HALF ? bit : 0);
      const corners = dark(at, 1) | dark(at + 1, 2) | dark(at + width + 1, 4) | dark(at + width, 8);
      if (corners === 0 || corners === 15) continue;
      const sides = [2 * at, 2 * (at + 1) + 1, 2 * (at + width), 2 * at + 1];
      for (const [from, to] of CROSSINGS[corners]) next.set(sides[from], sides[to]);
    }
  }
  return next;
}

/** Where the picture is half dark on a side, in pixels; a pixel's light is that of its middle. */
function point(side, width, light) {
  const at = side >> 1;
  const down = side & 1;
  const [before, after] = [light(at), light(at + (down ? width : 1))];
  const part = (HALF - before) / (after - before);
  const [x, y] = [(at % width) + 0.5, Math.floor(at / width) + 0.5];
  return down ? [x, y + part] : [x + part, y];
}

/** A closed line with fewer points (Douglas and Peucker). */
function simplified(loop, tolerance) {
  const kept = new Set([0, loop.length]);
  const pending = [[0, loop.length]];
  while (pending.length) {
    const [first, last] = pending.pop();
    let [far, most] = [0, tolerance];
    for (let at = first + 1; at < last; at += 1) {
      const away = distance(loop[at], loop[first], loop[last % loop.length]);
      if (away > most) [far, most] = [at, away];
    }
    if (!far) continue;
    kept.add(far);
    pending.push([first, far], [far, last]);
  }
  return loop.filter((_, at) => kept.has(at));
}

function distance([x, y], [x0, y0], [x1, y1]) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  return length ? Math.abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length : Math.hypot(x - x0, y - y0);
}

function short(value) {
  return Number(value.toFixed(2));
}
