"""One photograph and its tree -> the symbols that can be trusted, as strokes and as a mask.

Design choices
- Rather too few than wrong ones. A symbol is kept if the network finds it probable where it
  attended, if its components are its own and as many as it needs, if it stands to the symbol before
  it as the tree says, and if the strokes traced from it look like the ink that they came from.
- And it is read once more, its strokes by themselves: what passes for something else, or for two
  symbols, is left out. The bound is low: careless writing is what is
  looked for.
- What becomes a glyph has a mask. So have roots and words, as far as components are surely theirs:
  who cuts a photograph in two must know whose they are.
- A symbol stands as the tree says to the one that it hangs on, and right of the nearest one before
  it in its chain that was found. Where two do not, neither counts: nobody knows which is wrong.
- Words (`\\sin`) become no glyphs: a network attends to their first letter, and the rest is
  anybody's. Nor does what has no shape of its own, but that of what it covers (a root); bars
  stretch.
"""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.data.photo_masks import MAX_SYMBOLS, MaskLabels
from san.decoding.engine import Engine
from san.grammar.constructs import construct_of
from san.grammar.tree import NOTHING, Expression, Relation
from san.images.bitmap import Mask
from san.images.clean.components import Components, find_components, stroke_width
from san.ink.draw import draw
from san.ink.strokes import Box, Ink, Points, box_of
from san.synth.extraction.attention import (
    assign_components,
    decode_forced,
    first_symbol_probabilities,
)
from san.synth.extraction.config import ExtractionConfig, TraceConfig
from san.synth.extraction.trace import fidelity, trace
from san.synth.glyphs.align import stands
from san.synth.glyphs.config import BankConfig
from san.synth.layout.measure import Outline, outline
from san.synth.layout.symbol_classes import spacing_class

_APART = {
    **dict.fromkeys(r"= i j : ; ! ? \leqslant \geqslant".split(), (2, 2)),
    **dict.fromkeys(r"\% \div \therefore \because \cdots \ldots".split(), (3, 3)),
    **dict.fromkeys(r"\geq \leq \pm \approx \cong".split(), (1, 2)),
    **dict.fromkeys(r"\equiv \neq \Rightarrow \rightleftharpoons".split(), (1, 3)),
}
_BROKEN = {
    **dict.fromkeys(r"4 5 A B D I J K M P Q R T Z a k t x + \times".split(), (1, 2)),
    **dict.fromkeys(r"\pi \angle \in \Delta \Omega".split(), (1, 2)),
    **dict.fromkeys("E F H N f m".split(), (1, 3)),
}
_COUNTS: dict[str, tuple[int, int]] = {**_APART, **_BROKEN}


def component_counts(name: str) -> tuple[int, int]:
    """The least and the most components of a symbol that is whole and touches nothing."""
    return _COUNTS.get(name, (1, 1))


def is_connected(name: str) -> bool:
    """Whether components of a symbol only just miss one another: a pen was lifted, no more."""
    return name not in _APART


def has_fixed_shape(name: str) -> bool:
    """Whether a symbol looks alike whatever it is written with."""
    carried = {*construct_of(name).relations} - {Relation.SUB, Relation.SUP}
    return bool(name) and spacing_class(name) != "function" and (name == r"\frac" or not carried)


_LOOKALIKES = (
    r"0 O o \circ Q D", r"x \times X", r"( C c [ < \angle L l", r") > ,",
    r"1 l | / , \prime ( ) I 7", r"- \frac", r". \cdot , \prime", "u U v V", "w W", "z Z 2",
    "s S 5", "p P", "k K", "+ t",
    r"B 8 \beta", r"E \in \epsilon F", r"\Delta A \triangle", r"g 9 q y", r"D O P b",
    r"\uparrow T 1 \rightarrow", r"\downarrow \rightarrow \perp",
)  # fmt: skip


def lookalikes(name: str) -> set[str]:
    """What a symbol may be taken for, where nothing stands beside it."""
    return {name}.union(*(group for group in map(str.split, _LOOKALIKES) if name in group))


class ExtractedPhoto(NamedTuple):
    """What can be trusted of one photograph."""

    outline: Outline
    strokes: list[list[Points]]  # of each symbol, in pixels; none where it is not to be trusted
    fidelity: list[float]  # of each: how like its ink its strokes are
    mask: MaskLabels  # k + 1 where symbol k of the walk is written, 0 where nobody knows


