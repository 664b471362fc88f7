"""Boxes are where the ink is, to the pixel."""

import re
import tomllib
from dataclasses import fields, replace

import numpy as np
import pytest

from san.config import build
from san.synth.composer import Composer
from san.synth.config import SynthConfig
from san.synth.random_stream import RandomStream
from san.synth.samples import boxes_of_steps
from san.synth.variation.config import (
    GENTLE,
    DistortionConfig,
    JoinedStrokesConfig,
    SpacingConfig,
)
from san.synth.variation.distort import draw_distorted
from san.synth.variation.page import InkPage, copy_written
from tests.conftest import REPOSITORY


def documented_wilder_ink(page: str) -> DistortionConfig:
    """As this page switches it on."""
    text = (REPOSITORY / page).read_text("utf-8")
    (table,) = [
        tomllib.loads(block)
        for block in re.findall(r"^```toml$(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        if "wildness" in block
    ]
    return build(SynthConfig, table["synth"]).distortion


@pytest.mark.parametrize("nib", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_the_boxes_together_are_the_box_of_the_ink(
    composer: Composer, width: int, nib: tuple[float, float, float]
) -> None:
    config = DistortionConfig(
        pen=(0.0,) * (width - 1) + (1.0,), nib=nib, joined_strokes=JoinedStrokesConfig(chance=0.5)
    )
    for seed, written in enumerate(composer.bank.expressions[::5]):
        picture, boxes = draw_distorted(
            copy_written(composer.bank, written), config, RandomStream(np.random.default_rng(seed))
        )
        rows, columns = np.nonzero(picture)
        found = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        said = [*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)]
        assert np.abs(np.subtract(found, said)).max() == 0


def widest() -> DistortionConfig:
    """Every number as large as it may be, but for those that have another meaning when they are."""
    spacing = SpacingConfig(1.0, (20.0, 20.0), 1.0, (100.0, 100.0), 0.0, 1.0)
    config = DistortionConfig(spacing=spacing, wildness=(10.0, 10.0), climb=1.0)
    largest = {
        option.name: option.metadata["high"]
        for option in fields(config)
        if option.type is float and option.name != "cut_divisor"
    }
    return replace(config, warp_factor=(10.0, 10.0), wobble_factor=(10.0, 10.0), **largest)


@pytest.mark.parametrize(
    "config",
    [
        documented_wilder_ink("docs/synth.md"),
        documented_wilder_ink("experiments/encoder.md"),
        widest(),
    ],
    ids=["manual", "experiment", "widest"],
)
def test_boxes_hold_the_ink_of_wilder_symbols(composer: Composer, config: DistortionConfig) -> None:
    config = replace(config, nib=(1.0, 0.0, 0.0), joined_strokes=JoinedStrokesConfig())
    for seed, written in enumerate(composer.bank.expressions[::3]):
        page = copy_written(composer.bank, written)
        picture, boxes = draw_distorted(page, config, RandomStream(np.random.default_rng(seed)))
        assert max(picture.shape) <= 2200
        assert np.isfinite(boxes).all()
        outside = picture.copy()
        for left, top, right, bottom in boxes.astype(int).tolist():
            ink = picture[top:bottom, left:right]
            assert all(edge.any() for edge in (ink[0], ink[-1], ink[:, 0], ink[:, -1]))
            outside[top:bottom, left:right] = 0
        assert not outside.any()


def test_what_is_too_long_is_drawn_smaller_and_boxed_so() -> None:
    x = np.repeat(np.arange(400, dtype=np.float32), 2)
    fence = np.stack((x * 30, np.arange(800, dtype=np.float32) % 2 * 20), axis=1)
    page = InkPage(fence, np.full(400, 2), np.full(400, 1))
    picture, boxes = draw_distorted(
        page, DistortionConfig(), RandomStream(np.random.default_rng(0))
    )
    assert 2190 <= max(picture.shape) <= 2200
    assert 2150 < boxes[:, 2].max() <= picture.shape[1]


def test_scale_is_the_fields_times_a_random_one(composer: Composer) -> None:
    written = composer.bank.expressions[0]
    heights = []
    for seed in range(40):
        config = DistortionConfig(scale=(0.5, 2.0), symbol_size=0, stretch=0)
        picture, _ = draw_distorted(
            copy_written(composer.bank, written), config, RandomStream(np.random.default_rng(seed))
        )
        heights.append(picture.shape[0] - 26)
    assert 2.5 < max(heights) / min(heights) < 5


def test_rows_of_steps_that_write_nothing_are_not_numbers() -> None:
    rows = boxes_of_steps(np.ones((3, 4), np.float32), (0, 2), 4)
    assert np.isnan(rows[:, 0]).tolist() == [False, True, False, True]


@pytest.mark.parametrize(("width", "broad"), [(1, 2), (2, 3), (3, 4), (4, 4)])
def test_a_broad_nib_is_a_pixel_wider_up_to_four(width: int, broad: int) -> None:
    for nib, high in (((1.0, 0.0, 0.0), width), ((0.0, 1.0, 0.0), width), ((0.0, 0.0, 1.0), broad)):
        pen = tuple(float(width == other) for other in range(1, 5))
        config = replace(GENTLE, pen=pen, nib=nib)
        page = InkPage(np.zeros((1, 2), np.float32), np.array([1]), np.array([1]))
        picture, _ = draw_distorted(page, config, RandomStream(np.random.default_rng(0)))
        assert picture.any(axis=1).sum() == high


def test_nibs_are_as_likely_as_the_range_says(composer: Composer) -> None:
    def drawn(nib: tuple[float, float, float], seed: int) -> bytes:
        config = DistortionConfig(nib=nib, pen=(0.0, 0.0, 0.0, 1.0))
        page = copy_written(composer.bank, composer.bank.expressions[0])
        return draw_distorted(page, config, RandomStream(np.random.default_rng(seed)))[0].tobytes()

    plain = sum(
        drawn((0.9, 0.05, 0.05), seed) == drawn((1.0, 1e-12, 0.0), seed) for seed in range(100)
    )
    assert 80 <= plain < 100


def test_a_stroke_that_goes_on_to_the_next_symbol_is_of_neither() -> None:
    points = np.arange(16, dtype=np.float32).reshape(8, 2)
    lengths, strokes = np.array([2, 2, 2, 2]), np.array([1, 2, 1])
    apart = InkPage(points, lengths, strokes)
    assert apart.symbols_of_strokes().tolist() == [0, 1, 1, 2]
    dragged = InkPage(points, lengths, strokes, np.array([2]))
    assert dragged.symbols_of_strokes().tolist() == [0, 1, -1]
    assert len(dragged.ink().strokes) == 3
