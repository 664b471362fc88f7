// The empty sheet: examples to click, drawn as they were written.

import { EXAMPLES } from "./examples.js";
import { around, outlineOf } from "./stroke.js";
import { t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 6;

/** A button for each; `take(strokes)` when it is clicked. */
export function offerExamples(room, take) {
  for (const [latex, strokes] of Object.entries(EXAMPLES)) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "example";
    button.setAttribute("aria-label", t("Example: {latex}", { latex }));
    button.append(drawn(strokes));
    button.addEventListener("click", () => take(strokes));
    room.append(button);
  }
}

function drawn(strokes) {
  const [left, top, right, bottom] = around(strokes);
  const svg = document.createElementNS(SVG, "svg");
  const size = [left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN];
  svg.setAttribute("viewBox", size.join(" "));
  for (const stroke of strokes) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", outlineOf(stroke));
    svg.append(path);
  }
  return svg;
}
