"""Fits the weights of rescoring (`san.reader.rescoring.rescorer.Rule`) and writes them to its file.

    python -m tools.fit_sense test2014.bitmaps.zip

Reads a corpus as the reader does, up to where it rescores (`san.reader.rescoring.second_pass`), and
finds the few weights under which what is right is most likely; a slight pull leads back to the
network
alone. Prints what that comes to, by two-fold cross-validation. Weights of the network that change,
another language model, other looks: each of them wants this again.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from safetensors.numpy import load

from san.data.corpus import Corpus, open_corpus
from san.decoding import DecodingLimits
from san.decoding.confidence import fingerprint
from san.decoding.frontier import decode_memory
from san.errors import SanError, reason
from san.evaluation.calibration import Numbers, calibration_error
from san.files import write_file
from san.grammar import Expression
from san.model.onnx import OnnxEngine
from san.model.onnx.models import load_models
from san.models import NETWORK, SENSE
from san.reader.prepared import PreparedImage
from san.reader.rescoring.rescorer import Rule, Sense, judged, terms, written
from san.reader.rescoring.second_pass import agreed, is_unsure, looks, pixels

PULL = 1e-3
"""Towards the network alone: with few weights and hundreds of pictures it hardly matters."""
FOLDS = 10
"""Times that the corpus is halved at random."""


class Wavering(NamedTuple):
    """What was found in a picture that is judged."""

    trees: list[Expression]
    probability: NDArray[np.float64]
    truth: Expression


class Seen(NamedTuple):
    """Pictures that were looked at, as far as no judge has a say in it."""

    wavering: list[Wavering]
    sure: Numbers  # confidence and 1 or 0, of those that are not judged
    greedy: float  # share that the first look has right


class Unsure(NamedTuple):
    """A picture that is judged."""

    rows: Numbers  # `terms`
    truth: int  # which row is right: a reading's, or the last where none is


class Exam(NamedTuple):
    """A corpus that was read."""

    unsure: list[Unsure]
    sure: Numbers  # confidence and 1 or 0, of those that are not judged
    greedy: float  # share that the first look has right


def look(samples: Iterable[tuple[NDArray[np.uint8], Expression]], network: Path) -> Seen:
    """Pictures and what stands in them, read as far as the judgement."""
    models = load_models(network, exact=False)
    engine = OnnxEngine(models, 1)
    wavering, sure, greedy = [], [], []
    for picture, tree in samples:
        page = PreparedImage(picture, 1.0, 0, 0)
        memory = engine.encode([pixels(page)])
        first = decode_memory(engine, memory)[0]
        greedy.append(first.expression == tree)
        if not is_unsure(first):
            sure.append((models.calibration.confidence(first), greedy[-1]))
            continue
        found = agreed([*looks(engine, page, memory, DecodingLimits())])
        trees = [one.reading.expression for one in found]
        wavering.append(Wavering(trees, np.array([one.confidence for one in found]), tree))
    if len(wavering) < FOLDS:
        raise SanError(f"only {len(wavering)} pictures are read unsurely: too few to learn from")
    return Seen(wavering, np.array(sure, float).reshape(-1, 2), float(np.mean(greedy)))


def examine(seen: Seen, sense: Sense) -> Exam:
    """What a judge has to go by."""
    unsure = []
    for trees, probability, tree in seen.wavering:
        truth = trees.index(tree) if tree in trees else len(trees)
        unsure.append(Unsure(terms(sense.features(trees), probability), truth))
    return Exam(unsure, seen.sure, seen.greedy)


def read(corpus: Corpus, network: Path, sense: Sense) -> Exam:
    samples = track(corpus, "reading", len(corpus))
    return examine(look(((own.picture(), own.tree) for own in samples), network), sense)


def fit(unsure: Sequence[Unsure]) -> Rule:
    """Newton's method: what is to be least is convex."""
    start = np.array(astuple(Rule()))
    scale = np.maximum(np.concatenate([one.rows for one in unsure]).std(axis=0), 1e-3)
    pull = 2 * PULL * len(unsure) * scale**2
    weights = start
    for _ in range(50):
        slope, bend = pull * (weights - start), np.diag(pull)
        for rows, truth in unsure:
            odds = np.exp(rows @ weights - (rows @ weights).max())
            odds /= odds.sum()
            mean = odds @ rows
            slope = slope + mean - rows[truth]
            bend = bend + (rows * odds[:, None]).T @ rows - np.outer(mean, mean)
        move = np.linalg.solve(bend, slope)
        weights = weights - move
        if np.abs(move * scale).max() < 1e-8:
            break
    return Rule(*map(float, weights))


def outcome(rule: Rule, unsure: Sequence[Unsure]) -> Numbers:
    """Confidence of what is handed out, and 1 or 0: pictures x 2."""
    found = []
    for rows, truth in unsure:
        confidence = judged(rule, rows)
        found.append((confidence.max(), confidence.argmax() == truth))
    return np.array(found, float)


def crossed(exam: Exam) -> tuple[float, float]:
    """Share that is right and calibration error, of pictures that the rule was not fitted on."""
    dice = np.random.default_rng(0)
    shares, errors = [], []
    for _ in range(FOLDS):
        halves = np.array_split(dice.permutation(len(exam.unsure)), 2)
        parts = [[exam.unsure[place] for place in half] for half in halves]
        found = [outcome(fit(parts[1 - side]), parts[side]) for side in (0, 1)]
        every = np.concatenate([exam.sure, *found])
        shares.append(every[:, 1].mean())
        errors.append(calibration_error(*every.T))
    return float(np.mean(shares)), float(np.mean(errors))


def main() -> None:
    parser = argparse.ArgumentParser(description="Fits how much sense counts.")
    parser.add_argument("corpus", type=Path, help="a folder or zip of pictures with their labels")
    parser.add_argument("--labels", type=Path, help="their labels, if they lie elsewhere")
    parser.add_argument("--network", type=Path, default=NETWORK)
    parser.add_argument("--sense", type=Path, default=SENSE)
    asked = parser.parse_args()
    try:
        sense = Sense(asked.sense)
        exam = read(open_corpus(asked.corpus, asked.labels), asked.network, sense)
        rule = fit(exam.unsure)
        arrays = load(asked.sense.read_bytes())
        network = fingerprint(asked.network)
        write_file(asked.sense, written(sense.names, arrays, rule, network))
    except SanError as error:
        raise SystemExit(str(error)) from None
    except OSError as error:
        raise SystemExit(f"{error.filename or asked.sense}: {reason(error)}") from None
    pictures = len(exam.sure) + len(exam.unsure)
    alone = np.concatenate([exam.sure, outcome(Rule(), exam.unsure)])
    share, gap = crossed(exam)
    print(f"first look {exam.greedy:.2%}; {len(exam.unsure) / pictures:.1%} are looked at again")
    print(f"network alone {alone[:, 1].mean():.2%}, ECE {calibration_error(*alone.T):.3f}")
    print(f"with sense {share:.2%}, ECE {gap:.3f} (two-fold cross-validation)")
    print("  ".join(f"{name} {value:.2f}" for name, value in vars(rule).items()))


if __name__ == "__main__":
    main()
