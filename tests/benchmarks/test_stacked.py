"""Stacked pairs are two lines of one size, the same by their seed; figures are what they say."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from san.ink import Ink, draw
from tests.ink.formulas import fraction, quadratic

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return __import__("stacked_pairs")


@pytest.fixture
def stacked(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return __import__("stacked")


def test_the_lower_line_is_below_the_upper(pairs: ModuleType) -> None:
    small = Ink.of([stroke / 50 for stroke in quadratic().ink.strokes])
    for seed in range(5):
        ink, upper = pairs.stack_ink(fraction().ink, small, np.random.default_rng(seed))
        above = np.concatenate(ink.strokes[:upper])
        below = np.concatenate(ink.strokes[upper:])
        assert above[:, 1].max() < below[:, 1].min()
        assert 0.2 < np.ptp(below[:, 1]) / np.ptp(above[:, 1]) < 5
        again = pairs.stack_ink(fraction().ink, small, np.random.default_rng(seed)).ink
        assert np.array_equal(again.points, ink.points)


def test_pictures_are_stacked_alike(pairs: ModuleType) -> None:
    upper, lower = draw(fraction().ink), draw(quadratic().ink)
    sheet = pairs.stack_pictures(upper, lower, np.random.default_rng(0))
    rows = np.flatnonzero(~sheet.any(axis=1))
    inner = rows[(rows > 20) & (rows < len(sheet) - 20)]
    assert len(inner) >= 10, "an empty stripe between the lines"
    assert (sheet > 0).sum() > (upper > 0).sum()


def test_no_formula_stands_in_two_pairs(pairs: ModuleType) -> None:
    found = [one for pair in pairs.pairs_of(list(range(10)), 5, 3) for one in pair]
    assert sorted(found) == list(range(10))
    with pytest.raises(ValueError, match="5 pairs need 10 items"):
        list(pairs.pairs_of([1, 2, 3], 5))


def test_the_weight_behind_the_readings_is_found(stacked: ModuleType) -> None:
    random = np.random.default_rng(0)
    sure, unread = random.uniform(0.2, 0.95, 20_000), random.uniform(0, 0.2, 20_000)
    chance = 1 / (1 + np.exp(-np.log(sure / (1 - sure)) + 10 * unread))
    right = (random.random(20_000) < chance).astype(float)
    singles = stacked.Readings(sure, unread, unread > 0, right)
    pairs = stacked.Readings(*(part[:2000] for part in (sure, unread, unread, right)))
    weight, error = stacked.fitted_weight([(singles, pairs)], 0.0)
    assert abs(weight + 10) < 4 * error
    assert error < 1


def test_the_area_under_the_curve(stacked: ModuleType) -> None:
    right = np.array([1.0, 1, 0, 0])
    assert stacked.area_under_roc(np.array([0.9, 0.8, 0.2, 0.1]), right) == 1
    assert stacked.area_under_roc(np.array([0.5, 0.5, 0.5, 0.5]), right) == 0.5
    assert stacked.area_under_roc(np.array([0.1, 0.2, 0.8, 0.9]), right) == 0
