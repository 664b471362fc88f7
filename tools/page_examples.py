"""Writes the examples of the page's empty sheet from samples/, with as few points as they need.

python -m tools.page_examples
"""

import json
from pathlib import Path

import cv2
import numpy as np

from san.files import write_file
from san.ink import read_inkml

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "src/san/serve/page/js/examples.js"
NAMES = ("euler", "quadratic", "gauss-sum")
HEIGHT = 140.0
"""Pixels of the sheet that an example takes."""
TOLERANCE = 0.4
"""Pixels that a stroke may be off."""
HEAD = """// Examples for the empty sheet, by their LaTeX. Written by tools/page_examples.py.

export const EXAMPLES = {
"""


def strokes_of(path: Path) -> list[list[list[float]]]:
    ink = read_inkml(path).ink
    box = ink.box
    scale = HEIGHT / box.height
    corner = np.array((box.left, box.top))
    placed = (((stroke - corner) * scale + 40).astype(np.float32) for stroke in ink.strokes)
    thinned = (cv2.approxPolyDP(stroke[:, None], TOLERANCE, False)[:, 0] for stroke in placed)
    return [[[round(float(x)), round(float(y)), 0.5] for x, y in stroke] for stroke in thinned]


def main() -> None:
    lines = []
    for name in NAMES:
        path = ROOT / "samples" / f"{name}.inkml"
        latex = read_inkml(path).truth
        strokes = json.dumps(strokes_of(path), separators=(",", ":"))
        lines.append(f"  {json.dumps(latex)}:\n    {strokes},\n")
    write_file(FILE, HEAD + "".join(lines) + "};\n")


if __name__ == "__main__":
    main()
