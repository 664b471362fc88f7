"""Ink that looks as cleaned photographs do: of their size and widths, with boxes where it is."""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest

from san.images.bitmap import FAR_MARGIN, MARGIN, Picture, extent
from san.images.clean.components import (
    BITMAP_MEAN_HEIGHT,
    find_components,
    mean_height,
    stroke_width,
)
from san.images.clean.pipeline import clean
from san.ink.alphabet import compose
from san.ink.draw import BITMAP_PEN, draw
from san.ink.strokes import Box
from san.synth.photo.config import RetakeConfig, Sides, WearConfig
from san.synth.photo.wear import has_all_symbols, retake, wear
from san.synth.samples import Boxes
from tests.images.photographs import formula, likeness

NOWHERE = (0.0, 0.0, 0.0, 0.0)
KEPT = WearConfig().kept_share
STEADY = dataclasses.replace(
    WearConfig(), size=(0.0, 0.0), specks=0.0, line_neighbours=0.0, cropped=NOWHERE
)
STEADY = dataclasses.replace(STEADY, rulings=0.0, corrections=0.0, side_neighbours=(0.0, 0.0))
STEADY = dataclasses.replace(STEADY, pressure=(0.0, 0.2))
NONE = np.empty((0, 4), np.float32)


def row(
    names: Sequence[str] = ("a", "b", "2", "x", "4"), side: float = 30
) -> tuple[Picture, Boxes]:
    placed = [
        (name, Box(50.0 * number, 0.0, 50.0 * number + side, side))
        for number, name in enumerate(names)
    ]
    boxes = np.array([box for _, box in placed], np.float32) + BITMAP_PEN.margin
    boxes[:, 2:] += BITMAP_PEN.width
    return draw(compose(placed).ink, scale=1.0), boxes


def test_boxes_go_along_to_the_ink() -> None:
    picture, boxes = row()
    for seed in range(30):
        made, moved = wear(picture, boxes, np.random.default_rng(seed), STEADY)
        assert moved.shape == boxes.shape
        height, width = made.shape
        assert (np.diff(moved[:, 0]) > 0).all()
        covered = np.zeros_like(made)
        for left, top, right, bottom in np.rint(moved).astype(int):
            assert 0 <= left < right <= width
            assert 0 <= top < bottom <= height
            assert made[top:bottom, left:right].any()
            covered[max(top - 2, 0) : bottom + 2, max(left - 2, 0) : right + 2] = 255
        assert np.count_nonzero(made[covered == 0]) < 0.03 * np.count_nonzero(made)


def test_a_picture_as_clean_would_leave_it() -> None:
    picture, boxes = row()
    for seed in range(20):
        made, _ = wear(picture, boxes, np.random.default_rng(seed))
        assert made.dtype == np.uint8
        assert set(np.unique(made)) == {0, 255}
        inner = extent(made)
        assert inner is not None
        # Strokes that are brought to the nib's width may reach a pixel into the margin.
        assert abs(inner.left - MARGIN) <= 1
        assert abs(made.shape[0] - inner.bottom - FAR_MARGIN) <= 1


def test_size_and_width_are_those_of_cleaned_photographs() -> None:
    widths, sizes = [], []
    for side in (20, 30, 60):  # whatever the size that it was drawn at
        picture, boxes = row(side=side)
        for seed in range(12):
            mask = wear(picture, boxes, np.random.default_rng(seed), STEADY)[0] // 255
            widths.append(stroke_width(mask))
            sizes.append(mean_height(find_components(mask).stats, widths[-1]))
    assert BITMAP_MEAN_HEIGHT / 1.15 < np.median(sizes) < BITMAP_MEAN_HEIGHT * 1.15
    assert np.std(np.log(sizes)) < 0.2
    assert 3.4 < np.median(widths) < 4.6
    assert max(widths) > 1.3 * min(widths)


