"""Observations of photographs: examples like those of ink, by the photograph's writer.

Design choices
- A box is that of a symbol's pixels less a stroke's width, for ink has none. Sizes are fitted over
  all photographs as over a corpus (`measure`); an em is the bank's, as it is for glyphs of
  photographs (`photo_glyphs`).
- Only symbols that touch nothing have masks, so their gaps alone would be wider than people's.
  Where several neighbours of the main line have no mask, and all that lies between those that have
  is one piece of ink, they touch: their gap is what the piece is wider than they usually are; the
  like where pieces are fewer than symbols. So touching neighbours are as frequent among examples as
  on photographs.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import cv2
import numpy as np

from san.grammar.tree import Relation
from san.ink.strokes import Box
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.photo_glyphs import calibrate, size_and_height
from san.synth.layout.config import PhotoWritingStyleConfig, WritingStyleConfig
from san.synth.layout.measure import (
    FIRST_FRACTION_RELATION,
    Chains,
    Floats,
    Outline,
    link_chains,
    measure,
    outline,
)
from san.synth.layout.observations import (
    PRIMES_AND_DEGREES,
    Example,
    Key,
    ObservedExpression,
    gap_key,
)
from san.synth.layout.symbol_classes import spacing_class
from san.synth.samples import LabelledPhotos, boxes_of_labels

PhotoExample = tuple[int, Key, Example]
"""Whose it is, what it is of, and the example."""


@dataclass
class _Photograph:
    """What is measured on a photograph."""

    writer: int
    tree: Outline
    boxes: Floats  # of each symbol, without the pen; NaN: no mask
    unassigned: list[tuple[float, float]]  # left and right of pieces without a symbol, less the pen
    em: list[float]
    known_boxes: list[Box | None]


def photo_examples(
    bank: GlyphBank,
    photographs: LabelledPhotos,
    config: PhotoWritingStyleConfig,
    ink_config: WritingStyleConfig,
) -> Iterator[PhotoExample]:
    """Examples of all photographs; those without glyphs in the bank have writers of their own."""
    photos = [
        photo
        for place in range(len(photographs.photos))
        if (photo := _photograph(bank, photographs, place, config.min_piece))
    ]
    if not photos:
        return
    widths = _fit_sizes(bank, photos)
    touching: list[PhotoExample] = []
    example_counts: Counter[Key] = Counter()
    neighbour_counts: Counter[Key] = Counter()
    for photo in photos:
        observed = ObservedExpression(
            photo.tree, photo.em, photo.known_boxes, ink_config, PRIMES_AND_DEGREES
        )
        for key, example in observed.examples():
            example_counts[key] += 1
            yield photo.writer, key, example
        touching += [(photo.writer, *gap) for gap in _touching(photo, widths, config)]
        neighbour_counts.update(
            gap_key(photo.tree, *pair) for pair in pairwise(photo.tree.chain(0))
        )
    yield from _as_often(touching, example_counts, neighbour_counts, config)


def _as_often(
    touching: list[PhotoExample],
    example_counts: Counter[Key],
    neighbour_counts: Counter[Key],
    config: PhotoWritingStyleConfig,
) -> Iterator[PhotoExample]:
    """So many of these as make up the part of all examples that they are of all neighbours.

    For most that touch are found, but of those that do not only such as both have masks.
    """
    by_key: dict[Key, list[PhotoExample]] = {}
    for example in touching:
        by_key.setdefault(example[1], []).append(example)
    for key, examples in by_key.items():
        share = config.touching_share * len(examples) / max(neighbour_counts[key], 1)
        share = min(share, config.max_touching_share)
        count = min(round(example_counts[key] * share / (1 - share)), len(examples))
        yield from (examples[number * len(examples) // count] for number in range(count))


def _photograph(
    bank: GlyphBank, photographs: LabelledPhotos, place: int, min_piece: float
) -> _Photograph | None:
    """A photograph with a mask; sizes are fitted later. `min_piece` is in stroke widths."""
    name, tree = photographs.photos.ids[place], photographs.photos.tree(place)
    mask = photographs.masks.of(name)
    if mask is None or not tree.symbols:
        return None
    shape = outline(tree)
    boxes = boxes_of_labels(mask.labels, len(shape)).astype(np.float64)
    if not np.isfinite(boxes[:, 0]).any():
        return None
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    half = np.maximum((boxes[:, 2:] - boxes[:, :2] - mask.width) / 2, 0)
    bare = ((photographs.photos.image(place) > 127) & (mask.labels == 0)).astype(np.uint8)
    stats = cv2.connectedComponentsWithStats(bare, connectivity=8)[2][1:]
    large = stats[:, 2:4].max(axis=1, initial=0) > min_piece * mask.width
    half_pen = mask.width / 2
    sides = [
        (left + half_pen, left + width - half_pen) for left, _, width, _, _ in stats[large].tolist()
    ]
    writer = bank.photo_writer_of.get(name, -2 - place)
    boxes = np.concatenate((middle - half, middle + half), axis=1)
    return _Photograph(writer, shape, boxes, sides, [], [])


def _fit_sizes(bank: GlyphBank, photos: list[_Photograph]) -> dict[str, float]:
    """Fit em and known boxes of all photographs; how wide each symbol usually is, in em."""
    name, chain, parent, relation = link_chains(photo.tree for photo in photos)
    boxes = np.concatenate([photo.boxes for photo in photos])
    names = [name for photo in photos for name in photo.tree.names]
    # Words and roots are as large as what they are written with.
    shaped = np.array(
        [
            spacing_class(name) != "function" and Relation.INSIDE not in parts
            for photo in photos
            for name, parts in zip(photo.tree.names, photo.tree.parts, strict=True)
        ]
    )
    placed = np.isfinite(boxes[:, 0])
    measured = placed & shaped if (placed & shaped).any() else placed
    # With so few, which part of fractions is the larger one would be decided by chance.
    relation = np.minimum(relation, FIRST_FRACTION_RELATION)
    chains = Chains(name[measured], chain[measured], boxes[measured], parent, relation)
    fitted = measure(chains, bank.config.measure)
    em = fitted.em[chain]
    shapes: dict[str, list[tuple[float, float]]] = {}
    widths: dict[str, list[float]] = {}
    for place, axis, outlier in zip(
        np.flatnonzero(measured).tolist(),
        fitted.axis.tolist(),
        fitted.outlier.tolist(),
        strict=True,
    ):
        if not outlier:
            box = Box(*boxes[place].tolist())
            shapes.setdefault(names[place], []).append(size_and_height(box, em[place].item(), axis))
            widths.setdefault(names[place], []).append(box.width / em[place].item())
    bank_em = calibrate(bank, shapes).em
    # A chain of which nothing was measured has no size to be trusted.
    sized = np.bincount(chain[measured], minlength=len(parent))[chain] > 0
    known = (placed & sized).tolist()
    first = 0
    for photo in photos:
        last = first + len(photo.tree)
        photo.em = (em[first:last] * bank_em).tolist()
        photo.known_boxes = [
            Box(*box) if fine else None
            for box, fine in zip(photo.boxes.tolist(), known[first:last], strict=True)
        ]
        first = last
    return {
        name: float(np.median(known_widths)) / bank_em
        for name, known_widths in widths.items()
        if len(known_widths) >= bank.config.min_glyphs
    }


def _touching(
    photo: _Photograph, widths: dict[str, float], config: PhotoWritingStyleConfig
) -> Iterator[tuple[Key, Example]]:
    """The gaps of neighbours on the main line that are one piece."""
    tree = photo.tree
    line = tree.chain(0)
    for start, end in _unplaced_runs([_is_placed(photo, place) for place in line]):
        symbols = line[start:end]
        plain = all(tree.names[place] in widths and not tree.parts[place] for place in symbols)
        if not (plain and 1 < len(symbols) <= config.max_unplaced):
            continue
        low = _extent(photo, line[start - 1])[1] if start else -np.inf
        high = _extent(photo, line[end])[0] if end < len(line) else np.inf
        pieces = [sides for sides in photo.unassigned if low < sum(sides) / 2 < high]
        usual = [widths[tree.names[place]] for place in symbols]
        piece_widths = [(right - left) / photo.em[symbols[0]] for left, right in _columns(pieces)]
        for first, last, gap in _shared_pieces(usual, piece_widths, config):
            for left_symbol, right_symbol in pairwise(symbols[first:last]):
                yield gap_key(tree, left_symbol, right_symbol), (gap,)


def _columns(pieces: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Pieces from left to right; those above one another (an equals sign) are one."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted(pieces):
        before, end = columns[-1] if columns else (left, left)
        if min(end, right) - left > min(right - left, end - before) / 2:
            columns[-1] = (before, max(end, right))
        else:
            columns.append((left, right))
    return columns


def _shared_pieces(
    usual: list[float], piece_widths: list[float], config: PhotoWritingStyleConfig
) -> Iterator[tuple[int, int, float]]:
    """Which symbols have a piece together, and how far apart they are.

    By the widths of symbols and pieces, in em: what fits best, if it fits at all.
    """
    count = len(usual)
    if not 0 < len(piece_widths) < count:
        return
    max_error = config.max_width_error * count
    best, least = [0, count], max_error
    for cuts in combinations(range(1, count), len(piece_widths) - 1):
        ends = [0, *cuts, count]
        error = sum(
            abs(width - sum(usual[first:last]))
            for width, (first, last) in zip(piece_widths, pairwise(ends), strict=True)
        )
        if error < least:
            best, least = ends, error
    if least < max_error:
        low, high = config.touching_gap
        for width, (first, last) in zip(piece_widths, pairwise(best), strict=True):
            if last - first > 1:
                gap = (width - sum(usual[first:last])) / (last - first - 1)
                yield first, last, min(max(gap, low), high)


def _is_placed(photo: _Photograph, place: int) -> bool:
    """Whether a symbol and all that hangs on it have masks."""
    return bool(np.isfinite(photo.boxes[place : place + photo.tree.sizes[place], 0]).all())


def _extent(photo: _Photograph, place: int) -> tuple[float, float]:
    """From where to where a symbol reaches with all that hangs on it."""
    boxes = photo.boxes[place : place + photo.tree.sizes[place]]
    return float(boxes[:, 0].min()), float(boxes[:, 2].max())


def _unplaced_runs(placed: list[bool]) -> Iterator[tuple[int, int]]:
    """Where several without masks begin and end."""
    start = 0
    for place, fine in enumerate([*placed, True]):
        if fine:
            if start < place:
                yield start, place
            start = place + 1
