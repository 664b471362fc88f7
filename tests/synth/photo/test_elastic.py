"""Pictures that are distort a little: other shapes, the same symbols, boxes where they are."""

import numpy as np

from san.images.clean.components import BITMAP_MEAN_HEIGHT
from san.synth.photo.config import ElasticConfig
from san.synth.photo.elastic import distort
from tests.images.photographs import likeness
from tests.synth.photo.test_wear import NONE, row


def test_shapes_change_and_stay_in_their_boxes() -> None:
    picture, boxes = row(side=BITMAP_MEAN_HEIGHT)
    ink = (picture > 0).astype(np.float32)
    boxes[1] = np.nan
    apart = []
    for seed in range(20):
        made, moved = distort(ink, boxes, np.random.default_rng(seed))
        assert made.shape == ink.shape
        assert np.isnan(moved[1]).all()
        assert np.abs(moved - boxes)[[0, 2, 3, 4]].max() < BITMAP_MEAN_HEIGHT / 2
        for left, top, right, bottom in np.rint(moved[[0, 2, 3, 4]]).astype(int):
            own = made[max(top, 0) : bottom + 1, max(left, 0) : right + 1] > 0.5
            around = made[max(top - 4, 0) : bottom + 5, max(left - 4, 0) : right + 5] > 0.5
            assert own.sum() > 0.85 * around.sum() > 0
        apart.append(float(np.abs(made - ink).sum() / ink.sum()))
    assert min(apart) < 0.5 < max(apart)  # from hardly to by more than a stroke


def test_it_is_still_the_same_writing() -> None:
    picture, _ = row(side=BITMAP_MEAN_HEIGHT)
    for seed in range(10):
        made, _ = distort((picture > 0).astype(np.float32), NONE, np.random.default_rng(seed))
        again = np.where(made > 0.5, np.uint8(255), np.uint8(0))
        assert likeness(picture, again) > likeness(picture, again[:, ::-1]) + 0.1


def test_nothing_bends_where_knots_may_not_move() -> None:
    picture, boxes = row()
    ink = (picture > 0).astype(np.float32)
    still = ElasticConfig(max_deviations=0.0)
    made, moved = distort(ink, boxes, np.random.default_rng(0), config=still)
    inner = (slice(4, -4), slice(4, -4))  # the outermost pixels have others' origins
    assert np.allclose(made[inner], ink[inner], atol=1e-3)
    assert np.allclose(moved, boxes, atol=1e-3)


def test_the_same_seed_bends_alike() -> None:
    picture, boxes = row()
    ink = (picture > 0).astype(np.float32)
    one, other = (distort(ink, boxes, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])


def test_seen_from_elsewhere_it_is_as_large_as_asked_and_boxes_go_along() -> None:
    picture, boxes = row(side=BITMAP_MEAN_HEIGHT)
    ink = (picture > 0).astype(np.float32)
    height, width = ink.shape
    view = np.array(((1.5, 0.0, 6.0), (0.0, 0.8, 3.0), (0.0, 0.0, 1.0)))
    size = (round(1.5 * width) + 12, round(0.8 * height) + 6)
    for seed in range(10):
        made, moved = distort(ink, boxes, np.random.default_rng(seed), view, size)
        assert made.shape == size[::-1]
        assert made.sum() > 0.6 * 1.5 * 0.8 * ink.sum()
        seen = boxes * np.array((1.5, 0.8) * 2) + np.array((6, 3) * 2)
        assert np.abs(moved - seen).max() < 1.5 * BITMAP_MEAN_HEIGHT / 2
        for left, top, right, bottom in np.rint(moved).astype(int):
            own = made[max(top, 0) : bottom + 1, max(left, 0) : right + 1] > 0.5
            around = made[max(top - 4, 0) : bottom + 5, max(left - 4, 0) : right + 5] > 0.5
            assert own.sum() > 0.8 * around.sum() > 0
