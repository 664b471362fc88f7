"""One photograph and its tree -> the symbols of it that can be trusted, as strokes.

Design choices
- Rather too few than wrong ones. A symbol is kept if the network finds it probable where it
  looked, if its pieces are its own and as many as it needs, if it stands to the symbol before it
  as the tree says, and if the strokes traced from it look like the ink that they came from.
- And it is read once more, its strokes by themselves: what passes for something else, or for two
  symbols, is left out. The bound is low. Pupils write carelessly, and that is what is looked for.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.data.photo_masks import MaskLabels
from san.decoding.engine import Engine
from san.grammar.tree import NOTHING, Expression
from san.images.bitmap import Mask
from san.images.clean.components import Components, find_components, stroke_width
from san.ink.draw import draw
from san.ink.strokes import Box, Ink, Points, box_of
from san.synth.extraction.forced import alone, looks
from san.synth.extraction.parts import alike, is_shape, must_meet, pieces_of
from san.synth.extraction.place import found
from san.synth.extraction.places import places
from san.synth.extraction.trace import faithful, trace
from san.synth.glyphs.align import stands
from san.synth.layout.outline import Outline, outline

PROBABLE = 0.5
"""How sure the network has to be of a symbol, knowing all that comes before it."""
PASSES = 0.02
"""The same of its strokes alone: O and 0 are one shape, as are many others."""
ALIKE = 0.6
"""How much traced strokes have in common with their ink at least."""
MEETING = 2.5
"""Widths of a stroke between two pieces of one that was broken."""


class Gathered(NamedTuple):
    """What was found of one photograph."""

    tree: Outline
    strokes: list[list[Points]]  # of each symbol, in pixels; none where it is not to be trusted
    faithful: list[float]  # of each: how like its ink its strokes are
    places: MaskLabels  # whose each pixel is, where that is known (`san.synth.extraction.places`)


def gather(engine: Engine, picture: NDArray[np.uint8], tree: Expression, cell: int) -> Gathered:
    """SanError where the network does not know a symbol of the tree."""
    shape = outline(tree)
    inked = find_components((picture > 127).astype(np.uint8))
    seen = looks(engine, picture, tree)
    strokes: list[list[Points]] = [[] for _ in shape.names]
    likeness = [0.0] * len(shape)
    written = [place for place, name in enumerate(shape.names) if name != NOTHING]
    owned = found(inked, seen.attention, cell)
    for place, chance, own in zip(written, seen.chances.tolist(), owned, strict=True):
        name = shape.names[place]
        least, most = pieces_of(name)
        if not (own.sure and chance >= PROBABLE and least <= len(own.pieces) <= most):
            continue
        if is_shape(name) and _is_whole(inked, own.pieces, name):
            strokes[place], likeness[place] = _traced(inked, own.pieces)
    _misplaced(shape, strokes)
    for place, traced in enumerate(strokes):
        if traced and (likeness[place] < ALIKE or not _passes(engine, traced, shape.names[place])):
            strokes[place] = []
    told = places(shape, inked, seen.chances, owned, [bool(own) for own in strokes])
    return Gathered(shape, strokes, likeness, told)


def _is_whole(inked: Components, own: tuple[int, ...], name: str) -> bool:
    """Whether pieces that should be one nearly are."""
    if len(own) == 1 or not must_meet(name):
        return True
    together = np.isin(inked.labels, [piece + 1 for piece in own]).astype(np.uint8)
    size = 2 * round(MEETING * stroke_width(together) / 2) + 1
    grown = cv2.dilate(together, np.ones((size, size), np.uint8))
    count, _ = cv2.connectedComponents(grown, connectivity=8)
    return count == 2


def _traced(inked: Components, own: tuple[int, ...]) -> tuple[list[Points], float]:
    boxes = inked.stats[list(own)]
    left, top = boxes[:, :2].min(axis=0).tolist()
    right, bottom = (boxes[:, :2] + boxes[:, 2:4]).max(axis=0).tolist()
    part = np.isin(inked.labels[top:bottom, left:right], [piece + 1 for piece in own])
    shape: Mask = part.astype(np.uint8)
    strokes, width = trace(shape)
    likeness = faithful(shape, strokes, width)
    return [stroke + np.array((left, top), np.float32) for stroke in strokes], likeness


def _misplaced(shape: Outline, strokes: list[list[Points]]) -> None:
    """Drop symbols that do not stand as the tree says; which of two is wrong nobody knows."""
    boxes: list[Box | None] = [box_of(own) if own else None for own in strokes]
    for place, relation in enumerate(shape.relations):
        box, outer = boxes[place], boxes[shape.parents[place]] if relation else None
        if relation and box and outer and not stands(relation, box, outer):
            strokes[place], strokes[shape.parents[place]] = [], []


def _passes(engine: Engine, strokes: list[Points], name: str) -> bool:
    chances = alone(engine, draw(Ink.of(strokes), scale=1))
    return sum(chances.get(own, 0.0) for own in alike(name)) >= PASSES
