from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import process_time

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from san.files import Files
from san.images.bitmap import FAR_MARGIN, MARGIN, MAX_SIDE, NIB, Grey, extent
from san.images.clean.components import find_components
from san.images.clean.pipeline import NoInk, TooLong, clean, clean_with_map
from san.images.open import ImageError, open_image
from san.ink import Box
from san.ink.alphabet import compose, sheet_of, write
from san.ink.draw import Pen, draw, scale_of
from san.reader.prepared import prepare_image
from san.reader.upright import prepare_upright
from san.synth.photo.paper import PaperPage, Ruling, random_page
from tests.images.photographs import formula, grey_photograph, likeness, two_symbols
from tests.ink.formulas import fraction, quadratic

PAGES = {
    "plain": PaperPage(),
    "ruled": PaperPage(ruling=Ruling.RULED, tilt=1.0),
    "squared": PaperPage(ruling=Ruling.SQUARED, perspective=0.01),
    "shadow": PaperPage(shadow=0.5, uneven=0.4),
    "blue ink": PaperPage(ink=(40, 60, 170), ruling=Ruling.RULED),
    "red ink": PaperPage(ink=(190, 40, 50), paper=(200, 195, 185)),
    "pencil": PaperPage(ink=(120, 120, 120), noise=0.02),
    "blackboard": PaperPage(paper=(35, 50, 45), ink=(225, 225, 215)),
    "blurred": PaperPage(blur=2.5, jpeg=50),
    "thick pen": PaperPage(pen=4.0),
    "thin pen": PaperPage(pen=-3.0, zoom=3.0),
    "far away": PaperPage(zoom=0.7, spacing=30, ruling=Ruling.RULED),
    "near": PaperPage(zoom=5.0, spacing=200, ruling=Ruling.SQUARED),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
@pytest.mark.slow
def test_photographs_come_out_as_drawn(page: PaperPage) -> None:
    drawn = formula()
    picture = clean(grey_photograph(drawn, page))
    assert likeness(drawn, picture) > 0.9
    assert picture.shape[0] == pytest.approx(drawn.shape[0], rel=0.12)


def test_decimal_points_on_a_ruling_stay() -> None:
    """Blurred, and three pixels wide once cleaned."""
    digits = [("1", 0), ("5", 40), ("+", 80), ("2", 130), ("7", 170)]
    boxes = [(name, Box(left, 0, left + 22, 40)) for name, left in digits]
    points = [(".", Box(left, 38, left + 1, 39)) for left in (30, 160)]
    drawn = draw(compose([*boxes, *points]).ink)
    grey = 255 - cv2.resize(np.pad(drawn, 60), None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
    foot = int(np.flatnonzero((grey < 128).any(1))[-1])
    for top in range(foot % 160, len(grey), 160):
        grey[top - 5 : top - 2] = np.minimum(grey[top - 5 : top - 2], 205)
    grey = cv2.GaussianBlur(grey, (0, 0), 2.0)
    found = find_components(clean(np.asarray(grey, np.uint8)) // 255).stats
    assert len(found) == 7
    assert (found[:, 2:4].max(axis=1) < 8).sum() == 2


@pytest.mark.slow
def test_random_photographs() -> None:
    drawn = formula()
    pages = [replace(random_page(seed), tilt=0, perspective=0) for seed in range(12)]
    photos = (grey_photograph(drawn, page, seed) for seed, page in enumerate(pages))
    alike = [likeness(drawn, clean(photo)) for photo in photos]
    assert np.mean(np.array(alike) > 0.85) > 0.9


def test_the_fields_drawing_is_not_touched() -> None:
    for sheet in (quadratic(), fraction()):
        drawn = draw(sheet.ink)
        cleaned = clean_with_map(drawn)
        assert np.array_equal(cleaned.picture, drawn)
        assert cleaned[1:] == (1.0, 0.0, 0.0, None, ())


@pytest.mark.corpus
@pytest.mark.parametrize("year", [2014, 2016])
@pytest.mark.slow
def test_the_fields_bitmaps_are_not_touched(data_root: Path, year: int) -> None:
    bitmaps = Files(data_root / "crohme" / f"test{year}.bitmaps.zip")
    for name in bitmaps.names:
        grey = open_image(bitmaps.read(name))
        assert np.array_equal(clean(grey), grey), name


@pytest.mark.parametrize("width", [2, 3, 4])
@pytest.mark.parametrize("size", [0.7, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.slow
def test_drawings_of_other_sizes_pens_and_colours(width: int, size: float, dark: bool) -> None:
    ink = quadratic().ink
    drawn = draw(ink)
    other = draw(ink, Pen(width=width, margin=30), size * scale_of(ink))
    smooth = cv2.GaussianBlur(other, (0, 0), 0.6)
    picture = clean(np.asarray(smooth if dark else 255 - smooth, np.uint8))
    assert likeness(drawn, picture) > 0.9
    assert picture.shape[0] == pytest.approx(drawn.shape[0], rel=0.08)


def test_the_picture_has_the_fields_values_margins_and_nib() -> None:
    picture = clean(grey_photograph(formula(), PaperPage()))
    height, width = picture.shape
    assert set(np.unique(picture)) == {0, 255}
    assert extent(picture) == (MARGIN, MARGIN, width - FAR_MARGIN, height - FAR_MARGIN)


@pytest.mark.parametrize("pen", [-3.0, 0.0, 4.0])
@pytest.mark.slow
def test_strokes_are_as_wide_as_the_nib_or_wider(pen: float) -> None:
    picture = clean(grey_photograph(formula(), PaperPage(pen=pen, zoom=3.0)))
    opened = cv2.morphologyEx(picture, cv2.MORPH_OPEN, np.ones((NIB, NIB), np.uint8))
    assert (opened > 0).sum() > 0.97 * (picture > 0).sum()


@pytest.mark.slow
def test_the_map_leads_back_to_the_source() -> None:
    """A mark that is known in the source lies where the map says, however the page was cut."""
    drawn, zoom, room = formula(), 3.0, 400.0
    page = PaperPage(zoom=zoom, room=room, texture=0, noise=0, uneven=0)
    cleaned = prepare_image(grey_photograph(drawn, page))
    height, width = cleaned.picture.shape
    box = cleaned.to_source(Box(MARGIN, MARGIN, width - FAR_MARGIN, height - FAR_MARGIN))
    rows, columns = drawn.shape
    ends = (MARGIN, MARGIN, columns - FAR_MARGIN, rows - FAR_MARGIN)
    assert box == pytest.approx([room + zoom * end for end in ends], abs=3 * zoom)


@pytest.mark.parametrize("ruling", Ruling)
@pytest.mark.parametrize("shadow", [0.0, 0.5])
@pytest.mark.parametrize("paper", [(236, 232, 222), (40, 45, 50)])
@pytest.mark.slow
def test_an_empty_page(ruling: Ruling, shadow: float, paper: tuple[int, int, int]) -> None:
    nothing = np.zeros((200, 400), np.uint8)
    page = PaperPage(paper=paper, ruling=ruling, shadow=shadow, noise=0.02, tilt=0.7)
    with pytest.raises(NoInk, match=r"^no ink found$"):
        clean(grey_photograph(nothing, page))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spacing", [16.0, 20.0, 24.0, 40.0])
def test_two_symbols_on_squared_paper(spacing: float, seed: int) -> None:
    """All ink lies on lines, or the lines lie too close to be found."""
    drawn, line = two_symbols(), (190, 200, 215)
    page = PaperPage(ruling=Ruling.SQUARED, spacing=spacing, zoom=1.0, room=40, line=line)
    height, width = clean(grey_photograph(drawn, page, seed)).shape
    assert width / height == pytest.approx(drawn.shape[1] / drawn.shape[0], rel=0.4)


def under_hard_shadow(grey: Grey) -> Grey:
    """Half of the light is gone below a slanted edge, from one pixel to the next."""
    rows, columns = np.indices(grey.shape)
    below = rows > 0.35 * grey.shape[0] + 0.2 * columns * grey.shape[0] / grey.shape[1]
    return np.asarray(cv2.GaussianBlur(np.where(below, 0.4, 1.0) * grey, (0, 0), 1.0), np.uint8)


def test_black_ink_across_a_hard_shadow() -> None:
    for drawn in (formula(), two_symbols()):
        photo = under_hard_shadow(grey_photograph(drawn, PaperPage(zoom=1.5, room=30)))
        assert likeness(drawn, clean(photo)) > 0.85


@pytest.mark.parametrize("seed", [0, 3, 5, 9])
def test_pale_blue_ink_across_a_shadow(seed: int) -> None:
    drawn = two_symbols()
    page = PaperPage(shadow=0.6, ink=(130, 150, 205), noise=0.015)
    picture = clean(grey_photograph(drawn, page, seed))
    ink = drawn[extent_of(drawn)]
    assert likeness(ink, picture[extent_of(picture)]) > 0.85


def extent_of(picture: Grey) -> tuple[slice, slice]:
    box = extent(picture)
    assert box is not None
    return slice(box.top, box.bottom), slice(box.left, box.right)


@pytest.mark.parametrize("ruling", Ruling)
@pytest.mark.slow
def test_an_empty_page_under_a_hard_shadow(ruling: Ruling) -> None:
    nothing = np.zeros((200, 400), np.uint8)
    photo = grey_photograph(nothing, PaperPage(ruling=ruling, tilt=0.5))
    with pytest.raises(NoInk, match=r"^no ink found$"):
        clean(under_hard_shadow(photo))


def test_noise_is_no_ink() -> None:
    rng = np.random.default_rng(0)
    noises: list[NDArray[np.generic]] = [
        rng.integers(0, 256, (300, 400)),
        np.clip(rng.normal(200, 15, (300, 400)), 0, 255),
        255 * (rng.random((300, 400)) < 0.01),
    ]
    for noise in noises:
        with pytest.raises(NoInk):
            clean(noise.astype(np.uint8))


@pytest.mark.parametrize(
    "grey",
    [np.zeros((0, 5), np.uint8), np.zeros((5, 5, 3), np.uint8), np.zeros((5, 5), np.float32)],
)
def test_what_is_no_grey_picture_is_refused(grey: Grey) -> None:
    with pytest.raises(ImageError, match="not a picture of grey pixels"):
        clean(grey)


@st.composite
def pictures(draw_: st.DrawFn) -> Grey:
    """Flat, noisy, blotchy and striped pictures of any shape."""
    height, width = draw_(st.integers(1, 150)), draw_(st.integers(1, 150))
    rng = np.random.default_rng(draw_(st.integers(0, 2**32 - 1)))
    cell = draw_(st.integers(1, 40))
    levels = draw_(st.integers(1, 256))
    small = rng.integers(0, levels, (height // cell + 1, width // cell + 1))
    grown = np.kron(small, np.ones((cell, cell), np.int64))[:height, :width]
    return (grown * (255 // max(levels - 1, 1)) % 256).astype(np.uint8)


@settings(max_examples=60, deadline=None)
@given(pictures())
@pytest.mark.slow
def test_any_picture_is_cleaned_or_refused(grey: Grey) -> None:
    try:
        picture = clean(grey)
    except NoInk:
        return
    assert picture.any()
    assert max(picture.shape) <= MAX_SIDE


@pytest.mark.parametrize("shape", [(1, 1), (1, 3000), (3000, 1), (2, 2), (5000, 30)])
def test_odd_shapes(shape: tuple[int, int]) -> None:
    for value in (0, 255):
        with pytest.raises(NoInk):
            clean(np.full(shape, value, np.uint8))


def seconds_of_cleaning(grey: Grey) -> float:
    """Of the processor, not of the clock."""
    began = process_time()
    with suppress(NoInk):
        clean(grey)
    return process_time() - began


@pytest.mark.slow
def test_twelve_megapixels_take_no_longer_than_a_few_small_photographs() -> None:
    small = grey_photograph(np.pad(formula(), 150), PaperPage(ruling=Ruling.RULED, zoom=1.5))
    factor = (12_100_000 / small.size) ** 0.5
    photo = np.asarray(cv2.resize(small, None, fx=factor, fy=factor), np.uint8)
    pixels = photo.size / small.size
    assert pixels > 12
    seconds_of_cleaning(small)  # what is set up once
    assert seconds_of_cleaning(photo) < 0.5 * pixels * seconds_of_cleaning(small)


def number(digits: str, top: float) -> list[tuple[str, list[NDArray[np.float32]]]]:
    boxes = (Box(40 * place, top, 40 * place + 26, top + 50) for place in range(len(digits)))
    return [(digit, write(digit, box)) for digit, box in zip(digits, boxes, strict=True)]


@pytest.mark.parametrize("seed", [4, 7, 16, 23])
@pytest.mark.slow
def test_a_bar_that_one_look_tells_from_rulings_is_known_to_the_next(seed: int) -> None:
    bar = np.array([[-4, 64], [100, 65], [190, 64]], np.float32)
    ink = sheet_of([*number("44467", 0), (r"\frac", [bar]), *number("38973", 80)]).ink
    drawn = draw(ink)
    photo = grey_photograph(drawn, random_page(seed), seed)
    cleaned = prepare_image(photo)
    height, width = cleaned.picture.shape
    inner = Box(MARGIN, MARGIN, width - FAR_MARGIN, height - FAR_MARGIN)
    left, top, right, bottom = (round(side) for side in cleaned.to_source(inner))
    assert likeness(drawn, clean(photo[top - 1 : bottom + 1, left - 1 : right + 1])) > 0.95


def test_letters_that_fill_a_small_blurred_crop_are_found() -> None:
    ink = cv2.dilate(two_symbols()[8:50, 8:78], np.ones((5, 5), np.uint8))
    small = cv2.resize(ink, None, fx=0.45, fy=0.45, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small.astype(np.float32) / 255, (0, 0), 0.75)
    noise = np.random.default_rng(0).normal(0, 3, soft.shape)
    grey = np.clip(180 - 120 * soft + noise, 0, 255).astype(np.uint8)
    assert likeness(two_symbols()[8:50, 8:78], clean(grey)) > 0.75


def dashes() -> Grey:
    """Lines from both sides of a page that is full of small letters."""
    rng = np.random.default_rng(1)
    grey = np.full((750, 800), 240, np.uint8)
    for row in range(12, 738, 12):
        for left in (0, 649):
            cv2.line(grey, (left, row), (left + 150, row), 30, 2)
    for x, y in zip(rng.integers(170, 630, 400), rng.integers(10, 740, 400), strict=True):
        cv2.ellipse(grey, (int(x), int(y)), (4, 6), 0, 0, 300, 30, 2)
    return grey


def strip() -> Grey:
    """An upright line, taller than any page."""
    return np.pad(np.zeros((20_000, 1), np.uint8), ((10, 10), (2, 2)), constant_values=255)


@pytest.mark.parametrize("make", [dashes, strip])
@pytest.mark.slow
def test_odd_pictures_take_no_longer_than_some_pages(make: Callable[[], Grey]) -> None:
    page = grey_photograph(np.pad(formula(), 150), PaperPage(ruling=Ruling.SQUARED, zoom=2.0))
    seconds_of_cleaning(page)  # what is set up once
    assert seconds_of_cleaning(make()) < 20 * seconds_of_cleaning(page)


@pytest.mark.parametrize(("side", "count"), [("wide", 30), ("tall", 100)])
def test_a_strip_too_long_for_its_writing_is_refused_by_name(side: str, count: int) -> None:
    letters = np.full((80, 240), 255, np.uint8)
    cv2.putText(letters, "x+y", (20, 50), cv2.FONT_HERSHEY_SIMPLEX, 1.0, 20, 3)
    strip = np.hstack([letters] * count) if side == "wide" else np.vstack([letters] * count)
    with pytest.raises(TooLong, match=f"too {side} for writing so small: cut it into pieces"):
        clean(strip)
    if side == "tall":  # and so it is for who turns pictures
        with pytest.raises(TooLong, match="cut it into pieces"):
            prepare_upright(strip)
    part = strip[: 80 * 20, : 240 * 5]
    assert clean(part).any()
