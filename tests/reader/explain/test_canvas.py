"""Every symbol can be shown: by the font, by the pen, or by its name."""

import numpy as np
import pytest

from san.grammar.characters import CHARACTERS
from san.reader.explain.canvas import PAPER, Canvas, symbol_width


def _drawn(name: str) -> np.ndarray:
    canvas = Canvas(240, 60)
    canvas.symbol(120, 30, name, 24)
    return np.asarray(canvas.finished()).astype(int)


@pytest.mark.parametrize("name", ["x", "7", "-", r"\theta", r"\sqrt", r"\int", r"\lim", r"\Xi"])
def test_a_symbol_stands_about_its_middle_and_is_as_wide_as_said(name: str) -> None:
    ink = np.abs(_drawn(name) - np.array(PAPER)).sum(axis=-1) > 60
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    assert len(columns)
    assert abs((columns[0] + columns[-1]) / 2 - 120) <= 2.5
    assert abs((rows[0] + rows[-1]) / 2 - 30) <= 7  # letters hang about the line, not the middle
    assert abs((columns[-1] - columns[0]) - symbol_width(name, 24)) <= 5


def test_symbols_of_the_pen_are_told_apart() -> None:
    names = [r"\theta", r"\phi", r"\pi", r"\sum", r"\int", r"\infty", r"\geq", r"\leq", "-"]
    pictures = [_drawn(name) for name in names]
    for place, one in enumerate(pictures):
        for other in pictures[place + 1 :]:
            assert np.abs(one - other).sum() > 3000


def test_every_symbol_has_a_width_and_a_dot_is_seen() -> None:
    assert all(0 <= symbol_width(name, 20) < 300 for name in CHARACTERS)
    assert (np.abs(_drawn(r"\cdot") - np.array(PAPER)).sum(axis=-1) > 300).sum() >= 4


@pytest.mark.parametrize("name", [r"\angle", r"\downarrow", r"\therefore", r"\approx", r"\Omega"])
def test_signs_of_the_school_are_drawn_and_not_named(name: str) -> None:
    assert symbol_width(name, 12) < symbol_width(name[1:], 12) / 2  # than its name would be
