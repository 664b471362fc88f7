"""What the way of the pen says of readings of ink: three numbers each, which rescoring weighs.

Design choices
- Attention says whose a stroke may be, and the network of strokes what it may be. A stroke is of a
  symbol with the part that this has of all attention to the stroke; so how probable a reading makes
  the stroke is a mean over its symbols, and nothing is decided where two of them share it.
- A reading is as good as its worst stroke: what one of them cannot be, others do not make up for
  (experiments/rescoring.md).
- A stroke that nobody looks at is unread, and a symbol that no stroke is likely to belong to was
  made up.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from san.decoding import Reading
from san.decoding.confidence import fingerprint
from san.decoding.engine import Floats
from san.model.spec import STRIDE
from san.models import STROKES, check_shipped
from san.reader.pieces import MIN_ATTENTION, PieceAttention, evened, strokes_of
from san.reader.prepared import PreparedImage
from san.reader.rescoring.rescorer import Rescorer
from san.reader.rescoring.stroke_likelihood import stroke_likelihood
from san.reader.rescoring.stroke_network import StrokeNetwork, stroke_network
from san.reader.symbols import inked_symbols, symbols_of

MIN_STROKE, MIN_CLAIM = -7.0, -5.0
"""Logarithms: no stroke counts for less likely, and no symbol for more surely made up."""


def strokes_for(rescoring: Path, rescorer: Rescorer) -> StrokeNetwork | None:
    """The network of strokes that this file of rescoring was fitted with, beside it or of san.

    An installation may do without, and reads ink as pictures then. A damaged file is a SanError.
    """
    if rescorer.ink_weights is None:
        return None
    for path in (rescoring.with_name(STROKES.name), STROKES):
        if path.is_file() and fingerprint(path) == rescorer.strokes:
            return stroke_network(path)
    if STROKES.is_file():
        check_shipped(STROKES)
    return None


def stroke_terms(
    readings: Sequence[tuple[PreparedImage, Reading]], network: StrokeNetwork
) -> NDArray[np.float64] | None:
    """A row a reading of one piece of ink: the logarithm of the probability of its worst stroke,
    how many strokes it leaves, and how surely its symbols have strokes (a sum of logarithms). None
    where too little is known of the ink or of a reading."""
    likelihood = stroke_likelihood(readings[0][0], network)
    if likelihood is None:
        return None
    of_picture: dict[int, PieceAttention] = {}
    rows = []
    for prepared, reading in readings:
        names, steps = symbols_of(reading)
        if any(not step.attention.size for step in steps):
            return None
        symbols = inked_symbols(names, steps, prepared)
        key = id(prepared.picture)
        if key not in of_picture:
            pieces, shape = strokes_of(prepared), symbols.attention.shape
            of_picture[key] = PieceAttention(pieces, (shape[1], shape[2]), STRIDE)
        likely = likelihood.of(symbols.names)
        rows.append(_terms(symbols.attention, of_picture[key], likely))
    return np.array(rows)


def _terms(
    attention: Floats, pieces: PieceAttention, likely: NDArray[np.float64]
) -> tuple[float, float, float]:
    if not len(likely):
        return 0.0, float(likely.shape[1]), 0.0
    given = pieces.of(evened(attention))  # symbols x strokes
    unread = given.max(axis=0) < MIN_ATTENTION
    together = given / np.maximum(given.sum(axis=0), np.finfo(float).tiny)
    together *= likely
    explained = together.sum(axis=0)
    worst = np.log(np.maximum(explained, np.exp(MIN_STROKE)))[~unread].min(initial=0.0)
    share = np.where(unread, 0.0, together / np.maximum(explained, np.finfo(float).tiny))
    claims = np.log(np.maximum(share.max(axis=1), np.exp(MIN_CLAIM)))
    return float(worst), float(unread.sum()), float(claims.sum())
