"""A photograph or a panel on a page of one colour is cut out, and nothing else is."""

import cv2
import numpy as np
import pytest

from san.images.bitmap import Extent, Grey
from san.images.margin import TRIMMED, find_laid_on, without_margin
from san.images.view import SOURCE, ViewedImage
from san.reader.upright import prepare_upright
from san.synth.photo.paper import PaperPage, Ruling
from tests.images.photographs import formula, grey_photograph, likeness

SQUARED = PaperPage(ruling=Ruling.SQUARED, spacing=42, uneven=0.3, shadow=0.3)
PHOTOGRAPH = grey_photograph(formula(), SQUARED)


def on_page(left: int, top: int, right: int, bottom: int, page: int = 255) -> Grey:
    sides = ((top, bottom), (left, right))
    return np.pad(PHOTOGRAPH, sides, constant_values=page)


@pytest.mark.parametrize("page", [255, 0, 90])
@pytest.mark.parametrize("sides", [(200, 300, 250, 900), (0, 150, 0, 150), (0, 0, 0, 400)])
def test_it_is_cut_out_and_leads_back(sides: tuple[int, int, int, int], page: int) -> None:
    left, top, *_ = sides
    whole = on_page(*sides, page)
    seen = without_margin(ViewedImage(whole))
    within = [TRIMMED if side else 0 for side in sides]
    height, width = PHOTOGRAPH.shape
    kept = PHOTOGRAPH[within[1] : height - within[3], within[0] : width - within[2]]
    assert seen.grey.shape == pytest.approx(kept.shape, abs=2)
    corner = seen.view.to_source(np.zeros((1, 2)))
    assert corner == pytest.approx(np.array([[left + within[0], top + within[1]]]), abs=2)
    assert seen.view.shape == whole.shape


def test_what_is_no_photograph_on_a_page_stays_as_it_is() -> None:
    drawn = np.pad(255 - formula(), 100, constant_values=255)
    framed = drawn.copy()
    framed[60:-60, 60:-60][[0, 1, -1, -2]] = 0
    framed[60:-60, 60:-60][:, [0, 1, -1, -2]] = 0
    with_caption = on_page(100, 100, 100, 300)
    with_caption[-80:-60, 150:170] = 0
    one_colour = np.full((300, 400), 255, np.uint8)
    bar = np.pad(np.zeros((90, 400), np.uint8), 100, constant_values=255)
    for grey in (PHOTOGRAPH, drawn, framed, with_caption, one_colour, bar):
        assert find_laid_on(grey) is None
        assert without_margin(ViewedImage(grey)).view is SOURCE
    assert find_laid_on(on_page(80, 80, 80, 80)) == Extent(
        80 + TRIMMED, 80 + TRIMMED, PHOTOGRAPH.shape[1] + 80 - TRIMMED,
        PHOTOGRAPH.shape[0] + 80 - TRIMMED,
    )  # fmt: skip


@pytest.mark.parametrize(("page", "ground", "ink"), [(255, 25, 230), (25, 255, 20), (255, 225, 0)])
def test_a_panel_of_another_colour_is_the_page(page: int, ground: int, ink: int) -> None:
    drawn = cv2.resize(formula(), None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    share = np.pad(drawn, 50) / 255.0
    panel = np.rint(ground + (ink - ground) * share).astype(np.uint8)
    window = np.pad(panel, ((80, 100), (120, 90)), constant_values=page)
    assert find_laid_on(window) == Extent(
        120 + TRIMMED, 80 + TRIMMED, panel.shape[1] + 120 - TRIMMED, panel.shape[0] + 80 - TRIMMED
    )
    alone, cut_out = prepare_upright(panel), prepare_upright(window)
    assert likeness(alone.picture, cut_out.picture) > 0.97
    assert cut_out.view.turned == 0
