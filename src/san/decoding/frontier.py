"""The frontier decoder: all open steps of all images at once, one depth after the other.

A step needs only what its parent came to, so the open ends of every tree of a batch form one
frontier, and the network is asked once a depth instead of once a step. The trees are those of
Algorithm 1 (`san.decoding.stack`), except where an image runs into its limit of steps: here the
deepest ends are closed, there the last ones.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.choose import choose
from san.decoding.engine import Engine, Limits, Memory
from san.decoding.reading import Reading, ReadStep, read_step
from san.grammar.productions import START, Partner

DEFAULT = Limits()


class Open(NamedTuple):
    """An S that waits for its step."""

    image: int
    parent: int  # index of its parent among the image's steps
    slot: int  # of its parent in the frontier before
    partner: Partner


def decode(
    engine: Engine, images: Sequence[NDArray[np.generic]], limits: Limits = DEFAULT
) -> list[Reading]:
    """Read some images; each comes to a legal tree within the limits."""
    return decode_memory(engine, engine.encode(images), limits)


def decode_memory(engine: Engine, memory: Memory, limits: Limits = DEFAULT) -> list[Reading]:
    vocabulary = engine.vocabulary
    count = len(memory.hidden)
    read: list[list[ReadStep]] = [[] for _ in range(count)]
    # Steps that are done or open: each open one will take at least one.
    promised = [1] * count
    frontier = [Open(image, -1, image, START) for image in range(count)]
    hidden, path = memory.hidden, memory.path
    depth = 0
    while frontier:
        slots = np.array([one.slot for one in frontier])
        image = np.array([one.image for one in frontier])
        partner = np.array([vocabulary.number(one.partner) for one in frontier])
        before = path[slots]
        symbols, relations, hidden, path = engine.step(
            memory, image, hidden[slots], before, partner
        )
        following: list[Open] = []
        for slot, one in enumerate(frontier):
            own = read[one.image]
            closing = depth + 1 >= limits.depth
            choice = choose(symbols[slot], relations[slot], one.partner, vocabulary, closing)
            if promised[one.image] + len(choice.partners()) > limits.steps:
                choice = choose(symbols[slot], relations[slot], one.partner, vocabulary, True)
            own.append(read_step(one.parent, one.partner, depth, choice, path[slot] - before[slot]))
            for next_partner in choice.partners():
                following.append(Open(one.image, len(own) - 1, slot, next_partner))
                promised[one.image] += 1
        frontier = following
        depth += 1
    return [Reading(tuple(steps)) for steps in read]
