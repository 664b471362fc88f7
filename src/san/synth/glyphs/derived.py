"""Symbols made of glyphs that real hands wrote, by the rules of `rules`.

Design choices
- A hand writes all the parts that it can: its own strokes, only put elsewhere. Where no hand wrote
  them all, each part is anybody's; and what nobody wrote (the tilde of a congruence) is drawn.
- Boxes are missed a little, each hand in its own way, so that no two hands agree on where the tail
  of a Q begins.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.ink.alphabet import WAYS
from san.ink.strokes import Points
from san.synth.glyphs.drawn import Piece, drawn

if TYPE_CHECKING:
    from san.synth.glyphs.bank import Bank

FLAT = 0.12
"""Em: what is thinner keeps its thickness, for it is a bar or a dot."""
WIDEST = 1.2
"""Of its height: who writes a w in one long wave does not write a W so."""
SMALLER = 0.88
"""Letters of a word, over letters that stand alone."""
GAP = 1.6
"""Between the letters of a word, on the ruled paper."""


class Paper(NamedTuple):
    """Where the ruled paper meets the bank: units of an em, and the height of the axis."""

    em: float
    axis: float


class Part(NamedTuple):
    """One part of a rule."""

    name: str
    change: str  # a turn in degrees, "mirror", "level" or nothing
    left: float
    top: float
    right: float  # NaN: as its height has it
    bottom: float


def parts_of(rule: str) -> list[Part]:
    found = []
    for words in rule.split(" & "):
        glyph, start, end = words.split()
        name, _, change = glyph.partition("@")
        left, top = map(float, start.split(","))
        right, bottom = (float("nan") if own == "?" else float(own) for own in end.split(","))
        found.append(Part(name, change, left, top, right, bottom))
    return found


class Maker:
    """Makes symbols from the glyphs of a bank; the same generator, the same ink."""

    def __init__(self, bank: "Bank", paper: Paper, rng: np.random.Generator) -> None:
        self.bank = bank
        self.paper = paper
        self.rng = rng
        self._hands = sorted({hand for _, hand in bank.of_hand})

    def can(self, names: Sequence[str]) -> bool:
        """Whether there is ink for all of these, one of them at least written by somebody."""
        known = [name in self.bank.of_name for name in names]
        return any(known) and all(
            own or name in WAYS for own, name in zip(known, names, strict=True)
        )

    def derived(self, rule: str, hands: int, each: int) -> list[list[Piece]]:
        """Writings of a symbol by a rule: by so many hands, so many of each."""
        parts = parts_of(rule)
        return [
            self._by_hand(parts, hand, each)
            for hand in self._writers([part.name for part in parts], hands)
        ]

    def spelled(self, word: str, hands: int, each: int) -> list[list[Piece]]:
        """Letters side by side, as large and as high as each is written."""
        return [
            [self._word(word, hand) for _ in range(each)] for hand in self._writers(word, hands)
        ]

    def _writers(self, names: Sequence[str], count: int) -> list[int]:
        """Hands that wrote all of these, or -1 for anybody's."""
        written = [name for name in names if name in self.bank.of_name]
        able = [
            hand
            for hand in self._hands
            if all((name, hand) in self.bank.of_hand for name in written)
        ]
        if not able:
            return [-1] * count
        return [able[place] for place in self.rng.permutation(len(able))[:count]]

    def _glyph(self, name: str, hand: int) -> Piece:
        """A glyph in em, about its left edge and its axis."""
        bank = self.bank
        found = bank.of_hand.get((name, hand)) or bank.of_name.get(name)
        if not found:
            way = WAYS[name][self.rng.integers(len(WAYS[name]))]
            ((piece,),) = drawn(way, self.rng, 1, 1)
            return (piece[0] - (0, self.paper.axis)) / self.paper.em, piece[1]
        glyph = found[self.rng.integers(len(found))]
        points = bank.points[bank.ends[glyph] : bank.ends[glyph + 1]]
        first, last = bank.stroke_ends[glyph], bank.stroke_ends[glyph + 1]
        own = (points - (bank.box[glyph].left, bank.axis[glyph])) / bank.em[glyph]
        return own, bank.lengths[first:last].tolist()

    def _by_hand(self, parts: list[Part], hand: int, each: int) -> list[Piece]:
        # Where this hand means the corners of each box to be.
        corners = np.array([(own.left, own.top, own.right, own.bottom) for own in parts])
        corners += self.rng.normal(0, 0.35, corners.shape)
        centre = np.tile(np.nanmean(corners.reshape(-1, 2), axis=0), 2)
        grow = np.tile(np.exp(self.rng.normal(0, (0.1, 0.07))), 2)
        corners = (corners - centre) * grow + centre
        made = []
        for _ in range(each):
            pieces, lengths = [], []
            for part, meant in zip(parts, corners, strict=True):
                points, own = self._glyph(part.name, hand)
                box = meant + np.tile(self.rng.normal(0, 0.25, 2), 2)
                pieces.append(self._fitted(_changed(points, part.change), box))
                lengths += own
            made.append((np.concatenate(pieces).astype(np.float32), lengths))
        return made

    def _fitted(self, points: Points, box: NDArray[np.float64]) -> Points:
        low, high = points.min(axis=0), points.max(axis=0)
        wide, tall = (high - low).tolist()
        left, top, right, bottom = box.tolist()
        down = (bottom - top) / tall if tall > FLAT else self.paper.em
        if right != right:
            across = min(down, WIDEST * (bottom - top) / max(wide, FLAT))
            right = left + wide * across
        else:
            across = (right - left) / wide if wide > FLAT else self.paper.em
        middle = np.array(((left + right) / 2, (top + bottom) / 2))
        return np.asarray((points - (low + high) / 2) * (across, down) + middle)

    def _word(self, word: str, hand: int) -> Piece:
        pieces, lengths = [], []
        pen = 0.0
        for letter in word:
            points, own = self._glyph(letter, hand)
            points = points * (SMALLER * self.paper.em) + (pen, self.paper.axis)
            pen = float(points[:, 0].max()) + GAP * self.rng.uniform(0.2, 1.6)
            pieces.append(points)
            lengths += own
        return np.concatenate(pieces).astype(np.float32), lengths


def _changed(points: Points, change: str) -> Points:
    if not change:
        return points
    if change == "mirror":
        return points * (-1, 1)
    if change == "level":
        return np.asarray(points - (0, _fall(points)) * points[:, :1])
    turn = np.radians(float(change))
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray(points @ np.array(((cos, sin), (-sin, cos))))


def _fall(points: Points) -> float:
    """How far it goes down from the leftmost point to the lowest right one, for each step right."""
    corner = points[points[:, 0].argmin()]
    end = points[(points[:, 0] + points[:, 1]).argmax()]
    return float((end[1] - corner[1]) / max(end[0] - corner[0], 0.1))
