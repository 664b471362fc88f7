// The empty sheet: examples to click, drawn as they were written.

import { EXAMPLES } from "./examples.js";
import { around, outlineOf } from "./stroke.js";
import { t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 6;
const WRITTEN = 6; // pixels: who goes further with the pen down does not click

/** A button for each; `take(strokes)` when it is clicked. Who writes over one writes on the sheet. */
export function offerExamples(room, sheet, take) {
  for (const [latex, strokes] of Object.entries(EXAMPLES)) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "example";
    button.setAttribute("aria-label", t("Example: {latex}", { latex }));
    button.append(drawn(strokes));
    button.addEventListener("click", () => take(strokes));
    letWrite(button, sheet);
    room.append(button);
  }
}

function letWrite(button, sheet) {
  let begun = null;
  button.addEventListener("pointerdown", (event) => {
    begun = event;
    button.setPointerCapture(event.pointerId);
  });
  button.addEventListener("lostpointercapture", () => (begun = null));
  button.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
    if (pointerId !== begun?.pointerId || Math.hypot(clientX - begun.clientX, clientY - begun.clientY) < WRITTEN) return;
    sheet.dispatchEvent(new PointerEvent("pointerdown", begun)); // which takes the pointer over
    begun = null;
  });
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