def test_symbols_come_nearer() -> None:
    picture, boxes = row()
    tight = dataclasses.replace(STEADY, gaps=(0.0, 0.0), pen=(1.8, 0.0))
    loose = dataclasses.replace(STEADY, gaps=(1.0, 1.0))
    rng = np.random.default_rng(0)
    near, far = (wear(picture, boxes, rng, how)[0] for how in (tight, loose))
    assert len(find_components(near // 255).stats) < 5 <= len(find_components(far // 255).stats)


def test_size_is_what_clean_would_make_it_whatever_touches() -> None:
    """Ink that covers half of a picture's rows is one tall piece once it touches the rest."""
    letters, boxes = row(("a", "b", "2", "x", "4"), side=24)
    picture = np.zeros((len(letters) + 22, letters.shape[1]), np.uint8)
    picture[: len(letters)] |= letters
    picture[22:] |= letters  # its head on the other's feet
    for pen in (1.0, 1.9):
        how = dataclasses.replace(STEADY, pen=(pen, 0.0), gaps=(1.0, 1.0))
        heights = []
        for seed in range(20):
            mask = wear(picture, boxes, np.random.default_rng(seed), how)[0] // 255
            heights.append(mean_height(find_components(mask).stats, stroke_width(mask)))
        assert BITMAP_MEAN_HEIGHT / 1.08 < np.median(heights) < BITMAP_MEAN_HEIGHT * 1.08


def test_strokes_are_as_wide_as_letters_are_large_whatever_touches() -> None:
    """Who writes one letter into the other does so with the same pen: all comes out smaller."""
    apart, boxes = row(side=24)
    touching = apart.copy()
    top, left, right = (int(side) for side in (boxes[0, 1], boxes[0, 0], boxes[-1, 2]))
    touching[top - 8 : top - 5, left:right] = 255
    for box in boxes.astype(int):
        middle = (box[0] + box[2]) // 2
        touching[top - 8 : top + 12, middle : middle + 3] = 255
    plain = dataclasses.replace(STEADY, pen=(1.9, 0.0), zoom=(0.2, 0.0), squeeze=(0.0, 0.0))
    sizes, widths = [], []
    for picture in (apart, touching):
        found = [wear(picture, boxes, np.random.default_rng(seed), plain) for seed in range(10)]
        sizes.append(np.median([moved[:, 3] - moved[:, 1] for _, moved in found]))
        widths.append(np.median([stroke_width(made // 255) for made, _ in found]))
    assert sizes[1] < 0.85 * sizes[0]
    assert widths[1] < 0.93 * widths[0]


def test_close_crops_leave_most_of_every_symbol() -> None:
    picture, boxes = row()
    steady = dataclasses.replace(STEADY, squeeze=(0.0, 0.0), cleaned_size=False, gaps=(1.0, 1.0))
    close = dataclasses.replace(steady, cropped=(1.0, 1.0, 1.0, 1.0))
    lower = []
    for seed in range(30):
        high = []
        for how in (steady, close):
            made, moved = wear(picture, boxes, np.random.default_rng(seed), how)
            assert has_all_symbols(made, moved)
            high.append(np.count_nonzero(made.any(axis=1)))
            known = moved[np.isfinite(moved[:, 0])]
            assert len(known) >= 4  # what touches an edge may be taken for other writing
            for left, top, right, bottom in np.rint(known).astype(int):
                own = made[top:bottom, left:right]
                assert np.count_nonzero(own.any(axis=1)) > (KEPT - 0.1) * (bottom - top) - 1
                assert np.count_nonzero(own.any(axis=0)) > (KEPT - 0.1) * (right - left) - 1
        lower.append(high[1] < high[0])
    assert sum(lower) > 20


def test_remains_of_what_stands_beside_it_lie_beside_it() -> None:
    picture, boxes = row()
    plain = dataclasses.replace(STEADY, noise=(0.0, 0.0), jpeg=0.0)
    for side, chances in enumerate(((1.0, 0.0), (0.0, 1.0))):
        how = dataclasses.replace(plain, side_neighbours=chances)
        seen = 0
        for seed in range(30):
            made, moved = wear(picture, boxes, np.random.default_rng(seed), how)
            assert has_all_symbols(made, moved)
            first, last = int(moved[0, 0]), int(np.ceil(moved[-1, 2]))
            beside = (made[:, : first - 2], made[:, last + 3 :])
            seen += bool(beside[side].any())
            assert not beside[1 - side].any()
        assert seen > 10  # often nothing stands there, or it is as small as a speck


def test_what_is_mended_has_more_ink_and_every_symbol() -> None:
    picture, boxes = row()
    # Of the ink's own size: a larger piece makes the rest smaller.
    steady = dataclasses.replace(STEADY, cleaned_size=False)
    how = dataclasses.replace(steady, corrections=1.0)
    more = 0
    for seed in range(30):
        made, moved = wear(picture, boxes, np.random.default_rng(seed), how)
        assert has_all_symbols(made, moved)
        plain, _ = wear(picture, boxes, np.random.default_rng(seed), steady)
        more += int(np.count_nonzero(made) > np.count_nonzero(plain))
    assert more > 15


@pytest.mark.parametrize(("side", "edge"), [(0, 1), (1, 0), (2, 3), (3, 2)])
@pytest.mark.slow
def test_a_side_that_is_cut_off_loses_ink_there(side: int, edge: int) -> None:
    """Where ink is gone, its box reaches beyond what is left: there, and nowhere else."""
    picture = np.zeros((360, 520), np.uint8)  # large, so that its border counts for little
    picture[80:240, 80:400] = 255
    picture[100:220, 100:380] = 0
    boxes = np.array(((80, 80, 400, 240),), np.float32)
    # Of the ink's own size: what is measured anew is made larger for what it lost.
    steady = dataclasses.replace(STEADY, gaps=(1.0, 1.0), squeeze=(0.0, 0.0), cleaned_size=False)

    def beyond(chances: Sides) -> Boxes:
        how, found = dataclasses.replace(steady, cropped=chances), []
        for seed in range(20):
            made, moved = wear(picture, boxes, np.random.default_rng(seed), how)
            inner = extent(made)
            assert inner is not None
            found.append((np.array(inner) - moved[0]) * (1, 1, -1, -1))
        return np.asarray(np.mean(found, axis=0), np.float32)

    top, left, low, right = np.eye(4)[side].tolist()
    more = beyond((top, left, low, right)) - beyond(NOWHERE)
    assert more[edge] > 0.8
    assert (np.abs(np.delete(more, edge)) < 0.3).all()


def test_the_same_seed_wears_alike_and_another_does_not() -> None:
    picture, boxes = row()
    one, other, third = (wear(picture, boxes, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])
    assert not np.array_equal(one[0], third[0])


def test_what_is_cut_off_is_nowhere_and_what_was_unknown_stays_so() -> None:
    picture, boxes = row()
    boxes[2] = np.nan
    everything = dataclasses.replace(
        WearConfig(),
        cropped=(1.0, 1.0, 1.0, 1.0),
        line_neighbours=1.0,
        side_neighbours=(1.0, 1.0),
        corrections=1.0,
        rulings=1.0,
        specks=1.0,
    )
    for seed in range(30):
        made, moved = wear(picture, boxes, np.random.default_rng(seed), everything)
        assert np.isnan(moved[2]).all()
        known = moved[np.isfinite(moved).all(axis=1)]
        assert len(known) >= 2
        assert (known >= 0).all()
        assert (known <= (*made.shape[::-1], *made.shape[::-1])).all()


@pytest.mark.parametrize("shape", [(1, 1), (40, 40), (9, 2000)])
def test_any_picture_comes_through(shape: tuple[int, int]) -> None:
    nowhere = np.full((1, 4), np.nan, np.float32)
    for ink in (np.zeros(shape, np.uint8), np.full(shape, 255, np.uint8)):
        for seed in range(5):
            made, boxes = wear(ink, nowhere, np.random.default_rng(seed))
            assert made.size
            assert np.isnan(boxes).all()
            made, boxes = retake(ink, nowhere, np.random.default_rng(seed))
            assert made.size
            assert np.isnan(boxes).all()


def test_ink_between_every_second_pixel_comes_through() -> None:
    nowhere = np.full((1, 4), np.nan, np.float32)
    ink = np.array(((0, 255), (255, 0)), np.uint8)
    for seed in range(5):
        assert wear(ink, nowhere, np.random.default_rng(seed))[0].any()


def test_a_photograph_taken_again_shows_the_same() -> None:
    picture = clean(formula())
    seen = set()
    plain = dataclasses.replace(
        RetakeConfig(), specks=0.0, rulings=0.0
    )  # which make a picture larger
    for seed in range(12):
        again, _ = retake(picture, NONE, np.random.default_rng(seed), plain)
        # Turned by some degrees, long bars lie apart; but nearer than anything else would.
        assert likeness(picture, again) > max(0.4, likeness(picture, again[:, ::-1]) + 0.1)
        assert 0.6 < again.shape[0] / picture.shape[0] < 1.8
        seen.add(again.tobytes())
    assert len(seen) == 12


def test_other_pens_when_taken_again() -> None:
    picture = clean(formula())
    how = dataclasses.replace(RetakeConfig(), size=(0.0, 0.0))
    widths = [
        stroke_width(retake(picture, NONE, np.random.default_rng(seed), how)[0] // 255)
        for seed in range(12)
    ]
    assert max(widths) - min(widths) > 0.3
    assert min(widths) >= 2.9


def test_boxes_go_along_when_taken_again() -> None:
    picture, boxes = row()
    boxes[1] = np.nan
    plain = dataclasses.replace(RetakeConfig(), cropped=NOWHERE, specks=0.0, rulings=0.0)
    for seed in range(20):
        again, moved = retake(picture, boxes, np.random.default_rng(seed), plain)
        assert np.isnan(moved[1]).all()
        assert not np.array_equal(moved, boxes, equal_nan=True)
        for place in (0, 2, 3, 4):
            left, top, right, bottom = np.rint(moved[place]).astype(int)
            own = again[top:bottom, left:right] > 0
            # The whole symbol is in its box, and little else: ink ends about where the box does.
            assert own.any(axis=0).mean() > 0.5
            assert own.any(axis=1).mean() > 0.5
            around = again[max(top - 3, 0) : bottom + 3, max(left - 3, 0) : right + 3] > 0
            assert np.count_nonzero(around) <= 1.25 * np.count_nonzero(own)


def test_a_dot_has_a_place_however_small() -> None:
    picture, boxes = row(("a", "b"))
    left, top = 47, 30
    picture[top : top + 3, left : left + 3] = 255
    boxes = np.vstack((boxes, np.array((left, top, left + 3, top + 3), np.float32)))
    fine = dataclasses.replace(STEADY, pen=(0.7, 0.0))
    for seed in range(20):
        made, moved = wear(picture, boxes, np.random.default_rng(seed), fine)
        assert np.isfinite(moved).all()
        assert (moved[2, 2:] - moved[2, :2] < (moved[0, 2:] - moved[0, :2]) / 4).all()
        assert has_all_symbols(made, moved[:2])


def test_a_dot_that_ran_into_a_letter_is_lost() -> None:
    picture = np.zeros((60, 80), np.uint8)
    picture[10:50, 20:24] = picture[46:50, 30:34] = 255
    boxes = np.array(((20, 10, 23, 49), (30, 46, 33, 49)), np.float32)
    assert has_all_symbols(picture, boxes)
    picture[47:49, 22:32] = 255
    assert not has_all_symbols(picture, boxes)
    assert has_all_symbols(picture, boxes[:1])  # letters may touch
    assert has_all_symbols(picture, boxes, WearConfig(max_dot=2.0))  # so is nothing a dot


def test_what_is_lost_is_noticed() -> None:
    picture, boxes = row()
    assert has_all_symbols(picture, boxes)
    boxes[1] = np.nan  # nowhere, so not missed
    assert has_all_symbols(picture, boxes)
    picture[:, int(boxes[2, 0]) : int(boxes[2, 2]) + 1] = 0
    assert not has_all_symbols(picture, boxes)
    assert has_all_symbols(picture, NONE)
