import numpy as np
import pytest

from san.evaluation.metrics import BINS, Rate, calibration_error, equal_mass


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [(0, 10, 0.0, 27.75), (5, 10, 23.66, 76.34), (10, 10, 72.25, 100.0), (553, 986, 52.97, 59.15)],
)
def test_wilsons_interval(right: int, total: int, low: float, high: float) -> None:
    assert Rate(right, total).interval == pytest.approx((low, high), abs=0.01)


def test_nothing_scored_says_nothing() -> None:
    assert Rate(0, 0).percent == 0
    assert Rate(0, 0).interval == (0, 100)


def test_confidence_that_is_too_low_shows_by_how_much() -> None:
    sure, right = np.full(30, 0.8), np.ones(30)
    assert calibration_error(sure, right) == pytest.approx(0.2)
    assert calibration_error(sure, right.astype(bool)) == pytest.approx(0.2)


def test_few_readings_have_an_error_too() -> None:
    sure, right = np.full(5, 0.8), np.array([1.0, 1, 1, 1, 0])  # each in a bin of its own
    assert calibration_error(sure, right) == pytest.approx(0.32)


def test_honest_in_every_bin_is_no_error_and_honest_on_the_whole_is_not_enough() -> None:
    sure = np.repeat([0.25, 0.75], 4 * BINS)
    right = np.tile([0.0, 0, 0, 1, 1, 1, 1, 0], BINS).reshape(BINS, 2, 4).swapaxes(0, 1).ravel()
    halves = [np.arange(4 * BINS), np.arange(4 * BINS, 8 * BINS)]
    assert calibration_error(sure, right, lambda _: halves) == pytest.approx(0)
    assert calibration_error(1 - sure, right, lambda _: halves) == pytest.approx(0.5)
    assert calibration_error(1 - sure, right, lambda _: [np.arange(8 * BINS)]) == pytest.approx(0)


def test_bins_hold_as_many_each_in_order_of_confidence() -> None:
    sure = np.random.default_rng(0).random(100 * BINS) ** 0.1  # most are sure
    bins = equal_mass(sure)
    assert [len(some) for some in bins] == [100] * BINS
    ranked = np.concatenate([sure[some] for some in bins])
    assert np.array_equal(ranked, np.sort(sure))
