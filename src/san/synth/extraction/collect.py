"""What was extracted from all photographs -> glyph rows and masks, without outliers.

Design choices
- Sizes are fitted over all photographs at once, as over a corpus of ink: a symbol's chain has an em
  and an axis (`san.synth.layout.measure`). What is far from usual for its name is left out: it is
  not what it should be, or not all of it.
- Every symbol is brought to one em and put on one axis: a row has no scripts, so that where a
  symbol stood on its photograph matters to nobody after this.
- Rows are samples with a segmentation: a pack holds them, and no format is new.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from san.data.photo_masks import MAX_SYMBOLS, MaskLabels
from san.data.sample import Sample
from san.grammar import parse
from san.ink.strokes import Glyph, Points, box_of
from san.synth.extraction.config import ExtractionConfig
from san.synth.extraction.extract import ExtractedPhoto, has_fixed_shape
from san.synth.glyphs.photo_glyphs import row_of
from san.synth.layout.config import MeasureConfig
from san.synth.layout.measure import NORMAL_QUARTILES, Chains, Outline, link_chains, measure
from san.synth.samples import boxes_of_labels

Boxes = NDArray[np.float64]
Flags = NDArray[np.bool_]


def glyph_rows(
    ids: Sequence[str],
    photos: Sequence[ExtractedPhoto],
    config: ExtractionConfig = ExtractionConfig(),
    measuring: MeasureConfig = MeasureConfig(),
) -> Iterator[Sample]:
    """The rows, less outliers; photographs of which hardly anything is left have none."""
    number, chain, parent, relation = link_chains(photo.outline for photo in photos)
    strokes = [glyph for photo in photos for glyph in photo.strokes]
    have = np.array([bool(glyph) for glyph in strokes], np.bool_)
    if not have.any():
        return
    boxes = np.array([box_of(glyph) for glyph in strokes if glyph], np.float64)
    # What nothing was found of has no size to be fitted.
    chains = Chains(number[have], chain[have], boxes, parent, relation)
    sizes = measure(chains, measuring)
    em, axis = np.ones(len(have)), np.zeros(len(have))
    em[have], axis[have] = sizes.em[chain[have]], sizes.axis
    names = np.array([name for photo in photos for name in photo.outline.names])[have]
    odd = shape_outliers(names, boxes, em[have], config, measuring)
    have[have] = ~(sizes.outlier | odd)
    first = 0
    for photo_id, photo in zip(ids, photos, strict=True):
        places = np.flatnonzero(have[first : first + len(photo.outline)]).tolist()
        if len(places) >= config.min_symbols:
            scaled = [
                [
                    ((stroke - (0, axis[first + place])) / em[first + place]).astype(np.float32)
                    for stroke in photo.strokes[place]
                ]
                for place in places
            ]
            yield row_sample(photo_id, [photo.outline.names[place] for place in places], scaled)
        first += len(photo.outline)


def row_sample(row_id: str, names: list[str], strokes: list[list[Points]]) -> Sample:
    """A row of symbols in em about their axes, as a pack holds it."""
    ink, counts = row_of(names, strokes)
    glyphs, first = [], 0
    for label, count in counts:
        numbers = tuple(range(first, first + count))
        box = box_of(ink.strokes[stroke] for stroke in numbers)
        glyphs.append(Glyph(label, numbers, box))
        first += count
    tree = parse(" ".join(r"\frac{}{}" if name == r"\frac" else name for name in names))
    return Sample(row_id, tree, ink, tuple(glyphs))


def shape_outliers(
    names: NDArray[np.str_],
    boxes: Boxes,
    em: NDArray[np.float64],
    config: ExtractionConfig = ExtractionConfig(),
    measuring: MeasureConfig = MeasureConfig(),
) -> Flags:
    """Which symbols are far wider, narrower, taller or flatter than others of their name."""
    sides = np.log((boxes[:, 2:] - boxes[:, :2]) / em[:, None] + config.min_side)
    sides[names == r"\frac", 0] = 0  # a bar is as wide as what it parts
    odd = np.zeros(len(names), np.bool_)
    for name in np.unique(names):
        alike = names == name
        low, middle, high = np.quantile(sides[alike], (0.25, 0.5, 0.75), axis=0)
        spread = np.maximum((high - low) / NORMAL_QUARTILES, measuring.min_deviation)
        odd[alike] = (np.abs(sides[alike] - middle) > config.max_deviations * spread).any(axis=1)
    return odd


def masks_without_outliers(
    outlines: Sequence[Outline],
    masks: Sequence[MaskLabels],
    config: ExtractionConfig = ExtractionConfig(),
    measuring: MeasureConfig = MeasureConfig(),
) -> list[MaskLabels]:
    """Masks less those of symbols that are outliers; roots and words have no usual shape."""
    boxes = np.concatenate(
        [boxes_of_labels(mask, len(outline)) for outline, mask in zip(outlines, masks, strict=True)]
    ).astype(np.float64)
    names = np.array([name for outline in outlines for name in outline.names])
    number, chain, parent, relation = link_chains(outlines)
    have = np.isfinite(boxes[:, 0]) & np.array([has_fixed_shape(name) for name in names.tolist()])
    outlier = np.zeros(len(names), np.bool_)
    if have.any():
        chains = Chains(number[have], chain[have], boxes[have], parent, relation)
        sizes = measure(chains, measuring)
        em = sizes.em[chain[have]]
        odd_shape = shape_outliers(names[have], boxes[have], em, config, measuring)
        outlier[have] = sizes.outlier | odd_shape
    kept, first = [], 0
    for outline, mask in zip(outlines, masks, strict=True):
        table = np.arange(256, dtype=np.uint8)
        table[1 + np.flatnonzero(outlier[first : first + min(len(outline), MAX_SYMBOLS)])] = 0
        kept.append(table[mask])
        first += len(outline)
    return kept
