"""Fits what confidence means: reads a corpus, fits the calibration, checks it on another corpus.

    python -m tools.calibrate WEIGHTS FIT [CHECK] [--photographs PACK ...] [--figure FILE]
        [--threads 0]

FIT and CHECK are corpora: folders or zips with their labels. Writes the calibration beside the
weights, prints the tables of docs/confidence.md and draws its diagram. Reading is greedy, as it is
by default. Without CHECK the figures are those of FIT itself. The shift of photographs is fitted on
packs of cleaned ones that the network has not learnt from; where there are none,
benchmarks/confidence_shift.py measures it with other networks, and `--photographed` writes it down.
The weight of ink that was not read is measured by benchmarks/stacked.py, and written down here.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from san.data.corpus import open_corpus
from san.data.pack import open_photographs
from san.decoding import Calibration, decode
from san.decoding.confidence import MAX_SHIFT, Shift, fit_shift, log_odds
from san.errors import run_or_exit
from san.evaluation.compare import compare
from san.evaluation.metrics import BINS, Numbers, Rate, calibration_error, equal_mass
from san.evaluation.read import NamedPicture, read_all
from san.evaluation.wrong_readings import WrongReading
from san.grammar import to_latex
from san.grammar.productions import MARKS
from san.model.onnx.engine import OnnxEngine

UNREAD = -12.0
"""Measured with the shipped network (docs/confidence.md)."""
SYMBOL_EDGES = (0.0, 0.5, 0.7, 0.9, 0.99, 0.999, 1.0)


class ReadCorpus(NamedTuple):
    """A corpus that was read."""

    name: str
    probability: Numbers  # of each reading
    right: Numbers  # 1 or 0
    symbol_probability: Numbers  # of each symbol that was read
    meant: Numbers  # 1 where the label has that symbol there, or 0


def read(engine: OnnxEngine, source: Path) -> ReadCorpus:
    corpus = open_corpus(source)
    labels: dict[str, str] = {}

    def pictures() -> Iterator[NamedPicture]:
        for sample in corpus:
            labels[sample.id] = to_latex(sample.tree)
            yield NamedPicture(sample.id, sample.picture())

    readings: list[tuple[float, bool]] = []
    symbols: list[tuple[float, bool]] = []
    every = read_all(partial(decode, engine), pictures(), 1)
    bar = Console(stderr=True)
    for name, pixels, reading in track(every, source.name, len(corpus), console=bar):
        if reading is None:
            print(f"{name}: too large for the memory at hand")
            continue
        pair = compare(labels[name], to_latex(reading.expression))
        readings.append((reading.probability, pair.exact))
        for shown in WrongReading(name, labels[name], pixels, reading, pair).shown_steps():
            if shown.step.target not in MARKS:
                symbols.append((shown.step_probability, not shown.wrong))
    for skip in corpus.skipped:
        print(skip)
    return ReadCorpus(source.name, *np.array(readings, float).T, *np.array(symbols, float).T)


def photograph_shift(engine: OnnxEngine, curve: Calibration, packs: Sequence[Path]) -> Shift:
    """What is to be added to the log odds that the curve gives to readings of photographs."""
    probabilities, right = list[float](), list[bool]()
    for path in packs:
        pack = open_photographs(path)
        for place in track(range(len(pack)), path.name, console=Console(stderr=True)):
            pixels = pack.image(place).astype(np.float32) / np.float32(255)
            reading = decode(engine, [pixels])[0]
            probabilities.append(curve.of(reading.probability))
            right.append(reading.expression == pack.tree(place))
    return fit_shift(log_odds(np.array(probabilities)), np.array(right, float))


def equal_width(confidence: Numbers) -> list[NDArray[np.intp]]:
    """Bins of equal width: most figures that are published have them."""
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return [np.flatnonzero(place == one) for one in range(BINS)]


def by_chance(confidence: Numbers) -> float:
    """The error that as many readings would show if their confidence were perfect."""
    random = np.random.default_rng(0)
    draws = ((random.random(len(confidence)) < confidence).astype(float) for _ in range(200))
    return float(np.mean([calibration_error(confidence, drawn) for drawn in draws]))


def figures(confidence: Numbers, corpus: ReadCorpus) -> dict[str, float]:
    surest = np.argsort(-confidence, kind="stable")[: len(confidence) // 2]
    return {
        "mean": float(confidence.mean()),
        "right": float(corpus.right.mean()),
        "ece_width": calibration_error(confidence, corpus.right, equal_width),
        "ece_mass": calibration_error(confidence, corpus.right),
        "ece_by_chance": by_chance(confidence),
        "surest_half_right": float(corpus.right[surest].mean()),
    }


def print_readings(corpus: ReadCorpus, rows: dict[str, Numbers]) -> None:
    print(f"\n{corpus.name}: {len(corpus.right):,} readings, {BINS} bins\n")
    print("| confidence | mean | right | ECE, equal width | equal mass | by chance | surest half |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, confidence in rows.items():
        cells = figures(confidence, corpus)
        shown = " | ".join(
            f"{value:.3f}" if key.startswith("ece") else f"{value:.1%}"
            for key, value in cells.items()
        )
        print(f"| {name} | {shown} |")


def print_symbols(corpus: ReadCorpus) -> None:
    print(f"\n{corpus.name}: {len(corpus.meant):,} symbols, aligned with the label\n")
    print("| probability of the symbol | symbols | mean probability | right |")
    print("| --- | --- | --- | --- |")
    for low, high in pairwise(SYMBOL_EDGES):
        probability = corpus.symbol_probability
        inside = (probability >= low) & ((probability < high) | (high == 1.0))
        if inside.any():
            share = f"{probability[inside].mean():.1%} | {corpus.meant[inside].mean():.1%}"
            print(f"| {low:g} to {high:g} | {inside.sum():,} | {share} |")
    error = calibration_error(corpus.symbol_probability, corpus.meant)
    print(f"\nexpected calibration error of a symbol's probability: {error:.3f} (equal mass)")


def draw(corpus: ReadCorpus, rows: dict[str, Numbers], target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "san"  # the same figures give the same file
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    left.plot([0, 1], [0, 1], color="grey", lw=1, ls=":")
    for colour, (name, confidence) in zip(("tab:grey", "tab:blue"), rows.items(), strict=True):
        draw_bins(left, confidence, corpus.right, name, colour)
    left.set(xlabel="confidence", ylabel="share that is right", title="Reliability")
    confidence = list(rows.values())[-1]
    ranked = corpus.right[np.argsort(-confidence, kind="stable")]
    share = np.arange(1, len(ranked) + 1) / len(ranked)
    right.plot(share[9:], (np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[9:], color="tab:blue")
    right.set(xlabel="share of the readings, surest first", ylabel="of them right")
    right.set(title="What the surest are worth", ylim=(0, 1.02))
    left.legend(fontsize="small")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.suptitle(f"{corpus.name}, {len(corpus.right):,} readings", fontsize="medium")
    figure.savefig(target, dpi=110, metadata={"Date": None} if target.suffix == ".svg" else None)


def draw_bins(axes: Any, confidence: Numbers, right: Numbers, name: str, colour: str) -> None:
    """A point a bin of equal mass, with Wilson's interval."""
    parts = equal_mass(confidence)
    rates = [Rate(int(right[bin_readings].sum()), len(bin_readings)) for bin_readings in parts]
    height = np.array([rate.percent for rate in rates]) / 100
    ends = np.array([rate.interval for rate in rates]).T / 100
    reach = np.abs(ends - height)
    middle = [confidence[bin_readings].mean() for bin_readings in parts]
    axes.errorbar(middle, height, reach, fmt="o-", ms=4, lw=1, color=colour, label=name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("fit", type=Path)
    parser.add_argument("check", type=Path, nargs="?")
    parser.add_argument(
        "--photographed", type=float, default=0.0, help="added to the log odds of photographs"
    )
    parser.add_argument(
        "--photographs", type=Path, nargs="+", default=[], help="packs to fit that number on"
    )
    parser.add_argument(
        "--unread", type=float, default=UNREAD, help="added too, times the share of unread ink"
    )
    parser.add_argument("--figure", type=Path, help="where to draw the reliability diagram")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    options = parser.parse_args()
    if not abs(options.photographed) <= MAX_SHIFT:
        parser.error(f"--photographed: {options.photographed} is no shift of log odds")
    if not -MAX_SHIFT <= options.unread <= 0:
        parser.error(f"--unread: {options.unread} does not lower log odds")

    engine = OnnxEngine(options.weights, options.threads)
    fitted = read(engine, options.fit)
    checked = read(engine, options.check) if options.check else fitted
    curve = Calibration.fit(fitted.probability.tolist(), fitted.right.astype(bool).tolist())
    shift = Shift(options.photographed, 0.0)
    if options.photographs:
        shift = photograph_shift(engine, curve, options.photographs)
        print(f"photographs: {shift.value:.3f} ± {shift.error:.2f} in log odds")
    calibration = replace(curve, photographed=round(shift.value, 4), unread=options.unread)
    rows = {
        "the network's own": checked.probability,
        "calibrated": np.array([calibration.of(one) for one in checked.probability]),
    }
    facts = {
        "fitted_on": {"corpus": fitted.name, "n": len(fitted.right)},
        "checked_on": {"corpus": checked.name, "n": len(checked.right)}
        | {key: round(value, 4) for key, value in figures(rows["calibrated"], checked).items()},
    }
    print(f"{calibration}\nwritten to {calibration.save(options.weights, facts)}")
    print_readings(checked, rows)
    print_symbols(checked)
    if options.figure:
        draw(checked, rows, options.figure)


if __name__ == "__main__":
    run_or_exit(main)
