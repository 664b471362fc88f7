"""Trains the language model of `san.reader.rescoring.rescorer` on formulas as text.

    python -m tools.train_sense train.tsv packs/formulas.txt packs/school.txt \\
        packs/formulas.txt packs/school.txt
    python -m tools.fit_sense test2014.bitmaps.zip

Files hold formulas, a line each, or id<TAB>LaTeX. All of them have the same share of the training
however long they are, and twice that if they are named twice: neither ink nor school drowns the
other, and what is short is not learnt by heart. Formulas that one of the files bars by a
fingerprint (`san ink formulas --never`) are not learnt. How much the language model then counts
beside the network, `tools/fit_sense.py` finds out; until it has, nothing.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from torch import Tensor, nn

from san.cli.console import check_outputs
from san.errors import SanError, reason
from san.files import read_file, write_file
from san.grammar import Expression, GrammarError, parse
from san.models import SENSE
from san.reader.rescoring.language_model import AFTER_SYMBOL, PLACES, UNKNOWN, Word, words
from san.reader.rescoring.rescorer import Rule, written
from san.synth.formulas.text import fingerprint, split

HIDDEN, DROPPED = 320, 0.15
BATCH, STEPS, RATE, DECAY = 64, 14_000, 4e-3, 0.05
LIKE = 16
"""Batches that are drawn at once and parted by length: less padding."""
RARE = 3
"""A word that is said less often is unknown."""
LONGEST = 80
"""Steps of a formula."""
HELD = 20
"""One formula in so many is not learnt, to see how well the model knows what it never met."""
PADDING = -100
"""Which torch passes over."""

Formula = list[Word]


class Language(nn.Module):
    """What `san.reader.rescoring.language_model` computes, as it is trained."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.number = {name: number for number, name in enumerate(names)}
        self.words = nn.Embedding(len(names) + 1, HIDDEN, padding_idx=len(names))
        self.places = nn.Embedding(PLACES, HIDDEN)
        self.lstm = nn.LSTM(HIDDEN, HIDDEN, batch_first=True)
        self.drop = nn.Dropout(DROPPED)
        self.output = nn.Linear(HIDDEN, len(names))

    def forward(self, formulas: Sequence[Formula]) -> Tensor:
        """The mean over all words of minus the logarithm of their probability."""
        place, word = self._tables(formulas)
        nothing = len(self.number)
        before = nn.functional.pad(word[:, :-1], (1, 0), value=nothing)
        before = before.masked_fill(before == PADDING, nothing)
        states, _ = self.lstm(self.drop(self.words(before) + self.places(place)))
        scores = self.output(self.drop(states))
        return nn.functional.cross_entropy(scores.flatten(0, 1), word.flatten())

    def _tables(self, formulas: Sequence[Formula]) -> tuple[Tensor, Tensor]:
        longest = max(map(len, formulas))
        place = torch.full((len(formulas), longest), AFTER_SYMBOL)
        word = torch.full((len(formulas), longest), PADDING)
        unknown = self.number[UNKNOWN]
        for row, own in enumerate(formulas):
            place[row, : len(own)] = torch.tensor([one.place for one in own])
            word[row, : len(own)] = torch.tensor([self.number.get(w.name, unknown) for w in own])
        return place, word

    @torch.no_grad()
    def arrays(self) -> dict[str, NDArray[np.float16]]:
        """For numpy: what leads from words and places to the gates is folded."""
        entry, past, *biases = self.lstm.all_weights[0]  # of its one layer
        into, bias = entry.T, biases[0] + biases[1]
        folded = {
            "after": self.words.weight[:-1] @ into,
            "place": self.places.weight @ into + bias,
            "state": past.T,
            "output": self.output.weight.T,
            "bias": self.output.bias,
        }
        return {name: own.contiguous().numpy().astype(np.float16) for name, own in folded.items()}


