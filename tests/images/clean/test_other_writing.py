"""Writing that is too small or too faint for the size and the contrast of the rest."""

from time import process_time

import cv2
import numpy as np
import pytest

from san.images.bitmap import Grey, Mask
from san.images.clean.other_writing import (
    MIN_FAINT_CONTRAST,
    has_letters,
    in_groups,
    other_writing,
)
from san.images.clean.pipeline import Cleaned, clean_with_map
from tests.images.photographs import formula

FLOOR = 0.1


def on_paper(small: float = 1.0, ink: int = 0, at: tuple[int, int] = (700, 900)) -> Grey:
    """A large formula, and the same once more: so many times as large, in so dark an ink."""
    page = np.full((1000, 1400), 255, np.uint8)
    drawn = formula()
    large = 255 - cv2.resize(drawn, None, fx=2.5, fy=2.5, interpolation=cv2.INTER_AREA)
    page[40 : 40 + large.shape[0], 40 : 40 + large.shape[1]] = large
    other = cv2.resize(drawn, None, fx=small, fy=small, interpolation=cv2.INTER_AREA)
    pale = 255 - (other.astype(np.float32) * (255 - ink) / 255).astype(np.uint8)
    top, left = at
    page[top : top + pale.shape[0], left : left + pale.shape[1]] = pale
    return page


def photographed(page: Grey) -> Grey:
    """Greyer, with a sensor's noise."""
    noise = np.random.default_rng(0).normal(0, 4, page.shape)
    return np.asarray(np.clip(0.8 * page + noise, 0, 255), np.uint8)


def letters(count: int, height: int = 20, step: int = 24) -> Mask:
    """Upright strokes with feet, side by side."""
    ink = np.zeros((200, 60 + step * max(count, 8)), np.uint8)
    for number in range(count):
        left = 30 + step * number
        ink[80 : 80 + height, left : left + 2] = 1
        ink[78 + height : 80 + height, left : left + height // 2] = 1
    return ink


def found(ink: Mask, contrast: float = 0.3, kept: Mask | None = None, **rest: Mask) -> int:
    """In how many places there is other writing."""
    nothing = np.zeros_like(ink)
    known = nothing if kept is None else kept
    removed = rest.get("removed", nothing)
    page = contrast * ink.astype(np.float32)
    return len(other_writing(page, page, FLOOR, MIN_FAINT_CONTRAST, known, removed))


def place_of(one: Cleaned) -> tuple[float, float, float, float]:
    """Left, top, right and bottom on the source, margins included."""
    rows, columns = one.picture.shape
    return one.left, one.top, one.left + columns / one.scale, one.top + rows / one.scale


@pytest.mark.parametrize("photo", [False, True], ids=["scan", "photograph"])
@pytest.mark.parametrize(
    ("small", "ink"), [(0.5, 0), (2.5, 190)], ids=["small and far off", "faint"]
)
def test_what_cleaning_leaves_out_is_cleaned_by_itself(small: float, ink: int, photo: bool) -> None:
    at = (700, 900) if small < 1 else (520, 40)
    page = on_paper(small, ink, at)
    cleaned = clean_with_map(photographed(page) if photo else page)
    alone = clean_with_map(photographed(page[:480]) if photo else page[:480])
    assert alone.apart == ()
    # Nothing else is in it.
    assert cleaned.picture.shape == pytest.approx(alone.picture.shape, rel=0.05)
    (other,) = cleaned.apart
    assert other.picture.shape == pytest.approx(alone.picture.shape, rel=0.1)
    left, top, right, bottom = place_of(other)
    rows, columns = (small * side for side in formula().shape)
    assert left == pytest.approx(at[1], abs=20 * small)
    assert top == pytest.approx(at[0], abs=20 * small)
    assert right - left == pytest.approx(columns, rel=0.2)
    assert bottom - top == pytest.approx(rows, rel=0.2)


def test_light_ink_on_dark_is_the_same() -> None:
    page = on_paper(0.5)
    (dark,), (light,) = clean_with_map(page).apart, clean_with_map(255 - page).apart
    assert np.array_equal(dark.picture, light.picture)
    assert place_of(dark) == place_of(light)


def test_what_is_in_the_picture_is_not_said_twice() -> None:
    assert clean_with_map(on_paper(2.5, at=(520, 40))).apart == ()


def test_a_row_of_letters_is_writing() -> None:
    assert found(letters(3)) == found(letters(8)) == 1
    assert found(letters(2)) == 0
    assert found(letters(8, step=90)) == 0  # too far apart


def test_ink_that_is_known_is_no_other() -> None:
    ink = letters(5)
    assert found(ink, kept=ink) == 0
    beside = np.zeros_like(ink)
    beside[101:103] = 1  # whose blurred edge the feet may be
    assert found(ink, kept=beside) == 0


def test_what_may_be_something_else_is_no_writing() -> None:
    ink = letters(5)
    assert found(ink, contrast=0.14) == 0  # what shows through from the back of a sheet
    assert found(ink[80:]) == 0  # cut by the edge
    assert found(ink, removed=ink) == 0  # remains of rulings
    dashes = np.zeros_like(ink)
    dashes[80:86, np.arange(ink.shape[1]) % 30 < 20] = 1
    assert found(dashes) == 0
    assert found(letters(5, height=4, step=6)) == 0  # specks


def test_letters_on_a_ruling_are_writing_where_they_are_darker() -> None:
    ink = letters(5)
    ruling = np.zeros_like(ink)
    ruling[80:100:8] = 1
    for dark, count in ((0.3, 1), (0.2, 0)):
        bare = dark * ink.astype(np.float32)
        page = np.maximum(bare, 0.15 * ruling.astype(np.float32))
        nothing = np.zeros_like(ink)
        places = other_writing(page, bare, FLOOR, MIN_FAINT_CONTRAST, nothing, ruling)
        assert len(places) == count


def test_dots_of_paper_are_no_writing() -> None:
    page = on_paper(2.5, 255, at=(520, 40))
    dot = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)) > 0
    for top in range(500, 960, 20):
        for left in range(60, 1300, 20):
            page[top : top + 7, left : left + 7][dot] = 150
    assert clean_with_map(page).apart == ()


def test_letters_stand_in_a_row() -> None:
    row = [[30 * number, 100 + number % 2 * 8, 20, 30, 90] for number in range(4)]
    alone = [[0, 300, 20, 30, 90], [400, 100, 20, 30, 90], [20, 10, 70, 95, 400]]
    assert in_groups(np.array(row + alone, np.int32)).tolist() == [True] * 4 + [False] * 3
    assert has_letters(255 * letters(3))
    assert not has_letters(255 * letters(2))


def test_rows_in_many_places_are_one_part_of_the_page() -> None:
    ink = np.zeros((1000, 900), np.uint8)
    for row in range(6):
        ink[160 * row : 160 * row + 150, :250] |= letters(4)[:150, :250]
    assert found(ink[:640]) == 4
    assert found(ink) == 1


def test_specks_without_number_take_no_time() -> None:
    rng = np.random.default_rng(1)
    page = on_paper(0.5)
    specks = rng.random((200, 280)) < 0.2
    mask = cv2.resize(specks.astype(np.uint8), (1400, 1000), interpolation=cv2.INTER_NEAREST)
    page[300:][mask[300:] > 0] = 120
    began = process_time()
    clean_with_map(page)
    assert process_time() - began < 5
