"""Fits how blocks in doubt become formulas (`san.reader.pages.reading`), and prints the weights.

    python -m tools.fit_parting crohme/test2014.inkml.zip  # two hours of one core

Reads every block in doubt of single formulas and of stacked sheets, alone and together with those
beside it, as ink, as bitmaps and as simulated photographs. The weights are those of a log-linear
model of all ways to part a chain of blocks, by maximum likelihood; errors are cross-validated.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import compress, groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from san.data.stacked_sheets import StackedSheet, stack, stacked_sheets
from san.errors import run_or_exit
from san.ink import Ink, draw, read_many
from san.ink.strokes import box_of
from san.reader import Recognizer, Source
from san.reader.pages.prepared_page import PreparedPage
from san.reader.pages.reading import (
    BOUNDARY_WEIGHTS,
    JOINT_WEIGHTS,
    ReadBlock,
    boundary_terms,
    joint_terms,
    segments,
)
from san.reader.pages.segmentation import MAX_JOINED, Block, doubtful_chains
from san.synth.photo.paper import photograph, random_page

KINDS = ("ink", "bitmap", "photograph")
MAX_CHAIN = 7
"""Blocks: the ways to part more are too many to list."""
PULL = 0.3
"""Of weights towards zero: a normal prior's precision."""
FOLDS, STEPS, MAX_STEP, TOLERANCE = 8, 30, 2.0, 1e-4
TERMS = len(BOUNDARY_WEIGHTS) + len(JOINT_WEIGHTS)
Floats = NDArray[np.float64]


class Chain(NamedTuple):
    """The terms of all ways to part a chain of blocks, and which of them is right."""

    ways: Floats  # ways x terms
    right: int
    sheet: int


def partings(blocks: int) -> Iterator[tuple[int, ...]]:
    """All ways to part so many blocks: how many blocks each formula has."""
    if not blocks:
        yield ()
    for first in range(1, min(blocks, MAX_JOINED) + 1):
        for rest in partings(blocks - first):
            yield (first, *rest)


def source_of(ink: Ink, kind: str, seed: int) -> Source:
    if kind == "ink":
        return ink
    return draw(ink) if kind == "bitmap" else photograph(draw(ink), random_page(seed), seed)


def lines_of(sheet: StackedSheet, page: PreparedPage) -> list[int]:
    """The line of each block, by its height: a photograph has other lengths than the ink."""
    whole = sheet.ink.box
    ends = np.array(
        [
            (line.top, line.bottom)
            for line in (
                box_of(compress(sheet.ink.strokes, sheet.owners == number))
                for number in range(len(sheet.formulas))
            )
        ]
    )
    ends = (ends - whole.top) / max(whole.height, 1e-6)
    boxes = [page.box_of(block) for block in page.blocks]
    top, bottom = min(box.top for box in boxes), max(box.bottom for box in boxes)
    middles = [((box.top + box.bottom) / 2 - top) / max(bottom - top, 1e-6) for box in boxes]
    return [int(np.maximum(ends[:, 0] - at, at - ends[:, 1]).argmin()) for at in middles]


def chains_of(
    reader: Recognizer, sheet: StackedSheet, page: PreparedPage, number: int
) -> Iterator[Chain]:
    lines, at = lines_of(sheet, page), 0
    for chain in doubtful_chains(page.blocks):
        runs = [len(list(run)) for _, run in groupby(lines[at : at + len(chain)])]
        at += len(chain)
        if 1 < len(chain) <= MAX_CHAIN and max(runs) <= MAX_JOINED:
            ways = list(partings(len(chain)))
            yield Chain(terms_of(reader, page, chain, ways), ways.index(tuple(runs)), number)


def terms_of(
    reader: Recognizer, page: PreparedPage, chain: Sequence[Block], ways: Sequence[tuple[int, ...]]
) -> Floats:
    read = {
        block.members.tobytes(): ReadBlock(block, reader.read_prepared([page.image_of(block)])[0])
        for block in segments(chain)
    }
    alone = [read[block.members.tobytes()] for block in chain]
    terms = np.zeros((len(ways), TERMS))
    for way, sizes in zip(terms, ways, strict=True):
        first = 0
        for size in sizes:
            if first:
                way[: len(BOUNDARY_WEIGHTS)] += boundary_terms(chain[first].boundary)
            if size > 1:
                joint = reduce(Block.joined, chain[first : first + size])
                formula = read[joint.members.tobytes()].formula
                pieces = alone[first : first + size]
                way[len(BOUNDARY_WEIGHTS) :] += joint_terms(page, formula, pieces)
            first += size
    return terms


def fit(chains: Iterable[Chain]) -> Floats:
    """Newton's method: the likelihood is concave."""
    weights = np.zeros(TERMS)
    known = list(chains)
    for _ in range(STEPS):
        slope, curve = PULL * weights, PULL * np.eye(TERMS)
        for ways, right, _ in known:
            scores = ways @ weights
            share = np.exp(scores - scores.max())
            share /= share.sum()
            mean = share @ ways
            slope = slope + mean - ways[right]
            curve = curve + (ways * share[:, None]).T @ ways - np.outer(mean, mean)
        step = np.linalg.solve(curve, slope)
        weights = weights - np.clip(step, -MAX_STEP, MAX_STEP)
        if np.abs(step).max() < TOLERANCE:
            break
    return weights


def wrong(chains: Iterable[Chain], weights: Floats) -> int:
    return sum(int((ways @ weights).argmax()) != right for ways, right, _ in chains)


def cross_validated(chains: Sequence[Chain]) -> int:
    """Chains that come out wrong by weights of other sheets."""
    count = 0
    for fold in range(FOLDS):
        weights = fit(chain for chain in chains if chain.sheet % FOLDS != fold)
        count += wrong((chain for chain in chains if chain.sheet % FOLDS == fold), weights)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="InkML by several writers: a folder or a zip")
    parser.add_argument("--count", type=int, default=250, help="sheets that are stacked")
    parser.add_argument("--singles", type=int, help="only the first so many single formulas")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    options = parser.parse_args()
    reader, rng = Recognizer(), np.random.default_rng(0)
    formulas = list(read_many(options.corpus, on_skip=lambda *_: None))[: options.singles]
    sheets = [*(stack([one], rng) for one in formulas)]
    sheets += stacked_sheets(options.corpus, options.count, 100)
    chains = [
        chain
        for number, sheet in enumerate(track(sheets, "sheets"))
        for kind in options.kinds
        for chain in chains_of(
            reader, sheet, reader.open_page(source_of(sheet.ink, kind, number)), number
        )
    ]
    alone = np.zeros(TERMS)
    alone[1] = 1.0
    print(f"{len(chains)} chains; wrong without reading: {wrong(chains, alone)}")
    print(f"wrong as it is: {wrong(chains, np.array([*BOUNDARY_WEIGHTS, *JOINT_WEIGHTS]))}")
    print(f"wrong, cross-validated: {cross_validated(chains)}")
    boundary, joint = np.split(fit(chains).round(2), [len(BOUNDARY_WEIGHTS)])
    print(f"BOUNDARY_WEIGHTS = {tuple(boundary.tolist())}\nJOINT_WEIGHTS = {tuple(joint.tolist())}")


if __name__ == "__main__":
    run_or_exit(main)
