"""DWAP-TD: a batch, teacher-forced, against one triple at a time; and what its losses ask for."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch.nn import functional

from san.decoding.engine import DecodingLimits
from san.errors import SanError
from san.grammar import Expression
from san.grammar.languages import write
from san.grammar.tree import SLOT, Relation
from san.grammar.vocabulary import Vocabulary
from san.model.torch.dwap_td import DIVERGENCE_WEIGHT, DWAPTD, PARENT_SYMBOL_WEIGHT
from san.model.torch.dwap_td_reader import DWAPTDReader
from tests.model.torch.test_kinds import build, lay_out

Images = list[NDArray[np.float32]]


@pytest.fixture
def network(vocabulary: Vocabulary) -> DWAPTD:
    found = build("dwap-td", vocabulary)
    assert isinstance(found, DWAPTD)
    return found


@torch.no_grad()
def test_teacher_forced_triples_are_those_of_single_steps(
    network: DWAPTD, images: Images, trees: list[Expression]
) -> None:
    batch = lay_out(network, images, trees)
    forward, backward = network(batch)
    assert backward is not None
    losses = network.losses(batch, forward, backward)
    reader, number = DWAPTDReader(network), network.vocabulary.number
    found: dict[str, list[torch.Tensor]] = {"child": [], "pointer": [], "relation": []}
    for image, tree in enumerate(trees):
        content = reader.encode([images[image]]).content
        progress, written = reader.begin(content), torch.tensor([network.start])
        steps = write("dwap-td", tree)
        symbols = [network.start]  # by the pointer's places
        for row, step in enumerate(steps):
            parent, places = reader.find_parent(content, progress, written)
            torch.testing.assert_close(
                places[0], backward.relations[row, image, : row + 1], rtol=1e-4, atol=1e-5
            )
            assert torch.isinf(backward.relations[row, image, row + 1 :]).all()
            given = torch.tensor([symbols[step.parent + 1]])
            scores, relations, progress = reader.write_child(content, progress, parent, given)
            for one, many in ((scores, forward.symbols), (relations, forward.relations)):
                torch.testing.assert_close(one[0], many[row, image], rtol=1e-4, atol=1e-5)
            written = torch.tensor([number(step.target)])
            found["child"].append(functional.cross_entropy(scores, written))
            if row:
                place = torch.tensor([step.parent + 1])
                found["pointer"].append(functional.cross_entropy(places, place))
            if 0 < row < len(steps) - 1:
                assert isinstance(step.partner, Relation)
                slot = torch.tensor([SLOT[step.partner]])
                found["relation"].append(functional.cross_entropy(relations, slot))
            symbols.append(number(step.target))
    child, pointer, relation = (torch.stack(each).mean() for each in found.values())
    torch.testing.assert_close(losses.symbol, child, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(losses.relation, pointer + relation, rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_parents_are_known_by_their_symbol_and_by_where_it_was_read(
    network: DWAPTD, images: Images, trees: list[Expression]
) -> None:
    batch = lay_out(network, images, trees)
    forward, backward = network(batch)
    assert backward is not None
    symbols, gaps = [], []
    for image, tree in enumerate(trees):
        steps = write("dwap-td", tree)
        for row, step in enumerate(steps[1:], 1):
            wanted = torch.tensor(network.vocabulary.number(steps[step.parent].target))
            symbols.append(functional.cross_entropy(backward.symbols[row, image], wanted))
            child, parent = forward.weights[step.parent, image], backward.weights[row, image]
            ratio = torch.log(child + 1e-10) - torch.log(parent + 1e-10)
            gaps.append((child * ratio).sum())
    losses = network.losses(batch, forward, backward)
    mean = torch.stack(symbols).mean() * PARENT_SYMBOL_WEIGHT
    torch.testing.assert_close(losses.reversed_symbol, mean, rtol=1e-4, atol=1e-6)
    mean = torch.stack(gaps).mean() * DIVERGENCE_WEIGHT
    torch.testing.assert_close(losses.regularisation, mean, rtol=1e-4, atol=1e-6)


def test_it_reads_greedily_and_never_finds_a_second_root(network: DWAPTD, images: Images) -> None:
    reader = DWAPTDReader(network)
    memory = reader.encode(images)
    with pytest.raises(SanError, match="its beam is 1"):
        reader.read(memory, beam=2)
    for seed in range(5):
        torch.manual_seed(seed)
        for parameter in network.decoder.parameters():
            parameter.data.normal_(0, 1.0)
        for (reading,) in reader.read(memory, DecodingLimits(steps=9)):
            if not reading.parses:
                parents = [
                    int(word.rpartition("@")[2].split(":")[0]) for word in reading.latex.split()
                ]
                assert parents[0] == -1
                assert all(0 <= parent < row for row, parent in enumerate(parents) if row)
                assert len(parents) <= 9
