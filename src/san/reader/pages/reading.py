"""Reads the blocks of a page; where a boundary is in doubt, both ways, and takes the better one.

A boundary between two formulas that is none leaves two pieces that are unlikely formulas; one that
is missing makes a formula of two lines, which no reading accounts for. So blocks in doubt are read
as one where that reading is sure beside those of its pieces, keeps their symbols, and where the
boundaries between them are weak. What is read as lines without a brace or fences is as many
formulas, and never one.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import log
from statistics import fmean
from typing import NamedTuple

import numpy as np

from san.ink import Box
from san.reader.pages.derivations import has_stacked
from san.reader.pages.prepared_page import PreparedPage
from san.reader.pages.segmentation import MAX_JOINED, Block, doubtful_chains
from san.reader.prepared import PreparedImage
from san.reader.result import Formula

MAX_READINGS = 400
"""Of a page: where more would be needed, boundaries in doubt are not read both ways."""
MIN_CONFIDENCE, MIN_KEPT = 0.03, 0.1
"""Of a reading, and of the share of symbols that it keeps: what is less counts as much."""
BOUNDARY_WEIGHTS = (-2.98, 1.07)
JOINT_WEIGHTS = (1.75, -2.08, 1.71, 1.40)
"""Of `boundary_terms` and `joint_terms`: a log-linear model of all ways to part a chain of blocks.
`tools.fit_parting` fits it; on 370 chains in doubt of CROHME 2014, 113 within single formulas and
257 on stacked sheets, 20 come out wrong, cross-validated; without reading, 91."""

FEW_BLOCKS, WHOLE_CONFIDENCE, WHOLE_KEPT = 3, 0.9, 0.6
"""So few blocks are one formula all the same where they are read as one that is so sure, leaves no
ink over and has that share of their symbols (half a fraction is often read as more than it is): a
fraction without a bar, a high exponent."""

Terms = tuple[float, ...]
Read = Callable[[Sequence[PreparedImage]], Sequence[Formula]]


class ReadBlock(NamedTuple):
    """A block and what it says."""

    block: Block
    formula: Formula


def read_blocks(
    page: PreparedPage, read: Read, max_blocks: int
) -> tuple[list[ReadBlock], list[Block]]:
    """The formulas of a page, in reading order; and the blocks beyond the first so many."""
    beyond = page.blocks[max_blocks:]
    chains = list(doubtful_chains(page.blocks[:max_blocks]))
    wanted = [block for chain in chains for block in segments(chain)]
    if len(wanted) > MAX_READINGS:
        wanted = _decided(page.blocks[:max_blocks])
        chains = [[block] for block in wanted]
    formulas = read([page.image_of(block) for block in wanted])
    of_segment = {_key(block): formula for block, formula in zip(wanted, formulas, strict=True)}
    results = []
    for chain in chains:
        for block in _best_parting(page, chain, of_segment):
            results.append(ReadBlock(block, of_segment[_key(block)]))
    if 1 < len(results) <= FEW_BLOCKS and not beyond:
        whole = reduce(Block.joined, [found.block for found in results])
        formula = of_segment.get(_key(whole)) or read([page.image_of(whole)])[0]
        if _is_whole(formula, [found.formula for found in results]):
            return [ReadBlock(whole, formula)], beyond
    return results, beyond


def _is_whole(formula: Formula, pieces: Sequence[Formula]) -> bool:
    """Whether a reading accounts for all that its pieces say."""
    return (
        formula.confidence >= WHOLE_CONFIDENCE
        and not has_stacked(formula.expression)
        and not formula.unread
        and _symbols(formula) >= WHOLE_KEPT * sum(map(_symbols, pieces))
    )


def _decided(blocks: Sequence[Block]) -> list[Block]:
    """Without reading: boundaries that are likely stand."""
    decided = [blocks[0]]
    for block in blocks[1:]:
        if block.boundary < 0.5:
            decided[-1] = decided[-1].joined(block)
        else:
            decided.append(block)
    return decided


def segments(chain: Sequence[Block]) -> Iterator[Block]:
    """All blocks that could be one formula."""
    for first in range(len(chain)):
        for last in range(first, min(first + MAX_JOINED, len(chain))):
            yield reduce(Block.joined, chain[first : last + 1])


def _key(block: Block) -> bytes:
    return block.members.tobytes()


def _best_parting(
    page: PreparedPage, chain: Sequence[Block], of_segment: dict[bytes, Formula]
) -> list[Block]:
    """The way to part a chain whose score is the highest, from the best of all its beginnings."""
    alone = [ReadBlock(block, of_segment[_key(block)]) for block in chain]
    best: list[tuple[float, list[Block]]] = [(0.0, [])]
    for last in range(len(chain)):
        ways = []
        for first in range(max(last + 1 - MAX_JOINED, 0), last + 1):
            score, before = best[first]
            block = reduce(Block.joined, chain[first : last + 1])
            if first < last:
                joint = of_segment[_key(block)]
                if has_stacked(joint.expression):
                    continue
                terms = joint_terms(page, joint, alone[first : last + 1])
                score += float(np.dot(JOINT_WEIGHTS, terms))
            if first:
                score += float(np.dot(BOUNDARY_WEIGHTS, boundary_terms(chain[first].boundary)))
            ways.append((score, [*before, block]))
        best.append(max(ways, key=lambda way: way[0]))
    return best[-1][1]


def joint_terms(page: PreparedPage, joint: Formula, alone: Sequence[ReadBlock]) -> Terms:
    """Of blocks that are read as one: how sure that reading is, how sure its pieces are on the
    average, what share of the symbols it keeps, and the number of blocks beyond two."""
    pieces = fmean(_log_confidence(read.formula) for read in alone)
    kept = min(max(kept_share(page, joint, alone), MIN_KEPT), 1.0)
    return _log_confidence(joint), pieces, log(kept), len(alone) - 2


def boundary_terms(probability: float) -> Terms:
    """Of a boundary that stands: that it does, and its logit."""
    return 1.0, log(probability / (1 - probability))


def _log_confidence(formula: Formula) -> float:
    return log(max(formula.confidence, MIN_CONFIDENCE))


def kept_share(page: PreparedPage, joint: Formula, alone: Sequence[ReadBlock]) -> float:
    """How many symbols a joint reading has where a block stands, of those that it has alone; the
    least of all blocks. A line that was lost has none."""
    places = [block.box for block, _ in alone]
    boxes = [page.among_parts(symbol.box) for symbol in joint.symbols if symbol.box is not None]
    counts = [0] * len(places)
    for box in boxes:
        counts[_nearest(box, places)] += 1
    return min(
        count / max(_symbols(read.formula), 1) for count, read in zip(counts, alone, strict=True)
    )


def _symbols(formula: Formula) -> int:
    return sum(1 for _ in formula.expression.walk())


def _nearest(box: Box, places: Sequence[Box]) -> int:
    """The place that a box overlaps most, or is least far from, from top to bottom."""
    overlaps = [min(box.bottom, one.bottom) - max(box.top, one.top) for one in places]
    return overlaps.index(max(overlaps))
