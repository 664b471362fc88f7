"""Trains the language model of rescoring (`san.reader.rescoring`) on formulas as text.

    python -m tools.train_language_model train.tsv packs/formulas.txt packs/photo-formulas.txt \\
        packs/formulas.txt packs/photo-formulas.txt --config configs/san.toml
    python -m tools.fit_rescoring test2014.bitmaps.zip val_photos.zip

Files hold formulas, a line each, or id<TAB>LaTeX. All of them have the same share of the training
however long they are, and twice that if they are named twice: no file outweighs another,
and what is short is not learnt by heart. Formulas that one of the files bars by a
fingerprint (`san ink formulas --exclude-labels`) are not learnt. How much the language model counts
beside the network, `tools/fit_rescoring.py` finds out; until it has, nothing.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from torch import Tensor, nn

from san.cli.console import check_outputs
from san.errors import SanError, run_or_exit
from san.files import write_file
from san.grammar import Expression, GrammarError, parse
from san.models import RESCORING
from san.reader.rescoring.language_model import (
    AFTER_SYMBOL,
    PARTNER_KINDS,
    UNKNOWN,
    StepToken,
    step_tokens,
)
from san.reader.rescoring.rescorer import RescoringWeights, file_content
from san.synth.formulas.text import fingerprint, read_lines, split
from san.training.rescoring_config import LanguageModelConfig, load_language_model

BUCKET = 16
"""Batches that are drawn at once and sorted by length: less padding."""
READ = 64
"""Formulas whose perplexity is computed at once."""
MIN_COUNT = 3
"""A token that is rarer is unknown."""
MAX_STEPS = 80
"""Of a formula."""
HELD_OUT = 20
"""One formula in so many is held out, to measure the perplexity of what was never met."""
PADDING = -100
"""Which torch's cross entropy ignores."""

Formula = list[StepToken]


