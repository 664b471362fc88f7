"""How much less a photograph is to be trusted than ink: a shift of the log odds.

    python benchmarks/confidence_shift.py test2014.bitmaps.zip \\
        --network composed.safetensors train_photos.zip train_photos.tsv \\
        --network first.safetensors train_photos.zip held.tsv

Photographs that the network has learnt from say nothing of it, and those of a test are no one's to
fit on. So earlier networks are asked, each about photographs that it had never seen: which these
are, the labels say. A network's curve is fitted on ink, and its photographs have one number more,
the same for all networks: what `tools/calibrate.py --photographed` takes. A photograph with a
symbol that the network does not know is left out.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from san.data.corpus import Corpus, open_corpus
from san.decoding import Calibration, decode
from san.decoding.confidence import fit_shift, log_odds
from san.errors import SanError, run_or_exit
from san.evaluation.metrics import Numbers
from san.grammar.tree import NOTHING
from san.model.onnx.engine import OnnxEngine


class Exam(NamedTuple):
    """Pictures that were read."""

    probability: Numbers
    right: Numbers  # 1 or 0


def read(engine: OnnxEngine, corpus: Corpus, name: str) -> Exam:
    """Those that the network has the symbols for."""
    known = set(engine.vocabulary.symbols)
    found = []
    for sample in track(corpus, name, len(corpus), console=Console(stderr=True)):
        if {visit.symbol.name for visit in sample.tree.walk()} <= known | {NOTHING}:
            pixels = sample.picture().astype(np.float32) / np.float32(255)
            reading = decode(engine, [pixels])[0]
            found.append((reading.probability, reading.expression == sample.tree))
    if not found:
        raise SanError(f"{name}: nothing in it can be read with these weights")
    return Exam(*np.array(found, float).T)


def row(name: str, odds: Numbers, right: Numbers) -> Sequence[str]:
    found = fit_shift(odds, right)
    said = (1 / (1 + np.exp(-odds))).mean()
    shown = f"{found.value:.3f} ± {found.error:.2f}"
    return name, f"{len(right)}", f"{said:.1%}", f"{right.mean():.1%}", shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ink", type=Path, help="a corpus: a folder or zip of bitmaps")
    names = ("WEIGHTS", "PHOTOS", "LABELS")
    parser.add_argument(
        "--network", type=Path, nargs=3, metavar=names, action="append", required=True
    )
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    options = parser.parse_args()

    table = Table("", "photographs", "said", "right", "shift of the log odds")
    every: list[tuple[Numbers, Numbers]] = []
    for weights, photos, labels in options.network:
        engine = OnnxEngine(weights, options.threads)
        ink = read(engine, open_corpus(options.ink), options.ink.name)
        curve = Calibration.fit(ink.probability.tolist(), ink.right.astype(bool).tolist())
        exam = read(engine, open_corpus(photos, labels, cleaned=True), photos.name)
        odds = log_odds(np.array([curve.of(one) for one in exam.probability]))
        every.append((odds, exam.right))
        table.add_row(*row(weights.name, odds, exam.right))
    if len(every) > 1:
        odds, right = (np.concatenate(part) for part in zip(*every, strict=True))
        table.add_row(*row("all", odds, right))
    Console(width=100).print(table)


if __name__ == "__main__":
    run_or_exit(main)
