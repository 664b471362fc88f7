"""How well the boxes of symbols fit, on ink of CROHME 2014 with its true segmentation.

    python benchmarks/boxes.py [--every 9] [--weights FILE]

Only formulas that are read rightly count. A symbol's box is held against the nearest true one of
its label; a fraction's bar may be labelled as a minus. Needs the corpus (SAN_DATA, or shared/data).
"""

import argparse
from itertools import islice
from pathlib import Path

import numpy as np
from rich.progress import track

from corpora import CROHME
from san.errors import SanError, run_or_exit
from san.grammar import parse
from san.ink import Box, Sheet, read_many
from san.reader import Recognizer, Symbol

LABELS = {r"\frac": ("-", r"\frac")}
LINE_WIDTH_SHARE = 0.02
"""A line's width, as part of the ink's height: bars and dots need an area."""


def overlap(one: Box, other: Box, line: float) -> float:
    """Of their union."""
    width = min(one.right, other.right) - max(one.left, other.left) + line
    height = min(one.bottom, other.bottom) - max(one.top, other.top) + line
    both = max(width, 0.0) * max(height, 0.0)
    return both / (sum((box.width + line) * (box.height + line) for box in (one, other)) - both)


def fit(symbol: Symbol, sheet: Sheet) -> float | None:
    """None where the segmentation has no such label."""
    labels = LABELS.get(symbol.name, (symbol.name,))
    line = 2 * LINE_WIDTH_SHARE * max(sheet.ink.box.height, 1.0)
    true = [glyph.box for glyph in sheet.glyphs if glyph.label in labels]
    if symbol.box is None or not true:
        return None
    return max(overlap(symbol.box, box, line) for box in true)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=9, help="only each so-many-th sheet")
    parser.add_argument("--weights", type=Path, default=None)
    options = parser.parse_args()
    sheets = read_many(CROHME / "test2014.inkml.zip", on_skip=lambda *_: None)
    reader = Recognizer(options.weights)
    fits: list[float] = []
    written: list[bool] = []  # whether a symbol has the very strokes of some glyph
    formulas = 0
    chosen = list(islice(sheets, 0, None, options.every))
    for sheet in track(chosen, "reading", transient=True):
        formula = reader.read(sheet)
        try:
            if formula.expression != parse(sheet.truth or ""):
                continue
        except SanError:
            continue
        formulas += 1
        found = [fit(symbol, sheet) for symbol in formula.symbols]
        fits += [one for one in found if one is not None]
        glyphs = {glyph.strokes for glyph in sheet.glyphs}
        written += [symbol.strokes in glyphs for symbol in formula.symbols]
    half, most = (np.mean(np.array(fits) >= least) for least in (0.5, 0.9))
    print(
        f"{len(fits)} symbols of {formulas} formulas: mean overlap {np.mean(fits):.3f}; "
        f"at least 0.5 for {half:.1%}, at least 0.9 for {most:.1%}; "
        f"{np.mean(written):.1%} have the very strokes of a glyph"
    )


if __name__ == "__main__":
    run_or_exit(main)
