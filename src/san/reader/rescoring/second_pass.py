"""The second pass: a picture that was read unsurely is read again by beam search, and rescored.

Design choices
- Only where the first reading is unsure. Where it is not, a second one hardly ever differs; but
  where a sum does not come out that is doubt enough.
- At another scale the network makes other errors, so a smaller copy of the picture is read as well.
  Of a photograph it is cleaned again, with thinner strokes: cleaning makes errors, too, and there
  others (experiments/rescoring.md). What was brought to size is seen as it was found instead.
- A tree gets the mean of the probabilities that the passes give it: a vote, in which who is surer
  counts more.
- Each pass keeps several readings, as long as they have some part of the best one's probability.
  All of them are rescored together (`Rescorer`), and the score is the confidence.
- A smaller copy is an image like any other with a scale of its own, so boxes find their way back.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from san.decoding import Reading
from san.decoding.beam import decode_beam_memory
from san.decoding.engine import DecodingLimits, Engine, Floats, Memory
from san.grammar import Expression
from san.images import bitmap
from san.images.clean.pipeline import NoInk
from san.reader.cancellable import KeepFirstReading
from san.reader.known import holding_known
from san.reader.prepared import PreparedImage, shrunk_to_limit
from san.reader.rescoring.rescorer import Rescorer
from san.reader.rescoring.stroke_network import StrokeNetwork
from san.reader.rescoring.stroke_terms import stroke_terms
from san.reader.rescoring.sums import check_sums

SCALES = (0.85,)
"""Of the copies that are read beside the picture itself."""
MIN_UNSURE, MAX_UNSURE = 1e-3, 0.95
"""Probabilities between which a first reading gets a second pass. What is less probable is hardly
ever mended, and that takes long: it is no formula, or a page of them."""
MAX_OPINION_PIXELS = 1 << 18
"""Of a picture that another network is shown: memory and time of large ones go to the first."""
INK_THRESHOLD = 110
"""Grey from which on a pixel between ink and paper is ink: strokes keep their width."""


class Beam(NamedTuple):
    """How many readings a pass keeps, and which part of the best one's probability they have."""

    width: int
    min_relative_probability: float


USUAL_BEAM = Beam(5, 0.02)


class Candidate(NamedTuple):
    """A reading, the image that it was read from, and how likely it is to be right."""

    prepared: PreparedImage
    reading: Reading
    confidence: float
    whatever_sums: Expression | None = None  # what would be taken instead if no sum were checked


Pass = tuple[PreparedImage, Sequence[Reading]]
"""An image at one scale, and its readings."""


def network_input(prepared: PreparedImage) -> Floats:
    return prepared.picture.astype(np.float32) / np.float32(255)


def resized(prepared: PreparedImage, factor: float) -> PreparedImage:
    """The same image, as a smaller or larger picture."""
    picture = bitmap.resized(prepared.picture, factor)
    two_valued = np.where(picture > INK_THRESHOLD, 255, 0).astype(np.uint8)
    return shrunk_to_limit(replace(prepared, picture=two_valued, scale=prepared.scale * factor))


def is_unsure(first: Reading) -> bool:
    """Whether a first reading gets a second pass."""
    if first.probability >= MAX_UNSURE:
        return check_sums(first.expression).wrong > 0
    return first.probability >= MIN_UNSURE


def second_pass(
    engine: Engine,
    prepared: PreparedImage,
    memory: Memory,
    limits: DecodingLimits,
    beam: Beam | None = None,
) -> Iterator[Pass]:
    """Beam search on an image whose encoding is at hand, and on its copies at other scales."""
    yield one_pass(engine, prepared, limits, beam, memory)
    for factor in SCALES:
        other = prepared.at_own_size or resized(_cleaned_again(prepared), factor)
        yield one_pass(engine, other, limits, beam)


def one_pass(
    engine: Engine,
    prepared: PreparedImage,
    limits: DecodingLimits,
    beam: Beam | None = None,
    memory: Memory | None = None,
) -> Pass:
    """Beam search on an image; its encoding is at hand, or made."""
    if memory is None:
        memory = engine.encode([network_input(prepared)])
    # What is read may be kept for long, without its image.
    plain = replace(prepared, thinner=None, at_own_size=None)
    engine = holding_known(engine, [prepared])
    return plain, _beam_search(engine, memory, limits, beam or USUAL_BEAM)


def all_passes(
    engine: Engine,
    prepared: PreparedImage,
    memory: Memory,
    limits: DecodingLimits,
    other: Callable[[], Engine] | None,
) -> list[Pass]:
    """The second pass and, where there is another network, its opinion."""
    passes = [*second_pass(engine, prepared, memory, limits)]
    small = prepared.picture.size <= MAX_OPINION_PIXELS
    if other is not None and small:
        with suppress(KeepFirstReading, MemoryError):  # two passes have to do
            passes.append(one_pass(other(), prepared, limits))
    return passes


def _cleaned_again(prepared: PreparedImage) -> PreparedImage:
    """A photograph with thinner strokes; all else as it is."""
    with suppress(NoInk):
        if prepared.thinner:
            return replace(prepared.thinner(), apart=prepared.apart)
    return prepared


def _beam_search(
    engine: Engine, memory: Memory, limits: DecodingLimits, beam: Beam
) -> list[Reading]:
    part = beam.min_relative_probability
    (readings,) = decode_beam_memory(
        engine, memory, beam.width, limits, min_relative_probability=part
    )
    return readings


def merged(passes: Sequence[Pass]) -> list[Candidate]:
    """Different trees, the most probable first; each from the pass that is surest of it."""
    probability: dict[Expression, float] = {}
    best: dict[Expression, tuple[PreparedImage, Reading]] = {}
    for prepared, readings in passes:
        for reading in readings:
            tree = reading.expression
            share = reading.probability / len(passes)
            probability[tree] = probability.get(tree, 0.0) + share
            if tree not in best or reading.probability > best[tree][1].probability:
                best[tree] = prepared, reading
    return _ranked([Candidate(*best[tree], mean) for tree, mean in probability.items()])


def rescored(
    passes: Sequence[Pass], rescorer: Rescorer, strokes: StrokeNetwork | None = None
) -> list[Candidate]:
    """The same trees with their confidence, those first that are most likely to be right.
    `strokes` is asked where they are of ink."""
    candidates = merged(passes)
    trees = [candidate.reading.expression for candidate in candidates]
    probabilities = [candidate.confidence for candidate in candidates]
    terms = stroke_terms([one[:2] for one in candidates], strokes) if strokes else None
    confidences, unchecked = rescorer.with_and_without_sums(trees, probabilities, terms)
    both = zip(candidates, confidences, strict=True)
    best, *others = _ranked([candidate._replace(confidence=score) for candidate, score in both])
    instead = trees[int(np.argmax(unchecked))]
    if instead != best.reading.expression:
        best = best._replace(whatever_sums=instead)
    return [best, *others]


def with_first_readings(
    candidates: Sequence[Candidate], prepared: PreparedImage, first: Sequence[Reading]
) -> list[Candidate]:
    """Behind what was rescored the first pass's other readings; they share the chance that is left.

    So the best reading does not depend on how many are asked for.
    """
    every = list(candidates)
    known = {candidate.reading.expression for candidate in candidates}
    left = max(1 - sum(candidate.confidence for candidate in candidates), 0.0)
    for reading in first:
        if reading.expression not in known:
            confidence = min(left * reading.probability, every[-1].confidence)
            every.append(Candidate(prepared, reading, confidence))
    return every


def _ranked(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: -candidate.confidence)
