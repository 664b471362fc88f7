import cv2
import numpy as np
import pytest

from san.images.bitmap import NIB
from san.images.clean.thinning import MAX_PEELS, redrawn_with_nib, thin, widened_to_nib
from san.ink.draw import Pen, draw, scale_of
from tests.ink.formulas import quadratic

AROUND = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
"""Clockwise from north."""


@pytest.mark.parametrize("width", [1, 2, 3, 5, 7])
def test_strokes_become_their_middle_line(width: int) -> None:
    ink = quadratic().ink
    scale = 2 * scale_of(ink)
    lines = thin(draw(ink, Pen(width=width, margin=12), scale) // 255)
    pen = draw(ink, Pen(width=1, margin=12 + (width - 1) // 2), scale)[
        : len(lines), : lines.shape[1]
    ]
    near = cv2.dilate(lines, np.ones((7, 7), np.uint8))[: len(pen), : pen.shape[1]]
    assert (near[pen > 0] > 0).mean() > 0.98
    assert cv2.distanceTransform(lines, cv2.DIST_C, 3).max() <= 2


def test_nothing_breaks_apart_nor_vanishes() -> None:
    mask = draw(quadratic().ink, Pen(width=5)) // 255
    before, _ = cv2.connectedComponents(mask, connectivity=8)
    after, _ = cv2.connectedComponents(thin(mask), connectivity=8)
    assert after == before


def peeled_one_by_one(mask: np.ndarray) -> np.ndarray:
    """Zhang and Suen's rules as they wrote them down."""
    ink = np.pad(mask, 1).astype(int)
    for _ in range(MAX_PEELS):
        before = ink.copy()
        for first in (True, False):
            peeled = []
            for y, x in np.argwhere(ink).tolist():
                ring = [ink[y + dy, x + dx] for dy, dx in AROUND]
                north, east, south, west = ring[::2]
                begins = sum(a < b for a, b in zip(ring, ring[1:] + ring[:1], strict=True))
                if first:
                    closed = (north and east and south) or (east and south and west)
                else:
                    closed = (north and east and west) or (north and south and west)
                if 2 <= sum(ring) <= 6 and begins == 1 and not closed:
                    peeled.append((y, x))
            for y, x in peeled:
                ink[y, x] = 0
        if (ink == before).all():
            break
    return ink[1:-1, 1:-1]


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (7, 3), (8, 8), (17, 30), (40, 23)])
@pytest.mark.slow
def test_peeled_as_by_hand_whatever_the_shape(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for share in (0.3, 0.6, 0.9, 1.0):
        mask = (rng.random(shape) < share).astype(np.uint8)
        for some in (mask, cv2.dilate(mask, np.ones((3, 3), np.uint8))):
            before = some.copy()
            assert (thin(some) == peeled_one_by_one(some)).all()
            assert (some == before).all()


def test_a_blob_takes_no_longer_than_a_stroke() -> None:
    blob = np.zeros((300, 300), np.uint8)
    blob[50:250, 50:250] = 1
    assert thin(blob).sum() > 100 * 100  # too thick for a stroke: peeled so far, and left


def test_no_stroke_is_thinner_than_the_nib_and_wide_ones_stay() -> None:
    for width in (1, 2, 3, 6):
        mask = draw(quadratic().ink, Pen(width=width)) // 255
        least = widened_to_nib(mask)
        assert (least >= mask).all()
        assert (least >= redrawn_with_nib(mask)).all()
        opened = cv2.morphologyEx(least, cv2.MORPH_OPEN, np.ones((NIB, NIB), np.uint8))
        assert opened.sum() > 0.97 * least.sum()
        if width >= NIB:
            assert least.sum() < 1.1 * mask.sum()
