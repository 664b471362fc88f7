"""Algorithm 1 as the paper prints it: a stack, one step at a time. The readable reference."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from san.decoding.choose import choose
from san.decoding.engine import DecodingLimits, Engine, Memory, Rows
from san.decoding.frontier import DEFAULT
from san.decoding.reading import Reading, ReadStep, read_step
from san.grammar.productions import START, Partner


def decode_by_stack(
    engine: Engine,
    images: Sequence[NDArray[np.generic]],
    limits: DecodingLimits = DEFAULT,
    coverage: Literal["path", "all"] = "path",
) -> list[Reading]:
    """Read some images, one after the other. `coverage` "all" is SAN-GS: every step is given the
    attention of all steps before it, which only this order can do."""
    memory = engine.encode(images)
    return [_walk(engine, memory, image, limits, coverage) for image in range(len(images))]


def _walk(
    engine: Engine, memory: Memory, image: int, limits: DecodingLimits, coverage: str
) -> Reading:
    vocabulary = engine.vocabulary
    read: list[ReadStep] = []
    promised = 1
    stack: list[tuple[int, Partner, int, Rows, Rows]]
    stack = [(-1, START, 0, memory.hidden[image], memory.path[image])]
    path = memory.path[image]
    while stack:
        parent, partner, depth, hidden, before = stack.pop()
        before = before if coverage == "path" else path
        outcome = engine.step(
            memory,
            np.array([image]),
            hidden[None],
            before[None],
            np.array([vocabulary.number(partner)]),
        )
        symbols, relations = outcome.symbols[0], outcome.relations[0]
        closing = depth + 1 >= limits.depth
        choice = choose(symbols, relations, partner, vocabulary, closing)
        if promised + len(choice.partners()) > limits.steps:
            choice = choose(symbols, relations, partner, vocabulary, True)
        path = outcome.path[0]
        read.append(read_step(parent, partner, depth, choice, np.asarray(path - before)))
        for following in reversed(choice.partners()):
            stack.append((len(read) - 1, following, depth + 1, outcome.hidden[0], path))
            promised += 1
    return Reading(tuple(read))
