"""Formulas laid out by hand: each symbol stands where its relation says."""

from itertools import pairwise

import pytest
from tools.handwriting import write_formula

from san.grammar import parse
from san.grammar.tree import NOTHING
from san.ink import Box
from san.ink.alphabet import SimulatedWriter


def _boxes(latex: str, seed: int = 0) -> dict[str, Box]:
    """The boxes of a formula whose symbols are all different."""
    sheet = write_formula(latex, SimulatedWriter(seed))
    boxes = {glyph.label: glyph.box for glyph in sheet.glyphs}
    assert len(boxes) == len(sheet.glyphs)
    return boxes


def _middle(box: Box) -> float:
    return (box.left + box.right) / 2


@pytest.mark.parametrize("seed", range(4))
def test_scripts_stand_beside_and_are_smaller(seed: int) -> None:
    at = _boxes("x^2_3+7", seed)
    for script in "23":
        assert at[script].left > at["x"].right
        assert at[script].height < 0.85 * at["7"].height
    assert at["2"].bottom < at["3"].top
    assert at["2"].top < at["x"].top
    assert at["3"].bottom > at["x"].bottom
    assert at["+"].left > max(at["2"].right, at["3"].right)


@pytest.mark.parametrize("seed", range(4))
def test_a_bar_parts_what_is_over_it_from_what_is_under_it(seed: int) -> None:
    at = _boxes(r"\frac{a+b}{c}", seed)
    bar = at[r"\frac"]
    assert max(at[name].bottom for name in "ab+") < bar.top
    assert at["c"].top > bar.bottom
    assert bar.left < at["a"].left
    assert bar.right > at["b"].right
    assert _middle(at["c"]) == pytest.approx(_middle(bar), abs=12)


@pytest.mark.parametrize("seed", range(4))
def test_a_root_covers_what_is_inside(seed: int) -> None:
    at = _boxes(r"\sqrt[3]{x+1}", seed)
    root = at[r"\sqrt"]
    for name in "x+1":
        assert root.left < at[name].left
        assert at[name].right < root.right
        assert root.top < at[name].top
    assert at["3"].right < at["x"].left
    assert at["3"].bottom < root.bottom


@pytest.mark.parametrize("seed", range(4))
def test_limits_stand_over_and_under(seed: int) -> None:
    at = _boxes(r"\sum_{k=1}^{n}x", seed)
    assert at["n"].bottom < at[r"\sum"].top
    assert min(at[name].top for name in "k=1") > at[r"\sum"].bottom
    assert at["x"].left > at[r"\sum"].right


def test_fences_grow_around_what_is_tall() -> None:
    short, tall = _boxes("(x)"), _boxes(r"(\frac{x}{2})")
    assert tall["("].height > 1.5 * short["("].height
    assert tall["("].top < tall["x"].top
    assert tall[")"].bottom > tall["2"].bottom


def test_everything_is_written_once_and_says_its_truth() -> None:
    latex = r"f^{\prime}(x)=\lim_{h\rightarrow0}\frac{f(x+h)-f(x)}{h}"
    sheet = write_formula(latex, SimulatedWriter(1))
    names = sorted(visit.symbol.name for visit in parse(latex).walk())
    assert sorted(glyph.label for glyph in sheet.glyphs) == [n for n in names if n != NOTHING]
    assert sheet.truth == latex
    owned = [index for glyph in sheet.glyphs for index in glyph.strokes]
    assert sorted(owned) == list(range(len(sheet.ink.strokes)))
    assert sheet.ink.box[:2] == (0, 0)


def test_neighbours_of_a_row_do_not_touch() -> None:
    for seed in range(6):
        glyphs = write_formula("abcdehxyz", SimulatedWriter(seed, slant=0.0)).glyphs
        assert all(left.box.right < right.box.left for left, right in pairwise(glyphs))
