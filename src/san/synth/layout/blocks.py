"""Glyphs on their way to a place: what a layout moves about."""

from dataclasses import dataclass, field

from san.ink.strokes import Box
from san.synth.layout.observe import union


@dataclass(slots=True)
class Placed:
    """A glyph of the bank, and how its points go onto the page: x' = (x - ox) * sx + tx."""

    glyph: int
    ox: float
    oy: float
    sx: float
    sy: float
    tx: float
    ty: float
    bend: tuple[float, float, float] | None = None  # of a root: source x, factor left of it, right

    def move(self, x: float, y: float) -> None:
        self.tx += x
        self.ty += y


@dataclass(slots=True)
class Block:
    """Glyphs that stand fast to one another, and the box around them."""

    box: Box
    own: Box  # of the symbol itself
    placed: list[Placed] = field(default_factory=list)

    def move(self, x: float, y: float) -> None:
        for placed in self.placed:
            placed.move(x, y)
        left, top, right, bottom = self.box
        self.box = Box(left + x, top + y, right + x, bottom + y)
        left, top, right, bottom = self.own
        self.own = Box(left + x, top + y, right + x, bottom + y)

    def take(self, other: "Block") -> None:
        self.placed += other.placed
        self.box = union(self.box, other.box)
