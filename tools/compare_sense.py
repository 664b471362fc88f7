"""Which language model judges best, by formulas that none of them has learnt.

    python -m tools.compare_sense configs/san-one.toml train.tsv packs/formulas.txt \\
        packs/school.txt --sense src/san/models/sense.safetensors other.safetensors

Of the formulas that `tools/train_sense.py` is given, those that it holds back are composed in
the training's ink, and as at school, as the configuration says; the last file is the school's. Each
picture is read up to the point where it is judged, once for all, and then each file judges: with
the rule that lies in it, and by two-fold cross-validation with one of its own. So a language model
is chosen on thousands of pictures that decide nothing else.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from san.errors import SanError
from san.grammar import Expression
from san.models import NETWORK, SENSE
from san.reader.rescoring.rescorer import Rule, Sense
from san.synth.composer import Composer
from san.synth.mixture import Mixture, at_school
from san.training.config import load_config
from tools.fit_sense import Exam, Seen, crossed, examine, look, outcome
from tools.train_sense import parted, sources

Sample = tuple[NDArray[np.uint8], Expression]


def written(
    composer: Composer, trees: Sequence[Expression], count: int, worn: bool, seed: int
) -> Iterator[Sample]:
    """Formulas by lot, each in another hand; those that have a symbol that nobody wrote are not."""
    rng = np.random.default_rng(seed)
    known = composer.bank.of_name.keys()
    able = [tree for tree in trees if {visit.symbol.name for visit in tree.walk()} <= known]
    if not able:
        raise SanError("no formula that was held back can be composed with this ink")
    for _ in range(count):
        made = composer.compose(able[int(rng.integers(len(able)))], rng)
        made = at_school(made, rng) if worn else made
        yield made.picture, made.tree


def share(rule: Rule, exam: Exam) -> float:
    """Right of all, in percent."""
    right = np.concatenate([exam.sure[:, 1], outcome(rule, exam.unsure)[:, 1]])
    return 100 * float(right.mean())


def add(table: Table, name: str, seen: Seen, judges: dict[str, Sense]) -> None:
    among = sum(own.truth in own.trees for own in seen.wavering) + seen.sure[:, 1].sum()
    most = 100 * among / (len(seen.wavering) + len(seen.sure))
    for judge, sense in judges.items():
        exam = examine(seen, sense)
        table.add_row(
            name,
            judge,
            f"{100 * exam.greedy:.2f}",
            f"{share(Rule(), exam):.2f}",
            f"{share(sense.rule, exam):.2f}",
            f"{100 * crossed(exam)[0]:.2f}",
            f"{most:.2f}",
        )


def compare(asked: argparse.Namespace) -> Table:
    files = dict.fromkeys(asked.files)  # which may be named twice, for twice the share
    if len(files) < 2:
        raise SanError("it takes at least two files of formulas: ink's, and the school's")
    if asked.count < 1 or asked.seed < 0:
        raise SanError("--count is at least 1, and --seed at least 0")
    judges = {str(file): Sense(file) for file in asked.sense}
    config = load_config(asked.config)
    mixer = Mixture(config.data.train, config.synth).open()
    if mixer.school is None:
        raise SanError(f"{asked.config}: synth.photo_formulas names no formulas")
    _, held = parted(sources([*files]))
    ink = [tree for own in held[:-1] for tree in own]
    judge = Column("judge", overflow="fold")  # whose end tells it from others
    table = Table("", judge, "one look", "no judge", "its rule", "a rule of its own", "at most")
    for name, composer, trees, worn in (
        ("ink", mixer.composer, ink, False),
        ("school", mixer.school, held[-1], True),
    ):
        samples = written(composer, trees, asked.count, worn, asked.seed)
        seen = look(track(samples, name, asked.count, transient=True), NETWORK)
        add(table, name, seen, judges)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares language models of formulas.")
    parser.add_argument("config", type=Path)
    parser.add_argument("files", type=Path, nargs="+", help="as for tools/train_sense.py")
    parser.add_argument("--sense", type=Path, nargs="+", default=[SENSE])
    parser.add_argument("--count", type=int, default=1500, help="pictures of each kind")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    try:
        Console(width=120).print(compare(asked))
    except SanError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
