"""Holds symbols fixed that are known already: an engine around an engine, for any decoder.

A known symbol is a name and the part of each cell's ink that is its own. Where a step attends to
that ink more than to all other ink, and no symbol before it on its path did, whatever symbol it
writes has that name (the E before a script looks at the script, so that the first symbol of a
branch is never taken for written): the probabilities of all symbols become the known one's. The
marks (an E, the empty string) keep theirs, so the shape of the tree stays the network's. What
follows is decoded after the right symbol.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.decisions import FIRST_SYMBOL, MAX_SCORE
from san.decoding.engine import Engine, Floats, Memory, Outcome, Rows
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary

MIN_ATTENTION = 0.1
"""Of a step, to the ink of a known symbol: with less it looks elsewhere."""
READ_ATTENTION = 0.3
"""Of the steps before on its path together: with more, the symbol is written already."""


class KnownCells(NamedTuple):
    """A known symbol as a decoder meets it."""

    name: str
    share: Floats  # rows x columns: which part of a cell's ink is its own
    ink: NDArray[np.bool_]  # rows x columns: which cells have any ink


class KnownSymbolsEngine:
    """An engine whose steps write the known symbols of each image where they attend to them.

    Names that the vocabulary does not have cannot be written, and are passed over.
    """

    def __init__(self, engine: Engine, known: Sequence[Sequence[KnownCells]]) -> None:
        self._engine = engine
        names = set(engine.vocabulary.symbols)
        self._known = [[one for one in each if one.name in names] for each in known]

    @property
    def vocabulary(self) -> Vocabulary:
        return self._engine.vocabulary

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        return self._engine.encode(images)

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Rows,
        path: Rows,
        partner: NDArray[np.int64],
    ) -> Outcome:
        outcome = self._engine.step(memory, image, hidden, path, partner)
        before, after = np.asarray(path), np.asarray(outcome.path)
        symbols = np.array(outcome.symbols)
        for slot, number in enumerate(image.tolist()):
            begins = isinstance(self.vocabulary.partners[int(partner[slot])], Relation)
            read = np.zeros_like(before[slot]) if begins else before[slot]
            name = _attended(self._known[number], read, after[slot] - before[slot])
            if name is not None:
                _hold(symbols[slot], self.vocabulary.number(name))
        return outcome._replace(symbols=symbols)


def _attended(known: Sequence[KnownCells], before: Floats, attention: Floats) -> str | None:
    """The known symbol that a step attends to, if it does."""
    best, most = None, MIN_ATTENTION
    for name, share, ink in known:
        rows, columns = share.shape
        seen = attention[:rows, :columns]
        own = float((seen * share).sum())
        others = float((seen * ink).sum()) - own
        read = float((before[:rows, :columns] * share).sum())
        if own > max(most, others) and read < READ_ATTENTION:
            best, most = name, own
    return best


def _hold(scores: Floats, number: int) -> None:
    """The scores of all symbols together become one's."""
    symbols = np.fmin(np.fmax(scores[FIRST_SYMBOL:].astype(np.float64), -MAX_SCORE), MAX_SCORE)
    together = np.logaddexp.reduce(symbols)
    scores[FIRST_SYMBOL:] = -MAX_SCORE
    scores[number] = together
