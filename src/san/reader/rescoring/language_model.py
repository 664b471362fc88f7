"""How well a formula reads, whatever the picture: a small LSTM over the steps of its tree.

Design choices
- It follows the steps depth first and says how probable each is after those before it. What a step
  is given is the word before it and its own place: after a symbol, or in some relation.
- A word is a target; an E counts with the relations that it opens as one. Words that were rare in
  training are all `UNKNOWN`, and so is whatever it never met.
- In numpy: a few rows by a few hundred columns. The input's product is folded into the words' rows
  when the file is written, so a step is one product with the state.
- Readings of one picture differ in a symbol or two: what they have in common is computed once.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.grammar.productions import EXTEND, START, unfold
from san.grammar.tree import SLOT, Expression, Relation

UNKNOWN = "<unknown>"
AFTER_SYMBOL, AT_START = len(Relation), len(Relation) + 1
PLACES = len(Relation) + 2
SMALL, READINGS = 64**3, 20
"""Multiplications of one product, for so many readings at once. A larger one wakes numpy's other
threads, and these few numbers are not worth it: while other pictures are read beside, that takes
ten times as long."""


class Word(NamedTuple):
    """What one step says."""

    place: int  # the slot of its relation, or one of the two behind them
    name: str


def words(tree: Expression) -> list[Word]:
    """The steps of a tree, as the language model hears them."""
    found = []
    for step in unfold(tree):
        if isinstance(step.partner, Relation):
            place = SLOT[step.partner]
        else:
            place = AT_START if step.partner == START else AFTER_SYMBOL
        name = step.target
        if name == EXTEND:
            name = " ".join((EXTEND, *(relation.value for relation in step.relations)))
        found.append(Word(place, name))
    return found


class Fluency:
    """The language model. Gates in the order of torch: input, forget, cell, output."""

    def __init__(
        self,
        names: Sequence[str],
        after: Floats,  # words x 4 hidden: what a word brings to the step after it
        place: Floats,  # places x 4 hidden
        state: Floats,  # hidden x 4 hidden
        output: Floats,  # hidden x words
        bias: Floats,  # words
    ) -> None:
        self._number = {name: number for number, name in enumerate(names)}
        self._hidden = len(state)
        # A sigmoid is a tanh of half the size: so one tanh serves all gates.
        half = np.repeat(np.array([0.5, 0.5, 1.0, 0.5], np.float32), self._hidden)
        self._after, self._place, self._bias = after * half, place * half, bias
        self._blocks = _in_blocks(np.concatenate([state * half, output], axis=1))

    def log_probabilities(self, trees: Sequence[Expression]) -> NDArray[np.float64]:
        """Of whole trees, as logarithms."""
        unknown = self._number[UNKNOWN]
        said = [
            [(word.place, self._number.get(word.name, unknown)) for word in words(tree)]
            for tree in trees
        ]
        found = np.zeros(len(trees))
        before = dict.fromkeys(range(len(trees)), (0, -1))  # its state, and the word said last
        cell = np.zeros((1, self._hidden), np.float32)
        pushed = np.zeros((1, 4 * self._hidden), np.float32)  # what the last state brings
        for step in range(max(map(len, said), default=0)):
            states: dict[tuple[int, int, int], int] = {}  # all that differ, by what they come from
            spoken = []
            for tree, (row, last) in before.items():
                place, word = said[tree][step]
                own = states.setdefault((row, last, place), len(states))
                spoken.append((tree, own, word))
            cell, pushed, scores = self._step(cell, pushed, np.array(list(states)))
            owner, row, word = np.array(spoken).T
            found[owner] += _logarithms(scores)[row, word]
            before = {tree: (own, word) for tree, own, word in spoken if step + 1 < len(said[tree])}
        return found

    def _step(
        self, cell: Floats, pushed: Floats, given: NDArray[np.int64]
    ) -> tuple[Floats, Floats, Floats]:
        """The cells of some steps, what their states bring to the next, and scores of words."""
        row, last, place = given.T
        gates = pushed[row] + self._place[place]
        if last[0] >= 0:  # else these are the first steps
            gates += self._after[last]
        gates = np.tanh(gates).reshape(len(given), 4, self._hidden)
        enter, forget, leave = (gates[:, gate] * 0.5 + 0.5 for gate in (0, 1, 3))
        cell = forget * cell[row] + enter * gates[:, 2]
        made = _product(leave * np.tanh(cell), self._blocks)
        ends = 4 * self._hidden, 4 * self._hidden + len(self._bias)
        return cell, made[:, : ends[0]], made[:, ends[0] : ends[1]] + self._bias


def _logarithms(scores: Floats) -> Floats:
    """Scores -> logarithms of probabilities."""
    scores = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


def _in_blocks(matrix: Floats) -> Floats:
    """The columns of a matrix, some at a time: blocks x rows x width; the last are nought."""
    width = min(max(1, SMALL // (READINGS * len(matrix))), matrix.shape[1])
    spare = -matrix.shape[1] % width
    padded = np.pad(matrix, ((0, 0), (0, spare)))
    return np.ascontiguousarray(padded.reshape(len(matrix), -1, width).transpose(1, 0, 2))


def _product(left: Floats, blocks: Floats) -> Floats:
    """A matrix by one that is in blocks."""
    rows = len(left)
    # A product of one row has another bound, which these blocks are above.
    left = left if rows > 1 else np.repeat(left, 2, axis=0)
    return (left @ blocks).transpose(1, 0, 2).reshape(len(left), -1)[:rows]
