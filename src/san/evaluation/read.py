"""A corpus of pictures -> what is read in each.

Pictures are given to the network as they are, 0 to 255 as 0 to 1: ink is white on black.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding import Reading
from san.evaluation.batches import Named, Pixels, batches

Decoder = Callable[[Sequence[NDArray[np.generic]]], list[Reading]]


class Read(NamedTuple):
    """A picture that the network has seen. No reading: it does not fit into memory."""

    id: str
    pixels: Pixels
    reading: Reading | None


def read_all(decoder: Decoder, pictures: Iterable[Named], batch: int = 32) -> Iterator[Read]:
    """Reads every picture, in an order that suits the network."""
    for some in batches(pictures, batch):
        for named, reading in zip(some, _read(decoder, some), strict=True):
            yield Read(*named, reading)


def _read(decoder: Decoder, some: Sequence[Named]) -> Sequence[Reading | None]:
    """The readings of one batch; where memory ends, in smaller parts, down to single pictures."""
    try:
        return decoder([named.pixels.astype(np.float32) / 255 for named in some])
    except (MemoryError, RuntimeError) as error:  # torch's word for it is a RuntimeError
        if not isinstance(error, MemoryError) and "memory" not in str(error):
            raise
    if len(some) == 1:
        return [None]
    half = len(some) // 2
    return [*_read(decoder, some[:half]), *_read(decoder, some[half:])]
