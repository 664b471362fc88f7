"""Other views of pictures: nothing is lost, and boxes stay on their ink."""

import dataclasses

import numpy as np
import pytest
import torch

from san.grammar import parse
from san.training.batching import Bucket
from san.training.dataset import ArraySource, PackedDataset
from san.training.warp import IDENTITY, WarpConfig, no_warp, random_warp, warped_boxes

STRONG = WarpConfig(lean=0.2, shrink=0.15, wave=0.04, stroke=0.15)
SIZES = ((64, 200), (90, 60), (48, 48), (120, 500))


def pictures() -> list[np.ndarray]:
    """Thick frames, which touch all four edges."""
    drawn = []
    for height, width in SIZES:
        picture = np.zeros((height, width), np.uint8)
        picture[:5], picture[-5:], picture[:, :5], picture[:, -5:] = 255, 255, 255, 255
        drawn.append(picture)
    return drawn


@pytest.fixture(scope="module")
def dataset() -> PackedDataset:
    return PackedDataset(ArraySource(pictures(), [parse("x")] * len(SIZES)), "cpu")


def view(dataset: PackedDataset, warp: np.ndarray) -> np.ndarray:
    table = torch.from_numpy(dataset.image_table(np.arange(len(SIZES)), len(SIZES)))
    images, _ = dataset.unpack_images(table, Bucket(128, 512), warp=torch.from_numpy(warp))
    return images[:, 0].numpy()


def test_without_a_warp_a_view_is_the_picture(dataset: PackedDataset) -> None:
    for own, picture in zip(view(dataset, no_warp(len(SIZES))), pictures(), strict=True):
        height, width = picture.shape
        assert np.array_equal(own[:height, :width] > 0, picture > 0)
        assert own.sum() == (picture > 0).sum()
    still = random_warp(np.array(SIZES), WarpConfig(), np.random.default_rng(0))
    used = [0, 1, 2, 3, 6, 7, 8, 11, 12]  # the others are of waves without height
    np.testing.assert_allclose(still[used], no_warp(len(SIZES))[used], atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_nothing_leaves_the_picture_and_boxes_stay_on_their_ink(
    dataset: PackedDataset, seed: int
) -> None:
    warp = random_warp(np.array(SIZES), STRONG, np.random.default_rng(seed))
    whole = np.array([(0, 0, width, height) for height, width in SIZES], np.int16)
    boxes = warped_boxes(whole, np.arange(len(SIZES), dtype=np.int32), warp)
    shown = zip(view(dataset, warp), pictures(), boxes, warp.T, strict=True)
    for own, picture, box, (a, _, _, _, _, _, slope, *_) in shown:
        height, width = picture.shape
        ys, xs = np.nonzero(own)
        assert ys.max() < height
        assert xs.max() < width
        # As much ink as the frame has, shrunk: no side is cut off.
        assert own.sum() == pytest.approx((picture > 0).sum() / a / slope, rel=0.12)
        ink = np.array((xs.min(), ys.min(), xs.max() + 1, ys.max() + 1))
        off = 1.5 + STRONG.wave * height  # by the waves alone
        assert np.abs(box - ink).max() <= off + 1
        assert (box[2:] - box[:2] <= (width + 2, height + 2)).all()


def test_views_differ_and_a_seed_makes_them_again() -> None:
    one, two, other = (
        random_warp(np.array(SIZES), STRONG, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert np.array_equal(one, two)
    assert not np.isclose(one[0], other[0]).any()
    assert len(np.unique(one[0])) == len(SIZES)


def test_narrow_pictures_lean_and_bend_less() -> None:
    sizes = np.array([(300, 30)] * 50 + [(60, 600)] * 50)
    wildest = random_warp(sizes, WarpConfig(1.0, 0.5, 0.2, 0.4, 4.0), np.random.default_rng(0))
    assert (1 / wildest[0] >= 0.5 - 1e-6).all()
    assert (1 / wildest[6] >= 0.5 - 1e-6).all()
    warp = random_warp(sizes, WarpConfig(lean=0.2), np.random.default_rng(0))
    a, b, slope = warp[0], warp[1], warp[6]
    lean = np.abs(b / a / slope)
    assert lean[:50].max() <= 0.026
    assert lean[50:].max() > 0.15
    assert (1 / a >= 0.7).all()


def test_a_thicker_pen_adds_to_both_sides(dataset: PackedDataset) -> None:
    warp = no_warp(len(SIZES))
    widths = []
    for warp[-1] in (0.0, 1.0, 2.0):
        row = view(dataset, warp)[0][32]  # through the left side of a frame, and the right
        widths.append((int(row[:50].sum()), int(row[150:].sum())))
    assert widths == [(5, 5), (6, 6), (7, 7)]  # outside of the picture there is nothing


def test_unknown_boxes_stay_unknown() -> None:
    boxes = np.array([(0, 0, -1, -1), (10, 10, 20, 20)], np.int16)
    warp = random_warp(np.array(SIZES[:1]), STRONG, np.random.default_rng(0))
    moved = warped_boxes(boxes, np.zeros(2, np.int32), warp)
    assert moved[0].tolist() == [0, 0, -1, -1]
    assert moved[1].tolist() != [10, 10, 20, 20]


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(WarpConfig)])
def test_each_number_is_a_warp_of_its_own(dataset: PackedDataset, name: str) -> None:
    config = WarpConfig(**{name: 1.5 if name == "thicken" else 0.1})
    assert WarpConfig().is_none
    assert not config.is_none
    warp = random_warp(np.array(SIZES), config, np.random.default_rng(0))
    assert not np.allclose(warp, IDENTITY[:, None])
    seen = view(dataset, warp)
    plain = view(dataset, no_warp(len(SIZES)))
    # A threshold alone moves nothing: pixels between ink and paper come with another warp.
    assert np.array_equal(seen, plain) == (name == "stroke")