def sources(files: Sequence[Path]) -> list[list[Expression]]:
    """The formulas of each file, each once, without those that any file bars or that are long."""
    found: list[Iterable[Expression]] = []
    barred: set[str] = set()
    for file in files:
        try:
            lines = read_file(file).decode("utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise SanError(f"{file}: not UTF-8 text: byte {error.start + 1}") from None
        texts, marks = split(line.rpartition("\t")[2] for line in lines)
        barred |= marks
        found.append(dict.fromkeys(filter(None, map(_tree, texts))))
    allowed = [[tree for tree in own if fingerprint(tree) not in barred] for own in found]
    kept = [[tree for tree in own if len(words(tree)) <= LONGEST] for own in allowed]
    for file, own in zip(files, kept, strict=True):
        if len(own) < HELD:
            few = f"only {len(own)} formulas of at most {LONGEST} steps that may be learnt"
            raise SanError(f"{file}: {few}; it takes {HELD}")
    return kept


def parted(
    every: Sequence[Sequence[Expression]],
) -> tuple[list[list[Expression]], list[list[Expression]]]:
    """What is learnt of each file, and what is held back: that stands in no other file, either."""
    learnt = [[tree for n, tree in enumerate(own) if n % HELD] for own in every]
    known = {tree for own in learnt for tree in own}
    return learnt, [[tree for tree in own[::HELD] if tree not in known] for own in every]


def _tree(text: str) -> Expression | None:
    try:
        return parse(text)
    except GrammarError:
        return None


def train(learnt: Sequence[Sequence[Formula]], steps: int, seed: int = 0) -> Language:
    torch.manual_seed(seed)
    said = Counter(word.name for own in learnt for formula in own for word in formula)
    names = [UNKNOWN, *sorted(name for name, count in said.items() if count >= RARE)]
    model = Language(names)
    learner = torch.optim.AdamW(model.parameters(), RATE, weight_decay=DECAY)
    pace = torch.optim.lr_scheduler.OneCycleLR(learner, RATE, total_steps=steps)
    for batch in track(_batches(learnt, steps, Random(seed)), "learning", steps):
        learner.zero_grad()
        model(batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        learner.step()
        pace.step()
    return model.eval()


def _batches(
    learnt: Sequence[Sequence[Formula]], steps: int, dice: Random
) -> Iterator[list[Formula]]:
    """A batch is of one file; the files take turns."""
    waiting: list[list[list[Formula]]] = [[] for _ in learnt]
    for step in range(steps):
        own, ready = learnt[step % len(learnt)], waiting[step % len(learnt)]
        if not ready:
            drawn = sorted(dice.choices(own, k=LIKE * BATCH), key=len)
            ready += [drawn[start : start + BATCH] for start in range(0, len(drawn), BATCH)]
            dice.shuffle(ready)
        yield ready.pop()


def _said(every: Sequence[Sequence[Expression]]) -> list[list[Formula]]:
    return [[words(tree) for tree in own] for own in every]


@torch.no_grad()
def perplexity(model: Language, formulas: Sequence[Formula]) -> float:
    """Among so many words that are equally probable the model chooses, as it were."""
    batches = [formulas[start : start + BATCH] for start in range(0, len(formulas), BATCH)]
    sizes = [sum(map(len, batch)) for batch in batches]
    losses = [float(model(batch)) for batch in batches]
    return float(np.exp(np.average(losses, weights=sizes)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains the language model of formulas.")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("-o", "--output", type=Path, default=SENSE)
    asked = parser.parse_args()
    try:
        if asked.steps < 1:
            raise SanError(f"--steps {asked.steps}: it takes at least 1")
        check_outputs([asked.output], asked.files)
        every = sources(asked.files)
        learnt, held = (_said(part) for part in parted(every))
        model = train(learnt, asked.steps)
        for place, file in enumerate(asked.files):
            if file in asked.files[:place]:
                continue
            print(f"{file.name}: {len(every[place]):,} formulas, perplexity a step", end=" ")
            if held[place]:
                print(f"{perplexity(model, held[place]):.2f} of those held back,", end=" ")
            print(f"{perplexity(model, learnt[place][::HELD]):.2f} of those learnt")
        write_file(asked.output, written(tuple(model.number), model.arrays(), Rule()))
    except SanError as error:
        raise SystemExit(str(error)) from None
    except OSError as error:
        raise SystemExit(f"{asked.output}: {reason(error)}") from None


if __name__ == "__main__":
    main()
