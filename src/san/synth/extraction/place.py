"""Which pieces of ink are which symbol, from where the network looked.

Design choices
- A piece is a connected part of the picture. A symbol's claim on it is the part of its attention
  that lies there. Attention is coarse and spills over to neighbours, so claims compete for some
  rounds: what others claim more is given up, and the symbol's own pieces gain.
- Two symbols written in one go are one piece. The one that gets none shows that: the piece that it
  looked at most is nobody's then.
- Splitting such a piece would be guessing where one symbol ends: there are enough that stand alone.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.images.clean.components import Components, Labels

ROUNDS = 6
CLEAR = 0.35
"""Of all claims on a piece: less, before they compete, is too little."""
SETTLED = 0.9
"""The same afterwards."""
LEAST = 0.02
"""Of a symbol's attention: a piece that nobody gave as much to belongs to nobody."""
FOCUSED = 0.4
"""Of a symbol's attention on ink: so much lies on its own pieces at least."""


class Found(NamedTuple):
    """The pieces of one symbol, and whether they are surely its own and all of it."""

    pieces: tuple[int, ...]
    sure: bool


def found(pieces: Components, attention: Floats, cell: int) -> list[Found]:
    """For each symbol (symbols x rows x columns of attention) its pieces, counted from 0."""
    count = len(pieces.stats)
    if not count or not len(attention):
        return [Found((), False)] * len(attention)
    claims = np.stack([_claims(pieces.labels, own, cell, count) for own in attention])
    share = claims / np.maximum(claims.sum(axis=0), 1e-9)
    settled = claims
    for _ in range(ROUNDS):
        part = settled / np.maximum(settled.sum(axis=0), 1e-9)
        settled = settled * part
        settled /= np.maximum(settled.sum(axis=1, keepdims=True), 1e-9)
    part = settled / np.maximum(settled.sum(axis=0), 1e-9)
    owner = np.where(claims.max(axis=0) >= LEAST, part.argmax(axis=0), -1)
    clear = (share[owner, range(count)] > CLEAR) & (part[owner, range(count)] > SETTLED)
    # Who has nothing looked at something that is another's, too.
    for symbol in set(range(len(attention))) - set(owner.tolist()):
        clear[claims[symbol].argmax()] = False
    result = []
    for symbol in range(len(attention)):
        own = np.flatnonzero(owner == symbol)
        focused = claims[symbol, own].sum() > FOCUSED * claims[symbol].sum()
        result.append(Found(tuple(own.tolist()), bool(len(own) and clear[own].all() and focused)))
    return result


def _claims(labels: Labels, attention: Floats, cell: int, count: int) -> NDArray[np.float64]:
    """How much of a symbol's attention on ink lies on each piece."""
    rows, columns = (side * cell for side in attention.shape)
    smooth = cv2.resize(attention, (columns, rows), interpolation=cv2.INTER_LINEAR)
    height, width = labels.shape
    inside = labels > 0
    gaze = np.maximum(smooth[:height, :width][inside], 0)
    claims = np.bincount(labels[inside], gaze, count + 1)[1:]
    return np.asarray(claims / max(claims.sum(), 1e-9))