def extract(
    engine: Engine,
    picture: NDArray[np.uint8],
    tree: Expression,
    stride: int,
    config: ExtractionConfig = ExtractionConfig(),
    root_overreach: float = BankConfig().root_overreach,
) -> ExtractedPhoto:
    """SanError where the network does not know a symbol of the tree."""
    shape = outline(tree)
    components = find_components((picture > 127).astype(np.uint8))
    decoding = decode_forced(engine, picture, tree)
    strokes: list[list[Points]] = [[] for _ in shape.names]
    fidelities = [0.0] * len(shape)
    written = [place for place, name in enumerate(shape.names) if name != NOTHING]
    assignments = assign_components(components, decoding.attention, stride, config)
    trusted: list[tuple[int, ...]] = [()] * len(shape)
    probabilities = decoding.probabilities.tolist()
    for place, probability, assignment in zip(written, probabilities, assignments, strict=True):
        if assignment.certain and probability >= config.min_probability:
            trusted[place] = assignment.components
    for place, (name, numbers) in enumerate(zip(shape.names, trusted, strict=True)):
        least, most = component_counts(name)
        usable = least <= len(numbers) <= most and has_fixed_shape(name)
        if usable and _is_whole(components, numbers, name, config.max_break):
            strokes[place], fidelities[place] = _traced(components, numbers, config.trace)
    _drop_misplaced(shape, strokes, root_overreach)
    for place, traced in enumerate(strokes):
        if traced and (
            fidelities[place] < config.min_fidelity
            or not is_readable(engine, draw(Ink.of(traced), scale=1), shape.names[place], config)
        ):
            strokes[place] = []
    masked = [
        numbers if traced or _is_word(name, numbers, config.max_components) else ()
        for name, numbers, traced in zip(shape.names, trusted, strokes, strict=True)
    ]
    mask = _mask(shape, components, masked, root_overreach)
    return ExtractedPhoto(shape, strokes, fidelities, mask)


def _is_word(name: str, components: tuple[int, ...], max_components: int) -> bool:
    """A word or a root: it becomes no glyph, but may have a mask."""
    return len(components) <= max_components and not has_fixed_shape(name)


def _is_whole(
    components: Components, numbers: tuple[int, ...], name: str, max_break: float
) -> bool:
    """Whether components that should be one nearly are."""
    if len(numbers) == 1 or not is_connected(name):
        return True
    together = np.isin(components.labels, [number + 1 for number in numbers]).astype(np.uint8)
    size = 2 * round(max_break * stroke_width(together) / 2) + 1
    grown = cv2.dilate(together, np.ones((size, size), np.uint8))
    count, _ = cv2.connectedComponents(grown, connectivity=8)
    return count == 2


def _traced(
    components: Components, numbers: tuple[int, ...], config: TraceConfig
) -> tuple[list[Points], float]:
    """The strokes of some components, and their fidelity."""
    left, top, right, bottom = _sides(components, numbers)
    labels = [number + 1 for number in numbers]
    ink: Mask = np.isin(components.labels[top:bottom, left:right], labels).astype(np.uint8)
    strokes, width = trace(ink, config)
    corner = np.array((left, top), np.float32)
    return [stroke + corner for stroke in strokes], fidelity(ink, strokes, width)


def _drop_misplaced(shape: Outline, strokes: list[list[Points]], root_overreach: float) -> None:
    """Drop symbols that do not stand as the tree says; which of two is wrong nobody knows."""
    boxes: list[Box | None] = [box_of(traced) if traced else None for traced in strokes]
    for place, relation in enumerate(shape.relations):
        box, outer = boxes[place], boxes[shape.parents[place]] if relation else None
        if relation and box and outer and not stands(relation, box, outer, root_overreach):
            strokes[place], strokes[shape.parents[place]] = [], []


def is_readable(
    engine: Engine, picture: NDArray[np.uint8], name: str, config: ExtractionConfig
) -> bool:
    """Whether a glyph by itself passes for a symbol, or for what looks like it."""
    alone = first_symbol_probabilities(engine, picture)
    likely = sum(alone.get(similar, 0.0) for similar in lookalikes(name))
    return likely >= config.min_alone_probability


def _mask(
    shape: Outline,
    components: Components,
    masked: list[tuple[int, ...]],
    root_overreach: float,
) -> MaskLabels:
    """k + 1 where symbol k of the walk is written, by its components; 0 where nobody knows."""
    boxes = [Box(*_sides(components, numbers)) if numbers else None for numbers in masked]
    misplaced = _misplaced(shape, boxes, root_overreach)
    label_of = np.zeros(len(components.stats) + 1, np.uint8)
    for place, numbers in enumerate(masked[:MAX_SYMBOLS]):
        if place not in misplaced:
            label_of[[number + 1 for number in numbers]] = place + 1
    return np.asarray(label_of[components.labels], np.uint8)


def _sides(components: Components, numbers: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of some components."""
    stats = components.stats[list(numbers)]
    left, top = stats[:, :2].min(axis=0).tolist()
    right, bottom = (stats[:, :2] + stats[:, 2:4]).max(axis=0).tolist()
    return left, top, right, bottom


def _misplaced(shape: Outline, boxes: Sequence[Box | None], root_overreach: float) -> set[int]:
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
        elif box and outer and not stands(relation, box, outer, root_overreach):
            wrong |= {place, other}
    return wrong
