"""A judge of readings that sees ink: what it gains, by the number of examples that it learns from.

    python -m tools.judge_curve made-*.npz --corpora 2014.npz val_photos.npz --sizes 1000 3000 9000

What the judge (`tools/judge.py`) says of a reading is added to its score in
`san.reader.rescoring`.

Design choices
- It learns to rank the readings that were found, from the score that they have: what the rest
  knows already it need not learn.
- Of the epochs the one counts after which held-back examples are likeliest; corpora choose nothing.
- How much it counts beside the other terms is fitted with theirs, two-fold, as
  `tools/fit_rescoring.py` does.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional

from san.errors import SanError, run_or_exit
from san.evaluation.metrics import Numbers
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from san.models import RESCORING
from san.reader.rescoring.rescorer import Rescorer, RescoringWeights
from tools.fit_rescoring import REPEATS, fit_terms, halved
from tools.fit_rescoring import Example as Compared
from tools.judge import Judge, gathered, is_right
from tools.judge_data import Example, Examples, load_examples

STEP_LOSS = 0.5
"""How much it counts whether single steps are told rightly."""
BATCH = 32
LEARNING_RATE = 1e-3
HELD = 0.12
"""Of the examples: they choose the epoch."""


def ranked(
    judge: Judge, examples: Sequence[Example], weights: Numbers
) -> tuple[list[Tensor], Tensor]:
    """Of each example the scores of its readings; and the log odds of their steps."""
    added, odds = judge(gathered(examples))
    counts = [len(example.readings) for example in examples]
    scores = [
        own + torch.from_numpy(example.terms[:-1] @ weights).float()
        for own, example in zip(added.split(counts), examples, strict=True)
    ]
    return scores, odds


def batches(examples: Sequence[Example], rng: np.random.Generator) -> Iterator[list[Example]]:
    """Of about one length, in random order."""
    length = [max(len(reading.rows) for reading in example.readings) for example in examples]
    groups = np.array_split(np.argsort(length, kind="stable"), -(-len(examples) // BATCH))
    for group in rng.permutation(len(groups)):
        yield [examples[place] for place in groups[group]]


def train(
    examples: Sequence[Example],
    held: Sequence[Example],
    vocabulary: Vocabulary,
    epochs: int,
    weights: Numbers,
    say: Callable[[str], None],
) -> tuple[Judge, float]:
    """The judge after its best epoch, and how likely what was held back is to it (mean negative
    logarithm)."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    judge = Judge(vocabulary, examples[0].seen.hidden.shape[1])
    optimiser = torch.optim.AdamW(judge.parameters(), weight_decay=0.05)
    steps = epochs * -(-len(examples) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps)
    first_relation = vocabulary.number(next(iter(Relation)))
    best, kept = float("inf"), judge.state_dict()
    for epoch in range(epochs):
        judge.train()
        for group in batches(examples, rng):
            scores, odds = ranked(judge, group, weights)
            loss = _surprise(scores, group) / len(group)
            told = [
                torch.tensor(is_right(reading, example.readings[example.truth], first_relation))
                for example in group
                for reading in example.readings
            ]
            lengths = [len(own) for own in told]
            said = torch.cat([row[:n] for row, n in zip(odds, lengths, strict=True)])
            single = functional.binary_cross_entropy_with_logits(said, torch.cat(told))
            optimiser.zero_grad()
            torch.autograd.backward(loss + STEP_LOSS * single)
            nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
            optimiser.step()
            schedule.step()
        surprise = surprise_of(judge, held, weights)
        say(f"epoch {epoch + 1} of {epochs}: {surprise:.3f}")
        if surprise < best:
            best = surprise
            kept = {name: own.clone() for name, own in judge.state_dict().items()}
    judge.load_state_dict(kept)
    return judge, best


def _surprise(scores: Sequence[Tensor], examples: Sequence[Example]) -> Tensor:
    return torch.stack(
        [-own.log_softmax(0)[example.truth] for own, example in zip(scores, examples, strict=True)]
    ).sum()


