"""Algorithm 1 with many stacks abreast: each image has its own, all take their next step at once.

- For SAN-GS, whose steps are given the attention of all steps before them: an image's steps have an
  order, other images' do not matter. The network is asked as often as the longest tree has steps.
- Images whose trees are done are asked no more.
- The trees are those of `san.decoding.stack`, cut off by the limits at the same steps.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.choose import decide
from san.decoding.engine import DecodingLimits, Engine, Floats, Memory
from san.decoding.frontier import DEFAULT
from san.decoding.reading import Reading, ReadStep, read_step
from san.grammar.productions import START, Partner


class Waiting(NamedTuple):
    """An S on the stack."""

    parent: int  # index of its parent among the image's steps
    partner: Partner
    depth: int
    hidden: Floats  # its parent's state


def decode_abreast(
    engine: Engine, images: Sequence[NDArray[np.generic]], limits: DecodingLimits = DEFAULT
) -> list[Reading]:
    """Read some images with coverage over all past steps."""
    return decode_memory_abreast(engine, engine.encode(images), limits)


def decode_memory_abreast(
    engine: Engine, memory: Memory, limits: DecodingLimits = DEFAULT
) -> list[Reading]:
    vocabulary = engine.vocabulary
    stacks = [[Waiting(-1, START, 0, hidden)] for hidden in np.asarray(memory.hidden)]
    read: list[list[ReadStep]] = [[] for _ in stacks]
    promised = np.ones(len(stacks), np.int64)  # steps that are done or on the stack
    seen = np.array(memory.path)  # attention of all steps so far
    while busy := [image for image, stack in enumerate(stacks) if stack]:
        image, ends = np.array(busy), [stacks[one].pop() for one in busy]
        partner = np.array([vocabulary.number(end.partner) for end in ends])
        before, given = seen[image], np.stack([end.hidden for end in ends])
        outcome = engine.step(memory, image, given, before, partner)
        hidden, seen[image] = np.asarray(outcome.hidden), np.asarray(outcome.path)
        looked = seen[image] - before
        decided = decide(outcome.symbols, outcome.relations, partner, vocabulary)
        deep = np.array([end.depth + 1 >= limits.depth for end in ends])
        decided = decided.closed(deep | (promised[image] + decided.following() > limits.steps))
        promised[image] += decided.following()
        for row, choice in enumerate(decided.choices(vocabulary)):
            own, end = busy[row], ends[row]
            stacks[own] += [
                Waiting(len(read[own]), following, end.depth + 1, hidden[row])
                for following in reversed(choice.partners())
            ]
            read[own].append(read_step(end.parent, end.partner, end.depth, choice, looked[row]))
    return [Reading(tuple(steps)) for steps in read]
