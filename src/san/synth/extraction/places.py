"""Which pixels of a photograph are which symbol, where there is no doubt: a small label picture.

Design choices
- What can be harvested has a place if it was: it was read once more by itself, and whoever writes
  another symbol over it must not be wrong about what it was (`glyphs`).
- Roots and words have places, too, as far as pieces are surely theirs: who cuts a photograph in two
  must know whose they are.
- A symbol stands as the tree says to the one that it hangs on, and right of the nearest one before
  it in its chain that was found. Where two do not, neither counts: nobody knows which is wrong.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from san.data.photo_masks import MAX_SYMBOLS, MaskLabels
from san.grammar.tree import NOTHING, Relation
from san.images.clean.components import Components
from san.ink.strokes import Box
from san.synth.extraction.parts import is_shape
from san.synth.extraction.place import Found
from san.synth.glyphs.align import stands
from san.synth.layout.outline import Outline

PROBABLE = 0.5
"""How sure the network has to be of a word, knowing all that comes before it."""
LETTERS = 8
"""Pieces of a word, or of a root, at most."""


def places(
    shape: Outline,
    inked: Components,
    chances: NDArray[np.float32],
    owned: Sequence[Found],
    harvested: Sequence[bool],
) -> MaskLabels:
    """0 where nobody knows, k + 1 where symbol k of the walk is written.

    Chances and pieces are those of the symbols that are written at all, in the order of the walk.
    """
    pieces: list[tuple[int, ...]] = [()] * len(shape)
    written = [place for place, name in enumerate(shape.names) if name != NOTHING]
    for place, chance, own in zip(written, chances.tolist(), owned, strict=True):
        word = own.sure and chance >= PROBABLE and len(own.pieces) <= LETTERS
        if harvested[place] or (word and not is_shape(shape.names[place])):
            pieces[place] = own.pieces
    for place in _misplaced(shape, [_box(inked, own) if own else None for own in pieces]):
        pieces[place] = ()
    number = np.zeros(len(inked.stats) + 1, np.uint8)
    for place, own_pieces in enumerate(pieces[:MAX_SYMBOLS]):
        number[[piece + 1 for piece in own_pieces]] = place + 1
    return np.asarray(number[inked.labels], np.uint8)


def _box(inked: Components, own: tuple[int, ...]) -> Box:
    stats = inked.stats[list(own)]
    left, top = stats[:, :2].min(axis=0).tolist()
    right, bottom = (stats[:, :2] + stats[:, 2:4]).max(axis=0).tolist()
    return Box(left, top, right, bottom)


def _misplaced(shape: Outline, boxes: Sequence[Box | None]) -> set[int]:
    """Those that contradict one another."""
    wrong: set[int] = set()
    nearest = list(range(len(shape)))  # in the chain up to each: the last one that was found
    for place, relation in enumerate(shape.relations):
        if relation is None:
            continue
        parent = shape.parents[place]
        other = nearest[parent] if relation is Relation.RIGHT else parent
        box, outer = boxes[place], boxes[other]
        if box is None and relation is Relation.RIGHT:
            nearest[place] = other
        elif box and outer and not stands(relation, box, outer):
            wrong |= {place, other}
    return wrong
