r"""Lines of several photographs below one another, most of them behind a brace: systems that nobody
wrote, in hands that photographs show.

- Each line is a photograph or a part of one, with symbols exchanged, as collages have them.
- Lines are brought to one size. Of several that might follow the one is taken whose strokes are
  about as wide as the first's, for one pen writes a system.
- Rows and brace stand as in layouts of several lines (`san.synth.layout.grid`), by the same ranges.
- The brace is drawn with strokes as wide as those of the lines.
"""

from collections.abc import Sequence
from math import log

import numpy as np

from san.grammar.constructs import MATRIX, ROW
from san.grammar.grids import RELATIONS
from san.grammar.normal_form import chain, symbol_with
from san.grammar.productions import MARKS, unfold
from san.grammar.tree import NOTHING, Expression, Relation, Symbol
from san.ink.draw import BITMAP_PEN
from san.synth.layout.config import GridConfig
from san.synth.layout.grid import MIRRORED
from san.synth.photo.clippings import Clipping, padded
from san.synth.photo.collage import Collage, resized
from san.synth.photo.config import StackedLinesConfig
from san.synth.photo.glyph_exchange import DrawnGlyph
from san.synth.random_stream import RandomStream
from san.synth.samples import Boxes, SynthSample, boxes_of_steps

BRACE = r"\{"
Offset = tuple[int, int]


class StackedLines:
    """Makes systems and stacked lines of the photographs of a collage."""

    def __init__(
        self,
        collage: Collage,
        grid: GridConfig = GridConfig(),
        config: StackedLinesConfig = StackedLinesConfig(),
    ) -> None:
        self.collage, self.grid, self.config = collage, grid, config
        by_name = collage.bank.by_name
        self.braces = by_name.get(BRACE, [])
        self.mirrored_braces = by_name.get(MIRRORED[BRACE], [])

    def sample(self, rng: np.random.Generator) -> SynthSample | None:
        """None where no lines were found that go together, or their tree is excluded."""
        random, config = RandomStream(rng), self.config
        count = 2 + int((config.max_rows - 1) * random.uniform() ** config.rows_power)
        lines: list[Clipping] = []
        for _ in range(config.attempts):
            if len(lines) < count and (line := self._line(lines, random)) is not None:
                lines.append(line)
        if len(lines) < 2:
            return None
        braced = bool(self.braces) and random.uniform() < config.brace_share
        tree = _tree([line.tree for line in lines], braced)
        if self.collage.is_excluded(tree):
            return None
        offsets = self._stacked(lines, random)
        brace = self._brace(lines, offsets, random) if braced else None
        return _framed(lines, offsets, brace, tree)

    def _line(self, before: Sequence[Clipping], random: RandomStream) -> Clipping | None:
        """A line that may follow those before: of one size with them, by a like pen."""
        collage, config = self.collage, self.config
        places = [collage.random_place(random) for _ in range(config.partners if before else 1)]
        if before:
            first = before[0]
            assert first.em is not None
            pen = log(first.width / first.em)
            places.sort(key=lambda place: abs(log(collage.pen(place)) - pen))
        line = collage.clipping(places[0], int(random.between(*config.symbols)), random)
        if line is None or line.em is None or len(line.outline) > config.symbols[1]:
            return None
        names = line.outline.names
        if NOTHING in names or MATRIX in names:
            return None
        if not RELATIONS.intersection(names) and random.uniform() > config.without_relation:
            return None
        if before:
            assert before[0].em is not None
            factor = before[0].em / line.em
            smallest, largest = collage.config.resize
            if not smallest < factor < largest:
                return None
            line = resized(line, factor)
            line.em = before[0].em
        return line

    def _stacked(self, lines: Sequence[Clipping], random: RandomStream) -> list[Offset]:
        """Where each line goes: what is added to its own pixels."""
        grid, em = self.grid, lines[0].em
        assert em is not None
        low, high = grid.row_gap
        gap = low + (high - low) * random.uniform() ** grid.row_gap_power
        step = random.bell(grid.indentation) * em
        offsets: list[Offset] = []
        bottom = 0.0
        for number, line in enumerate(lines):
            left, top, _, foot = line.extent()
            start = number * step + random.bell(grid.line_shift) * em
            apart = (gap + random.bell(grid.row_gap_change)) * em if number else 0.0
            y = round(bottom + apart - top)
            offsets.append((round(start - left), y))
            bottom = foot + y
        return offsets

    def _brace(
        self, lines: Sequence[Clipping], offsets: Sequence[Offset], random: RandomStream
    ) -> DrawnGlyph:
        grid, drawer, bank = self.grid, self.collage.drawer, self.collage.bank
        em = lines[0].em
        assert em is not None
        first, last = lines[0].extent(), lines[-1].extent()
        top = first[1] + offsets[0][1] + random.between(*grid.brace_inset) * (first[3] - first[1])
        bottom = last[3] + offsets[-1][1] - random.between(*grid.brace_inset) * (last[3] - last[1])
        height = max(bottom - top, grid.min_fence_height * em)
        mirrored = bool(self.mirrored_braces) and random.uniform() < grid.mirrored_brace
        glyph = random.choice(self.mirrored_braces if mirrored else self.braces)
        box, factor = bank.box[glyph], em / bank.em[glyph]
        stretch = height / (max(box.height, 1.0) * factor)
        width = min(
            box.width * factor * stretch**grid.fence_width_growth, grid.max_fence_width * height
        )
        lefts = [line.extent()[0] + x for line, (x, _) in zip(lines, offsets, strict=True)]
        right = min(lefts) - random.between(*grid.fence_gap) * em
        across = width / max(box.width, 1.0)
        factors = (-across if mirrored else across, height / max(box.height, 1.0))
        middle = (right - width / 2, top + height / 2)
        return drawer.drawn(glyph, factors, middle, 0.0, lines[0].width)


