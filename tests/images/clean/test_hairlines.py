"""Lines of a pixel in a large drawing are ink; its specks are none."""

import cv2
import numpy as np
import pytest

from san.images.bitmap import Grey
from san.images.clean.hairlines import with_broad_lines
from san.images.clean.pipeline import NoInk, clean
from tests.images.photographs import likeness
from tests.ink.formulas import quadratic


def drawing(height: int, width: int = 1) -> Grey:
    """The formula in lines of so many pixels, as a vector drawing is exported."""
    ink = quadratic().ink
    zoom = height / ink.box.height
    corner = np.array((ink.box.left, ink.box.top))
    grey = np.full((height + 200, round(zoom * ink.box.width) + 200), 255, np.uint8)
    for stroke in ink.strokes:
        points = np.rint((stroke - corner) * zoom + 100).astype(np.int32)
        cv2.polylines(grey, [points], False, 0, width)
    return grey


@pytest.mark.parametrize("paper", [0, 255])
def test_hairlines_of_a_large_drawing_are_read_as_those_of_a_small_one(paper: int) -> None:
    large, small = drawing(1000), drawing(300)
    if not paper:
        large, small = 255 - large, 255 - small
    assert likeness(clean(large), clean(small)) > 0.8


def test_specks_of_a_large_clean_page_are_no_ink() -> None:
    page = np.full((2000, 3000), 255, np.uint8)
    rng = np.random.default_rng(0)
    for x, y in rng.integers(50, 1950, (30, 2)).tolist():
        page[y : y + 3, x : x + 3] = 0
    assert (with_broad_lines(page, 7) == page).all()
    with pytest.raises(NoInk):
        clean(page)
