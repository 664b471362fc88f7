"""The frontier decoder: all open steps of all images at once, one depth after the other.

A step needs only its parent's state and path attention, so the open ends of every tree of a batch
form one frontier, and the network is called once a depth instead of once a step. The trees are
those of Algorithm 1 (`san.decoding.stack`), except where an image runs into its limit of steps:
here the deepest ends are closed, there the last ones.

- A frontier is arrays, and what is decided stays numbers: Python sees a depth and an image, never
  a single step. Readings write their steps when somebody asks (`san.decoding.reading`).
- Slots keep the order of their images, since what follows from a slot takes its place.
- Calling the network (`decode_levels`) and making readings (`to_readings`) are apart: a device can
  go on with other images as soon as the last step is computed.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.decisions import Decisions, Numbers, decide
from san.decoding.engine import DecodingLimits, Engine, Floats, Memory, Rows
from san.decoding.reading import LazyReading, Reading, StepColumns
from san.grammar.productions import START
from san.grammar.vocabulary import Vocabulary

DEFAULT = DecodingLimits()


class Level(NamedTuple):
    """The steps of one depth, slot by slot."""

    image: Numbers
    parent: Numbers  # its slot in the level before; of first steps, their image
    partner: Numbers
    decided: Decisions


class DecodedLevels(NamedTuple):
    """All trees of a batch; none of it is on an engine's device any more."""

    levels: list[Level]
    attention: Floats  # steps x rows x columns, level by level
    vocabulary: Vocabulary
    cut: NDArray[np.bool_]  # images that ran into a limit of steps or depth


def decode(
    engine: Engine, images: Sequence[NDArray[np.generic]], limits: DecodingLimits = DEFAULT
) -> list[Reading]:
    """Read some images; each comes to a legal tree within the limits."""
    return decode_memory(engine, engine.encode(images), limits)


def decode_memory(
    engine: Engine, memory: Memory, limits: DecodingLimits = DEFAULT
) -> list[Reading]:
    return to_readings(decode_levels(engine, memory, limits))


def decode_levels(
    engine: Engine, memory: Memory, limits: DecodingLimits = DEFAULT
) -> DecodedLevels:
    """From the first steps to the last, one depth after the other."""
    vocabulary = engine.vocabulary
    hidden, path = memory.hidden, memory.path
    image = parent = np.arange(len(hidden))
    partner = np.full(len(image), vocabulary.number(START))
    # Steps that each image may still open: the first is open already.
    steps_left = np.full(len(image), limits.steps - 1)
    probability, cut = np.ones(len(image)), np.zeros(len(image), np.bool_)
    levels: list[Level] = []
    attention: list[Rows] = [path[:0]]
    while len(image):
        before = path[parent]
        symbols, relations, hidden, path = engine.step(
            memory, image, hidden[parent], before, partner
        )
        decided = decide(symbols, relations, partner, vocabulary)
        if len(levels) + 1 >= limits.depth:  # as good as never, as the next one
            cut[image[decided.following() > 0]] = True
            decided = decided.closed(np.ones(len(image), np.bool_))
        full = np.bincount(image, decided.following(), len(steps_left)) > steps_left
        if full.any():
            decided, cut = _fitted(decided, image, steps_left, full), cut | full
        if limits.min_probability:
            decided = decided.closed((probability < limits.min_probability)[image])
            np.multiply.at(probability, image, decided.step_probabilities())
        levels.append(Level(image, parent, partner, decided))
        attention.append(path - before)
        parent, partner = decided.partners(vocabulary)
        image = image[parent]
        steps_left -= np.bincount(image, minlength=len(steps_left))
    return DecodedLevels(levels, np.asarray(np.concatenate(attention)), vocabulary, cut)


def _fitted(
    decided: Decisions, image: Numbers, steps_left: Numbers, full: NDArray[np.bool_]
) -> Decisions:
    """The same, with the slots closed that would open more steps than their image may have; `full`
    are the images that have such slots."""
    following = decided.following()
    steps_left, ends = steps_left.copy(), np.zeros(len(image), np.bool_)
    for slot in np.flatnonzero(full[image]).tolist():  # those that come first are served first
        ends[slot] = following[slot] > steps_left[image[slot]]
        steps_left[image[slot]] -= 0 if ends[slot] else following[slot]
    return decided.closed(ends)


def to_readings(decoded: DecodedLevels) -> list[Reading]:
    """What was decided, image by image: the steps of each, level by level."""
    levels, attention, vocabulary, cut = decoded
    if not levels:
        return []
    sizes = [len(level.image) for level in levels]
    starts = np.cumsum(sizes) - sizes
    image = np.concatenate([level.image for level in levels])
    order = np.argsort(image, kind="stable")
    counts = np.bincount(image)
    ends = np.cumsum(counts)
    place = np.empty_like(order)  # of each step among its image's
    place[order] = np.arange(len(order)) - np.repeat(ends - counts, counts)
    above = [place[start + level.parent] for start, level in zip(starts, levels[1:], strict=False)]
    decided = Decisions(
        *map(np.concatenate, zip(*(level.decided for level in levels), strict=True))
    )
    columns = (
        np.concatenate([np.full(sizes[0], -1), *above]),
        np.concatenate([level.partner for level in levels]),
        decided.target,
        decided.bits(),
        np.repeat(np.arange(len(levels)), sizes),
    )
    steps = np.stack(columns)[:, order]
    symbols, relations = decided.symbols[order], decided.relations[order]
    step_probabilities = decided.step_probabilities()[order].tolist()

    def reading(start: int, end: int, cut: bool) -> Reading:
        # Copied into arrays of its own: who keeps a reading keeps no other.
        columns = StepColumns(
            steps[:, start:end].copy(),
            symbols[start:end].copy(),
            relations[start:end].copy(),
            attention[order[start:end]],
        )
        return LazyReading(columns, prod(step_probabilities[start:end]), vocabulary, cut)

    return list(map(reading, (ends - counts).tolist(), ends.tolist(), cut.tolist()))
