"""Strokes are told apart by the way of the pen, whatever their size and place."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save

from san.errors import SanError
from san.ink import Ink
from san.model.onnx.weights import read_facts
from san.models import RESCORING, STROKES
from san.reader.rescoring.rescorer import Rescorer
from san.reader.rescoring.stroke_network import (
    FORMAT,
    LATER,
    MAX_STROKES,
    POINTS,
    StrokeNetwork,
    even_points,
    inputs_of,
    stroke_network,
)
from san.reader.rescoring.stroke_terms import strokes_for
from tests.ink.formulas import quadratic


def ink(*strokes: list[tuple[float, float]]) -> Ink:
    return Ink(tuple(np.array(stroke, np.float32) for stroke in strokes))


def curve(right: bool) -> list[tuple[float, float]]:
    """Half of a circle from above to below, bulging to the right or to the left."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, 20)
    side = 1 if right else -1
    return [(side * 10 * float(np.cos(a)), 20 * float(np.sin(a))) for a in angles]


def shifted(stroke: list[tuple[float, float]], by: float) -> list[tuple[float, float]]:
    return [(x + by, y) for x, y in stroke]


def test_points_are_even_and_in_units_of_the_median_stroke() -> None:
    points = even_points(ink([(0, 0), (1, 0), (30, 0)], [(0, 5), (0, 15)], [(7, 7)]).strokes)
    assert points.shape == (3, POINTS, 2)
    steps = np.diff(points[0, :, 0])
    assert np.allclose(steps, steps[0])
    assert np.ptp(points[0, :, 0]) == pytest.approx(30 / 20)  # the median of 30 and 10
    assert not np.ptp(points[2], axis=0).any()


def test_nothing_that_is_seen_depends_on_scale_or_place() -> None:
    strokes = quadratic().ink.strokes
    moved = [stroke * np.float32(3.5) + np.float32(100) for stroke in strokes]
    for one, other in zip(*(inputs_of(even_points(own)) for own in (strokes, moved)), strict=True):
        assert np.allclose(one, other, atol=1e-3)


def test_the_way_of_the_pen_is_seen() -> None:
    there, back = [(0.0, 0.0), (10.0, 10.0)], [(10.0, 10.0), (0.0, 0.0)]
    seen = [inputs_of(even_points(ink(way).strokes)).shapes for way in (there, back)]
    assert np.allclose(seen[0][0, 1:, 2:4], 0.5**0.5, atol=1e-5)
    assert np.allclose(seen[1][0, 1:, 2:4], -(0.5**0.5), atol=1e-5)


def test_of_two_strokes_it_is_seen_how_they_lie() -> None:
    pairs = inputs_of(even_points(ink([(0, 0), (10, 0)], [(30, 0), (40, 0)]).strokes)).pairs
    across, down, _, order, _, gap, _, size = pairs[0, 1].tolist()
    assert (across, down, order, gap, size) == pytest.approx((-3, 0, -1, 2, 0))
    assert np.allclose(pairs[1, 0, :2], (3, 0))
    many = ink(*([(10.0 * n, 0.0), (10.0 * n + 5, 0.0)] for n in range(9)))
    assert np.abs(inputs_of(even_points(many.strokes)).pairs[..., 3]).max() == LATER


def test_dots_alone_are_no_trouble() -> None:
    found = stroke_network(STROKES).log_probabilities(ink([(3, 3)], [(9, 3)]))
    assert found is not None
    assert np.isfinite(found).all()


def test_neither_are_specks_beside_large_strokes() -> None:
    small = 1e-38
    specks = [[(0.0, 0.0), (small, n * small)] for n in range(3)]
    found = stroke_network(STROKES).log_probabilities(ink(*specks, [(1e6, 0.0), (1e6, 1e6)]))
    assert found is not None
    assert np.isfinite(found).all()


def test_what_it_says_of_a_stroke_comes_to_one() -> None:
    network = stroke_network(STROKES)
    found = network.log_probabilities(quadratic().ink)
    assert found is not None
    assert found.shape == (len(quadratic().ink.strokes), len(network.symbols))
    assert np.allclose(np.exp(found).sum(axis=1), 1, atol=1e-4)


