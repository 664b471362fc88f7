"""A sheet on a desk is cut out and set straight; nothing else is."""

import cv2
import numpy as np
import pytest

from san.images.bitmap import Grey
from san.images.clean.pipeline import clean
from san.images.sheet import find_sheet, without_desk
from san.images.view import ViewedImage
from tests.images.photographs import formula, likeness

CORNERS = np.array([[150, 90], [820, 120], [800, 480], [110, 430]], np.float64)


def desk(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    y, x = np.indices(shape)
    if kind == "wood":
        grain = cv2.resize(rng.normal(0, 1, (shape[0] // 3, 8)).astype(np.float32), shape[::-1])
        return 95 + 14 * grain - 30 * (y % 160 < 3)
    if kind == "cloth":
        return 80.0 + 40 * ((x // 24 + y // 24) % 2)
    return np.full(shape, 60.0)


def sheet_on_desk(kind: str = "plain", corners: np.ndarray = CORNERS, seed: int = 0) -> Grey:
    rng = np.random.default_rng(seed)
    ink = cv2.copyMakeBorder(formula(), 60, 60, 60, 60, cv2.BORDER_CONSTANT)
    sheet = (225 - 190 * (ink / 255)).astype(np.float32)
    height, width = sheet.shape
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    view = cv2.getPerspectiveTransform(flat, corners.astype(np.float32))
    size = (940, 560)
    seen = cv2.warpPerspective(sheet, view, size, flags=cv2.INTER_CUBIC)
    share = cv2.warpPerspective(np.ones_like(sheet), view, size)
    seen = seen * share + desk(kind, size[::-1], rng) * (1 - share)
    return np.clip(seen + rng.normal(0, 2, seen.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("kind", ["plain", "wood", "cloth"])
def test_a_sheet_is_found_and_its_edges_are_no_ink(kind: str) -> None:
    photo = sheet_on_desk(kind)
    seen = without_desk(ViewedImage(photo))
    assert seen.view.outline is not None
    assert np.array(seen.view.outline) == pytest.approx(CORNERS, abs=6)
    assert likeness(formula(), clean(seen.grey)) > 0.9
    height, width = seen.grey.shape
    inside = np.array([[0.0, 0.0], [width, height]])
    on_source = seen.view.to_source(inside)
    assert on_source == pytest.approx(CORNERS[[0, 2]], abs=20)
    assert seen.view.from_source(on_source) == pytest.approx(inside, abs=1e-6)


def in_soft_shadow(grey: Grey, share: float, desk_too: bool) -> Grey:
    """A shadow over the right, that takes so much of the light."""
    x = np.arange(grey.shape[1])
    light = 1 - share / (1 + np.exp((450 - x) / 25.0))
    on_sheet = np.zeros(grey.shape, np.uint8)
    cv2.fillConvexPoly(on_sheet, CORNERS.astype(np.int32), 1)
    where = np.ones_like(on_sheet) if desk_too else on_sheet
    return np.where(where > 0, grey * light, grey).astype(np.uint8)


@pytest.mark.parametrize("kind", ["plain", "wood", "cloth"])
@pytest.mark.parametrize(("share", "desk_too"), [(0.35, False), (0.6, True)])
def test_a_shadow_on_a_sheet_hides_none_of_it(kind: str, share: float, desk_too: bool) -> None:
    photo = in_soft_shadow(sheet_on_desk(kind), share, desk_too)
    corners = find_sheet(photo)
    assert corners is not None
    assert corners == pytest.approx(CORNERS, abs=8)


def test_a_dark_thing_on_paper_is_no_sheet() -> None:
    assert find_sheet(255 - sheet_on_desk()) is None


def test_the_outline_begins_where_the_sheet_is_turned_to_begin() -> None:
    seen = without_desk(ViewedImage(sheet_on_desk())).quarter_turned(1)
    assert seen.view.outline is not None
    assert seen.view.outline[0] == pytest.approx(CORNERS[3], abs=6)  # the bottom left goes up
    corner = seen.view.to_source(np.array([[0.0, 0.0]]))
    assert corner[0] == pytest.approx(CORNERS[3], abs=20)


def test_what_is_no_sheet_is_left_alone() -> None:
    rng = np.random.default_rng(1)
    plain = 255 - cv2.resize(formula(), None, fx=2, fy=2)
    y, x = np.indices((400, 600))
    shadow = np.where(x + y < 500, 120, 230) + rng.normal(0, 2, (400, 600))
    lamp = 240 - 180 * np.hypot(x - 300, y - 200) / 360
    disc = np.where(np.hypot(x - 300, y - 200) < 150, 230, 60)
    strip = np.where(np.abs(y - 200) < 60, 230, 60)  # runs out of the picture on both sides
    noise = rng.integers(0, 256, (300, 400))
    for grey in (plain, shadow, lamp, disc, strip, noise, np.full((300, 300), 128)):
        image = ViewedImage(np.clip(grey, 0, 255).astype(np.uint8))
        assert find_sheet(image.grey) is None
        assert without_desk(image) is image


@pytest.mark.parametrize("shape", [(1, 1), (3, 500), (60, 60), (2000, 40)])
def test_any_size_will_do(shape: tuple[int, int]) -> None:
    assert find_sheet(np.zeros(shape, np.uint8)) is None


def test_what_was_drawn_lies_on_no_desk() -> None:
    """Between the strokes of a root and a bar a bitmap may be as bright, and have four sides."""
    drawn = np.zeros((560, 940), np.uint8)
    cv2.fillConvexPoly(drawn, CORNERS.astype(np.int32), 200)
    assert find_sheet(drawn) is None
    noise = np.random.default_rng(0).normal(0, 3, drawn.shape)
    assert find_sheet(np.clip(drawn + 40 + noise, 0, 255).astype(np.uint8)) is not None
