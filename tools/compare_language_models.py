"""Compares language models for rescoring, on formulas that none of them has learnt.

    python -m tools.compare_language_models configs/san.toml train.tsv packs/formulas.txt \\
        packs/photo-formulas.txt --rescoring src/san/models/rescoring.safetensors other.safetensors

Of the formulas that `tools/train_language_model.py` is given, those that it holds out are composed
in the training's ink, and in photo style, as the configuration says; the last file is for that.
Each picture is read once, up to where it is rescored, and then rescored with each file: with the
weights that lie in it, and by two-fold cross-validation with weights that are fitted here. So a
language model is chosen on thousands of pictures that decide nothing else.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from san.errors import SanError, run_or_exit
from san.grammar import Expression
from san.models import NETWORK, RESCORING
from san.reader.rescoring.rescorer import Rescorer, RescoringWeights
from san.synth.composer import Composer
from san.synth.mixture import Mixture
from san.synth.samples import SynthSample
from san.training.config import load_config
from tools.fit_rescoring import (
    Examples,
    Readings,
    cross_validated,
    examples_of,
    outcomes,
    read_pictures,
)
from tools.train_language_model import sources, split_held_out

Sample = tuple[NDArray[np.uint8], Expression]


def composed(
    composer: Composer,
    trees: Sequence[Expression],
    count: int,
    seed: int,
    as_photograph: Callable[[SynthSample, np.random.Generator], SynthSample] | None = None,
) -> Iterator[Sample]:
    """Formulas at random, in random ink; those with a symbol that the ink lacks are left out."""
    rng = np.random.default_rng(seed)
    known = composer.bank.by_name.keys()
    able = [tree for tree in trees if {visit.symbol.name for visit in tree.walk()} <= known]
    if not able:
        raise SanError("no formula that was held back can be composed with this ink")
    for _ in range(count):
        made = composer.compose(able[int(rng.integers(len(able)))], rng)
        made = as_photograph(made, rng) if as_photograph else made
        yield made.picture, made.tree


def share_right(weights: RescoringWeights, examples: Examples) -> float:
    """Right of all, in percent."""
    right = np.concatenate([examples.sure[:, 1], outcomes(weights, examples.unsure)[:, 1]])
    return 100 * float(right.mean())


def add_rows(table: Table, name: str, readings: Readings, rescorers: dict[str, Rescorer]) -> None:
    among = sum(own.truth in own.trees for own in readings.unsure) + readings.sure[:, 1].sum()
    upper_bound = 100 * among / (len(readings.unsure) + len(readings.sure))
    for file, rescorer in rescorers.items():
        examples = examples_of(readings, rescorer)
        table.add_row(
            name,
            file,
            f"{100 * examples.greedy:.2f}",
            f"{share_right(RescoringWeights(), examples):.2f}",
            f"{share_right(rescorer.weights, examples):.2f}",
            f"{100 * cross_validated([examples])[0][0]:.2f}",
            f"{upper_bound:.2f}",
        )


def compare(options: argparse.Namespace) -> Table:
    files = dict.fromkeys(options.files)  # which may be named twice, for twice the share
    if len(files) < 2:
        raise SanError(
            "it takes at least two files of formulas: those of ink, and those of photographs"
        )
    if options.count < 1 or options.seed < 0:
        raise SanError("--count is at least 1, and --seed at least 0")
    rescorers = {str(file): Rescorer(file) for file in options.rescoring}
    config = load_config(options.config)
    mixer = Mixture(config.data.train, config.synth).open()
    if mixer.photo_style is None:
        raise SanError(f"{options.config}: synth.photo_formulas names no formulas")
    _, held = split_held_out(sources([*files]))
    ink = [tree for own in held[:-1] for tree in own]
    file = Column("file", overflow="fold")  # whose end differs
    table = Table("", file, "one pass", "two", "its weights", "fitted weights", "at most")
    for name, composer, trees, as_photograph in (
        ("ink", mixer.composed, ink, None),
        ("photo style", mixer.photo_style, held[-1], mixer.as_photograph),
    ):
        samples = composed(composer, trees, options.count, options.seed, as_photograph)
        readings = read_pictures(track(samples, name, options.count, transient=True), NETWORK)
        add_rows(table, name, readings, rescorers)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares language models of formulas.")
    parser.add_argument("config", type=Path)
    parser.add_argument("files", type=Path, nargs="+", help="as for tools/train_language_model.py")
    parser.add_argument("--rescoring", type=Path, nargs="+", default=[RESCORING])
    parser.add_argument("--count", type=int, default=1500, help="pictures of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    Console(width=120).print(compare(options))


if __name__ == "__main__":
    run_or_exit(main)
