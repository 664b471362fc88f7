"""Algorithm 1 of the paper: a stack of open steps, one step of an image at a time.

- `decode_by_stack` is the algorithm as printed, image after image: the readable reference.
- `decode_stacks` is for SAN-GS, whose steps are given the attention of all steps before them: the
  steps of an image have an order, other images do not matter. Each image has its own stack, and all
  take their next step at once; the network is called as often as the longest tree has steps.
- Both give the same trees, cut off by the limits at the same steps.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.decisions import choose, decide
from san.decoding.engine import DecodingLimits, Engine, Floats, Memory, Rows
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
    step_count, cut = 1, False
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
        choice = choose(symbols, relations, partner, vocabulary, False)
        more = len(choice.partners())
        if more and (depth + 1 >= limits.depth or step_count + more > limits.steps):
            cut = True
            choice = choose(symbols, relations, partner, vocabulary, True)
        path = outcome.path[0]
        read.append(read_step(parent, partner, depth, choice, np.asarray(path - before)))
        for following in reversed(choice.partners()):
            stack.append((len(read) - 1, following, depth + 1, outcome.hidden[0], path))
            step_count += 1
    return Reading(tuple(read), cut)


class Waiting(NamedTuple):
    """An S on the stack."""

    parent: int  # index of its parent among the image's steps
    partner: Partner
    depth: int
    hidden: Floats  # its parent's state


def decode_stacks(
    engine: Engine, images: Sequence[NDArray[np.generic]], limits: DecodingLimits = DEFAULT
) -> list[Reading]:
    """Read some images with coverage over all past steps."""
    return decode_stacks_memory(engine, engine.encode(images), limits)


def decode_stacks_memory(
    engine: Engine, memory: Memory, limits: DecodingLimits = DEFAULT
) -> list[Reading]:
    vocabulary = engine.vocabulary
    stacks = [[Waiting(-1, START, 0, hidden)] for hidden in np.asarray(memory.hidden)]
    read: list[list[ReadStep]] = [[] for _ in stacks]
    step_count = np.ones(len(stacks), np.int64)  # steps that are done or on the stack
    cut = np.zeros(len(stacks), np.bool_)
    past_attention = np.array(memory.path)  # attention of all steps so far
    while busy := [image for image, stack in enumerate(stacks) if stack]:
        image, ends = np.array(busy), [stacks[number].pop() for number in busy]
        partner = np.array([vocabulary.number(end.partner) for end in ends])
        before, states = past_attention[image], np.stack([end.hidden for end in ends])
        outcome = engine.step(memory, image, states, before, partner)
        hidden, past_attention[image] = np.asarray(outcome.hidden), np.asarray(outcome.path)
        attention = past_attention[image] - before
        decided = decide(outcome.symbols, outcome.relations, partner, vocabulary)
        deep = np.array([end.depth + 1 >= limits.depth for end in ends])
        full = step_count[image] + decided.following() > limits.steps
        ends_here = deep | full
        cut[image] |= ends_here & (decided.following() > 0)
        decided = decided.closed(ends_here)
        step_count[image] += decided.following()
        for row, choice in enumerate(decided.choices(vocabulary)):
            number, end = busy[row], ends[row]
            stacks[number] += [
                Waiting(len(read[number]), following, end.depth + 1, hidden[row])
                for following in reversed(choice.partners())
            ]
            read[number].append(
                read_step(end.parent, end.partner, end.depth, choice, attention[row])
            )
    return [Reading(tuple(steps), was) for steps, was in zip(read, cut.tolist(), strict=True)]
