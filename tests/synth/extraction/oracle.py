"""A network that knows where everything stands: its attention lies on boxes that it is given."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats, Memory, Outcome
from san.grammar import Expression
from san.grammar.productions import MARKS, by_level, unfold
from san.grammar.vocabulary import Vocabulary
from san.ink.strokes import Box

CELL = 16
UNSURE = 0.2
"""The probability of symbols that it is told to doubt."""


class Oracle:
    """Knows one tree and the box of each of its symbols, in the order of the walk.

    Whatever it is shown first is the picture of that tree; of any other it knows nothing.
    """

    def __init__(
        self, tree: Expression, boxes: Sequence[Box], doubts: Sequence[int] = (), more: str = ""
    ) -> None:
        self.vocabulary = Vocabulary(
            tuple(sorted({visit.symbol.name for visit in tree.walk()} | {*more.split()}))
        )
        told = unfold(tree)
        writing = [number for number, step in enumerate(told) if step.target not in MARKS]
        self._box = dict(zip(writing, boxes, strict=True))
        self._doubts = {writing[place] for place in doubts}
        self._order = sorted(range(len(told)), key=lambda number: told[number].depth)
        self._steps = by_level(told)
        self._shown = 0
        self._next = 0

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        (image,) = images
        self._shown += 1
        rows, columns = (-(-side // CELL) for side in image.shape)
        return Memory(None, np.zeros((1, 2), np.float32), np.zeros((1, rows, columns), np.float32))

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        symbols = np.zeros((len(image), len(self.vocabulary.targets)), np.float32)
        attention = np.zeros_like(path)
        for slot in range(len(image)) if self._shown == 1 else ():
            step, number = self._steps[self._next], self._order[self._next]
            self._next += 1
            assert partner[slot] == self.vocabulary.number(step.partner)
            share = UNSURE if number in self._doubts else 0.99
            others = (1 - share) / (symbols.shape[1] - 1)
            symbols[slot] = np.log(others)
            symbols[slot, self.vocabulary.number(step.target)] = np.log(share)
            if box := self._box.get(number):
                attention[slot] = _attention_on(box, path.shape[1:])
        relations = np.zeros((len(image), 7), np.float32)
        return Outcome(symbols, relations, hidden, path + attention)


def _attention_on(box: Box, shape: tuple[int, ...]) -> Floats:
    """As coarse as a network's: each cell by how much of it the box covers."""
    fine = np.zeros([side * CELL for side in shape], np.float32)
    fine[int(box.top) : int(box.bottom) + 1, int(box.left) : int(box.right) + 1] = 1
    cells = fine.reshape(shape[0], CELL, shape[1], CELL).sum(axis=(1, 3))
    return np.asarray(cells / cells.sum(), np.float32)
