"""What was found on photographs -> a row of symbols for each, as ink that a bank takes in.

Design choices
- Sizes are fitted over all photographs at once, as over a corpus of ink: a symbol's chain has an em
  and an axis (`san.synth.layout.measure`), and what is far from usual for its name is left out,
  for then
  it is not what it should be, or not all of it.
- Every symbol is brought to one em and put on one axis: a row has no scripts, so that where a
  symbol stood on its photograph matters to nobody after this.
- Rows are samples with a segmentation: a pack holds them, and no format is new.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from san.data.sample import Sample
from san.grammar import parse
from san.ink.strokes import Glyph, Points, box_of
from san.synth.extraction.glyphs import Gathered
from san.synth.extraction.odd import misshapen
from san.synth.glyphs.photo_glyphs import row_of
from san.synth.layout.measure import Chains, link_chains, measure

FEWEST = 3
"""Symbols of a photograph: fewer show no hand."""


def rows(ids: Sequence[str], found: Sequence[Gathered]) -> Iterator[Sample]:
    """The rows, less what is strange; photographs of which hardly anything is left have none."""
    number, chain, parent, relation = link_chains(own.tree for own in found)
    strokes = [glyph for own in found for glyph in own.strokes]
    have = np.array([bool(glyph) for glyph in strokes], np.bool_)
    if not have.any():
        return
    boxes = np.array([box_of(glyph) for glyph in strokes if glyph], np.float64)
    # What nothing was found of has no size to be fitted.
    sizes = measure(Chains(number[have], chain[have], boxes, parent, relation))
    em, axis = np.ones(len(have)), np.zeros(len(have))
    em[have], axis[have] = sizes.em[chain[have]], sizes.axis
    names = np.array([name for own in found for name in own.tree.names])[have]
    have[have] = ~(sizes.outlier | misshapen(names, boxes, em[have]))
    first = 0
    for name, own in zip(ids, found, strict=True):
        places = np.flatnonzero(have[first : first + len(own.tree)]).tolist()
        if len(places) >= FEWEST:
            scaled = [
                [
                    ((stroke - (0, axis[first + place])) / em[first + place]).astype(np.float32)
                    for stroke in own.strokes[place]
                ]
                for place in places
            ]
            yield _sample(name, [own.tree.names[place] for place in places], scaled)
        first += len(own.tree)


def _sample(name: str, names: list[str], strokes: list[list[Points]]) -> Sample:
    ink, counts = row_of(names, strokes)
    glyphs, first = [], 0
    for label, count in counts:
        own = tuple(range(first, first + count))
        glyphs.append(Glyph(label, own, box_of(ink.strokes[stroke] for stroke in own)))
        first += count
    tree = parse(" ".join(r"\frac{}{}" if own == r"\frac" else own for own in names))
    return Sample(name, tree, ink, tuple(glyphs))
