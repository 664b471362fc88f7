// Strokes that a lasso encloses, and strokes that are scratched out: which they are.

import { around } from "./stroke.js";

const ENCLOSED = 0.6; // of a stroke's points
const TURNS = 5; // of a scratch, to and fro
const WINDING = 3; // how much longer it is than its box is wide
const COVERED = 0.7; // of the points of what is scratched out

/** Numbers of the strokes that a closed line encloses. */
export function enclosed(strokes, line) {
  const numbers = strokes.map((_, number) => number);
  return numbers.filter((number) => share(strokes[number], ([x, y]) => isInside(x, y, line)) >= ENCLOSED);
}

/** Numbers of the strokes that the last one scratches out; none where it is no scratch. */
export function scratched(stroke, strokes) {
  const [left, top, right, bottom] = around([stroke]);
  const [width, height] = [right - left, bottom - top];
  const [across, down] = [0, 1].map((axis) => turns(stroke.map((point) => point[axis])));
  if (Math.max(width, height) < 12 || Math.max(across, down) < TURNS) return [];
  if (lengthOf(stroke) < WINDING * Math.hypot(width, height)) return [];
  const covers = ([x, y]) => left <= x && x <= right && top <= y && y <= bottom;
  return strokes.map((_, number) => number).filter((number) => share(strokes[number], covers) >= COVERED);
}

/** Strokes elsewhere: those with these numbers, moved. */
export function shifted(strokes, numbers, dx, dy) {
  const chosen = new Set(numbers);
  const shift = ([x, y, ...rest]) => [Math.round((x + dx) * 10) / 10, Math.round((y + dy) * 10) / 10, ...rest];
  return strokes.map((stroke, number) => (chosen.has(number) ? stroke.map(shift) : stroke));
}

/** How often a coordinate turns back by more than a slip of the hand. */
function turns(values) {
  const least = 0.2 * (Math.max(...values) - Math.min(...values));
  let [count, way, extreme] = [0, 0, values[0]];
  for (const value of values) {
    const step = value - extreme;
    if (way === 0 ? Math.abs(step) > least : way * step < -least) {
      count += way === 0 ? 0 : 1;
      [way, extreme] = [Math.sign(step), value];
    } else if (way * step > 0) extreme = value;
  }
  return count;
}

function lengthOf(stroke) {
  let length = 0;
  for (let at = 1; at < stroke.length; at += 1) {
    length += Math.hypot(stroke[at][0] - stroke[at - 1][0], stroke[at][1] - stroke[at - 1][1]);
  }
  return length;
}

function share(stroke, holds) {
  return stroke.filter(holds).length / stroke.length;
}

function isInside(x, y, line) {
  let inside = false;
  for (let at = 0, before = line.length - 1; at < line.length; before = at, at += 1) {
    const [[ax, ay], [bx, by]] = [line[at], line[before]];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}
