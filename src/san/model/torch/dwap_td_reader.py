"""DWAP-TD as a reader: greedily, one triple of each image at a time.

Whatever the weights, reading ends: at the limit of steps a tree is closed. Triples that nobody
draws, such as two symbols on one place, are a reading that says so.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.decoding.engine import DecodingLimits, Memory
from san.decoding.frontier import DEFAULT
from san.decoding.reading import Reading, WholeReading
from san.errors import SanError
from san.grammar.tree import Relation
from san.grammar.triples import triple_tree
from san.model.spec import EMPTY_TARGET
from san.model.torch.decoder import StepOutput
from san.model.torch.dwap_td import DWAPTD, TripleMemory
from san.model.torch.image_reader import ImageReader

RELATIONS = tuple(Relation)


class Progress(NamedTuple):
    """How far the trees of a batch are."""

    state: Tensor  # N x H
    parent_past: Tensor  # N x cells
    child_past: Tensor
    keys: Tensor  # N x places x space: what the pointer chooses from


class DWAPTDReader(ImageReader[DWAPTD]):
    def remember(self, features: Tensor, mask: Tensor) -> TripleMemory:
        return self.network.decoder.memory(features, mask)

    def begin(self, memory: TripleMemory) -> Progress:
        decoder, state = self.network.decoder, memory.init_state
        past = torch.zeros_like(memory.child.images.mask, dtype=state.dtype)
        return Progress(state, past, past, decoder.pointer_key(state)[:, None])

    def find_parent(
        self, memory: TripleMemory, progress: Progress, written: Tensor
    ) -> tuple[StepOutput, Tensor]:
        """The first half of a step, after the symbols `written`; and the pointer's scores."""
        decoder = self.network.decoder
        given = decoder.embed(written)
        parent = decoder.parent(memory.parent, progress.state, progress.parent_past, given)
        return parent, decoder.pointer_scores(progress.keys, parent.state)

    def write_child(
        self, memory: TripleMemory, progress: Progress, parent: StepOutput, symbols: Tensor
    ) -> tuple[Tensor, Tensor, Progress]:
        """The second half, with the parents' symbols: scores of symbols and of relations."""
        decoder = self.network.decoder
        given = decoder.embed(symbols)
        child = decoder.child(memory.child, parent.state, progress.child_past, given)
        following = Progress(
            child.state,
            progress.parent_past + parent.weights,
            progress.child_past + child.weights,
            torch.cat((progress.keys, decoder.pointer_key(child.state)[:, None]), 1),
        )
        return decoder.symbols(child, given), decoder.relations(parent, child), following

    @torch.inference_mode()
    def read(
        self, memory: Memory, limits: DecodingLimits = DEFAULT, beam: int = 1
    ) -> list[list[Reading]]:
        """For each image its one reading."""
        if beam > 1:
            raise SanError("a network of kind dwap-td reads greedily: its beam is 1")
        content: TripleMemory = memory.content
        images = len(memory.hidden)
        progress = self.begin(content)
        written = torch.full((images,), self.network.start, device=self.device)
        rows: list[Tensor] = []  # symbols, parents, relations and logarithms of probabilities
        history = written[:, None]  # the pointer's place 0 is before the first symbol
        ended = torch.zeros(images, dtype=torch.bool, device=self.device)
        for step in range(limits.steps):
            parent, places = self.find_parent(content, progress, written)
            if step:
                places[:, 0] = float("-inf")  # there is one root
            place, likely = _best(places)
            symbols = history.gather(1, place[:, None])[:, 0]
            scores, relations, progress = self.write_child(content, progress, parent, symbols)
            written, of_symbol = _best(scores)
            relation, of_relation = _best(relations)
            ended = ended | (written == EMPTY_TARGET)
            # The root hangs on nothing, and the end mark in no relation.
            gain = of_symbol + torch.where(written == EMPTY_TARGET, 0.0, of_relation) + likely
            gain = gain if step else of_symbol
            rows.append(torch.stack((written, place - 1, relation, gain)))
            history = torch.cat((history, written[:, None]), 1)
            if bool(ended.all()):
                break
        table = torch.stack(rows, -1).cpu().numpy()  # 4 x images x steps
        return [[self._reading(table[:, image])] for image in range(images)]

    def _reading(self, triples: NDArray[np.float64]) -> Reading:
        symbols, parents, relations = triples[:3].astype(np.int64).tolist()
        length = symbols.index(EMPTY_TARGET) if EMPTY_TARGET in symbols else len(symbols)
        names = [self.network.vocabulary.targets[number] for number in symbols[:length]]
        related = [RELATIONS[number] for number in relations[:length]]
        tree = triple_tree(names, parents[:length], related)
        hung = zip(names, parents, related, strict=False)
        text = " ".join(f"{name}@{parent}:{relation.value}" for name, parent, relation in hung)
        score = float(np.nan_to_num(triples[3, : length + 1], nan=-1e9).sum())
        return WholeReading(tree, float(np.exp(min(score, 0.0))), text)


def _best(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Of each row the best place, and the logarithm of its probability."""
    logarithms = torch.nan_to_num(scores.float(), nan=-1e9).log_softmax(-1).double()
    best = logarithms.max(-1)
    return best.indices, best.values
