"""Marks that were drawn on a photograph later leave no ink; what a pen wrote stays."""

from time import process_time
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from san.images.open import grey_of
from san.images.screen_marks import BAND, remove_screen_marks

PAPER, PEN, GLOWING = (176, 182, 168), (52, 56, 66), (255, 40, 36)
Colours = NDArray[np.uint8]


def page(size: tuple[int, int] = (120, 420), paper: tuple[int, int, int] = PAPER) -> Colours:
    """Paper in an uneven light, with a sensor's noise."""
    light = np.linspace(0.9, 1.06, size[1])[None, :, None]
    noise = np.random.default_rng(3).normal(0, 2, (*size, 1))
    return np.clip(np.array(paper) * light + noise, 0, 255).astype(np.uint8)


def write(picture: Colours, colour: tuple[int, int, int], breadth: int = 4) -> Colours:
    """Some letters, a fraction and an exponent."""
    written, height = picture.copy(), picture.shape[0]
    for place, text in ((0.05, "x+1"), (0.4, "=7y"), (0.75, "84")):
        start = int(place * picture.shape[1]), int(0.65 * height)
        cv2.putText(written, text, start, 0, height / 70, colour, breadth, cv2.LINE_AA)
    return written


def stroke(picture: Colours, breadth: int = 12) -> NDArray[np.float64]:
    """How much of each pixel a stroke across the middle covers."""
    height, width = picture.shape[:2]
    layer = np.zeros((height, width), np.uint8)
    ends = (int(0.52 * width), height - 6), (int(0.6 * width), 6)
    cv2.line(layer, *ends, 255, breadth, cv2.LINE_AA)
    return np.asarray(layer[..., None] / 255)


def mark(picture: Colours, colour: tuple[int, int, int] = GLOWING, breadth: int = 12) -> Colours:
    """As an application lays it on a photograph."""
    part = stroke(picture, breadth)
    return np.rint(picture * (1 - part) + np.array(colour) * part).astype(np.uint8)


def compressed(picture: Colours) -> Image.Image:
    """As a telephone keeps it."""
    kept = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    return Image.fromarray(cv2.imdecode(kept, cv2.IMREAD_COLOR)[..., ::-1])


def ink(image: Image.Image | Colours) -> NDArray[np.bool_]:
    """What is clearly darker than the paper around it."""
    grey = grey_of(image)
    return np.asarray(grey < 0.8 * cv2.medianBlur(grey, 101))


@pytest.mark.parametrize("size", [(60, 210), (120, 420), (1200, 4200)])
def test_a_mark_is_paper_and_what_is_written_stays(size: tuple[int, int]) -> None:
    scale = size[0] / 120
    plain = write(page(size), PEN, max(round(4 * scale), 2))
    marked = mark(plain, breadth=round(12 * scale))
    before, after = ink(compressed(plain)), ink(compressed(marked))
    under = (marked != plain).any(2)
    beside = cv2.dilate(under.astype(np.uint8), np.ones((9, 9), np.uint8)) == 0
    assert (np.asarray(Image.fromarray(marked).convert("L"))[under] < 140).mean() > 0.8
    assert after[under].sum() < 0.05 * under.sum()
    assert (before == after)[beside].mean() > 0.995


def test_ink_that_shows_through_a_mark_is_seen() -> None:
    plain = write(page(), PEN)
    part = stroke(plain)
    lit = np.minimum(plain * np.array([1.3, 0.4, 0.4]), 255)
    marked = np.rint(plain * (1 - part) + lit * part).astype(np.uint8)
    under = part[..., 0] > 0
    covered = ink(plain)[under].sum()
    assert covered > 50
    assert 0.8 * covered < ink(marked)[under].sum() < 1.2 * covered


@pytest.mark.parametrize("pen", [(156, 52, 54), (120, 30, 34), (60, 80, 150), (150, 110, 80)])
def test_pens_of_all_colours_are_ink(pen: tuple[int, int, int]) -> None:
    picture = compressed(mark(write(page(), pen), pen, breadth=12))
    assert np.array_equal(grey_of(picture), np.asarray(picture.convert("L")))


def ruled() -> Colours:
    """Paper of an application, which no camera saw."""
    paper = np.full((120, 420, 3), (250, 244, 225), np.uint8)
    paper[20::20] = paper[21::20] = (180, 200, 220)
    return paper


@pytest.mark.parametrize(
    "picture",
    [
        mark(write(page(), PEN), breadth=4),  # as broad as the writing: an answer, perhaps
        write(page(), GLOWING),  # nothing else is written
        mark(write(page(paper=(36, 52, 44)), (235, 235, 230)), (240, 200, 60)),  # chalk
        mark(write(page(paper=(255, 255, 255)), (0, 0, 0))),  # a drawing, not a photograph
        write(ruled(), (0, 122, 255)),
        write(page(), PEN),
    ],
    ids=["narrow", "alone", "chalk", "white", "ruled", "none"],
)
def test_what_may_be_writing_stays(picture: Colours) -> None:
    assert np.array_equal(grey_of(picture), np.asarray(Image.fromarray(picture).convert("L")))


def test_opaque_transparency_and_arrays_are_pictures_in_colours_too() -> None:
    marked = mark(write(page(), PEN))
    expected = grey_of(Image.fromarray(marked))
    assert (expected != np.asarray(Image.fromarray(marked).convert("L"))).any()
    opaque = np.dstack([marked, np.full(marked.shape[:2], 255, np.uint8)])
    assert np.array_equal(grey_of(marked), expected)
    assert np.array_equal(grey_of(opaque), expected)


def test_of_a_large_picture_no_copy_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    marked = mark(write(page((1200, 4200)), PEN, 40), breadth=120)
    opaque = Image.fromarray(np.dstack([marked, np.full(marked.shape[:2], 255, np.uint8)]))
    expected, pixels, convert = grey_of(marked), [], Image.Image.convert

    def counted(image: Image.Image, *arguments: Any, **options: Any) -> Image.Image:
        pixels.append(image.width * image.height)
        return convert(image, *arguments, **options)

    monkeypatch.setattr(Image.Image, "convert", counted)
    assert np.array_equal(grey_of(opaque), expected)
    assert max(pixels) <= BAND


@pytest.mark.slow
def test_a_picture_full_of_marks_is_not_slow() -> None:
    random = np.random.default_rng(0)
    colours = np.array([GLOWING, PAPER, PEN, PAPER], np.uint8)[random.integers(0, 4, (96, 96))]
    patches = cv2.resize(colours, (4000, 4000), interpolation=cv2.INTER_NEAREST)
    picture = Image.fromarray(patches - random.integers(0, 4, (4000, 4000, 1), np.uint8))
    plain = np.asarray(picture.convert("L"))
    grey = plain.copy()
    began = process_time()
    remove_screen_marks(grey, picture)
    assert process_time() - began < 0.8  # 0.2 s; 1.5 s with a matrix of colours
    assert (grey != plain).mean() > 0.2


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (2, 3)])
def test_the_smallest_pictures(size: tuple[int, int]) -> None:
    for colours in ([GLOWING, PAPER], [PAPER, PEN], [GLOWING, PEN, PAPER]):
        picture = np.resize(np.array(colours, np.uint8), (*size, 3))
        assert grey_of(picture).shape == size
