import numpy as np
import pytest

from san.images.threshold import Threshold, above, bold, local_ink, threshold


def noise(sigma: float) -> np.ndarray:
    return np.random.default_rng(0).normal(0, sigma, (100, 200)).astype(np.float32)


def test_noise_has_no_threshold() -> None:
    for sigma in (0.0, 0.01, 0.1):
        assert threshold(noise(sigma)) is None


def test_ink_stands_out_however_much_there_is_of_it() -> None:
    for columns in (2, 90):
        difference = noise(0.02)
        difference[:, :columns] += 0.6
        cut = threshold(difference)
        assert cut is not None
        assert cut.level == pytest.approx(0.6, abs=0.05)
        found = above(difference, cut.edge)
        assert found[:, :columns].mean() > 0.99
        assert found[:, columns:].mean() < 0.001


def test_the_darker_of_two_kinds() -> None:
    difference = noise(0.01)
    difference[::10] += 0.12
    assert bold(difference) is None
    difference[40:44, 50:90] += 0.6
    cut = bold(difference)
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
