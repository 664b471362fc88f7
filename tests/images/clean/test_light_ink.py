"""Light ink on dark: chalk, dark windows and ink on nothing come out as their plain twins."""

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from san.images.bitmap import Grey
from san.images.clean.pipeline import clean
from san.images.open import open_image
from tests.images.photographs import formula, likeness

ROOM = 60


def enlarged(zoom: float) -> np.ndarray:
    """How much ink lies on each pixel, 0 to 1."""
    ink = cv2.resize(formula(), None, fx=zoom, fy=zoom, interpolation=cv2.INTER_CUBIC)
    return np.pad(ink.astype(np.float32) / 255, ROOM)


def clouds(rng: np.random.Generator, shape: tuple[int, ...], cell: int) -> np.ndarray:
    small = rng.normal(0, 1, (shape[0] // cell + 2, shape[1] // cell + 2)).astype(np.float32)
    return cv2.resize(small, shape[::-1], interpolation=cv2.INTER_CUBIC)


def board(seed: int, dust: float) -> Grey:
    """Chalk that skips the board's grain, over what was wiped off with a sponge."""
    rng = np.random.default_rng(seed)
    ink = enlarged(2.0)
    wiped = cv2.GaussianBlur(clouds(rng, ink.shape, 8), (0, 0), sigmaX=40, sigmaY=12)
    ground = 45 + dust * np.clip(wiped / wiped.std(), 0, 1.5) + 3 * clouds(rng, ink.shape, 2)
    chalk = ink * np.clip(0.75 + 0.3 * clouds(rng, ink.shape, 2), 0, 1)
    seen = cv2.GaussianBlur(ground + (215 - ground) * chalk, (0, 0), 0.8)
    return np.clip(seen + rng.normal(0, 3, seen.shape), 0, 255).astype(np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize("dust", [0.0, 12.0, 20.0])
def test_chalk_on_a_board_that_was_wiped(dust: float) -> None:
    for seed in (0, 1):
        assert likeness(formula(), clean(board(seed, dust))) > 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("ground", "pen"), [(0, 255), (30, 212), (40, 130)])
def test_a_dark_window_reads_as_its_light_twin(ground: int, pen: int) -> None:
    dark = np.rint(ground + (pen - ground) * enlarged(1.5)).clip(0, 255).astype(np.uint8)
    assert likeness(formula(), clean(dark)) > 0.97
    assert (clean(dark) == clean(255 - dark)).mean() > 0.999


@pytest.mark.parametrize("level", [255, 200, 0])
def test_ink_on_nothing(level: int) -> None:
    alpha = np.rint(255 * enlarged(1.5).clip(0, 1)).astype(np.uint8)
    colours = [Image.new("L", alpha.shape[::-1], level)] * 3
    file = io.BytesIO()
    Image.merge("RGBA", [*colours, Image.fromarray(alpha)]).save(file, "PNG")
    assert likeness(formula(), clean(open_image(file.getvalue()))) > 0.97