def _tree(lines: Sequence[Expression], braced: bool) -> Expression:
    cells: list[Symbol] = []
    for number, line in enumerate(lines):
        cells += [*([Symbol(ROW)] if number else []), *line.symbols]
    grid = symbol_with(MATRIX, [(Relation.INSIDE, chain(cells))])
    return chain([Symbol(BRACE), grid] if braced else [grid])


def _framed(
    lines: Sequence[Clipping],
    offsets: Sequence[Offset],
    brace: DrawnGlyph | None,
    tree: Expression,
) -> SynthSample:
    """The picture with the margins of cleaned photographs, and the boxes of what is written."""
    parts = []  # pixels, and where on the page they begin
    boxes: list[Boxes] = []
    if brace is not None:
        high, wide = brace.pixels.shape
        parts.append((brace.pixels, brace.left, brace.top))
        corner = (brace.left, brace.top, brace.left + wide, brace.top + high)
        boxes.append(np.array((corner,), np.float32))
    nowhere = np.full((1, 4), np.nan, np.float32)
    boxes.append(nowhere)  # the grid itself
    for number, (line, (x, y)) in enumerate(zip(lines, offsets, strict=True)):
        left, top, right, bottom = line.extent()
        parts.append((line.ink[top:bottom, left:right], left + x, top + y))
        boxes += [*([nowhere] if number else []), line.boxes + np.array((x, y) * 2, np.float32)]
    west, north = min(x for _, x, _ in parts), min(y for _, _, y in parts)
    east = max(x + pixels.shape[1] for pixels, x, _ in parts)
    south = max(y + pixels.shape[0] for pixels, _, y in parts)
    ink = np.zeros((south - north, east - west), np.uint8)
    for pixels, x, y in parts:
        high, wide = pixels.shape
        ink[y - north : y - north + high, x - west : x - west + wide] |= pixels
    near = BITMAP_PEN.margin
    moved = np.concatenate(boxes) + np.array((near - west, near - north) * 2, np.float32)
    steps = unfold(tree)
    writing = [number for number, step in enumerate(steps) if step.target not in MARKS]
    picture = padded(ink * np.uint8(255), near, BITMAP_PEN.far_margin)
    return SynthSample(picture, tree, boxes_of_steps(moved, writing, len(steps)))
