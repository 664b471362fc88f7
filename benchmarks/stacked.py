"""How often a lost line comes back as sure: stacked pairs of a corpus beside its single formulas.

    python benchmarks/stacked.py test2016.inkml.zip test_photos.zip [--pairs 100] [--singles 500]
    python benchmarks/stacked.py test2014.inkml.zip val_photos.zip --pairs 150 --fit

Each row stands for one corpus, with the confidence as it would be without regard to ink that was
not read, and as it is. Of single formulas: the calibration error, the area under the ROC curve of
right against wrong, and how many of the right ones are said to leave ink. Of pairs: how many are
read rightly, as two lines; how many of the others come back with a confidence above 50 and above 70
percent, and how many of all are said to leave ink.

With --fit it prints the weight of the share of unread ink under which singles and pairs are most
likely; pairs count so much that they weigh a tenth of the singles. `tools/calibrate.py --unread`
writes it down. Photographs are stacked after they are cleaned.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from san.data.corpus import open_corpus
from san.data.sample import Sample
from san.decoding import Calibration
from san.errors import run_or_exit
from san.evaluation.metrics import Numbers, calibration_error
from san.grammar import Expression, parse, to_latex
from san.models import NETWORK
from san.reader import Recognizer
from san.reader.prepared import PreparedImage, prepare_image, prepare_ink
from stacked_pairs import pairs_of, stack_ink, stack_pictures

PAIR_WEIGHT = 0.1
"""Of all pairs together, against all singles."""
SUREST = 1e-6


@dataclass(frozen=True)
class Readings:
    """Pictures that were read."""

    confidence: Numbers
    unread: Numbers  # share of the ink
    noted: Numbers  # 1 or 0: whether a note says so
    right: Numbers  # 1 or 0

    def before(self, weight: float) -> Numbers:
        """The confidence without regard to unread ink."""
        return _sigmoid(_log_odds(self.confidence) - weight * self.unread)


def read(reader: Recognizer, images: Iterator[tuple[PreparedImage, Expression]]) -> Readings:
    rows = []
    for image, tree in images:
        (formula,) = reader.read_prepared([image])
        unread = formula.unread_share
        rows.append((formula.confidence, unread, unread > 0, formula.expression == tree))
    return Readings(*np.array(rows, float).T)


def singles_of(samples: list[Sample]) -> Iterator[tuple[PreparedImage, Expression]]:
    for sample in track(samples, "singles", transient=True):
        yield _prepared(sample), sample.tree


def stacked(
    samples: list[Sample], count: int, seed: int
) -> Iterator[tuple[PreparedImage, Expression]]:
    """Two lines: what is read as one has lost the other."""
    random = np.random.default_rng(seed)
    pairs = list(pairs_of(samples, count, seed))
    for upper, lower in track(pairs, "pairs", transient=True):
        if upper.ink is not None and lower.ink is not None:
            yield prepare_ink(stack_ink(upper.ink, lower.ink, random).ink), _lines(upper, lower)
            continue
        one, other = _prepared(upper), _prepared(lower)
        picture = stack_pictures(one.picture, other.picture, random)
        rows, columns = picture.shape
        taken = one.photographed or other.photographed
        yield PreparedImage(picture, 1.0, 0, 0, None, columns, rows, taken), _lines(upper, lower)


def _lines(upper: Sample, lower: Sample) -> Expression:
    one, other = to_latex(upper.tree), to_latex(lower.tree)
    return parse(rf"\begin{{matrix}}{one}\\{other}\end{{matrix}}")


def _prepared(sample: Sample) -> PreparedImage:
    return prepare_ink(sample.ink) if sample.ink is not None else prepare_image(sample.picture())


def fitted_weight(parts: list[tuple[Readings, Readings]], weight: float) -> tuple[float, float]:
    """By Newton's method, with its standard error."""
    rows = []
    for singles, pairs in parts:
        weights = 1.0, PAIR_WEIGHT * len(singles.right) / len(pairs.right)
        for readings, each in zip((singles, pairs), weights, strict=True):
            odds = _log_odds(readings.before(weight))
            alike = np.full(len(odds), each)
            rows.append(np.stack([odds, readings.unread, readings.right, alike]))
    offset, share, truth, counts = np.concatenate(rows, axis=1)
    value = 0.0
    for _ in range(100):
        guess = _sigmoid(offset + value * share)
        slope = float((counts * share * (truth - guess)).sum())
        bend = float((counts * share**2 * guess * (1 - guess)).sum())
        value += float(np.clip(slope / max(bend, SUREST), -2, 2))
    return value, bend**-0.5


def area_under_roc(confidence: Numbers, right: Numbers) -> float:
    """How likely one that is right has a higher confidence than one that is wrong."""
    _, place, count = np.unique(confidence, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    good, bad = right.sum(), (1 - right).sum()
    return float((rank[right > 0].sum() - good * (good + 1) / 2) / (good * bad))


def add_row(table: Table, name: str, singles: Readings, pairs: Readings, weight: float) -> None:
    for words, before in (("without", True), ("with", False)):
        sure, stacked_sure = (
            readings.before(weight) if before else readings.confidence
            for readings in (singles, pairs)
        )
        table.add_row(
            f"{name}, {words}",
            f"{100 * singles.right.mean():.1f}%",
            f"{100 * sure.mean():.1f}%",
            f"{calibration_error(sure, singles.right):.4f}",
            f"{area_under_roc(sure, singles.right):.4f}",
            f"{100 * singles.noted[singles.right > 0].mean():.1f}%",
            f"{100 * pairs.right.mean():.0f}%",
            f"{100 * ((stacked_sure > 0.5) & (pairs.right == 0)).mean():.0f}%",
            f"{100 * ((stacked_sure > 0.7) & (pairs.right == 0)).mean():.0f}%",
            f"{100 * pairs.noted.mean():.0f}%",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", type=Path, nargs="+", help="folders or zips of ink or images")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--singles", type=int, help="only so many of each corpus, drawn by seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fit", action="store_true", help="print the weight of unread ink")
    options = parser.parse_args()
    reader = Recognizer(threads=1)
    weight = Calibration.load(NETWORK).unread
    heads: tuple[str, ...] = ("right", "mean", "ECE", "ROC", "right, noted")
    heads += ("pairs right", "wrong > 50%", "wrong > 70%", "noted")
    table = Table("", *heads)
    parts = []
    for path in options.corpora:
        samples = list(open_corpus(path))
        order = np.random.default_rng(options.seed).permutation(len(samples))
        chosen = [samples[number] for number in order[: options.singles].tolist()]
        singles = read(reader, singles_of(chosen))
        count = min(options.pairs, len(samples) // 2)
        pairs = read(reader, stacked(samples, count, options.seed))
        parts.append((singles, pairs))
        add_row(table, path.name, singles, pairs, weight)
    Console(width=140).print(table)
    if options.fit:
        for path, part in zip(options.corpora, parts, strict=True):
            print("{}: {:.1f} ± {:.1f}".format(path.name, *fitted_weight([part], weight)))
        print("all: {:.1f} ± {:.1f}".format(*fitted_weight(parts, weight)))


def _log_odds(confidence: Numbers) -> Numbers:
    inside = np.clip(confidence, SUREST, 1 - SUREST)
    return np.asarray(np.log(inside / (1 - inside)))


def _sigmoid(odds: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-odds)))


if __name__ == "__main__":
    run_or_exit(main)
