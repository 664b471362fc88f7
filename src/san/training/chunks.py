"""Samples made on the fly, some at a time, in a form that is cheap to send and to train on.

- Pictures as bits, trees as numbers: all of a chunk's in a few arrays, end to end.
- A chunk depends on the run's seed, the epoch and its own number alone: it does not matter which
  process makes it, or when.
- A sample that exceeds the run's capacity (buckets, levels, slots), has a symbol that is not in the
  vocabulary, or raises an error is made again; chunks count how often.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from san.errors import SanError
from san.grammar import Expression
from san.grammar.languages import Kind, write
from san.grammar.vocabulary import Vocabulary
from san.model.torch.batch import Levels, concatenate, levels
from san.training.batching import Bucket, margins_to_trim
from san.training.dataset import SampleSizes, pack_bits

BOXED_KINDS: tuple[Kind, ...] = ("san", "san-gs")
"""Networks whose steps are those that samples have boxes for."""
MAX_RETRIES = 50
TOO_LARGE, TOO_DEEP = "remade_too_large", "remade_too_deep"
UNKNOWN_SYMBOL, ERROR = "remade_unknown_symbol", "remade_error"
"""Why a sample is made again, as the log says it."""


class Sample(Protocol):
    """A picture with its tree and its symbols' boxes (`san.synth.samples.SynthSample`)."""

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


class SampleMaker(Protocol):
    def make(self, rng: np.random.Generator, done: float) -> Sample:
        """A sample for the time when `done` of the run, 0 to 1, is over."""
        ...


class Capacity(NamedTuple):
    """The largest samples that a run's buffers hold."""

    buckets: tuple[Bucket, ...]
    depth: int  # levels of a tree; by step, its steps
    width: int  # steps in a level of a tree
    by_step: bool = False  # a network that runs step by step

    def exceeded_by(self, picture: NDArray[np.uint8], tree: Levels) -> str:
        """Why a sample cannot be held; empty where it can."""
        size, counts = Bucket(*picture.shape), tree.counts
        rows = counts.sum() if self.by_step else len(counts)
        if rows > self.depth or counts.max() > self.width:
            return TOO_DEEP
        return "" if any(bucket.holds(size) for bucket in self.buckets) else TOO_LARGE


class ChunkRequest(NamedTuple):
    """Which chunk a worker is to make."""

    seed: int
    epoch: int
    number: int  # of the chunk in its epoch
    samples: int
    done: float
    capacity: Capacity
    kind: Kind = "san"  # of the network, whose language it is written in


class Chunk(NamedTuple):
    bits: NDArray[np.uint8]
    sample_sizes: SampleSizes
    columns: Levels  # of all trees, end to end
    remade: Counter[str]  # samples that were made again, by why: TOO_LARGE, TOO_DEEP, ...
    reason: str  # the last error among those


class Epoch(NamedTuple):
    """All chunks of an epoch as one; only their bits are still separate arrays."""

    bits: list[NDArray[np.uint8]]
    sample_sizes: SampleSizes
    columns: Levels
    remade: Counter[str]
    reason: str

    @property
    def bytes(self) -> int:
        return sum(map(len, self.bits))


def make_chunk(maker: SampleMaker, vocabulary: Vocabulary, request: ChunkRequest) -> Chunk:
    rng = np.random.default_rng((request.seed, request.epoch, request.number))
    pictures: list[NDArray[np.uint8]] = []
    trees: list[Levels] = []
    remade: Counter[str] = Counter()
    reason, failed = "", 0
    while len(trees) < request.samples:
        try:
            sample = maker.make(rng, request.done)
            cause = UNKNOWN_SYMBOL
            if vocabulary.knows(sample.tree):
                left, top, right, bottom = margins_to_trim(sample.picture, request.capacity.buckets)
                height, width = sample.picture.shape
                picture = sample.picture[top : height - bottom, left : width - right]
                boxes = sample.boxes - np.array((left, top) * 2, np.float32)
                steps = write(request.kind, sample.tree)
                tree = levels(steps, vocabulary, boxes if request.kind in BOXED_KINDS else None)
                cause = request.capacity.exceeded_by(picture, tree)
                if not cause:
                    pictures.append(picture)
                    trees.append(tree)
                    failed = 0
                    continue
        except Exception as error:  # a rare error must not end a run that took hours
            cause, reason = ERROR, f"{type(error).__name__}: {error}"
        remade[cause] += 1
        failed += 1
        if failed == MAX_RETRIES:
            why = reason or "none fits the run's buckets and levels"
            raise SanError(f"{MAX_RETRIES} samples in a row could not be used ({why})")
    return Chunk(
        np.concatenate([pack_bits(picture) for picture in pictures]),
        SampleSizes.of(
            np.array([picture.shape for picture in pictures], np.int64),
            [tree.counts for tree in trees],
        ),
        concatenate(trees),
        remade,
        reason,
    )


def join_chunks(chunks: Sequence[Chunk]) -> Epoch:
    return Epoch(
        [chunk.bits for chunk in chunks],
        SampleSizes.joined([chunk.sample_sizes for chunk in chunks]),
        concatenate([chunk.columns for chunk in chunks]),
        sum((chunk.remade for chunk in chunks), Counter()),
        next((chunk.reason for chunk in chunks if chunk.reason), ""),
    )


class EpochTrees(Sequence[Levels]):
    """The trees of an epoch, each sliced out when it is asked for."""

    def __init__(self, epoch: Epoch) -> None:
        self.columns = epoch.columns
        self.ends = np.concatenate(([0], np.cumsum(epoch.sample_sizes.steps))).tolist()

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, number: int) -> Levels: ...
    @overload
    def __getitem__(self, number: slice) -> list[Levels]: ...
    def __getitem__(self, number: int | slice) -> Levels | list[Levels]:
        if isinstance(number, slice):
            return [self[number] for number in range(len(self))[number]]
        start, end = self.ends[number], self.ends[number + 1]
        return Levels._make(column[start:end] for column in self.columns)

    def __iter__(self) -> Iterator[Levels]:
        return (self[number] for number in range(len(self)))
