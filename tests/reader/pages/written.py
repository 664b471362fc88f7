"""Pages of our own hand, for tests."""

import numpy as np
from tools.handwriting import write_formula

from san.ink import Ink
from san.ink.alphabet import SimulatedWriter

LETTER = 40.0
"""About the height of a letter of that hand."""


def lines_of(*formulas: str, gap: float = 1.0, indent: float = 0.3, fall: float = 0.0) -> Ink:
    """Formulas one below the other; gaps and indents in letters, `fall` for one unit to the right.

    Every second line is indented.
    """
    strokes, top = [], 0.0
    for number, formula in enumerate(formulas):
        ink = write_formula(formula, SimulatedWriter(number)).ink
        move = np.array([LETTER * indent * (number % 2) - ink.box.left, top - ink.box.top])
        strokes += [stroke + move.astype(np.float32) for stroke in ink.strokes]
        top += ink.box.height + gap * LETTER
    if fall:
        strokes = [
            np.stack([stroke[:, 0], stroke[:, 1] + fall * stroke[:, 0]], axis=1)
            for stroke in strokes
        ]
    return Ink.of(strokes)


def beside(left: Ink, right: Ink, gap: float) -> Ink:
    """Two columns."""
    move = np.array([left.box.right + gap * LETTER - right.box.left, 0], np.float32)
    return Ink.of([*left.strokes, *(stroke + move for stroke in right.strokes)])


def behind_brace(ink: Ink) -> Ink:
    """A system: a brace before all lines."""
    box = ink.box
    right, middle, left = (box.left - LETTER * far for far in (0.25, 0.5, 0.75))
    centre = (box.top + box.bottom) / 2
    brace = [(right, box.top), (middle, box.top + 9), (middle, centre - 9), (left, centre)]
    lower = [(middle, centre + 9), (middle, box.bottom - 9), (right, box.bottom)]
    return Ink.of([[*brace, *lower], *ink.strokes])
