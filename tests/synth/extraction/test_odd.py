"""Symbols that are far from usual."""

import numpy as np

from san.grammar import parse
from san.synth.extraction.odd import without_odd
from san.synth.layout.outline import outline


def page(wide: int = 20) -> np.ndarray:
    """Places of 2x3, side by side, the last one so wide."""
    labels = np.zeros((60, 200), np.uint8)
    labels[10:40, 10:30], labels[10:40, 40:60] = 1, 2
    labels[10:40, 70 : 70 + wide] = 3
    return labels


def test_what_is_as_wide_as_two_loses_its_place() -> None:
    trees = [outline(parse("2 x 3"))] * 12
    pages = [page(20 + number % 3) for number in range(11)] + [page(90)]
    kept = without_odd(trees, pages)
    for own, before in zip(kept[:-1], pages, strict=False):
        assert np.array_equal(own, before)
    assert {*np.unique(kept[-1])} == {0, 1, 2}


def test_roots_and_photographs_without_places_are_left_alone() -> None:
    trees = [outline(parse(r"\sqrt{2}"))] * 6
    pages = [np.zeros((9, 9), np.uint8) for _ in trees]
    for number, own in enumerate(pages[1:]):
        own[1:3, 1 : 2 + number] = 1
    kept = without_odd(trees, pages)
    assert all(np.array_equal(own, before) for own, before in zip(kept, pages, strict=True))
