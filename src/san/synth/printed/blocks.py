"""Blocks of typeset characters: what is laid out by itself, then moved as a whole.

Lengths are in em of the formula, y downward from the base line.
"""

from dataclasses import dataclass, field

import numpy as np

from san.data.print_fonts import Outline, outline_of
from san.grammar.tree import Expression, Symbol

RULE = outline_of(1.0, [np.array(((0, 0), (1, 0), (1, 1), (0, 1)), np.float32)])
"""A square of side 1: bars are stretched from it."""


@dataclass(slots=True)
class Placed:
    """An outline at its place: x and y of its origin, and how much it is stretched."""

    outline: Outline
    symbol: int  # which one of the formula's walk it belongs to
    x: float
    y: float
    sx: float
    sy: float


@dataclass(slots=True)
class Block:
    """Characters side by side, or one over the other, with the room that they take."""

    width: float = 0.0  # from its origin to where the next one begins
    left: float = 0.0  # of what is printed
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    placed: list[Placed] = field(default_factory=list)

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def move(self, x: float, y: float) -> "Block":
        for each in self.placed:
            each.x += x
            each.y += y
        self.left, self.right = self.left + x, self.right + x
        self.top, self.bottom = self.top + y, self.bottom + y
        return self

    def take(self, other: "Block") -> None:
        """The other block becomes a part of this one; the width stays."""
        if not other.placed:
            return
        if self.placed:
            self.left, self.top = min(self.left, other.left), min(self.top, other.top)
            self.right, self.bottom = max(self.right, other.right), max(self.bottom, other.bottom)
        else:
            self.left, self.top, self.right, self.bottom = (
                other.left, other.top, other.right, other.bottom
            )  # fmt: skip
        self.placed += other.placed


def block_of(outline: Outline, symbol: int, sx: float, sy: float) -> Block:
    """One outline at the origin, so many times as wide and as high."""
    left, top, right, bottom = outline.box
    return Block(
        outline.advance * sx, left * sx, top * sy, right * sx, bottom * sy,
        [Placed(outline, symbol, 0.0, 0.0, sx, sy)],
    )  # fmt: skip


def fitted(outline: Outline, symbol: int, box: tuple[float, float, float, float]) -> Block:
    """One outline stretched to fill a box: left, top, right, bottom."""
    left, top, right, bottom = outline.box
    sx = (box[2] - box[0]) / max(right - left, 1e-6)
    sy = (box[3] - box[1]) / max(bottom - top, 1e-6)
    block = block_of(outline, symbol, sx, sy)
    block.move(box[0] - left * sx, box[1] - top * sy)
    block.width = box[2]
    return block


def symbol_count(symbol: Symbol) -> int:
    """Of a symbol and all that hangs on it, as a walk meets them."""
    return sum(1 for _ in Expression((symbol,)).walk())
