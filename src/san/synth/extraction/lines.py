"""A photograph of several lines and its tree -> a picture and a tree for each line.

A system of two equations shows two more lines of somebody's hand: they are photographs of one line
like any other, to be recombined and to take glyphs from.

Design choices
- The network walks along the true tree. A component of ink goes to the line whose symbols attended
  to it most; what the brace attended to goes to no line. Rows of ink need not be apart for that.
- Rather too few than wrong ones: a line that has a doubtful component is left out. Two lines that
  touch, or a line and its brace, are one component, which both attend to.
- A line of several cells is no formula by itself. Nor is one with a grid in it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Engine
from san.grammar.constructs import MATRIX, ROW
from san.grammar.grids import is_parting, rows_of
from san.grammar.tree import NOTHING, Expression, Relation, Symbol
from san.images.clean.components import find_components
from san.ink.draw import BITMAP_PEN, Picture
from san.synth.extraction.attention import attention_on_components, decode_forced
from san.synth.extraction.config import ExtractionConfig
from san.synth.photo.clippings import padded

BESIDE, NO_INK = -1, -2
"""Instead of a line: what stands beside the grid; the grid, and what parts its cells and rows."""


class Line(NamedTuple):
    number: int  # from above, from 0
    picture: Picture  # of this line's ink alone, with the margins of cleaned photographs
    tree: Expression


def line_numbers(tree: Expression) -> list[int]:
    """Of each step that writes a symbol, in the order of the walk: its line in the tree's grid."""
    symbols: list[Symbol] = []
    lines: list[int] = []
    in_chain: list[bool] = []  # the grid's own, in which rows are parted
    for symbol, parent, relation in tree.walk():
        begins = relation is Relation.INSIDE and symbols[parent].name == MATRIX
        goes_on = relation is Relation.RIGHT and in_chain[parent]
        line = BESIDE if relation is None else lines[parent]
        if begins:
            line = 0
        elif goes_on and is_parting(symbols[parent]) and symbols[parent].name == ROW:
            line += 1
        symbols.append(symbol)
        lines.append(line)
        in_chain.append(begins or goes_on)
    return [
        NO_INK if symbol.name == MATRIX or (parts and is_parting(symbol)) else line
        for symbol, line, parts in zip(symbols, lines, in_chain, strict=True)
        if symbol.name != NOTHING
    ]


def split_lines(
    engine: Engine,
    picture: Picture,
    tree: Expression,
    stride: int,
    config: ExtractionConfig = ExtractionConfig(),
) -> list[Line]:
    """The lines that can be told from the others; none where the tree has not just one grid.

    SanError where the network does not know a symbol of the tree.
    """
    grids = [visit.symbol for visit in tree.walk() if visit.symbol.name == MATRIX]
    components = find_components((picture > 127).astype(np.uint8))
    if len(grids) != 1 or not len(components.stats):
        return []
    rows = rows_of(grids[0].branch(Relation.INSIDE))
    claims = attention_on_components(
        components, decode_forced(engine, picture, tree).attention, stride
    )
    share = _shares(claims, np.array(line_numbers(tree)), len(rows))
    doubtful = (share > 1 - config.min_line_share) & (share < config.min_line_share)
    lines = []
    for number, cells in enumerate(rows):
        own = share[number] >= config.min_line_share
        if len(cells) == 1 and cells[0] and own.any() and not doubtful[number].any():
            ink = np.isin(components.labels, np.flatnonzero(own) + 1).astype(np.uint8)
            lines.append(Line(number, _framed(ink), Expression(cells[0])))
    return lines


def _shares(
    claims: NDArray[np.float64], lines: NDArray[np.int_], count: int
) -> NDArray[np.float64]:
    """Lines x components: how much of what is attended to there is attended to by a line."""
    by_line = np.stack([claims[lines == number].sum(axis=0) for number in range(count)])
    by_all = claims[lines != NO_INK].sum(axis=0)
    return np.asarray(by_line / np.maximum(by_all, 1e-9))


def _framed(ink: NDArray[np.uint8]) -> Picture:
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    written = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return padded(written * np.uint8(255), BITMAP_PEN.margin, BITMAP_PEN.far_margin)
