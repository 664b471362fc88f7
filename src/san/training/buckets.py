"""Which images go together: a few fixed shapes, and an epoch's batches.

- Convolutions are planned anew for every shape, so there are few: a grid of heights and widths,
  then the least used shapes are merged into the next that holds them.
- Every batch of a shape has the same number of images; the last one is filled up with blanks that
  weigh nothing, so each sample is seen exactly once an epoch.
- A picture that is a few pixels too large for a shape loses them from its blank margins: a tenth
  fewer pixels go through the network.
- Of very large shapes fewer make a batch: they are rare, blanks of that size are dear, and what the
  largest batch needs is kept on the device for good.
- Within a bucket, trees of about one depth go together (among `window` batches' worth at a time):
  a batch takes as many levels as its deepest tree. A window of 1 leaves them as chance has it:
  slower, but copies of one formula, alike in size and depth, seldom meet in a batch.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HEIGHTS = (64, 80, 96, 128, 160, 208, 288, 400)
WIDTHS = (96, 160, 224, 304, 400, 528, 704, 1008, 1504)
PIXELS = 12_000_000
"""Of a batch at most: 64 images of 128 x 1,464."""

SPARE = 12
"""Rows or columns of a picture's margins that it can do without, on both sides together."""

Sizes = Sequence[tuple[int, int]] | NDArray[np.int64]  # height and width


class Bucket(NamedTuple):
    height: int
    width: int

    def holds(self, other: "Bucket") -> bool:
        return other.height <= self.height and other.width <= self.width

    @property
    def area(self) -> int:
        return self.height * self.width


class Planned(NamedTuple):
    """One batch: a bucket and the samples in it."""

    bucket: Bucket
    places: NDArray[np.int64]


def _rounded(size: int, steps: Sequence[int]) -> int:
    for step in steps:
        if size <= step:
            return step
    return -(-size // 256) * 256


def choose_buckets(sizes: Sizes, most: int) -> list[Bucket]:
    """At most so many shapes that hold all sizes (height, width), with little to spare."""
    counts: dict[Bucket, int] = {}
    for height, width in np.asarray(sizes).tolist():
        bucket = Bucket(_rounded(height, HEIGHTS), _rounded(width, WIDTHS))
        counts[bucket] = counts.get(bucket, 0) + 1
    while len(counts) > most:
        # The cheapest merge: the fewest pixels added, over all images that move.
        best: tuple[float, Bucket, Bucket] | None = None
        for small, count in counts.items():
            for other, more in counts.items():
                if other is small:
                    continue
                joined = Bucket(max(small.height, other.height), max(small.width, other.width))
                cost = count * (joined.area - small.area) + more * (joined.area - other.area)
                if best is None or cost < best[0]:
                    best = (cost, small, other)
        assert best is not None
        _, small, other = best
        joined = Bucket(max(small.height, other.height), max(small.width, other.width))
        moved = counts.pop(small) + counts.pop(other)
        counts[joined] = counts.get(joined, 0) + moved
    return sorted(counts, key=lambda bucket: (bucket.area, bucket))


def place_in(sizes: Sizes, buckets: Sequence[Bucket]) -> NDArray[np.int64]:
    """For each size the smallest bucket that holds it."""
    fits = np.asarray(sizes)[:, None] <= np.array(buckets)
    held: NDArray[np.bool_] = np.all(fits, axis=2)
    assert np.any(held, axis=1).all(), "the buckets are chosen so that they hold every size"
    homes: NDArray[np.int64] = held.argmax(1)  # the first: buckets come in the order of their area
    return homes


def to_trim(picture: NDArray[np.uint8], buckets: Sequence[Bucket]) -> tuple[int, int, int, int]:
    """Blank rows and columns to cut off, left, top, right, bottom: those that keep it from the
    smallest bucket there is for it."""
    height, width = picture.shape
    spare = Bucket(max(height - SPARE, 1), max(width - SPARE, 1))
    bucket = min((own for own in buckets if own.holds(spare)), default=None, key=lambda b: b.area)
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


def images_in(bucket: Bucket, batch: int) -> int:
    """How many images of a shape make a batch."""
    return min(batch, max(4, PIXELS // bucket.area // 4 * 4))


def plan_epoch(
    homes: NDArray[np.int64],
    depths: NDArray[np.int64],
    buckets: Sequence[Bucket],
    batch: int,
    rng: np.random.Generator,
    window: int = 8,
) -> list[Planned]:
    """An epoch's batches, in random order; every sample is in exactly one."""
    plan: list[Planned] = []
    for index, bucket in enumerate(buckets):
        places = rng.permutation(np.flatnonzero(homes == index))
        many = images_in(bucket, batch)
        for start in range(0, len(places), window * many):
            near = places[start : start + window * many]
            if window > 1:
                near = near[np.argsort(depths[near], kind="stable")]
            for first in range(0, len(near), many):
                plan.append(Planned(bucket, near[first : first + many]))
    return [plan[index] for index in rng.permutation(len(plan))]


def largest_first(plan: Sequence[Planned]) -> list[Planned]:
    """Two batches of each bucket, from the largest on, then the others as they come.

    A bucket is captured when it comes for the second time. What is captured after the largest finds
    its memory there; the other way round each would take more.
    """
    times: dict[Bucket, int] = {}
    first: list[Planned] = []
    rest: list[Planned] = []
    for one in plan:
        times[one.bucket] = times.get(one.bucket, 0) + 1
        (first if times[one.bucket] <= 2 else rest).append(one)
    return [*sorted(first, key=lambda one: one.bucket.area, reverse=True), *rest]


def classes(values: NDArray[np.int64], most: int) -> list[int]:
    """At most so many limits, geometric, that hold all values: 5, 8, 11, ..."""
    top = int(values.max())
    low = 5
    steps = np.geomspace(low, top, most) if top > low and most > 1 else np.array([top])
    return sorted({int(np.ceil(step - 1e-9)) for step in steps})


def round_up(value: int, limits: Sequence[int]) -> int:
    return next(limit for limit in limits if value <= limit)
