"""A stand-in for composed ink: short formulas of our own alphabet, drawn wherever chance has it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.errors import SanError
from san.grammar import Expression, parse
from san.grammar.productions import unfold
from san.grammar.vocabulary import Vocabulary
from san.ink.alphabet import compose
from san.ink.draw import BITMAP_PEN, draw
from san.ink.strokes import Box

SYMBOLS = ("x", "y", "1", "2", "+")
VOCABULARY = Vocabulary(tuple(sorted(SYMBOLS)))


class Drawn(NamedTuple):
    picture: NDArray[np.uint8]
    tree: Expression
    boxes: NDArray[np.float32]


@dataclass(frozen=True)
class Alphabet:
    """Opened in a worker, it makes rows of one to `longest` symbols."""

    longest: int = 3
    trouble: str = ""

    def open(self) -> "Alphabet":
        if self.trouble == "opening":
            raise SanError("the ink is dry")
        return self

    def make(self, rng: np.random.Generator, done: float) -> Drawn:
        if self.trouble == "now and then" and rng.random() < 0.3:
            raise ValueError("a blot")
        if self.trouble == "always":
            raise ValueError("a blot")
        names = [str(name) for name in rng.choice(SYMBOLS, rng.integers(1, self.longest + 1))]
        if self.trouble == "unknown" and rng.random() < 0.3:
            names[0] = "z"
        if done == 1.0:
            names = ["x"]
        placed, left = [], 0.0
        for name in names:
            placed.append((name, Box(left, 0.0, left + 12, 20.0)))
            left += 12 + float(rng.uniform(4, 12))
        sheet = compose(placed)
        tree = parse(" ".join(names))
        boxes = np.full((len(unfold(tree)), 4), np.nan, np.float32)
        for step, (_, box) in enumerate(placed):
            edge = np.array([0, 0, BITMAP_PEN.width, BITMAP_PEN.width])
            boxes[step] = np.array(box) + BITMAP_PEN.margin + edge
        return Drawn(draw(sheet.ink, scale=1.0), tree, boxes)
