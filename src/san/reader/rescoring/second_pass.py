"""Second thoughts: what was read unsurely is read again, and judged by whether it makes sense.

Design choices
- Only where the first look is unsure. Where it is not, others hardly ever change its mind.
- At another size the network makes other errors: a second look sees a smaller picture. A tree has
  the mean of the probabilities that all looks give it: a vote, in which who is surer counts more.
- Each look follows several readings, as long as they have some part of the best one's probability.
  What they find is judged together (`sense`), and the judgement is the confidence.
- A look is a page like any other with a scale of its own, so boxes find their way back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from san.decoding import Reading
from san.decoding.beam import decode_beam_memory
from san.decoding.engine import DecodingLimits, Engine, Floats, Memory
from san.grammar import Expression
from san.reader.prepared import PreparedImage, small_enough
from san.reader.rescoring.rescorer import Sense

SIZES = (0.85,)
"""Of the pictures that are looked at beside the first."""
HOPELESS, SURE = 1e-3, 0.8
"""Probabilities between which a first reading is looked at again. What is less probable is hardly
ever mended, and that takes long: it is no formula, or a page of them."""
WIDTH, LEAST = 5, 0.02
"""Readings that a look follows, and which part of the best one's probability they have at least."""
INK = 110
"""Grey from which on a pixel between ink and paper is ink: strokes keep their width."""


class Read(NamedTuple):
    """One reading, the page that it was read from, and how likely it is to be right."""

    page: PreparedImage
    reading: Reading
    confidence: float


Look = tuple[PreparedImage, Sequence[Reading]]


def pixels(page: PreparedImage) -> Floats:
    """What the network is given."""
    return page.picture.astype(np.float32) / np.float32(255)


def resized(page: PreparedImage, factor: float) -> PreparedImage:
    """The same page, as a smaller or larger picture."""
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    height, width = page.picture.shape
    size = (max(round(width * factor), 1), max(round(height * factor), 1))
    picture = cv2.resize(page.picture, size, interpolation=how)
    two_valued = np.where(picture > INK, 255, 0).astype(np.uint8)
    return small_enough(replace(page, picture=two_valued, scale=page.scale * factor))


def is_unsure(first: Reading) -> bool:
    """Whether a first reading asks for second thoughts."""
    return HOPELESS <= first.probability < SURE


def looks(
    engine: Engine, page: PreparedImage, memory: Memory, limits: DecodingLimits
) -> Iterator[Look]:
    """Closer looks at a page, of which the encoded picture is at hand."""
    yield page, decode_beam_memory(engine, memory, WIDTH, limits, least=LEAST)[0]
    for factor in SIZES:
        other = resized(page, factor)
        memory = engine.encode([pixels(other)])
        yield other, decode_beam_memory(engine, memory, WIDTH, limits, least=LEAST)[0]


def agreed(found: Sequence[Look]) -> list[Read]:
    """Different trees, the most probable first; each as the look read it that is surest of it."""
    said: dict[Expression, float] = {}
    best: dict[Expression, tuple[PreparedImage, Reading]] = {}
    for page, readings in found:
        for reading in readings:
            tree, own = reading.expression, reading.probability
            said[tree] = said.get(tree, 0.0) + own / len(found)
            if tree not in best or own > best[tree][1].probability:
                best[tree] = page, reading
    every = [Read(*best[tree], confidence) for tree, confidence in said.items()]
    return sorted(every, key=lambda one: -one.confidence)


def judged(found: Sequence[Look], sense: Sense) -> list[Read]:
    """The same trees, those first that are most likely to be right."""
    every = agreed(found)
    trees = [one.reading.expression for one in every]
    confidence = sense.judge(trees, [one.confidence for one in every])
    both = zip(every, confidence, strict=True)
    return sorted((one._replace(confidence=own) for one, own in both), key=lambda r: -r.confidence)


def filled_up(found: Sequence[Read], page: PreparedImage, first: Sequence[Reading]) -> list[Read]:
    """Behind what was judged what else a first look found; it has part of the chance that is left.

    So how many readings are asked for has no say in which is the best.
    """
    every = list(found)
    known = {one.reading.expression for one in found}
    left = max(1 - sum(one.confidence for one in found), 0.0)
    for reading in first:
        if reading.expression not in known:
            own = min(left * reading.probability, every[-1].confidence)
            every.append(Read(page, reading, own))
    return every
