// One stroke: points [x, y, weight], how it is inked and how far a place is from it.
//
// - A smooth quadratic runs from middle to middle of the points, so hand tremor and the coarse
//   steps of a screen do not show; the points themselves are what the reader gets.
// - The weight is the pen's pressure, or, where a device has none, comes from its speed.

export const WIDTH = 3.2; // of a line at middle weight, in CSS pixels

const EVEN = 0.5;

/** Inks segments `from`.. of a stroke; the context's transform says where. */
export function inkStroke(context, stroke, colour, from = 1) {
  context.strokeStyle = context.fillStyle = colour;
  context.lineCap = context.lineJoin = "round";
  if (stroke.length === 1) {
    const [x, y, weight] = stroke[0];
    context.beginPath();
    context.arc(x, y, 0.75 * thickness(weight), 0, 2 * Math.PI);
    context.fill();
    return;
  }
  for (let at = Math.max(1, from); at < stroke.length; at += 1) {
    const start = at === 1 ? stroke[0] : middle(stroke[at - 2], stroke[at - 1]);
    const bend = stroke[at - 1];
    const end = at === stroke.length - 1 ? stroke[at] : middle(bend, stroke[at]);
    context.lineWidth = thickness(bend[2]);
    context.beginPath();
    context.moveTo(start[0], start[1]);
    context.quadraticCurveTo(bend[0], bend[1], end[0], end[1]);
    if (at === stroke.length - 1) context.lineTo(stroke[at][0], stroke[at][1]);
    context.stroke();
  }
}

/** A soft band under a stroke: what is lit is not told by colour alone. */
export function haloStroke(context, stroke, colour) {
  context.strokeStyle = colour;
  context.lineCap = context.lineJoin = "round";
  context.lineWidth = 5 * WIDTH;
  context.beginPath();
  context.moveTo(stroke[0][0], stroke[0][1]);
  for (const [x, y] of stroke) context.lineTo(x, y);
  context.stroke();
}

/** A dashed line around a box: ink that was not read. */
export function dashedBox(context, [left, top, right, bottom], colour) {
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash([4, 4]);
  context.beginPath();
  context.roundRect(left - 5, top - 5, right - left + 10, bottom - top + 10, 5);
  context.stroke();
  context.restore();
}

/** The line of a lasso, closed as it will be. */
export function lassoLine(context, line, colour) {
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash([6, 4]);
  context.beginPath();
  for (const [x, y] of line) context.lineTo(x, y);
  context.closePath();
  context.stroke();
  context.restore();
}

/** The weight of the next point, smoothed so that a line swells instead of stepping. */
export function weigh(event, last, previous) {
  const before = last?.[2] ?? EVEN;
  let weight = EVEN;
  if (event.pointerType === "pen" && event.pressure > 0) weight = event.pressure;
  else if (last && previous) {
    const speed = Math.hypot(last[0] - previous[0], last[1] - previous[1]); // pixels a sample
    weight = EVEN + 0.15 - Math.min(0.3, speed / 80);
  }
  return 0.75 * before + 0.25 * weight;
}

/** How far a place is from a stroke. */
export function distance(stroke, x, y) {
  let nearest = Math.hypot(stroke[0][0] - x, stroke[0][1] - y);
  for (let at = 1; at < stroke.length; at += 1) {
    nearest = Math.min(nearest, toSegment(stroke[at - 1], stroke[at], x, y));
  }
  return nearest;
}

/** [left, top, right, bottom] around some strokes. */
export function around(strokes) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const stroke of strokes) {
    for (const [x, y] of stroke) {
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    }
  }
  return box;
}

/** The curve of a stroke, as a path of SVG; and how wide it is on the whole. */
export function outlineOf(stroke) {
  const place = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  if (stroke.length === 1) return `M${place(stroke[0])}h0.1`;
  const bends = stroke.slice(1, -1).map((point, at) => `Q${place(point)} ${place(middle(point, stroke[at + 2]))}`);
  return `M${place(stroke[0])}${bends.join("")}L${place(stroke.at(-1))}`;
}

export function widthOf(stroke) {
  return stroke.reduce((sum, [, , weight]) => sum + thickness(weight), 0) / stroke.length;
}

function thickness(weight) {
  return WIDTH * (0.55 + 0.9 * (weight ?? EVEN));
}

function middle(a, b) {
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

function toSegment([ax, ay], [bx, by], x, y) {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const along = length ? ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length : 0;
  const at = Math.min(1, Math.max(0, along));
  return Math.hypot(ax + at * (bx - ax) - x, ay + at * (by - ay) - y);
}
