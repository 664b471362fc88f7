"""Which images make a batch: a few fixed shapes (buckets), and an epoch's batches.

- Convolutions are planned anew for every shape, so there are few: those of a fine grid of heights
  and widths, merged by twos where that adds the fewest pixels.
- Every batch of a bucket has the same number of images. Those that make no whole batch go to a
  larger bucket where that is cheaper; else blanks that weigh nothing fill it up. So each sample is
  seen exactly once an epoch.
- A picture that is a few pixels too large for a bucket loses them from its blank margins: a tenth
  fewer pixels go through the network.
- Of very large shapes fewer make a batch: they are rare, blanks of that size are dear, and what the
  largest batch needs stays allocated on the device.
- Within a bucket, trees of about one depth go together (among `sort_window` batches' worth at a
  time): a batch takes as many levels as its deepest tree. A window of 1 leaves them in random
  order: slower, but copies of one formula, alike in size and depth, seldom meet in a batch.
- Random batches are of any images, in the smallest bucket that holds all of them: far slower, since
  most of a batch is as large as its largest image, but as most others train. Where that bucket is
  too large for so many images, the batch is parted.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HEIGHT_STEP, WIDTH_STEP = 16, 32
MAX_GRID_STEPS = 32
"""Of so many steps the grid is fine; beyond them it is twice as coarse, and so on."""
MAX_BATCH_PIXELS = 12_000_000
"""Of a batch at most: 64 images of 128 x 1,464."""

MAX_TRIM = 12
"""Rows or columns that may be trimmed from a picture's margins, on both sides together."""

Sizes = Sequence[tuple[int, int]] | NDArray[np.int64]  # height and width


class Bucket(NamedTuple):
    height: int
    width: int

    def holds(self, other: "Bucket") -> bool:
        return other.height <= self.height and other.width <= self.width

    @property
    def area(self) -> int:
        return self.height * self.width


class PlannedBatch(NamedTuple):
    """One batch: a bucket and the samples in it."""

    bucket: Bucket
    samples: NDArray[np.int64]