class TrainedLanguageModel(nn.Module):
    """What `san.reader.rescoring.language_model` computes, in torch."""

    def __init__(self, vocabulary: Sequence[str], config: LanguageModelConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.index = {name: index for index, name in enumerate(vocabulary)}
        self.tokens = nn.Embedding(len(vocabulary) + 1, hidden, padding_idx=len(vocabulary))
        self.partners = nn.Embedding(PARTNER_KINDS, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True)
        self.drop = nn.Dropout(config.dropout)
        self.output = nn.Linear(hidden, len(vocabulary))

    def forward(self, formulas: Sequence[Formula]) -> Tensor:
        """The mean cross entropy of a token."""
        partner, token = self._padded(formulas)
        nothing = len(self.index)
        before = nn.functional.pad(token[:, :-1], (1, 0), value=nothing)
        before = before.masked_fill(before == PADDING, nothing)
        states, _ = self.lstm(self.drop(self.tokens(before) + self.partners(partner)))
        logits = self.output(self.drop(states))
        return nn.functional.cross_entropy(logits.flatten(0, 1), token.flatten())

    def _padded(self, formulas: Sequence[Formula]) -> tuple[Tensor, Tensor]:
        longest = max(map(len, formulas))
        partner = torch.full((len(formulas), longest), AFTER_SYMBOL)
        token = torch.full((len(formulas), longest), PADDING)
        unknown = self.index[UNKNOWN]
        for row, steps in enumerate(formulas):
            partner[row, : len(steps)] = torch.tensor([step.partner for step in steps])
            indices = [self.index.get(step.name, unknown) for step in steps]
            token[row, : len(steps)] = torch.tensor(indices)
        return partner, token

    @torch.no_grad()
    def arrays(self) -> dict[str, NDArray[np.float16]]:
        """For numpy: the input's product is folded into the embeddings."""
        entry, past, *biases = self.lstm.all_weights[0]  # of its one layer
        into, bias = entry.T, biases[0] + biases[1]
        folded = {
            "token_gates": self.tokens.weight[:-1] @ into,
            "partner_gates": self.partners.weight @ into + bias,
            "state_gates": past.T,
            "output": self.output.weight.T,
            "output_bias": self.output.bias,
        }
        return {name: own.contiguous().numpy().astype(np.float16) for name, own in folded.items()}


def sources(files: Sequence[Path]) -> list[list[Expression]]:
    """The formulas of each file, each once, without those that any file bars or that are long."""
    found: list[Iterable[Expression]] = []
    barred: set[str] = set()
    for file in files:
        texts, marks = split(line.rpartition("\t")[2] for line in read_lines(file))
        barred |= marks
        found.append(dict.fromkeys(filter(None, map(_tree, texts))))
    allowed = [[tree for tree in own if fingerprint(tree) not in barred] for own in found]
    kept = [[tree for tree in own if len(step_tokens(tree)) <= MAX_STEPS] for own in allowed]
    for file, own in zip(files, kept, strict=True):
        if len(own) < HELD_OUT:
            few = f"only {len(own)} formulas of at most {MAX_STEPS} steps that may be learnt"
            raise SanError(f"{file}: {few}; it takes {HELD_OUT}")
    return kept


def split_held_out(
    every: Sequence[Sequence[Expression]],
) -> tuple[list[list[Expression]], list[list[Expression]]]:
    """What is learnt of each file, and what is held out: that stands in no other file, either."""
    learnt = [[tree for n, tree in enumerate(own) if n % HELD_OUT] for own in every]
    known = {tree for own in learnt for tree in own}
    return learnt, [[tree for tree in own[::HELD_OUT] if tree not in known] for own in every]


def _tree(text: str) -> Expression | None:
    try:
        return parse(text)
    except GrammarError:
        return None


def train(learnt: Sequence[Sequence[Formula]], config: LanguageModelConfig) -> TrainedLanguageModel:
    torch.manual_seed(config.seed)
    counts = Counter(step.name for own in learnt for formula in own for step in formula)
    vocabulary = [UNKNOWN, *sorted(name for name, n in counts.items() if n >= MIN_COUNT)]
    model = TrainedLanguageModel(vocabulary, config)
    rate, steps = config.learning_rate, config.steps
    optimizer = torch.optim.AdamW(model.parameters(), rate, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    batches = _batches(learnt, steps, config.batch_size, Random(config.seed))
    for batch in track(batches, "learning", steps):
        optimizer.zero_grad()
        model(batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return model.eval()


def _batches(
    learnt: Sequence[Sequence[Formula]], steps: int, size: int, rng: Random
) -> Iterator[list[Formula]]:
    """A batch is of one file; the files take turns."""
    waiting: list[list[list[Formula]]] = [[] for _ in learnt]
    for step in range(steps):
        own, ready = learnt[step % len(learnt)], waiting[step % len(learnt)]
        if not ready:
            drawn = sorted(rng.choices(own, k=BUCKET * size), key=len)
            ready += [drawn[start : start + size] for start in range(0, len(drawn), size)]
            rng.shuffle(ready)
        yield ready.pop()


def _tokenised(every: Sequence[Sequence[Expression]]) -> list[list[Formula]]:
    return [[step_tokens(tree) for tree in own] for own in every]


@torch.no_grad()
def perplexity(model: TrainedLanguageModel, formulas: Sequence[Formula]) -> float:
    """Of a step, the exponential of the mean cross entropy."""
    batches = [formulas[start : start + READ] for start in range(0, len(formulas), READ)]
    sizes = [sum(map(len, batch)) for batch in batches]
    losses = [float(model(batch)) for batch in batches]
    return float(np.exp(np.average(losses, weights=sizes)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains the language model of formulas.")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--config", type=Path, help="whose section language_model counts")
    parser.add_argument("--steps", type=int, help="instead of the configuration's")
    parser.add_argument("-o", "--output", type=Path, default=RESCORING)
    asked = parser.parse_args()
    config = load_language_model(asked.config) if asked.config else LanguageModelConfig()
    if asked.steps is not None and asked.steps < 1:
        raise SanError(f"--steps {asked.steps}: it takes at least 1")
    config = replace(config, steps=asked.steps or config.steps)
    check_outputs([asked.output], asked.files)
    every = sources(asked.files)
    learnt, held = (_tokenised(part) for part in split_held_out(every))
    model = train(learnt, config)
    for place, file in enumerate(asked.files):
        if file in asked.files[:place]:
            continue
        print(f"{file.name}: {len(every[place]):,} formulas, perplexity a step", end=" ")
        if held[place]:
            print(f"{perplexity(model, held[place]):.2f} of those held out,", end=" ")
        print(f"{perplexity(model, learnt[place][::HELD_OUT]):.2f} of those learnt")
    content = file_content(tuple(model.index), model.arrays(), RescoringWeights())
    write_file(asked.output, content)


if __name__ == "__main__":
    run_or_exit(main)
