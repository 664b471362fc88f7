"""What can be cut out of a photograph."""

import numpy as np

from san.grammar import to_latex
from san.ink.strokes import Box
from san.synth.photo.clippings import CuttablePhoto
from san.synth.samples import boxes_of_labels
from tests.synth.extraction.drawn import Drawn, drawn, row
from tests.synth.photographs import WIDTH, labels_of, power


def source(page: Drawn, without: tuple[int, ...] = ()) -> CuttablePhoto:
    ink = (page.picture > 0).astype(np.uint8)
    return CuttablePhoto(page.tree, ink, labels_of(page, without), WIDTH)


def cuts(page: Drawn, without: tuple[int, ...] = ()) -> list[int]:
    return [own.place for own in source(page, without).cuts]


def test_boxes_are_where_the_pixels_are() -> None:
    page = row("2 x = 7")
    labels = labels_of(page, (1,))
    boxes = boxes_of_labels(labels, 4)
    assert np.isnan(boxes[1]).all()
    for place in (0, 2, 3):
        left, top, right, bottom = boxes[place].astype(int)
        inside = labels[top:bottom, left:right] == place + 1
        assert all(side.any() for side in (inside[0], inside[-1], inside[:, 0], inside[:, -1]))
        assert np.count_nonzero(inside) == np.count_nonzero(labels == place + 1)


def test_every_part_is_the_ink_of_its_symbols_and_no_other() -> None:
    page = power()
    whole = source(page)
    assert [own.place for own in whole.cuts] == [1, 2]  # never between a symbol and its script
    parts = whole.parts(9)
    made = [whole.clipping(part) for part in parts]
    assert sorted(to_latex(own.tree) for own in made) == ["+3", "x^{2}", "x^{2}+"]
    for part, own in zip(parts, made, strict=True):
        first = whole.ends[part.start.place] if part.start else 0
        wanted = sum(np.count_nonzero(whole.labels == first + k + 1) for k in range(part.symbols))
        assert np.count_nonzero(own.ink) == wanted
        for place, box in enumerate(own.boxes):
            left, top, right, bottom = box.astype(int)
            assert (own.labels[top:bottom, left:right] == place + 1).any()
        assert own.is_sound()


def test_parts_are_no_longer_than_asked_for() -> None:
    whole = source(row("2 x = 3 y"))
    assert {own.symbols for own in whole.parts(3)} == {2, 3}
    assert len(whole.parts(9)) == 9  # all runs of two and more, less the whole
    assert whole.config.min_part == 2


def test_nobody_cuts_beside_what_has_no_mask() -> None:
    assert cuts(row("2 x = 3 y")) == [1, 2, 3, 4]
    assert cuts(row("2 x = 3 y"), (2,)) == [1, 4]
    assert cuts(power(), (1,)) == [2]  # whose the exponent's ink is nobody knows


def test_ink_between_two_symbols_or_across_forbids_the_cut() -> None:
    page = row("2 x = 3")
    gap = (int(page.boxes[0].right) + int(page.boxes[1].left)) // 2
    page.picture[30:34, gap - 2 : gap + 2] = 255
    assert cuts(page) == [2, 3]
    page = row("2 x = 3")
    page.picture[-8:-5, int(page.boxes[1].left) : int(page.boxes[2].right)] = 255
    assert cuts(page) == [1, 3]


def test_labels_that_tell_of_more_or_less_than_there_is_are_not_believed() -> None:
    page = row("2 x = 3")
    assert source(page, (3,)).whole().is_sound()
    lost = row("2 x = 3")
    left = int(lost.boxes[3].left) - 2
    lost.picture[:, left:] = 0
    own = source(lost, (3,)).whole()
    assert not own.is_sound()
    more = row("2 x = 3")
    ink = (more.picture > 0).astype(np.uint8)
    ink[:, 2:8] = 1  # a stroke that nobody told of
    assert not CuttablePhoto(more.tree, ink, labels_of(more), WIDTH).whole().is_sound()


def test_a_dot_stays_with_what_is_before_it() -> None:
    page = drawn(
        "2 . 3 x",
        [
            ("2", Box(0, 0, 22, 30)),
            (".", Box(36, 28, 38, 30)),
            ("3", Box(52, 0, 74, 30)),
            ("x", Box(90, 0, 112, 30)),
        ],
    )
    assert cuts(page) == [2, 3]