def _rounded(lengths: NDArray[np.int64], step: int) -> NDArray[np.int64]:
    """Each length, up to the next line of the grid."""
    doublings = np.ceil(np.log2(np.maximum(lengths / (step * MAX_GRID_STEPS), 1))).astype(np.int64)
    steps = step << doublings
    return np.asarray(-(-lengths // steps) * steps)


def choose_buckets(sizes: Sizes, limit: int) -> list[Bucket]:
    """At most so many shapes that hold all sizes (height, width), with little to spare.

    All shapes of the grid that occur; then, again and again, the two whose merger adds the fewest
    pixels over all images that move.
    """
    height, width = np.asarray(sizes, np.int64).reshape(-1, 2).T
    grid = np.stack((_rounded(height, HEIGHT_STEP), _rounded(width, WIDTH_STEP)), axis=1)
    shapes, counts = np.unique(grid, axis=0, return_counts=True)
    cost = np.full((len(shapes), len(shapes)), np.inf)  # of merging two; infinite for what is gone

    def weigh(one: int, others: NDArray[np.int64]) -> None:
        joined = np.maximum(shapes[one], shapes[others]).prod(1)
        added = counts[one] * (joined - shapes[one].prod())
        added += counts[others] * (joined - shapes[others].prod(1))
        cost[one, others] = cost[others, one] = added
        cost[one, one] = np.inf

    left = np.arange(len(shapes))
    for place in range(len(shapes)):
        weigh(place, left)
    while len(left) > limit:
        one, other = divmod(int(cost.argmin()), len(shapes))
        shapes[one] = np.maximum(shapes[one], shapes[other])
        counts[one] += counts[other]
        cost[other], cost[:, other] = np.inf, np.inf
        left = left[left != other]
        weigh(one, left)
    buckets = {Bucket(*shape) for shape in shapes[left].tolist()}
    return sorted(buckets, key=lambda bucket: (bucket.area, bucket))


def choose_random_buckets(sizes: NDArray[np.int64], batch_size: int, limit: int) -> list[Bucket]:
    """At most so many shapes for batches of any of these sizes; the largest holds all of them."""
    rng = np.random.default_rng(0)
    parts = _cut(rng.permutation(np.tile(np.arange(len(sizes)), 8)), batch_size)
    drawn = [sizes[part].max(0) for part in parts]
    return choose_buckets(np.array([*drawn, sizes.max(0)]), limit)


def assign_buckets(sizes: Sizes, buckets: Sequence[Bucket]) -> NDArray[np.int64]:
    """For each size the smallest bucket that holds it."""
    fits = np.asarray(sizes)[:, None] <= np.array(buckets)
    holds: NDArray[np.bool_] = np.all(fits, axis=2)
    assert np.any(holds, axis=1).all(), "the buckets are chosen so that they hold every size"
    bucket_of: NDArray[np.int64] = holds.argmax(
        1
    )  # the first: buckets come in the order of their area
    return bucket_of


def margins_to_trim(
    picture: NDArray[np.uint8], buckets: Sequence[Bucket]
) -> tuple[int, int, int, int]:
    """Blank rows and columns to cut off, left, top, right, bottom: those that keep it from the
    smallest bucket there is for it."""
    height, width = picture.shape
    spare = Bucket(max(height - MAX_TRIM, 1), max(width - MAX_TRIM, 1))
    bucket = min((b for b in buckets if b.holds(spare)), default=None, key=lambda b: b.area)
    if bucket is None:
        return 0, 0, 0, 0
    down, across = max(height - bucket.height, 0), max(width - bucket.width, 0)
    left, top, right, bottom = across // 2, down // 2, across - across // 2, down - down // 2
    edges = (
        picture[:top],
        picture[height - bottom :],
        picture[:, :left],
        picture[:, width - right :],
    )
    return (0, 0, 0, 0) if any(edge.any() for edge in edges) else (left, top, right, bottom)


def images_in(bucket: Bucket, batch_size: int) -> int:
    """How many images of a shape make a batch."""
    return min(batch_size, max(4, MAX_BATCH_PIXELS // bucket.area // 4 * 4))


def plan_epoch(
    bucket_of: NDArray[np.int64],
    depths: NDArray[np.int64],
    buckets: Sequence[Bucket],
    batch_size: int,
    rng: np.random.Generator,
    sort_window: int = 8,
) -> list[PlannedBatch]:
    """An epoch's batches, in random order; every sample is in exactly one."""
    plan: list[PlannedBatch] = []
    moves = _leftovers(np.bincount(bucket_of, minlength=len(buckets)), buckets, batch_size)
    bucket_of = bucket_of.copy()
    for index, bucket in enumerate(buckets):
        samples = rng.permutation(np.flatnonzero(bucket_of == index))
        many = images_in(bucket, batch_size)
        if index in moves:
            leftover = len(samples) % many
            bucket_of[samples[:leftover]] = moves[index]
            samples = samples[leftover:]
        for start in range(0, len(samples), sort_window * many):
            chosen = samples[start : start + sort_window * many]
            if sort_window > 1:
                chosen = chosen[np.argsort(depths[chosen], kind="stable")]
            for first in range(0, len(chosen), many):
                plan.append(PlannedBatch(bucket, chosen[first : first + many]))
    return [plan[index] for index in rng.permutation(len(plan))]


def plan_random_epoch(
    sizes: NDArray[np.int64],
    buckets: Sequence[Bucket],
    batch_size: int,
    rng: np.random.Generator,
) -> list[PlannedBatch]:
    """An epoch's batches of any samples, each in the smallest bucket that holds all of its own."""
    parts = _cut(rng.permutation(len(sizes)), batch_size)
    bucket_of = assign_buckets(np.array([sizes[part].max(0) for part in parts]), buckets)
    return [
        PlannedBatch(bucket, fitting)
        for bucket, part in zip((buckets[at] for at in bucket_of), parts, strict=True)
        for fitting in _cut(part, images_in(bucket, batch_size))
    ]


def _cut(samples: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    return [samples[start : start + size] for start in range(0, len(samples), size)]


def count_batches(bucket_of: NDArray[np.int64], buckets: Sequence[Bucket], batch_size: int) -> int:
    """How many batches `plan_epoch` plans."""
    counts = np.bincount(bucket_of, minlength=len(buckets))
    many = [images_in(bucket, batch_size) for bucket in buckets]
    for index, to in _leftovers(counts, buckets, batch_size).items():
        leftover = counts[index] % many[index]
        counts[index] -= leftover
        counts[to] += leftover
    return int(np.ceil(counts / many).sum())


def _leftovers(
    counts: NDArray[np.int64], buckets: Sequence[Bucket], batch_size: int
) -> dict[int, int]:
    """Buckets that have no last batch of their own, and the larger one that its images go to.

    From the smallest on, wherever fewer pixels go through the network so.
    """
    counts, moves = counts.copy(), {}
    many = [images_in(bucket, batch_size) for bucket in buckets]

    def pixels(index: int, more: int) -> int:
        return -(-int(counts[index] + more) // many[index]) * many[index] * buckets[index].area

    for index, bucket in enumerate(buckets):
        leftover = int(counts[index] % many[index])
        if not leftover:
            continue
        larger = [at for at in range(index + 1, len(buckets)) if buckets[at].holds(bucket)]
        added = {at: pixels(at, leftover) - pixels(at, 0) for at in larger}
        to = min(added, default=index, key=lambda at: added[at])
        if to != index and added[to] < many[index] * bucket.area:
            counts[index] -= leftover
            counts[to] += leftover
            moves[index] = to
    return moves


def largest_first(plan: Sequence[PlannedBatch]) -> list[PlannedBatch]:
    """Two batches of each bucket, from the largest on, then the others as they come.

    A bucket is captured when it comes for the second time. What is captured after the largest finds
    its memory there; the other way round each would take more.
    """
    times: dict[Bucket, int] = {}
    first: list[PlannedBatch] = []
    rest: list[PlannedBatch] = []
    for batch in plan:
        times[batch.bucket] = times.get(batch.bucket, 0) + 1
        (first if times[batch.bucket] <= 2 else rest).append(batch)
    return [*sorted(first, key=lambda batch: batch.bucket.area, reverse=True), *rest]


def depth_limits(values: NDArray[np.int64], limit: int) -> list[int]:
    """At most so many limits, geometric, that hold all values: 5, 8, 11, ..."""
    top = int(values.max())
    low = 5
    steps = np.geomspace(low, top, limit) if top > low and limit > 1 else np.array([top])
    return sorted({int(np.ceil(step - 1e-9)) for step in steps})


def round_up(value: int, limits: Sequence[int]) -> int:
    return next(limit for limit in limits if value <= limit)
