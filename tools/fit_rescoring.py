"""Fits the weights of rescoring (`RescoringWeights`) and writes them to its file.

    python -m tools.fit_rescoring test2014.bitmaps.zip val_photos.zip [--opinion san-densenet] \\
        [--ink test2014.inkml.zip]

Each corpus is a folder or zip of the field's bitmaps, or of photographs, with their labels. Reads
them as the reader does, up to where it rescores (`san.reader.rescoring.second_pass`), and finds the
few weights under which what is right is most likely in all of them; a slight penalty pulls towards
the network alone. Ink has weights of its own, for what the way of the pen says counts there
(`san.reader.rescoring.stroke_terms`). Prints the result of a two-fold cross-validation for each.
Whenever the network's weights, the language model, the network of strokes or the second pass
change, run this again.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from safetensors.numpy import load

from san.data.corpus import open_corpus
from san.decoding import DecodingLimits
from san.decoding.confidence import fingerprint
from san.decoding.frontier import decode_memory
from san.errors import SanError, run_or_exit
from san.evaluation.metrics import Numbers, calibration_error
from san.files import write_file
from san.grammar import Expression
from san.ink import Ink
from san.model.onnx import OnnxEngine
from san.model.onnx.models import load_models
from san.models import NETWORK, RESCORING, STROKES, find_model
from san.reader.prepared import prepare_image, prepare_ink
from san.reader.rescoring.rescorer import (
    STROKE_TERMS,
    InkWeights,
    Rescorer,
    RescoringWeights,
    file_content,
    score_terms,
    weighted_confidences,
)
from san.reader.rescoring.second_pass import all_passes, is_unsure, merged, network_input
from san.reader.rescoring.stroke_network import StrokeNetwork, stroke_network
from san.reader.rescoring.stroke_terms import stroke_terms

PENALTY = 1e-3
"""On the distance to the network alone: with few weights and many pictures it hardly matters."""
REPEATS = 10
"""Times that the corpus is halved at random."""


class UnsurePicture(NamedTuple):
    """The readings of a picture that is rescored."""

    trees: list[Expression]
    probabilities: NDArray[np.float64]
    truth: Expression
    strokes: NDArray[np.float64] | None = None  # of ink: `stroke_terms`


class Readings(NamedTuple):
    """A corpus that was read, up to where it is rescored."""

    unsure: list[UnsurePicture]
    sure: Numbers  # confidence and 1 or 0, of those that are not rescored
    greedy: float  # share that the first pass has right


class Example(NamedTuple):
    """A picture that is rescored, as its features."""

    rows: Numbers  # `score_terms`
    truth: int  # which row is right: a reading's, or the last where none is


class Examples(NamedTuple):
    """A corpus that was read, with one rescorer's features."""

    unsure: list[Example]
    sure: Numbers  # confidence and 1 or 0, of those that are not rescored
    greedy: float  # share that the first pass has right


def read_pictures(
    samples: Iterable[tuple[NDArray[np.uint8] | Ink, Expression]],
    network: Path,
    opinion: Path | None = None,
    strokes: StrokeNetwork | None = None,
) -> Readings:
    """Read pictures or ink, given with their trees, up to where they are rescored."""
    models = load_models(network, exact=False)
    engine = OnnxEngine(models, 1)
    other = OnnxEngine(load_models(opinion, exact=False), 1) if opinion else None
    unsure, sure, greedy = [], [], []
    for source, tree in samples:
        prepared = prepare_ink(source) if isinstance(source, Ink) else prepare_image(source)
        memory = engine.encode([network_input(prepared)])
        first = decode_memory(engine, memory)[0]
        greedy.append(first.expression == tree)
        if not is_unsure(first):
            sure.append((models.calibration.confidence(first), greedy[-1]))
            continue
        asked = (lambda: other) if other else None
        candidates = merged(all_passes(engine, prepared, memory, DecodingLimits(), asked))
        trees = [candidate.reading.expression for candidate in candidates]
        probabilities = np.array([candidate.confidence for candidate in candidates])
        terms = None
        if strokes is not None:
            terms = stroke_terms([one[:2] for one in candidates], strokes)
            if terms is None:  # nothing is known of too many strokes
                terms = np.zeros((len(candidates), len(STROKE_TERMS)))
        unsure.append(UnsurePicture(trees, probabilities, tree, terms))
    return Readings(unsure, np.array(sure, float).reshape(-1, 2), float(np.mean(greedy)))


def examples_of(readings: Readings, rescorer: Rescorer) -> Examples:
    """The features that a rescorer computes."""
    unsure = []
    for trees, probabilities, tree, strokes in readings.unsure:
        truth = trees.index(tree) if tree in trees else len(trees)
        features = rescorer.features(trees)
        unsure.append(Example(score_terms(features, probabilities, strokes), truth))
    return Examples(unsure, readings.sure, readings.greedy)


def read(
    source: Path,
    network: Path,
    rescorer: Rescorer,
    opinion: Path | None = None,
    strokes: StrokeNetwork | None = None,
) -> Examples:
    """A corpus; where there is a network of strokes, one of ink."""
    samples = _samples(source, as_ink=strokes is not None)
    return examples_of(read_pictures(samples, network, opinion, strokes), rescorer)


def _samples(
    source: Path, as_ink: bool = False
) -> Iterator[tuple[NDArray[np.uint8] | Ink, Expression]]:
    corpus = open_corpus(source)
    for sample in track(corpus, "reading", len(corpus)):
        if as_ink and sample.ink is None:
            raise SanError(f"{source}: {sample.id} is a picture, where ink is wanted")
        yield (sample.ink if as_ink and sample.ink else sample.picture()), sample.tree


