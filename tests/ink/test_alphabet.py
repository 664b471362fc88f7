"""The alphabet of our own: every shape is ink, and fills the box it is given."""

from pathlib import Path

import numpy as np
import pytest

from san.ink import Box, read_inkml, write_inkml
from san.ink.alphabet import SHAPES, compose, write
from tests.ink.formulas import quadratic

BOX = Box(10, 20, 50, 80)


@pytest.mark.parametrize("label", SHAPES)
def test_a_shape_fills_its_box(label: str) -> None:
    points = np.concatenate(write(label, BOX))
    low, high = points.min(axis=0), points.max(axis=0)
    for axis, (start, end) in enumerate(((10, 50), (20, 80))):
        if high[axis] == low[axis]:  # a bar or a dot lies in the middle
            assert low[axis] == (start + end) / 2
        else:
            assert (low[axis], high[axis]) == pytest.approx((start, end), abs=1e-4)


def test_bars_and_dots_are_the_only_flat_shapes() -> None:
    flat = {s for s in SHAPES if (np.ptp(np.concatenate(write(s, BOX)), axis=0) == 0).any()}
    assert flat == {"-", r"\frac", ".", r"\cdot"}


def test_curves_bend_and_corners_do_not() -> None:
    (seven,) = write("7", Box(0, 0, 8, 10))
    assert [8, 0] in seven.tolist()  # the corner is met exactly
    assert (seven[:9, 1] == 0).all()  # and the line up to it is straight
    (zero,) = write("0", Box(0, 0, 10, 10))
    turns = np.diff(np.unwrap(np.arctan2(*np.diff(zero, axis=0).T)))
    assert np.abs(turns).max() < 0.6  # radians: no corner anywhere


def test_compose_numbers_the_strokes_in_writing_order() -> None:
    sheet = compose([("4", BOX), ("1", BOX), ("=", BOX)], truth="41=")
    assert [(g.label, g.strokes) for g in sheet.glyphs] == [
        ("4", (0, 1)),
        ("1", (2,)),
        ("=", (3, 4)),
    ]
    assert sheet.truth == "41="
    assert sheet.glyphs[1].box == pytest.approx(BOX)
    assert len(sheet.ink.strokes) == 5


def test_the_sample_of_the_docs_is_this_alphabet() -> None:
    sample = Path(__file__).parents[2] / "docs" / "figures" / "quadratic.inkml"
    assert read_inkml(sample).glyphs == quadratic().glyphs
    assert write_inkml(quadratic()) == sample.read_bytes()
