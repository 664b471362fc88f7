"""Samples made on the fly, some at a time, in a form that is cheap to send and to train on.

- Pictures as bits, trees as numbers: all of a chunk's in a few arrays, end to end.
- A chunk depends on the run's seed, the epoch and its own number alone: it does not matter which
  process makes it, or when.
- What has no room in the run's layout (buckets, levels, slots), or a symbol that is not in the
  vocabulary, is made again; so is what its maker stumbles over. How often is told.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from san.errors import SanError
from san.grammar import Expression
from san.grammar.productions import unfold
from san.grammar.vocabulary import Vocabulary
from san.model.torch.batch import Levels, concatenate, levels
from san.training.buckets import Bucket, to_trim
from san.training.corpus import Extent, as_bits

TRIES = 50


class Sample(Protocol):
    """A picture with its tree, and where each symbol stands (`san.synth.sample.SynthSample`)."""

    @property
    def picture(self) -> NDArray[np.uint8]:
        """White on black."""
        ...

    @property
    def tree(self) -> Expression: ...

    @property
    def boxes(self) -> NDArray[np.float32]:
        """A row for each step of `unfold(tree)`: left, top, right, bottom; NaN: not known."""
        ...


class Maker(Protocol):
    def make(self, rng: np.random.Generator, done: float) -> Sample:
        """A sample such as is wanted where so much of the run is done, 0 to 1."""
        ...


class Room(NamedTuple):
    """What a run is laid out for."""

    buckets: tuple[Bucket, ...]
    depth: int  # levels of a tree
    width: int  # steps in a level of a tree

    def holds(self, picture: NDArray[np.uint8], tree: Levels) -> bool:
        own, counts = Bucket(*picture.shape), tree.counts
        fits = len(counts) <= self.depth and counts.max() <= self.width
        return bool(fits) and any(bucket.holds(own) for bucket in self.buckets)


class Order(NamedTuple):
    """A chunk that is wanted."""

    seed: int
    epoch: int
    number: int  # of the chunk in its epoch
    samples: int
    done: float
    room: Room


class Chunk(NamedTuple):
    bits: NDArray[np.uint8]
    extent: Extent
    columns: Levels  # of all trees, end to end
    remade: int  # samples that were made again
    reason: str  # what the last of those that failed said


class Epoch(NamedTuple):
    """All chunks of an epoch as one; only their bits, which are many, still lie apart."""

    bits: list[NDArray[np.uint8]]
    extent: Extent
    columns: Levels
    remade: int
    reason: str

    @property
    def bytes(self) -> int:
        return sum(map(len, self.bits))


def make_chunk(maker: Maker, vocabulary: Vocabulary, order: Order) -> Chunk:
    rng = np.random.default_rng((order.seed, order.epoch, order.number))
    pictures: list[NDArray[np.uint8]] = []
    trees: list[Levels] = []
    remade, reason, failed = 0, "", 0
    while len(trees) < order.samples:
        try:
            sample = maker.make(rng, order.done)
            steps = unfold(sample.tree)
            if vocabulary.knows(sample.tree):
                left, top, right, bottom = to_trim(sample.picture, order.room.buckets)
                height, width = sample.picture.shape
                picture = sample.picture[top : height - bottom, left : width - right]
                boxes = sample.boxes - np.array((left, top) * 2, np.float32)
                tree = levels(steps, vocabulary, boxes)
                if order.room.holds(picture, tree):
                    pictures.append(picture)
                    trees.append(tree)
                    failed = 0
                    continue
        except Exception as error:  # a rare stumble must not end a run that took hours
            reason = f"{type(error).__name__}: {error}"
        remade, failed = remade + 1, failed + 1
        if failed == TRIES:
            why = reason or "none has room in the run's buckets and levels"
            raise SanError(f"{TRIES} samples in a row could not be used ({why})")
    return Chunk(
        np.concatenate([as_bits(picture) for picture in pictures]),
        Extent.of(
            np.array([picture.shape for picture in pictures], np.int64),
            [tree.counts for tree in trees],
        ),
        concatenate(trees),
        remade,
        reason,
    )


def join(chunks: Sequence[Chunk]) -> Epoch:
    return Epoch(
        [chunk.bits for chunk in chunks],
        Extent.joined([chunk.extent for chunk in chunks]),
        concatenate([chunk.columns for chunk in chunks]),
        sum(chunk.remade for chunk in chunks),
        next((chunk.reason for chunk in chunks if chunk.reason), ""),
    )


class Trees(Sequence[Levels]):
    """The trees of an epoch, each cut out when it is asked for."""

    def __init__(self, epoch: Epoch) -> None:
        self.columns = epoch.columns
        self.ends = np.concatenate(([0], np.cumsum(epoch.extent.steps))).tolist()

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, place: int) -> Levels: ...
    @overload
    def __getitem__(self, place: slice) -> list[Levels]: ...
    def __getitem__(self, place: int | slice) -> Levels | list[Levels]:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        start, end = self.ends[place], self.ends[place + 1]
        return Levels._make(column[start:end] for column in self.columns)

    def __iter__(self) -> Iterator[Levels]:
        return (self[place] for place in range(len(self)))
