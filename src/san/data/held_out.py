"""A part of a corpus that is kept for validation: chosen by the samples' ids alone.

So it stays the same when a corpus grows, whatever the order of its files.
"""

import hashlib
from collections.abc import Iterable, Iterator

from san.data.sample import Sample

HASH_BYTES = 8


def is_held_out(sample_id: str, share: float, seed: int = 0) -> bool:
    """Whether a sample is among the `share` that a seed holds out."""
    digest = hashlib.sha256(f"{seed} {sample_id}".encode()).digest()[:HASH_BYTES]
    return int.from_bytes(digest) < share * (1 << 8 * HASH_BYTES)


def without_held_out(
    samples: Iterable[Sample], share: float, seed: int, held_out: list[Sample]
) -> Iterator[Sample]:
    """The samples that are left; the others are appended to `held_out`."""
    for sample in samples:
        if is_held_out(sample.id, share, seed):
            held_out.append(sample)
        else:
            yield sample
