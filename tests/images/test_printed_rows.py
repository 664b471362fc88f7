"""How a page of print lies is told by its rows; what is none is left to the network."""

import cv2
import numpy as np
import pytest

from san.images.bitmap import Grey
from san.images.clean.pipeline import clean
from san.images.printed_rows import PrintedRows, printed_rows
from san.reader.orientation import QUARTERS, TILTS, Orientation
from san.reader.upright import prepare_upright
from tests.images.photographs import formula

WORDS = "the law of large numbers holds for all of them but not at once and that is why"


def printed(rows: int = 12) -> Grey:
    """A page of prose, as from a screen."""
    page = np.full((60 * rows + 80, 1400), 255, np.uint8)
    for row in range(rows):
        text = WORDS[row:] + " " + WORDS[:row]
        cv2.putText(page, text[:66], (40, 70 + 60 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.0, 0, 2)
    return page


def test_rows_of_print_tell_how_they_lie() -> None:
    page = printed()
    assert printed_rows(clean(page)) == PrintedRows(True, 1)
    assert printed_rows(clean(np.rot90(page, 2))) == PrintedRows(True, -1)
    assert printed_rows(np.rot90(clean(page))) == PrintedRows(False)


def test_what_is_no_page_of_print_tells_nothing() -> None:
    dust = np.random.default_rng(0).random((900, 900)) < 0.002
    for picture in (formula(), clean(printed(2)), np.asarray(255 * dust, np.uint8)):
        assert printed_rows(picture) is None


@pytest.mark.parametrize("quarters", range(QUARTERS))
def test_a_page_of_print_is_upright_whatever_the_network_says(
    quarters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.full((QUARTERS, len(TILTS)), -30.0)
    scores[3, TILTS.index(0.0)] = 0.0  # on its side, for sure
    found = Orientation(scores, 24)
    monkeypatch.setattr("san.reader.upright.orientation_of", lambda _: found)
    seen = prepare_upright(np.rot90(printed(), -quarters))
    # Upside down is told by the network alone, unless the page was on its side.
    assert seen.view.turned == {0: 0, 1: -90, 2: 0, 3: 90}[quarters]
