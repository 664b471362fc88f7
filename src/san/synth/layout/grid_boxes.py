r"""Boxes for what a grid writes without ink: where the network is to look when it decides on it.

- `\matrix`: the whole grid.
- `&`: the gap between the two cells.
- `\\`: the place left of the next line, where it begins, if that is known. Its own ink is left to
  its symbols: the path attention that a step receives shows what was read already.
"""

import numpy as np

from san.grammar.constructs import CELL, MATRIX, ROW
from san.grammar.grids import INKLESS
from san.grammar.productions import MARKS, unfold
from san.grammar.tree import NOTHING, Relation
from san.synth.layout.config import GridConfig
from san.synth.layout.measure import Outline, outline
from san.synth.samples import Boxes, SynthSample

MIN_SIDE = 8.0
"""Pixels: a gap of nothing is still half a cell of the attention."""


def with_grid_boxes(sample: SynthSample, config: GridConfig) -> SynthSample:
    """The sample with boxes for the steps that part its cells, where those of its ink are known."""
    shape = outline(sample.tree)
    if MATRIX not in shape.names or NOTHING in shape.names:
        return sample
    steps = unfold(sample.tree)
    writing = [number for number, step in enumerate(steps) if step.target not in MARKS]
    boxes = sample.boxes.copy()
    symbols = boxes[writing]
    symbols[[name in INKLESS for name in shape.names]] = np.nan
    filled = symbols.copy()
    for place, name in enumerate(shape.names):
        if name == MATRIX:
            _fill(shape, place, symbols, filled, config)
    boxes[writing] = filled
    return SynthSample(sample.picture, sample.tree, boxes)


def _fill(shape: Outline, matrix: int, symbols: Boxes, filled: Boxes, config: GridConfig) -> None:
    inside = shape.parts[matrix].get(Relation.INSIDE)
    if inside is None:
        return
    chain = shape.chain(inside)
    filled[matrix] = _around(symbols[inside : chain[-1] + shape.sizes[chain[-1]]])
    starts, partings = [inside], []
    for place in chain:
        if shape.names[place] in (CELL, ROW) and not shape.parts[place]:
            partings.append(place)
            starts.append(place + 1)
    ends = [*partings, chain[-1] + shape.sizes[chain[-1]]]
    cells = [_around(symbols[start:end]) for start, end in zip(starts, ends, strict=True)]
    for number, place in enumerate(partings):
        left, right = cells[number], cells[number + 1]
        if shape.names[place] == CELL:
            filled[place] = _between(left, right)
        elif np.isfinite(symbols[min(starts[number + 1], len(symbols) - 1), 0]):
            filled[place] = _before(right, config.line_start_width)


def _around(boxes: Boxes) -> Boxes:
    """The box around some; unknown if none of them is known."""
    known = boxes[np.isfinite(boxes[:, 0])]
    if not len(known):
        return np.full(4, np.nan, np.float32)
    return np.concatenate((known[:, :2].min(axis=0), known[:, 2:].max(axis=0)))


def _between(left: Boxes, right: Boxes) -> Boxes:
    top, bottom = min(left[1], right[1]), max(left[3], right[3])
    spare = max(MIN_SIDE - (right[0] - left[2]), 0) / 2
    start, end = min(left[2], right[0]), max(left[2], right[0])
    return np.array((start - spare, top, end + spare, bottom), np.float32)


def _before(line: Boxes, width: float) -> Boxes:
    """Left of a line, as high as it is, but never outside of the picture."""
    left, top, _, bottom = line.tolist()
    start = max(left - max(width * (bottom - top), MIN_SIDE), 0.0)
    return np.array((start, top, max(left, start + MIN_SIDE), bottom), np.float32)
