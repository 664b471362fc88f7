import cv2
import numpy as np
import pytest

from san.images.clean.threshold import (
    EDGE_LEVEL,
    MIN_LOCAL_LEVEL,
    NEIGHBOURHOOD_PIXELS,
    SURROUNDINGS_SIGMA,
    Threshold,
    above,
    bold_threshold,
    local_ink,
    noise_threshold,
    two_level_threshold,
)


def noise(sigma: float) -> np.ndarray:
    return np.random.default_rng(0).normal(0, sigma, (100, 200)).astype(np.float32)


def test_noise_has_no_threshold() -> None:
    for sigma in (0.0, 0.01, 0.1):
        assert noise_threshold(noise(sigma)) is None


def test_ink_stands_out_however_much_there_is_of_it() -> None:
    for columns in (2, 90):
        difference = noise(0.02)
        difference[:, :columns] += 0.6
        cut = noise_threshold(difference)
        assert cut is not None
        assert cut.level == pytest.approx(0.6, abs=0.05)
        found = above(difference, cut.edge)
        assert found[:, :columns].mean() > 0.99
        assert found[:, columns:].mean() < 0.001


def test_the_darker_of_two_kinds() -> None:
    difference = noise(0.01)
    difference[::10] += 0.12
    assert bold_threshold(difference) is None
    difference[40:44, 50:90] += 0.6
    cut = bold_threshold(difference)
    assert cut is not None
    assert cut.level == pytest.approx(0.6, abs=0.05)
    assert above(difference, cut.edge).sum() == pytest.approx(4 * 40, abs=4)


def test_two_blurred_bars_stay_two_and_a_faint_one_is_seen() -> None:
    rows = np.arange(60)[:, None]
    equals = sum(np.exp(-((rows - middle) ** 2) / (2 * 2.5**2)) for middle in (26, 33))
    difference = (0.6 * np.asarray(equals) * np.ones((1, 100))).astype(np.float32)
    difference[:, 60:] *= 0.55
    cut = Threshold(0.05, 0.6)
    assert above(difference, cut.edge)[29, 20]  # a global cut closes the gap
    ink = local_ink(difference, cut)
    assert not ink[29:31, 20].all()
    assert ink[26, 20]
    assert ink[33, 20]
    assert ink[26, 90]


@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (60, 90)])
def test_levels_are_cut_as_their_blurred_neighbourhood_says(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        levels = rng.integers(0, 256, shape, np.uint8)
        levels[rng.random(shape) < rng.random()] //= 4
        cut = Threshold(float(rng.uniform(0, 120)), float(rng.uniform(20, 400)))
        local_maximum = cv2.dilate(
            levels, np.ones((NEIGHBOURHOOD_PIXELS, NEIGHBOURHOOD_PIXELS), np.uint8)
        )
        local_maximum = cv2.GaussianBlur(local_maximum, (0, 0), NEIGHBOURHOOD_PIXELS / 3)
        edge = np.maximum(
            EDGE_LEVEL * np.clip(local_maximum, MIN_LOCAL_LEVEL * cut.level, cut.level), cut.floor
        )
        edge = np.maximum(edge, cv2.GaussianBlur(levels, (0, 0), SURROUNDINGS_SIGMA))
        assert (local_ink(levels, cut) == (levels > edge)).all()


def test_two_kinds_that_fill_a_picture_are_paper_and_ink() -> None:
    difference = noise(0.03)
    difference[:, :80] += 0.6
    cut = two_level_threshold(np.asarray(cv2.GaussianBlur(difference, (0, 0), 2), np.float32))
    assert cut is not None
    assert cut.level == pytest.approx(0.6, abs=0.05)
    assert 0.2 < cut.edge < 0.4


@pytest.mark.parametrize("columns", [0, 20, 190])
def test_noise_and_what_is_nearly_all_of_one_kind_are_not_parted(columns: int) -> None:
    difference = noise(0.03)
    difference[:, :columns] += 0.6
    assert two_level_threshold(difference) is None
