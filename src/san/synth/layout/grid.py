r"""Layout of several lines: systems and cases behind a brace, stacked lines, matrices.

- Lines (a grid of one column) begin below one another, or stand in the middle, or are aligned at
  their relation signs; cells of a matrix stand in columns.
- Rows are parted by the gap between their ink, but never nearer than a least distance of their
  axes: a row of minus signs is as high as any other.
- A brace spans its lines from somewhere in the first to somewhere in the last; brackets of a matrix
  reach over it. Both are stretched from glyphs that were written.
- There is no ink of several lines to learn from: each number is drawn from a range (`GridConfig`),
  measured on photographs of several lines (experiments/lines.md).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from san.grammar.grids import INKLESS, RELATIONS, rows_of
from san.grammar.tree import Expression, Relation, Symbol
from san.ink.strokes import Box
from san.synth.layout.config import GridConfig
from san.synth.layout.observations import middle_x
from san.synth.layout.writer import Block, ExpressionWriter
from san.synth.random_stream import RandomStream

LayChain = Callable[[tuple[Symbol, ...], float], Block]
Rows = Sequence[Sequence[tuple[Symbol, ...]]]
MIRRORED = {r"\{": r"\}", r"\}": r"\{"}
"""Few braces were written: each serves as the other as well."""


class LaidGrid(NamedTuple):
    """A grid without its fences, and how high its first and its last row are."""

    block: Block
    first_height: float
    last_height: float


def lay_grid(writer: ExpressionWriter, lay_chain: LayChain, symbol: Symbol, em: float) -> LaidGrid:
    """The rows and cells of a grid, in the middle of its line; the grid itself has no ink."""
    random, config = writer.random, writer.config.grid
    rows = rows_of(symbol.branch(Relation.INSIDE))
    size = em * random.between(*config.size)
    blocks = [
        [lay_chain(cell, size * (1 + random.bell(config.line_size_change))) for cell in row]
        for row in rows
    ]
    is_lines = max(map(len, rows)) == 1
    if is_lines:
        _align_lines([row[0] for row in rows], [row[0] for row in blocks], size, config, random)
    else:
        _align_columns(blocks, size, config, random)
    lines = [_joined(row) for row in blocks]
    _stack(lines, config.row_gap if is_lines else config.matrix_row_gap, size, config, random)
    first, last = lines[0].box.height, lines[-1].box.height
    grid = _joined(lines)
    middle = (grid.box.top + grid.box.bottom) / 2
    grid.move(-grid.box.left, random.bell(config.axis_shift) * em - middle)
    return LaidGrid(grid, first, last)


def lay_grid_fence(
    writer: ExpressionWriter, name: str, grid: LaidGrid, is_lone: bool, em: float
) -> Block:
    """The fence beside a grid: a lone brace, or one of two brackets."""
    random, config, bank = writer.random, writer.config.grid, writer.bank
    top, bottom = grid.block.box.top, grid.block.box.bottom
    if is_lone:
        top += random.between(*config.brace_inset) * grid.first_height
        bottom -= random.between(*config.brace_inset) * grid.last_height
    else:
        top -= random.between(*config.bracket_reach) * em
        bottom += random.between(*config.bracket_reach) * em
    height = max(bottom - top, config.min_fence_height * grid.block.box.height)
    other = MIRRORED.get(name)
    mirrored = other in bank.by_name and random.uniform() < config.mirrored_brace
    glyph = writer.fitting_glyph(other if mirrored and other else name, height / em, vertical=True)
    source, factor = bank.box[glyph], em / bank.em[glyph]
    stretch = height / (max(source.height, 1.0) * factor)
    width = source.width * factor * stretch**config.fence_width_growth
    width = min(width, config.max_fence_width * height)
    block = writer.fitted(glyph, em, Box(0.0, top, width, top + height))
    if mirrored:
        (placed,) = block.placed
        placed.ox, placed.sx = source.right, -placed.sx
    return block


def _align_lines(
    lines: Sequence[tuple[Symbol, ...]],
    blocks: Sequence[Block],
    size: float,
    config: GridConfig,
    random: RandomStream,
) -> None:
    """Moves each line along; all of them mostly in one way."""
    drawn = random.uniform() * (config.left_share + config.relation_share + config.centre_share)
    signs = [_relation_left(line, block) for line, block in zip(lines, blocks, strict=True)]
    at_relation = drawn >= config.left_share and drawn < config.left_share + config.relation_share
    step = random.bell(config.indentation) * size
    for number, (block, sign) in enumerate(zip(blocks, signs, strict=True)):
        anchor = block.box.left
        if at_relation and sign is not None and None not in signs:
            anchor = sign
        elif drawn >= config.left_share + config.relation_share:
            anchor = middle_x(block.box)
        block.move(number * step + random.bell(config.line_shift) * size - anchor, 0)


def _relation_left(line: tuple[Symbol, ...], block: Block) -> float | None:
    """Where the first relation sign of a line begins."""
    before = 0
    for symbol in line:
        if symbol.name in RELATIONS:
            return block.placed[before].tx
        before += sum(visit.symbol.name not in INKLESS for visit in Expression((symbol,)).walk())
    return None


def _align_columns(
    rows: Sequence[Sequence[Block]], size: float, config: GridConfig, random: RandomStream
) -> None:
    columns = max(map(len, rows))
    widths = [
        max(row[column].box.width for row in rows if column < len(row)) for column in range(columns)
    ]
    if random.uniform() < config.equal_columns:
        widths = [max(widths)] * columns
    gap = random.between(*config.column_gap) * size
    drawn = random.uniform() * (config.cell_centre + config.cell_left + config.cell_right)
    for row in rows:
        x = 0.0
        for cell, width in zip(row, widths, strict=False):
            spare = width - cell.box.width
            part = 0.5
            if drawn >= config.cell_centre:
                part = 0.0 if drawn < config.cell_centre + config.cell_left else 1.0
            x_shift, y_shift = (random.bell(config.cell_shift) * size for _ in range(2))
            cell.move(x + part * spare + x_shift - cell.box.left, y_shift)
            x += width + gap


def _stack(
    lines: Sequence[Block],
    gaps: tuple[float, float],
    size: float,
    config: GridConfig,
    random: RandomStream,
) -> None:
    """Moves each row below the one before."""
    low, high = gaps
    gap = low + (high - low) * random.uniform() ** config.row_gap_power
    pitch = random.between(*config.min_pitch)
    axis, bottom = 0.0, 0.0
    for number, line in enumerate(lines):
        if number:
            apart = (gap + random.bell(config.row_gap_change)) * size
            axis = max(axis + pitch * size, bottom + apart - line.box.top)
        line.move(0, axis)
        bottom = line.box.bottom


def _joined(blocks: Sequence[Block]) -> Block:
    """Several blocks as one, in their order."""
    box = blocks[0].box
    whole = Block(box, box)
    for block in blocks:
        whole.take(block)
    whole.symbol_box = whole.box
    return whole
