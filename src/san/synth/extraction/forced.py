"""Where a network looks for the symbols of a tree that is known, and how sure it is of each.

The steps of the true tree are taken one level after the other, each given what its true parent came
to. Nothing is decided, so an error of the network's leads no later step astray.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Engine, Floats
from san.errors import SanError
from san.grammar.productions import MARKS, START, by_level, unfold
from san.grammar.tree import Expression


class Looks(NamedTuple):
    """What the steps that write symbols came to, in the order of the walk."""

    chances: Floats  # of each symbol: how probable the network found it
    attention: Floats  # symbols x rows x columns


def looks(engine: Engine, picture: NDArray[np.uint8], tree: Expression) -> Looks:
    """Walk along a tree; SanError where the network does not know a symbol of it."""
    vocabulary = engine.vocabulary
    told = unfold(tree)
    order = sorted(range(len(told)), key=lambda number: told[number].depth)
    steps = by_level(told)
    if strange := {step.target for step in steps} - set(vocabulary.targets):
        raise SanError(f"the network does not know {min(strange)}")
    memory = engine.encode([(picture > 127).astype(np.float32)])
    hidden, path = memory.hidden, memory.path
    first = 0  # step of the level before
    chances: list[float] = []
    attention = []
    while len(chances) < len(steps):
        start = len(chances)
        level = [step for step in steps[start:] if step.depth == steps[start].depth]
        parent = np.array([max(step.parent - first, 0) for step in level])
        partner = np.array([vocabulary.number(step.partner) for step in level])
        before = path[parent]
        symbols, _, hidden, path = engine.step(
            memory, np.zeros(len(level), np.int64), hidden[parent], before, partner
        )
        targets = [vocabulary.number(step.target) for step in level]
        chances += _softmax(symbols)[range(len(level)), targets].tolist()
        attention.append(np.asarray(path - before))
        first = start
    together = np.concatenate(attention)
    place = {old: new for new, old in enumerate(order)}
    wanted = [place[number] for number, step in enumerate(told) if step.target not in MARKS]
    return Looks(np.array(chances, np.float32)[wanted], together[wanted])


def _softmax(scores: Floats) -> Floats:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))


def alone(engine: Engine, picture: NDArray[np.uint8]) -> dict[str, float]:
    """How probable each symbol is to be the first of a picture."""
    vocabulary = engine.vocabulary
    memory = engine.encode([(picture > 127).astype(np.float32)])
    start = np.array([vocabulary.number(START)])
    symbols = engine.step(memory, np.zeros(1, np.int64), memory.hidden, memory.path, start).symbols
    return dict(zip(vocabulary.targets, _softmax(symbols)[0].tolist(), strict=True))
