"""Confidence: a curve that rises, fits what it is given, and knows whose it is."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from san.decoding import Calibration, DecodingLimits, decode, decode_beam
from san.decoding.confidence import MIN_DOUBT, calibration_path, fit_shift, log_odds
from san.errors import SanError
from tests.conftest import REPOSITORY
from tests.decoding.noise import ONE, Noise

CHANCES = st.floats(0, 1)
WEIGHTS = st.floats(0, 10)
SHIPPED = REPOSITORY / "src" / "san" / "models" / "san.safetensors"


def drawn(curve: Calibration, count: int) -> tuple[list[float], list[bool]]:
    """Readings that are right as often as a curve says."""
    random = np.random.default_rng(2)
    chances = random.beta(0.7, 0.4, count)
    right = [bool(random.random() < curve.of(chance)) for chance in chances]
    return chances.tolist(), right


@given(CHANCES)
def test_without_a_fit_a_probability_is_taken_at_its_word(chance: float) -> None:
    assert Calibration().of(chance) == pytest.approx(chance, abs=2 * MIN_DOUBT)


@given(WEIGHTS, WEIGHTS, st.floats(-50, 50), CHANCES, CHANCES)
def test_more_probable_is_never_less_sure(
    low: float, high: float, shift: float, one: float, other: float
) -> None:
    curve = Calibration(low, high, shift)
    less, more = sorted((curve.of(one), curve.of(other)))
    assert 0 <= less <= more <= 1
    if one < other:
        assert curve.of(one) <= curve.of(other) + 1e-12


@pytest.mark.parametrize("strange", [float("nan"), -1.0, 2.0])
def test_a_probability_that_is_none_is_no_confidence(strange: float) -> None:
    assert Calibration().of(strange) < 1e-5


def test_confidence_of_a_reading() -> None:
    reading = decode(Noise(2), ONE)[0]
    curve = Calibration(1.2, 0.4, -0.6)
    assert curve.confidence(reading) == curve.of(reading.probability)


@pytest.mark.slow
@given(WEIGHTS, WEIGHTS, st.floats(-9, 9), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_of_several_readings_one_is_right(low: float, high: float, shift: float, seed: int) -> None:
    curve = Calibration(low, high, shift)
    readings = decode_beam(Noise(seed), ONE, 4, DecodingLimits(steps=12, depth=6))[0]
    sure = curve.confidences(readings)
    assert sure[0] == curve.confidence(readings[0])
    assert sum(sure) <= 1 + 1e-9
    assert sure == sorted(sure, reverse=True)
    assert all(
        own <= reading.probability for own, reading in zip(sure[1:], readings[1:], strict=True)
    )
    assert curve.confidences([]) == []


@given(st.lists(CHANCES, min_size=1, max_size=5), st.floats(-9, 9))
def test_photographs_move_the_odds_of_the_best_and_keep_the_order(
    chances: list[float], photographed: float
) -> None:
    curve = Calibration(photographed=photographed)
    ink = sorted((own / max(sum(chances), 1.0) for own in chances), reverse=True)
    found = curve.of_picture(ink, True)
    assert found == sorted(found, reverse=True)
    assert 0 <= sum(found) <= 1 + 1e-9
    assert (found[0] - ink[0]) * photographed >= -1e-9
    assert curve.of_picture(ink[:1], True) == found[:1]  # however many are asked for
    assert Calibration().of_picture(ink, True, 0.5) == pytest.approx(ink)


def test_a_photograph_that_is_read_in_one_way_has_its_log_odds_moved() -> None:
    (found,) = Calibration(photographed=-0.5).of_picture([0.8], True)
    assert np.log(found / (1 - found)) == pytest.approx(np.log(0.8 / 0.2) - 0.5)
    (unread,) = Calibration(photographed=-0.5, unread=-10).of_picture([0.8], False, 0.2)
    assert np.log(unread / (1 - unread)) == pytest.approx(np.log(0.8 / 0.2) - 2)


def test_what_a_few_symbols_had_turned_keeps_half() -> None:
    plain = Calibration().of_picture([0.9, 0.05], True)
    assert Calibration().of_picture([0.9, 0.05], True, turned_by_few=True) == [
        one / 2 for one in plain
    ]


def test_the_fit_finds_the_curve_behind_the_readings() -> None:
    truth = Calibration(1.4, 0.5, -0.8)
    fitted = Calibration.fit(*drawn(truth, 20_000))
    for chance in np.linspace(0.01, 0.99, 30):
        assert fitted.of(chance) == pytest.approx(truth.of(chance), abs=0.02)


@pytest.mark.slow
@given(st.lists(st.tuples(CHANCES, st.booleans()), min_size=2, max_size=40))
def test_whatever_was_read_the_fitted_curve_rises(readings: list[tuple[float, bool]]) -> None:
    chances, right = zip(*readings, strict=True)
    if len(set(right)) == 1:
        with pytest.raises(SanError, match="right and wrong"):
            Calibration.fit(chances, right)
        return
    fitted = Calibration.fit(chances, right)
    assert fitted.low >= 0
    assert fitted.high >= 0
    assert np.isfinite([fitted.low, fitted.high, fitted.shift]).all()
    sure = [fitted.of(chance) for chance in np.linspace(0, 1, 50)]
    assert all(before <= after + 1e-12 for before, after in pairwise(sure))


def test_saved_beside_its_weights_and_void_beside_others(tmp_path: Path) -> None:
    weights = tmp_path / "mine.safetensors"
    weights.write_bytes(b"numbers")
    curve = Calibration(1.25, 0.5, -0.75, -0.5)
    assert Calibration.load(weights) == Calibration()  # nothing there yet
    assert curve.save(weights, {"n": 7}) == tmp_path / "mine.calibration.json"
    assert json.loads(calibration_path(weights).read_text("utf-8"))["n"] == 7
    assert Calibration.load(weights) == curve
    facts = json.loads(calibration_path(weights).read_text("utf-8"))
    del facts["photographed"]  # as files were before
    calibration_path(weights).write_text(json.dumps(facts), "utf-8")
    assert Calibration.load(weights) == Calibration(1.25, 0.5, -0.75)
    weights.write_bytes(b"other numbers")
    assert Calibration.load(weights) == Calibration()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "null",
        "\xff",
        '{"low": 1, "high": 1, "shift": 0}',
        '{"weights": "", "low": -1, "high": 1, "shift": 0}',
        '{"weights": "", "low": 1e999, "high": 1, "shift": 0}',
        '{"weights": "", "low": NaN, "high": 1, "shift": 0}',
        '{"weights": "", "low": "one", "high": 1, "shift": 0}',
        '{"weights": "", "low": 1, "high": 1, "shift": 0, "photographed": NaN}',
        '{"weights": "", "low": 1, "high": 1, "shift": 0, "photographed": -1e9}',
        '{"weights": "", "low": 1' + "0" * 400 + ', "high": 1, "shift": 0}',
        "[" * 20_000,
        " " * 100_000,
    ],
)
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    weights = tmp_path / "mine.safetensors"
    weights.write_bytes(b"numbers")
    calibration_path(weights).write_bytes(content.encode("latin-1"))
    with pytest.raises(SanError) as caught:
        Calibration.load(weights)
    assert "\n" not in str(caught.value)
    assert "mine.calibration.json" in str(caught.value)


def test_the_shipped_weights_have_a_calibration_of_their_own() -> None:
    curve = Calibration.load(SHIPPED)
    assert curve != Calibration()
    assert curve.photographed < 0
    checked = json.loads(calibration_path(SHIPPED).read_text("utf-8"))["checked_on"]
    assert checked["ece_mass"] <= 0.05
    assert checked["ece_width"] <= 0.05


def test_the_shift_behind_the_readings_is_found() -> None:
    random = np.random.default_rng(3)
    odds = log_odds(random.random(20_000))
    right = (random.random(len(odds)) < 1 / (1 + np.exp(-odds + 0.7))).astype(float)
    found = fit_shift(odds, right)
    assert found.value == pytest.approx(-0.7, abs=4 * found.error)
    assert found.error < 0.03


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_readings_of_one_kind_tell_nothing_of_a_shift(right: float) -> None:
    with pytest.raises(SanError, match="right and wrong"):
        fit_shift(log_odds(np.array([0.2, 1.0])), np.full(2, right))
