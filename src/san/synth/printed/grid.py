"""Typesets several lines (systems, cases, stacked lines, matrices) and the brackets around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from san.grammar.characters import character
from san.grammar.grids import RELATIONS, rows_of
from san.grammar.tree import Relation, Symbol
from san.synth.printed.blocks import Block, fitted, symbol_count

if TYPE_CHECKING:
    from san.synth.printed.typeset import Typesetter


def lay_fence(setter: Typesetter, name: str, number: int, content: Block, size: float) -> Block:
    """A bracket as tall as what it encloses."""
    reach = setter.fence_reach * size
    axis = -setter.axis * size
    half = max(axis - content.top, content.bottom - axis) + reach
    height = 2 * half / setter.config.max_fence_stretch
    outlines = setter.sizes(character(name))
    outline = next(
        (each for each in outlines if (each.box[3] - each.box[1]) * size >= height),
        outlines[-1],
    )
    left, _, right, _ = outline.box
    block = fitted(outline, number, (left * size, axis - half, right * size, axis + half))
    block.width = outline.advance * size
    return block


def lay_grid(setter: Typesetter, symbol: Symbol, number: int, size: float) -> Block:
    """The rows and cells of a grid, in the middle of its line; the grid itself is not printed."""
    random, config = setter.random, setter.config
    rows = rows_of(symbol.branch(Relation.INSIDE))
    smaller = size * random.between(*config.grid_size)
    number += 1
    blocks: list[list[Block]] = []
    for row in rows:
        blocks.append([])
        for cell in row:
            blocks[-1].append(setter.chain(cell, number, smaller))
            number += sum(map(symbol_count, cell)) + 1  # what parts it from the next
    if max(map(len, rows)) == 1:
        _align_lines(setter, [row[0] for row in rows], [row[0] for row in blocks])
    else:
        _align_columns(setter, blocks, smaller)
    gap, pitch = random.between(*config.row_gap), random.between(*config.min_pitch)
    grid, line, bottom = Block(), 0.0, 0.0
    for place, cells in enumerate(blocks):
        whole = Block()
        for cell_block in cells:
            whole.take(cell_block)
        if place:
            line = max(line + pitch * smaller, bottom + gap * smaller - whole.top)
        whole.move(0, line)
        bottom = whole.bottom
        grid.take(whole)
    grid.move(-grid.left, -setter.axis * size - (grid.top + grid.bottom) / 2)
    grid.width = grid.right
    return grid


def _align_lines(
    setter: Typesetter, lines: Sequence[tuple[Symbol, ...]], blocks: Sequence[Block]
) -> None:
    """Below one another, at their relation signs, or in the middle."""
    config, drawn = setter.config, setter.random.uniform()
    signs = [_relation_left(setter, line, block) for line, block in zip(lines, blocks, strict=True)]
    for block, sign in zip(blocks, signs, strict=True):
        anchor = block.left
        if drawn < config.centred_lines_share:
            anchor = block.middle
        elif drawn > config.left_lines_share and sign is not None and None not in signs:
            anchor = sign
        block.move(-anchor, 0)


def _relation_left(setter: Typesetter, line: tuple[Symbol, ...], block: Block) -> float | None:
    """Where the first relation sign of a line begins."""
    if not block.placed:
        return None
    number = min(placed.symbol for placed in block.placed)
    for symbol in line:
        if symbol.name in RELATIONS:
            return min((each.x for each in block.placed if each.symbol == number), default=None)
        number += symbol_count(symbol)
    return None


def _align_columns(setter: Typesetter, rows: Sequence[Sequence[Block]], size: float) -> None:
    columns = max(map(len, rows))
    widths = [
        max(row[column].right - row[column].left for row in rows if column < len(row))
        for column in range(columns)
    ]
    gap = setter.random.between(*setter.config.column_gap) * size
    part = 0.5 if setter.random.uniform() < setter.config.centred_columns_share else 0.0
    for row in rows:
        x = 0.0
        for cell, width in zip(row, widths, strict=False):
            spare = width - (cell.right - cell.left)
            cell.move(x + part * spare - cell.left, 0)
            x += width + gap