def test_an_x_of_two_curves_is_no_times_sign_and_the_cross_of_two_lines_is() -> None:
    network = stroke_network(STROKES)
    x, times = network.column("x"), network.column(r"\times")
    curves = ink(curve(True), shifted(curve(False), 21))
    lines = ink([(-10, -10), (10, 10)], [(10, -10), (-10, 10)])
    digits = [(-60, -20), (-60, 20)], [(60, -20), (60, 20)]
    for written, likelier in ((curves, x), (lines, times)):
        first, second = digits
        found = network.log_probabilities(ink(first, *map(_points, written.strokes), second))
        assert found is not None
        other = times if likelier == x else x
        assert (found[1:3, likelier] > found[1:3, other]).all()


def _points(stroke: np.ndarray) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in stroke]


def test_symbols_have_columns_where_they_are_told_apart() -> None:
    network = StrokeNetwork(["-", "x"], {})
    assert [network.column(name) for name in ("-", "x", "Q")] == [0, 1, None]


def test_of_too_many_strokes_it_says_nothing() -> None:
    dots = [[(float(n), 0.0)] for n in range(MAX_STROKES + 1)]
    assert stroke_network(STROKES).log_probabilities(ink(*dots)) is None
    assert stroke_network(STROKES).log_probabilities(ink(*dots[:-1])) is not None


def test_rescoring_comes_with_the_network_that_it_was_fitted_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rescorer = Rescorer(RESCORING)
    assert strokes_for(RESCORING, rescorer) is stroke_network(STROKES)
    beside = tmp_path / STROKES.name
    beside.write_bytes(STROKES.read_bytes())
    mine = tmp_path / RESCORING.name
    assert strokes_for(mine, rescorer) is stroke_network(beside)
    beside.write_bytes(b"of another network")
    assert strokes_for(mine, rescorer) is stroke_network(STROKES)
    monkeypatch.setattr(rescorer, "strokes", "of another network")
    assert strokes_for(RESCORING, rescorer) is None
    monkeypatch.setattr(rescorer, "ink_weights", None)
    assert strokes_for(RESCORING, rescorer) is None


def test_a_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "strokes.safetensors"
    broken.write_bytes(b"nothing")
    with pytest.raises(SanError, match="no weights can be read"):
        stroke_network(broken)
    with pytest.raises(SanError, match="these are no weights of this network"):
        stroke_network(RESCORING)


@pytest.mark.parametrize(
    ("facts", "change", "why"),
    [
        ({}, {}, "metadata cannot be read"),
        ({"strokes": "no JSON"}, {}, "metadata cannot be read"),
        ({"strokes": '{"symbols": ["x"]}'}, {}, "metadata cannot be read"),
        (None, {"symbols_bias": np.zeros(3, np.float16)}, "arrays do not fit one another"),
        (None, {"facts": np.zeros((7, 128), np.float16)}, "arrays do not fit one another"),
        (None, {"convolution0": np.zeros((), np.float16)}, "arrays do not fit one another"),
        (None, {"convolution1": np.zeros((3, 0, 96), np.float16)}, "arrays do not fit one another"),
        (None, {"norm": None}, "norm is missing"),
    ],
)
def test_nor_do_foreign_numbers_wait_until_ink_is_read(
    tmp_path: Path,
    facts: dict[str, str] | None,
    change: dict[str, np.ndarray | None],
    why: str,
) -> None:
    content = STROKES.read_bytes()
    arrays = {name: change.get(name, own) for name, own in load(content).items()}
    kept = {name: own for name, own in arrays.items() if own is not None}
    told = {"strokes": read_facts(content)["strokes"]} if facts is None else facts
    foreign = tmp_path / "strokes.safetensors"
    foreign.write_bytes(save(kept, {"format": FORMAT, **told}))
    with pytest.raises(SanError, match=why):
        stroke_network(foreign)
