"""Where a decoder looks, step by step, and which attention of steps before it is given.

SAN gives a step the attention of the steps on its path; SAN-GS and DWAP that of all steps before.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from san.decoding.engine import Floats
from san.decoding.frontier import DEFAULT, decode
from san.decoding.reading import ReadStep
from san.decoding.stack import decode_stacks
from san.decoding.strings import ChainEngine, decode_strings
from san.errors import SanError
from san.grammar.productions import EMPTY_STRING, EXTEND
from san.grammar.tree import Relation
from san.model.torch.readers import StepReader


class Look(NamedTuple):
    """A step: its name, the attention that it is given, and its own."""

    name: str
    given: Floats
    own: Floats


def looks_of(reader: StepReader, pixels: Floats) -> list[Look]:
    """The steps that write something, in the order of writing."""
    kind = reader.network.config.kind
    if kind == "dwap":
        looks = list(_of_string(reader, pixels))
    elif kind == "san-gs":
        looks = list(_of_all(decode_stacks(reader, [pixels])[0].steps))
    elif kind == "san":
        looks = list(_of_paths(decode(reader, [pixels])[0].steps))
    else:
        raise SanError(f"a network of kind {kind} does not tell where it looks")
    return [look for look in looks if look.name != EMPTY_STRING]


def _name(read: ReadStep) -> str:
    """A symbol, or what an E opens."""
    if read.step.target != EXTEND:
        return read.step.target
    return " + ".join(r.value for r in read.step.relations if r is not Relation.RIGHT) or "right"


def _of_paths(steps: Sequence[ReadStep]) -> Iterator[Look]:
    """Depth first, whatever the order in which they were read."""
    given = {-1: np.zeros_like(steps[0].attention)}
    children: dict[int, list[int]] = {}
    for index, read in enumerate(steps):
        children.setdefault(read.step.parent, []).append(index)
        given[index] = given[read.step.parent] + read.attention
    pending = children[-1][::-1]
    while pending:
        index = pending.pop()
        read = steps[index]
        yield Look(_name(read), given[read.step.parent], read.attention)
        pending += reversed(children.get(index, []))


def _of_all(steps: Sequence[ReadStep]) -> Iterator[Look]:
    """They were read in the order of writing."""
    past = np.zeros_like(steps[0].attention)
    for read in steps:
        yield Look(_name(read), past, read.attention)
        past = past + read.attention


def _of_string(reader: StepReader, pixels: Floats) -> Iterator[Look]:
    """Greedily, as `read` does."""
    memory, chain = reader.encode([pixels]), ChainEngine(reader)
    image = np.zeros(1, np.int64)
    token, state = chain.begin(memory)
    string = decode_strings(chain, memory, 1, DEFAULT.steps)[0][0]
    for following in string.tokens:
        past = np.asarray(state[1])[0]
        _, state = chain.extend(memory, image, state, np.array([token]))
        yield Look(chain.vocabulary.targets[following], past, np.asarray(state[1])[0] - past)
        token = following