@torch.no_grad()
def surprise_of(judge: Judge, examples: Sequence[Example], weights: Numbers) -> float:
    judge.eval()
    rng = np.random.default_rng(0)
    groups = batches(examples, rng)
    total = sum(float(_surprise(ranked(judge, group, weights)[0], group)) for group in groups)
    return total / len(examples)


@torch.no_grad()
def judged_terms(judge: Judge, example: Example) -> Numbers:
    """An example's terms, and what the judge says of each reading as one more; of none of them it
    says nothing."""
    judge.eval()
    added = judge(gathered([example]))[0].numpy()
    likeliest = int(example.terms[:-1, 0].argmax())
    return np.column_stack([example.terms, np.append(added - added[likeliest], 0.0)])


def share_right(corpora: Sequence[Examples], judge: Judge | None = None) -> list[float]:
    """Percent of each corpus that is handed out rightly: weights are fitted on one half of all of
    them and the other half is counted, several times."""
    start = np.array(astuple(RescoringWeights()))
    if judge:
        start = np.append(start, 0.0)
    every = [
        [
            Compared(judged_terms(judge, one) if judge else one.terms.astype(float), one.truth)
            for one in corpus.unsure
        ]
        for corpus in corpora
    ]
    rng = np.random.default_rng(0)
    right = np.zeros(len(corpora))
    for _ in range(REPEATS):
        halves = [halved(own, rng) for own in every]
        for side in (0, 1):
            weights = fit_terms([one for parts in halves for one in parts[1 - side]], start)
            right += [
                sum((one.rows[:-1] @ weights).argmax() == one.truth for one in parts[side])
                for parts in halves
            ]
    return [
        100 * (own / REPEATS + corpus.settled) / corpus.pictures
        for own, corpus in zip(right, corpora, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="What a judge of readings gains.")
    parser.add_argument("examples", type=Path, nargs="+", help="of tools.judge_examples")
    parser.add_argument(
        "--corpora", type=Path, nargs="+", required=True, help="the same of corpora"
    )
    parser.add_argument(
        "--sizes", type=int, nargs="+", required=True, help="examples to learn from"
    )
    parser.add_argument("--epochs", type=int, default=5)
    asked = parser.parse_args()
    if min(asked.sizes) < 1 or asked.epochs < 1:
        raise SanError("--sizes and --epochs are numbers from 1 on")
    made = load_examples(asked.examples)
    corpora = [load_examples([path]) for path in asked.corpora]
    # Where none is right, or there is one alone, there is nothing to rank.
    unsure = [one for one in made.unsure if one.truth < len(one.readings) > 1]
    order = np.random.default_rng(0).permutation(len(unsure)).tolist()
    count = int(HELD * len(unsure))
    if not count:
        raise SanError(f"{asked.examples[0]}: {len(unsure)} examples: too few to learn from")
    held, pool = ([unsure[place] for place in part] for part in (order[:count], order[count:]))
    weights = np.array(astuple(Rescorer(RESCORING).weights))
    console = Console(width=100)
    table = Table("learnt from", "held back", *(path.stem for path in asked.corpora))
    before = [_surprise([torch.from_numpy(one.terms[:-1] @ weights)], [one]).item() for one in held]
    shares = [f"{share:.2f}" for share in share_right(corpora)]
    table.add_row("no judge", f"{np.mean(before):.3f}", *shares)
    for size in sorted({min(size, len(pool)) for size in asked.sizes}):
        console.print(f"{size:,} examples")
        judge, surprise = train(
            pool[:size], held, made.vocabulary, asked.epochs, weights, console.print
        )
        shares = [f"{share:.2f}" for share in share_right(corpora, judge)]
        table.add_row(f"{size:,}", f"{surprise:.3f}", *shares)
    console.print(table)


if __name__ == "__main__":
    run_or_exit(main)
