"""Views: what is turned and tilted finds its way back, to the pixel where nothing is lost."""

import numpy as np
import pytest

from san.images.bitmap import Grey
from san.images.view import SOURCE, ViewedImage
from tests.images.photographs import formula

PAPER, INK = 230, 20


def page() -> Grey:
    """Even paper with one dark spot."""
    grey = np.full((60, 90), PAPER, np.uint8)
    grey[12:15, 70:73] = INK
    return grey


def spot(grey: Grey) -> np.ndarray:
    """The middle of what is dark."""
    dark = np.where(grey < PAPER - 15, PAPER - grey.astype(float), 0)
    y, x = np.indices(grey.shape) + 0.5
    return np.array([[(x * dark).sum(), (y * dark).sum()]]) / dark.sum()


@pytest.mark.parametrize("quarters", [-1, 0, 1, 2, 3])
def test_quarter_turns_lose_nothing_and_lead_back(quarters: int) -> None:
    seen = ViewedImage(page()).quarter_turned(quarters)
    assert (np.rot90(seen.grey, quarters) == page()).all()
    assert seen.view.to_source(spot(seen.grey)) == pytest.approx(spot(page()))
    assert seen.view.from_source(spot(page())) == pytest.approx(spot(seen.grey))
    assert seen.view.turned == {-1: -90, 0: 0, 1: 90, 2: 180, 3: -90}[quarters]


@pytest.mark.parametrize("degrees", [-17.0, 4.0, 20.0])
def test_tilts_lead_back_and_show_no_edge(degrees: float) -> None:
    seen = ViewedImage(page()).quarter_turned(1).tilted(degrees)
    assert seen.view.turned == 90 + degrees
    assert seen.view.to_source(spot(seen.grey)) == pytest.approx(spot(page()), abs=0.15)
    dark = seen.grey < PAPER - 15
    assert dark.sum() <= 40  # the spot, blurred, and no edge of the page


def test_an_enlarged_view_leads_back() -> None:
    seen = ViewedImage(page()).quarter_turned(1).enlarged(2)
    assert seen.grey.shape == (180, 120)
    assert seen.view.to_source(spot(seen.grey)) == pytest.approx(spot(page()), abs=0.1)
    assert (seen.view.turned, seen.view.shape) == (90, page().shape)


def test_views_of_views() -> None:
    seen = ViewedImage(page()).quarter_turned(2)
    assert seen.quarter_turned(2).view.turned == 0
    assert (seen.quarter_turned(2).grey == page()).all()
    assert ViewedImage(page()).view is SOURCE
    there_and_back = ViewedImage(255 - formula()).tilted(9).tilted(-9)
    assert there_and_back.view.turned == pytest.approx(0)
    corner = np.array([[0.0, 0.0]])
    matrix = there_and_back.view
    assert matrix.from_source(matrix.to_source(corner)) == pytest.approx(corner, abs=1e-9)


def test_a_strip_is_not_tilted_onto_a_square() -> None:
    strip = ViewedImage(np.full((22_043, 45), 255, np.uint8))  # would need 120 million pixels
    assert strip.tilted(15.0) is strip
    long_line = ViewedImage(np.full((60, 2_000), 255, np.uint8))
    assert long_line.tilted(25.0).grey.size > 10 * long_line.grey.size
