"""Samples in a form to train on: what is trimmed stays where it is drawn."""

import numpy as np

from san.training.batching import Bucket
from san.training.chunks import (
    TOO_DEEP,
    TOO_LARGE,
    UNKNOWN_SYMBOL,
    Capacity,
    ChunkRequest,
    make_chunk,
)
from tests.training.makers import VOCABULARY, Alphabet


def test_boxes_go_along_with_what_is_trimmed() -> None:
    plenty = Capacity((Bucket(64, 160),), 4, 4)
    tight = Capacity((Bucket(40, 32), Bucket(40, 64), Bucket(48, 160)), 4, 4)
    wide, close = (
        make_chunk(Alphabet(), VOCABULARY, ChunkRequest(3, 0, 0, 40, 0.0, room))
        for room in (plenty, tight)
    )
    lost = wide.sample_sizes.sizes - close.sample_sizes.sizes
    assert lost.min() >= 0
    assert (lost > 0).any(axis=1).sum() > 10
    assert lost.max() <= 12
    starts = np.cumsum(close.sample_sizes.sizes[:, 0] * -(-close.sample_sizes.sizes[:, 1] // 8))
    rows = np.split(close.bits, starts[:-1])
    ends = np.cumsum(close.sample_sizes.steps)
    trees = np.split(close.columns.box, ends[:-1])
    for bits, (height, width), boxes in zip(rows, close.sample_sizes.sizes, trees, strict=True):
        drawn = np.unpackbits(bits.reshape(height, -1), axis=1, count=width)
        covered = np.zeros_like(drawn)
        for left, top, right, bottom in boxes[:-1].tolist():
            assert drawn[top:bottom, left:right].any()
            covered[top - 1 : bottom + 1, left - 1 : right + 1] = 1
        assert not drawn[covered == 0].any()  # all ink is in the boxes, so they are where it is


def test_why_samples_are_made_again_is_counted() -> None:
    small = Capacity((Bucket(40, 64),), 3, 4)
    chunk = make_chunk(Alphabet(longest=9), VOCABULARY, ChunkRequest(3, 0, 0, 20, 0.0, small))
    assert chunk.remade[TOO_DEEP] > 0
    narrow = Capacity((Bucket(48, 48),), 40, 40)
    chunk = make_chunk(Alphabet(longest=9), VOCABULARY, ChunkRequest(3, 0, 0, 20, 0.0, narrow))
    assert chunk.remade[TOO_LARGE] > 0
    odd = Alphabet(trouble="unknown")
    chunk = make_chunk(odd, VOCABULARY, ChunkRequest(3, 0, 0, 20, 0.0, narrow))
    assert chunk.remade[UNKNOWN_SYMBOL] > 0
    assert not chunk.reason
