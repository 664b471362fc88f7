"""The network of a judge of readings: a small transformer over the steps of a reading.

It knows what each step writes, how probable the network held that and everything else, the state
that it was in, and where it looked; so it can compare two letters of one hand, wherever they stand.
It gives a reading one number. Beside that it tells of every step whether the right reading has it:
a picture has one right reading, but a hundred steps to learn from.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from tools.judge_data import Example, Reading

WIDTH, LAYERS, HEADS = 96, 2, 4
DROPOUT = 0.1
LEAST_LOGARITHM = -12.0
"""What is less probable is as good as impossible."""


class Steps(NamedTuple):
    """The steps of some readings, filled up to the longest: R x N x what there is of each."""

    numbers: Tensor  # parent, partner, target, relations
    scores: Tensor
    hidden: Tensor
    places: Tensor
    exist: Tensor  # R x N


class Judge(nn.Module):
    def __init__(self, vocabulary: Vocabulary, hidden: int) -> None:
        super().__init__()
        targets, partners = len(vocabulary.targets), len(vocabulary.partners)
        self.scores = nn.Linear(targets + len(Relation), WIDTH)
        self.hidden = nn.Linear(hidden, WIDTH)
        self.place = nn.Linear(5, WIDTH)  # and the logarithm of the target's probability
        self.partner = nn.Embedding(partners, WIDTH)
        self.target = nn.Embedding(targets, WIDTH)
        self.relations = nn.Embedding(1 << len(Relation), WIDTH)
        self.from_parent = nn.Linear(WIDTH, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                WIDTH, HEADS, 2 * WIDTH, DROPOUT, batch_first=True, norm_first=True
            )
            for _ in range(LAYERS)
        )
        self.norm = nn.LayerNorm(WIDTH)
        last = nn.Linear(WIDTH, 1)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self.rank = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), last)
        self.right = nn.Linear(WIDTH, 1)

    def forward(self, steps: Steps) -> tuple[Tensor, Tensor]:
        """What is added to each reading's score, and the log odds of each step."""
        parent, partner, target, relations = steps.numbers.unbind(2)
        scores = steps.scores.clamp(min=LEAST_LOGARITHM)
        own = scores.gather(2, target[..., None])
        x = (
            self.scores(scores / 4)
            + self.hidden(steps.hidden)
            + self.place(torch.cat([steps.places / 10, own], 2))
            + self.partner(partner)
            + self.target(target)
            + self.relations(relations)
        )
        above = parent.clamp(min=0)[..., None].expand_as(x)
        x = x + self.from_parent(x.gather(1, above))
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=~steps.exist)
        x = self.norm(x)
        ranks = self.rank(x)[..., 0] * steps.exist
        return ranks.sum(1), self.right(x)[..., 0]


def gathered(examples: Sequence[Example]) -> Steps:
    """All readings of some examples, one after the other."""
    every = [(example, reading) for example in examples for reading in example.readings]
    shape = len(every), max(len(reading.rows) for _, reading in every)
    first = examples[0]
    numbers = np.zeros((*shape, first.readings[0].steps.shape[1]), np.int64)
    parts = [np.zeros((*shape, part.shape[1]), np.float32) for part in first.seen]
    exist = np.zeros(shape, bool)
    for row, (example, reading) in enumerate(every):
        length = len(reading.rows)
        numbers[row, :length], exist[row, :length] = reading.steps, True
        for part, seen in zip(parts, example.seen, strict=True):
            part[row, :length] = seen[reading.rows]
    return Steps(*map(torch.from_numpy, (numbers, *parts, exist)))


def is_right(reading: Reading, truth: Reading, first_relation: int) -> list[float]:
    """Of each step whether the right reading has it: the same, at the same place of the tree."""
    expected = dict(zip(_places(truth, first_relation), truth.steps[:, 2:].tolist(), strict=True))
    places = _places(reading, first_relation)
    decided = reading.steps[:, 2:].tolist()
    return [float(expected.get(p) == own) for p, own in zip(places, decided, strict=True)]


def _places(reading: Reading, first_relation: int) -> list[tuple[object, ...]]:
    """A step's place: that of its parent, and the relation by which it follows, or none."""
    places: list[tuple[object, ...]] = []
    for parent, partner in reading.steps[:, :2].tolist():
        above = places[parent] if parent >= 0 else ()
        places.append((above, max(partner - first_relation, -1)))
    return places
