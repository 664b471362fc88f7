"""All ways to part blocks are weighed, and the weights behind them are found again."""

import numpy as np
import pytest
from tools.fit_parting import (
    TERMS,
    Chain,
    chains_of,
    cross_validated,
    fit,
    lines_of,
    partings,
    wrong,
)

from san.data.stacked_sheets import StackedSheet
from san.ink import Sheet
from san.reader import Recognizer
from san.reader.pages.prepared_page import page_of_ink
from san.reader.pages.segmentation import Block
from tests.reader.pages.written import lines_of as written_lines


def sheet() -> StackedSheet:
    ink = written_lines("x+1=2", "a=b")
    upper = len(written_lines("x+1=2").strokes)
    owners = np.repeat([0, 1], [upper, len(ink.strokes) - upper])
    return StackedSheet(ink, owners, (Sheet(ink), Sheet(ink)))


def test_all_ways_to_part_blocks() -> None:
    assert sorted(partings(3)) == [(1, 1, 1), (1, 2), (2, 1), (3,)]
    assert len(list(partings(6))) == 29  # of 32: none of more than four blocks


@pytest.mark.slow
def test_the_weights_behind_the_ways_are_found() -> None:
    rng = np.random.default_rng(0)
    weights = np.linspace(-1.5, 1.5, TERMS)
    chains = []
    for number in range(300):
        ways = rng.normal(size=(4, TERMS))
        share = np.exp(ways @ weights)
        right = int(rng.choice(4, p=share / share.sum()))
        chains.append(Chain(ways, right, number))
    found = fit(chains)
    assert found == pytest.approx(weights, abs=0.6)
    assert wrong(chains, found) <= cross_validated(chains) < wrong(chains, -weights)


@pytest.mark.slow
def test_chains_know_their_lines() -> None:
    reader = Recognizer(threads=1, quick=True)
    page = page_of_ink(sheet().ink)
    assert lines_of(sheet(), page) == [0, 1]
    page.__dict__["blocks"] = [
        Block(block.parts, block.members, 0.9 if number else 1.0)
        for number, block in enumerate(page.blocks)
    ]
    (chain,) = chains_of(reader, sheet(), page, 0)
    apart, joint = chain.ways
    assert (chain.right, apart[0], joint[0]) == (0, 1, 0)
    assert apart[1] == pytest.approx(np.log(9))
    assert joint[2] < 0
    assert not apart[2:].any()
