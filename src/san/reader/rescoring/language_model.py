"""The probability of a formula, whatever the picture: a small LSTM over the steps of its tree.

Design choices
- It follows the steps depth first and predicts each from those before it. A step's input is the
  token before it and the kind of its own partner: a symbol, or some relation.
- A token is a step's target; an E counts with the relations that it opens as one token. Tokens that
  were rare in training, and those that were never met, are all `UNKNOWN`.
- In numpy: a few rows by a few hundred columns. The input's product is folded into the tokens' rows
  when the file is written, so a step is one product with the state.
- Readings of one picture differ in a symbol or two: what they have in common is computed once.
- Half of the world writes decimal commas, and the text that is learnt has points. So a reading with
  commas is as probable as the same with points, if that is more; lists keep what they have.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.grammar.productions import EXTEND, START, unfold
from san.grammar.tree import SLOT, Expression, Relation
from san.reader.products import MAX_PRODUCT, log_softmax

UNKNOWN = "<unknown>"
AFTER_SYMBOL, AT_START = len(Relation), len(Relation) + 1
PARTNER_KINDS = len(Relation) + 2
DIGITS = frozenset("0123456789")
MAX_ROWS = 20
"""Of one matrix product: its columns come in blocks."""


class StepToken(NamedTuple):
    """One step of a tree, as the language model sees it."""

    partner: int  # the slot of its relation, or AFTER_SYMBOL, or AT_START
    name: str


def step_tokens(tree: Expression) -> list[StepToken]:
    """The steps of a tree, in the decoder's order."""
    tokens = []
    for step in unfold(tree):
        if isinstance(step.partner, Relation):
            partner = SLOT[step.partner]
        else:
            partner = AT_START if step.partner == START else AFTER_SYMBOL
        name = step.target
        if name == EXTEND:
            name = " ".join((EXTEND, *(relation.value for relation in step.relations)))
        tokens.append(StepToken(partner, name))
    return tokens


def with_decimal_points(tokens: Sequence[StepToken]) -> list[StepToken]:
    """The same with a point for every comma that stands between two digits of a chain.

    What follows a symbol without relations is the next of its chain.
    """
    changed = list(tokens)
    for place in range(1, len(tokens) - 1):
        before, mark, after = tokens[place - 1 : place + 2]
        in_chain = mark.partner == after.partner == AFTER_SYMBOL
        if mark.name == "," and in_chain and before.name in DIGITS and after.name in DIGITS:
            changed[place] = mark._replace(name=".")
    return changed


class LanguageModel:
    """An LSTM of one layer. Gates in the order of torch: input, forget, cell, output."""

    def __init__(
        self,
        vocabulary: Sequence[str],
        token_gates: Floats,  # tokens x 4 hidden: what a token adds to the gates of the next step
        partner_gates: Floats,  # PARTNER_KINDS x 4 hidden
        state_gates: Floats,  # hidden x 4 hidden
        output: Floats,  # hidden x tokens
        output_bias: Floats,  # tokens
    ) -> None:
        self._index = {name: index for index, name in enumerate(vocabulary)}
        self._hidden = len(state_gates)
        # A sigmoid is a tanh of half the size: so one tanh serves all gates.
        half = np.repeat(np.array([0.5, 0.5, 1.0, 0.5], np.float32), self._hidden)
        self._token_gates, self._partner_gates = token_gates * half, partner_gates * half
        self._output_bias = output_bias
        self._blocks = _in_blocks(np.concatenate([state_gates * half, output], axis=1))

    def log_probabilities(self, trees: Sequence[Expression]) -> NDArray[np.float64]:
        """The logarithm of each tree's probability."""
        tokens = list(map(step_tokens, trees))
        points = list(map(with_decimal_points, tokens))
        with_commas = [number for number, own in enumerate(tokens) if own != points[number]]
        totals = self._totals([*tokens, *(points[number] for number in with_commas)])
        found, instead = np.split(totals, [len(trees)])
        found[with_commas] = np.maximum(found[with_commas], instead)
        return found

    def _totals(self, formulas: Sequence[Sequence[StepToken]]) -> NDArray[np.float64]:
        unknown = self._index[UNKNOWN]
        sequences = [
            [(token.partner, self._index.get(token.name, unknown)) for token in tokens]
            for tokens in formulas
        ]
        totals = np.zeros(len(sequences))
        previous = dict.fromkeys(range(len(totals)), (0, -1))  # row of its state, its last token
        cell = np.zeros((1, self._hidden), np.float32)
        gates = np.zeros((1, 4 * self._hidden), np.float32)  # what the last state adds to them
        for step in range(max(map(len, sequences), default=0)):
            inputs: dict[tuple[int, int, int], int] = {}  # all that differ, with their rows
            targets = []
            for tree, (row, last) in previous.items():
                partner, token = sequences[tree][step]
                row = inputs.setdefault((row, last, partner), len(inputs))
                targets.append((tree, row, token))
            cell, gates, logits = self._step(cell, gates, np.array(list(inputs)))
            number, row_of, token_of = np.array(targets).T
            totals[number] += log_softmax(logits)[row_of, token_of]
            previous = {
                tree: (row, token)
                for tree, row, token in targets
                if step + 1 < len(sequences[tree])
            }
        return totals

    def _step(
        self, cell: Floats, state_gates: Floats, inputs: NDArray[np.int64]
    ) -> tuple[Floats, Floats, Floats]:
        """The cells of some steps, what their states add to the next gates, and their logits."""
        row, last, partner = inputs.T
        gates = state_gates[row] + self._partner_gates[partner]
        if last[0] >= 0:  # else these are the first steps
            gates += self._token_gates[last]
        gates = np.tanh(gates).reshape(len(inputs), 4, self._hidden)
        enter, forget, leave = (gates[:, gate] * 0.5 + 0.5 for gate in (0, 1, 3))
        cell = forget * cell[row] + enter * gates[:, 2]
        product = _product(leave * np.tanh(cell), self._blocks)
        ends = 4 * self._hidden, 4 * self._hidden + len(self._output_bias)
        return cell, product[:, : ends[0]], product[:, ends[0] : ends[1]] + self._output_bias


def _in_blocks(matrix: Floats) -> Floats:
    """The columns of a matrix, some at a time: blocks x rows x width, filled up with 0."""
    width = min(max(1, MAX_PRODUCT // (MAX_ROWS * len(matrix))), matrix.shape[1])
    spare = -matrix.shape[1] % width
    padded = np.pad(matrix, ((0, 0), (0, spare)))
    return np.ascontiguousarray(padded.reshape(len(matrix), -1, width).transpose(1, 0, 2))


def _product(left: Floats, blocks: Floats) -> Floats:
    """A matrix by one that is in blocks."""
    rows = len(left)
    # A product of one row has another bound, which these blocks are above.
    left = left if rows > 1 else np.repeat(left, 2, axis=0)
    return (left @ blocks).transpose(1, 0, 2).reshape(len(left), -1)[:rows]
