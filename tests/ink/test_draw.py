"""Drawing: 3-pixel strokes at the field's scale, for any ink, and fitted to the field's bitmaps."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from benchmarks.fit_drawing import Fit, fits
from hypothesis import given
from hypothesis import strategies as st

from san.ink import Ink, Pen, draw, scale_of
from san.ink.draw import Nib
from tests.ink.formulas import fraction


def rows(picture: np.ndarray) -> list[str]:
    return ["".join(".#"[int(value > 0)] for value in row) for row in picture]


def test_a_vertical_stroke_is_three_wide_within_its_margins() -> None:
    picture = draw(Ink.of([[[5, 0], [5, 56]]]))
    assert picture.shape == (28 + 26, 26)
    ink_rows, ink_columns = np.nonzero(picture)
    assert (ink_columns.min(), ink_columns.max()) == (12, 14)
    assert (ink_rows.min(), ink_rows.max()) == (12, 12 + 28 + 2)
    assert set(np.unique(picture)) == {0, 255}
    assert picture.dtype == np.uint8


def test_a_slanted_line_pixel_by_pixel() -> None:
    """Halves round away from the start, so a line and its reverse differ: as in the bitmaps."""
    pen = Pen(width=1, margin=1)
    down = draw(Ink.of([[[0, 0], [4, 2]]]), pen, scale=1)
    assert rows(down) == ["......", ".#....", "..##..", "....##"]
    back = draw(Ink.of([[[4, 2], [0, 0]]]), pen, scale=1)
    assert rows(back) == ["......", ".##...", "...##.", ".....#"]


def test_the_pen_is_up_between_strokes() -> None:
    picture = draw(Ink.of([[[0, 0], [0, 9]], [[20, 0], [20, 9]]]), Pen(width=1), scale=1)
    assert (picture > 0).sum() == 20


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_width_and_margin_are_parameters(width: int) -> None:
    picture = draw(Ink.of([[[0, 0], [30, 0]]]), Pen(width=width, margin=7), scale=1)
    ink_rows, ink_columns = np.nonzero(picture)
    assert (ink_rows.min(), ink_columns.min()) == (7, 7)
    assert np.ptp(ink_rows) + 1 == width
    assert np.ptp(ink_columns) + 1 == 30 + width
    assert picture.shape == (ink_rows.max() + 7, ink_columns.max() + 7)


def test_no_margin_cuts_no_ink() -> None:
    assert (draw(Ink.of([[[0, 0], [9, 0]]]), Pen(margin=0), scale=1) > 0).all()


@pytest.mark.parametrize(
    ("heights", "mean"),
    [
        ([40.5], 40.5),
        ([20.5, 30.5], 25.5),
        ([40.5, 20.5, 2.0], 30.5),  # 2.0 is less than a tenth of 40.5: a bar
        ([40.0, 4.0], 40),  # a tenth exactly is a bar too
        ([40, 21], 30),  # whole units: 30.5 is rounded down
    ],
)
def test_the_scale_brings_the_mean_tall_stroke_to_28_pixels(heights: list, mean: float) -> None:
    ink = Ink.of([[[10 * i, 0], [10 * i, height]] for i, height in enumerate(heights)])
    assert scale_of(ink) == pytest.approx(28 / mean)
    assert scale_of(ink, height=14) == pytest.approx(14 / mean)


def test_a_lone_bar_and_lone_dots_are_not_blown_up() -> None:
    assert draw(Ink.of([[[0, 0], [300, 2]]])).shape[1] == 28 + 26
    assert draw(Ink.of([[[0, 0]], [[0, 90]]])).shape[0] == 28 + 26
    assert draw(Ink.of([[[4, 4]]])).shape == (26, 26)


def test_the_unit_does_not_matter() -> None:
    strokes = [stroke + np.float32(0.25) for stroke in fraction().ink.strokes]
    small = draw(Ink.of([stroke / 1024 for stroke in strokes]))
    assert (small == draw(Ink.of(strokes))).all()


def test_a_scale_that_is_none_is_refused() -> None:
    ink = fraction().ink
    for scale in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="scale"):
            draw(ink, scale=scale)
    for bad in ({"width": 0}, {"margin": -1}, {"height": 0}, {"max_side": 20}):
        with pytest.raises(ValueError, match="Pen"):
            Pen(**bad)  # type: ignore[arg-type]


def test_long_ink_is_scaled_down_and_keeps_its_shape() -> None:
    tall = [[[30 * i, 0], [30 * i, 28]] for i in range(1000)]
    picture = draw(Ink.of(tall))
    assert picture.shape == (pytest.approx(28 * 2174 / 29970 + 26, abs=1), 2200)


def test_far_from_the_origin_a_picture_is_no_larger() -> None:
    far = Ink.of([[[9_408_893, 0], [9_408_894, 0]]])
    assert draw(far, scale=1e9).shape == (26, 2200)


coordinate = st.floats(-1e7, 1e7, width=32) | st.integers(-50, 50)
strokes = st.lists(st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=6), min_size=1)


@given(strokes, st.none() | st.floats(1e-12, 1e12))
@pytest.mark.slow
def test_any_ink_can_be_drawn(strokes: list, scale: float | None) -> None:
    ink, pen = Ink.of(strokes), Pen(max_side=300)
    picture = draw(ink, pen, scale)
    assert max(picture.shape) <= 300
    assert min(picture.shape) >= pen.border
    assert not picture[:12].any()
    assert not picture[:, :12].any()
    assert not picture[-11:].any()
    assert not picture[:, -11:].any()
    assert picture[12].any()
    assert picture[-12].any()
    assert (picture == draw(ink, pen, scale)).all()


@pytest.mark.parametrize("nib", ["round", "broad"])
@pytest.mark.parametrize("width", range(1, 8))
def test_any_nib_is_as_wide_and_as_tall_as_the_pen(nib: Nib, width: int) -> None:
    dot = draw(Ink.of([[[0, 0]]]), Pen(width=width, nib=nib))
    square = draw(Ink.of([[[0, 0]]]), Pen(width=width))
    assert dot.shape == square.shape
    assert (dot <= square).all()
    for axis in (0, 1):
        assert dot.any(axis=axis).sum() == width
    assert (dot < square).any() == (width > 2)


def test_a_broad_nib_is_thin_where_lines_rise_and_thick_where_they_fall() -> None:
    rising, falling = Ink.of([[[0, 100], [100, 0]]]), Ink.of([[[0, 0], [100, 100]]])
    ink = {
        nib: [int((draw(own, Pen(width=4, nib=nib), 1.0) > 0).sum()) for own in (rising, falling)]
        for nib in ("square", "round", "broad")
    }
    assert ink["square"][0] == ink["square"][1]
    assert ink["round"][0] == pytest.approx(ink["round"][1], rel=0.01)
    assert ink["broad"][0] < 0.7 * ink["broad"][1]


def test_a_scribble_is_drawn_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    ink = Ink.of(np.random.default_rng(1).random((3, 50, 2)) * 300)
    whole = draw(ink)
    monkeypatch.setattr(import_module("san.ink.draw"), "TRACE_CHUNK_PIXELS", 100)
    assert (draw(ink) == whole).all()


@pytest.fixture(scope="module", params=["2014", "2016"])
def fitted(request: pytest.FixtureRequest, data_root: Path) -> list[Fit]:
    return list(fits(data_root, request.param))


@pytest.mark.corpus
def test_the_scale_is_the_fields(fitted: list[Fit]) -> None:
    ratios = np.array([fit.ratio for fit in fitted])
    assert np.median(ratios) == pytest.approx(1, abs=0.001)
    assert np.log(ratios).std() < 0.005


@pytest.mark.corpus
def test_at_their_scale_the_ink_lies_on_theirs(fitted: list[Fit]) -> None:
    assert min(fit.overlap for fit in fitted) > 0.99


@pytest.mark.corpus
def test_nearly_all_bitmaps_are_reproduced_pixel_for_pixel(fitted: list[Fit]) -> None:
    assert len(fitted) in (986, 1147)
    assert np.mean([fit.same for fit in fitted]) > 0.985
