"""Photographs of our own whose symbols have masks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.grammar import Expression
from san.ink.strokes import Box
from tests.synth.extraction.drawn import Drawn, drawn, row

WIDTH = 3.0


class Mask(NamedTuple):
    labels: NDArray[np.uint8]
    width: float


def labels_of(page: Drawn, without: Sequence[int] = ()) -> NDArray[np.uint8]:
    """k + 1 for the ink in box k; some boxes are left out."""
    labels = np.zeros(page.picture.shape, np.uint8)
    for place, box in enumerate(page.boxes):
        if place not in without:
            left, top, right, bottom = (int(side) for side in box)
            inside = (slice(top, bottom), slice(left, right))
            labels[inside][page.picture[inside] > 0] = place + 1
    return labels


def power(gap: float = 30.0) -> Drawn:
    """x^2+3, with room between its symbols."""
    boxes = [Box(0, 14, 24, 44), Box(30, 0, 46, 20), Box(46 + gap, 20, 66 + gap, 40)]
    boxes.append(Box(66 + 2 * gap, 14, 88 + 2 * gap, 44))
    return drawn("x^{2}+3", list(zip(("x", "2", "+", "3"), boxes, strict=True)))


class PhotoSet:
    """Some of these, as a pack and as masks."""

    def __init__(self, *pages: Drawn, without: dict[int, Sequence[int]] | None = None) -> None:
        self.ids: Sequence[str] = [f"p{number}" for number in range(len(pages))]
        self.pages = pages
        self.without = without or {}

    def __len__(self) -> int:
        return len(self.pages)

    def tree(self, place: int) -> Expression:
        return self.pages[place].tree

    def image(self, place: int) -> NDArray[np.uint8]:
        return self.pages[place].picture

    def of(self, name: str) -> Mask | None:
        place = self.ids.index(name)
        missing = self.without.get(place, ())
        if len(missing) == len(self.pages[place].boxes):
            return None
        return Mask(labels_of(self.pages[place], missing), WIDTH)


def photo_set() -> PhotoSet:
    """Rows as people write them on paper, and one with an exponent."""
    words = ("2 x = 3 y", "3 y + 2 = x x", "x + y = 2 3", "2 3 = x", "y = 3 + 2 x")
    return PhotoSet(*map(row, words), power())