def fit(unsure: Sequence[Example]) -> RescoringWeights:
    """The weights; those of ink where the examples have its terms."""
    for kind in (RescoringWeights, InkWeights):
        start = np.array(astuple(kind()))
        if len(start) == unsure[0].rows.shape[1]:
            return kind(*map(float, fit_terms(unsure, start)))
    raise ValueError("examples of neither pictures nor ink")


def fit_terms(unsure: Sequence[Example], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of each term, near where it starts. By Newton's method: the loss is convex."""
    scale = np.maximum(np.concatenate([example.rows for example in unsure]).std(axis=0), 1e-3)
    penalty = 2 * PENALTY * len(unsure) * scale**2
    weights = start
    for _ in range(50):
        gradient, hessian = penalty * (weights - start), np.diag(penalty)
        for rows, truth in unsure:
            odds = np.exp(rows @ weights - (rows @ weights).max())
            odds /= odds.sum()
            mean = odds @ rows
            gradient = gradient + mean - rows[truth]
            hessian = hessian + (rows * odds[:, None]).T @ rows - np.outer(mean, mean)
        move = np.linalg.solve(hessian, gradient)
        weights = weights - move
        if np.abs(move * scale).max() < 1e-8:
            break
    return weights


def outcomes(weights: RescoringWeights, unsure: Sequence[Example]) -> Numbers:
    """Confidence of the best reading, and 1 or 0 for right or wrong: pictures x 2."""
    results = []
    for rows, truth in unsure:
        confidences = weighted_confidences(weights, rows)
        results.append((confidences.max(), confidences.argmax() == truth))
    return np.array(results, float)


def cross_validated(corpora: Sequence[Examples]) -> list[tuple[float, float]]:
    """Of each corpus the share that is right and the calibration error, of pictures that the fit
    did not see; it sees half of every corpus."""
    if (count := sum(len(examples.unsure) for examples in corpora)) < REPEATS:
        raise SanError(f"only {count} pictures are read unsurely: too few to learn from")
    rng = np.random.default_rng(0)
    found: list[list[tuple[float, float]]] = [[] for _ in corpora]
    for _ in range(REPEATS):
        halves = [halved(examples.unsure, rng) for examples in corpora]
        fitted = [fit([one for parts in halves for one in parts[side]]) for side in (1, 0)]
        for examples, parts, results in zip(corpora, halves, found, strict=True):
            judged = [outcomes(fitted[side], parts[side]) for side in (0, 1)]
            every = np.concatenate([examples.sure, *judged])
            results.append((float(every[:, 1].mean()), calibration_error(*every.T)))
    return [(float(share), float(gap)) for share, gap in np.mean(found, axis=1)]


def halved(unsure: Sequence[Example], rng: np.random.Generator) -> list[list[Example]]:
    halves = np.array_split(rng.permutation(len(unsure)), 2)
    return [[unsure[place] for place in half] for half in halves]


def main() -> None:
    parser = argparse.ArgumentParser(description="Fits the weights of rescoring.")
    parser.add_argument("corpora", type=Path, nargs="+", help="with their labels")
    parser.add_argument("--network", type=Path, default=NETWORK)
    parser.add_argument("--rescoring", type=Path, default=RESCORING)
    parser.add_argument(
        "--opinion", type=Path, help="another network, asked wherever there is a second pass"
    )
    parser.add_argument("--ink", type=Path, help="a corpus of ink, for weights of its own")
    parser.add_argument("--strokes", type=Path, default=STROKES, help="the network for it")
    asked = parser.parse_args()
    rescorer = Rescorer(asked.rescoring)
    opinion = find_model(asked.opinion) if asked.opinion else None
    corpora = [read(source, asked.network, rescorer, opinion) for source in asked.corpora]
    weights = _fitted(asked.corpora, corpora)
    of_ink: InkWeights | None = None
    strokes = ""
    if asked.ink:
        network = stroke_network(asked.strokes)
        ink = read(asked.ink, asked.network, rescorer, opinion, network)
        of_ink = InkWeights(**vars(_fitted([asked.ink], [ink])))
        strokes = fingerprint(asked.strokes)
    arrays = load(asked.rescoring.read_bytes())
    fitted_for = fingerprint(asked.network), fingerprint(opinion) if opinion else ""
    content = file_content(rescorer.vocabulary, arrays, weights, *fitted_for, of_ink, strokes)
    write_file(asked.rescoring, content)


def _fitted(sources: Sequence[Path], corpora: Sequence[Examples]) -> RescoringWeights:
    """The weights for some corpora; prints what they are worth."""
    results = cross_validated(corpora)
    weights = fit([one for examples in corpora for one in examples.unsure])
    unfitted = type(weights)()
    for source, examples, (share, gap) in zip(sources, corpora, results, strict=True):
        unsure = len(examples.unsure) / (len(examples.sure) + len(examples.unsure))
        alone = np.concatenate([examples.sure, outcomes(unfitted, examples.unsure)])
        print(f"{source.name}: first pass {examples.greedy:.2%}; {unsure:.1%} get a second pass")
        print(f"  network alone {alone[:, 1].mean():.2%}, ECE {calibration_error(*alone.T):.3f}")
        print(f"  rescored {share:.2%}, ECE {gap:.3f} (two-fold cross-validation)")
    print("  ".join(f"{name} {value:.2f}" for name, value in vars(weights).items()))
    return weights


if __name__ == "__main__":
    run_or_exit(main)
