"""A flat ground is told from paper, and hairlines on it are kept."""

import numpy as np
import pytest

from san.images.bitmap import FAR_MARGIN, MARGIN, Grey
from san.images.clean.flat_ground import has_flat_ground
from san.images.clean.pipeline import clean

HAIRLINE = 90
"""Grey of a line that is two thirds of a pixel wide, black on white."""


def printed(grain: float = 0.0) -> Grey:
    """`LLL`, 30 pixels high: stems of three pixels, hairlines for feet, on grainy paper."""
    page = np.full((70, 130), 255.0)
    for left in (20, 55, 90):
        page[20:50, left : left + 3] = 0
        page[49, left + 3 : left + 20] = HAIRLINE
    page += np.random.default_rng(0).normal(0, grain, page.shape) if grain else 0
    return np.clip(page - 3 * grain, 0, 255).astype(np.uint8)


def test_most_pixels_of_one_grey_are_a_flat_ground() -> None:
    assert has_flat_ground(printed())
    assert has_flat_ground(255 - printed())
    assert not has_flat_ground(printed(grain=4.0))


@pytest.mark.parametrize("page", [printed(), 255 - printed()], ids=["black on white", "reverse"])
def test_hairlines_of_print_are_kept(page: Grey) -> None:
    picture = clean(page)
    ink = picture[MARGIN:-FAR_MARGIN, MARGIN:-FAR_MARGIN] > 0
    scale = len(ink) / 30
    feet = ink[-4:].any(axis=0)
    assert feet.sum() >= 0.9 * 3 * 20 * scale  # all three, from stem to end
