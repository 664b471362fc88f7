"""Pictures that are read unsurely, as a judge of their readings meets them: which readings there
are, and what the network saw at each of their steps.

    python -m tools.judge_examples made.npz --config configs/san.toml --stage hands --count 20000
    python -m tools.judge_examples 2014.npz --corpus test2014.bitmaps.zip

Samples are those of a stage that show one formula by hand: composed, varied, in photo style. A
stage whose writers the network has not met teaches most: errors are those that unknown hands cause.
Read as the reader does, up to where it rescores (`san.reader.rescoring.second_pass`); then the
network walks along every reading. `tools/judge_curve.py` learns from the files.
"""

import argparse
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from san.cli.console import check_outputs
from san.data.corpus import open_corpus
from san.decoding import DecodingLimits
from san.decoding.engine import Engine, Memory
from san.decoding.frontier import decode_memory
from san.errors import SanError, run_or_exit
from san.grammar import Expression, GrammarError
from san.grammar.productions import by_level, unfold
from san.grammar.tree import SLOT
from san.model.onnx import OnnxEngine
from san.model.onnx.models import load_models
from san.models import NETWORK, OPINION, RESCORING
from san.reader.prepared import prepare_image
from san.reader.products import log_softmax
from san.reader.rescoring.rescorer import Rescorer, score_terms
from san.reader.rescoring.second_pass import all_passes, is_unsure, merged, network_input
from san.synth.mixture import Mixture
from san.training.config import load_config
from tools.judge_data import Example, Examples, Reading, Seen, save_examples

KINDS = ("composed", "varied", "photo_style")
"""Samples of one formula, by hand."""
MAX_PIXELS = 200_000
"""Of a sample: a larger one takes as long as ten others."""

Sample = tuple[NDArray[np.uint8], Expression]


def made_samples(config: Path, stage: str | None, count: int, seed: int) -> Iterator[Sample]:
    """By the shares that the stage ends with."""
    loaded = load_config(config, stage=stage)
    mixer = Mixture(loaded.data.train, loaded.synth).open()
    shares = np.array([getattr(loaded.synth.final_shares, kind) for kind in KINDS])
    if not shares.sum():
        raise SanError(f"{config}: nothing in it is {', '.join(KINDS)}")
    rng = np.random.default_rng(seed)
    kinds = (str(rng.choice(KINDS, p=shares / shares.sum())) for _ in itertools.count())
    samples = (mixer.make_one(kind, rng) for kind in kinds)
    small = (sample for sample in samples if sample.picture.size <= MAX_PIXELS)
    for sample in itertools.islice(small, count):
        yield sample.picture, sample.tree


def collect(
    samples: Iterable[Sample], network: Path = NETWORK, opinion: Path = OPINION
) -> Examples:
    """Read samples, and keep those of which several readings are compared."""
    engine, other = (OnnxEngine(load_models(path, exact=False), 1) for path in (network, opinion))
    rescorer = Rescorer(RESCORING)
    found: list[Example] = []
    pictures = settled = 0
    for picture, tree in samples:
        pictures += 1
        prepared = prepare_image(picture)
        memory = engine.encode([network_input(prepared)])
        first = decode_memory(engine, memory)[0]
        if not is_unsure(first) or not rescorer.can_judge(first.expression):
            settled += first.expression == tree
            continue
        passes = all_passes(engine, prepared, memory, DecodingLimits(), lambda: other)
        candidates = merged(passes)
        trees = [candidate.reading.expression for candidate in candidates]
        probabilities = np.array([candidate.confidence for candidate in candidates])
        rows = score_terms(rescorer.features(trees), probabilities).astype(np.float32)
        try:
            readings, seen = walk_along(engine, memory, trees)
        except GrammarError:  # a symbol that only the other network knows
            settled += trees[int(probabilities.argmax())] == tree
            continue
        truth = trees.index(tree) if tree in trees else len(trees)
        found.append(Example(rows, truth, readings, seen))
    return Examples(found, pictures, settled, engine.vocabulary)


def walk_along(
    engine: Engine, memory: Memory, trees: Sequence[Expression]
) -> tuple[list[Reading], Seen]:
    """The steps of some trees of one picture, all of a depth at once; GrammarError where the
    network does not know a symbol. What trees have in common is computed once."""
    number = engine.vocabulary.number
    walks = [by_level(unfold(tree)) for tree in trees]
    hidden, path = memory.hidden, memory.path
    above: list[dict[int, int]] = [{-1: 0} for _ in trees]  # of a step: its row in the level above
    rows: list[list[int]] = [[-1] * len(walk) for walk in walks]  # of each: its row in `seen`
    scores, states, places = [], [], []
    known = depth = 0
    while True:
        level = [
            (tree, at, step)
            for tree, walk in enumerate(walks)
            for at, step in enumerate(walk)
            if step.depth == depth
        ]
        if not level:
            break
        wanted: dict[tuple[int, int], int] = {}
        below: list[dict[int, int]] = [{} for _ in trees]
        for tree, at, step in level:
            key = above[tree][step.parent], number(step.partner)
            below[tree][at] = wanted.setdefault(key, len(wanted))
            rows[tree][at] = known + below[tree][at]
        parent, partner = np.array(list(wanted)).T
        before = path[parent]
        outcome = engine.step(memory, np.zeros_like(parent), hidden[parent], before, partner)
        scores.append(np.concatenate([log_softmax(outcome.symbols), outcome.relations], 1))
        states.append(np.asarray(outcome.hidden))
        places.append(_places(np.asarray(outcome.path - before)))
        hidden, path, above = outcome.hidden, outcome.path, below
        known, depth = known + len(wanted), depth + 1
    seen = Seen(*(np.concatenate(parts).astype(np.float16) for parts in (scores, states, places)))
    readings = []
    for walk, own in zip(walks, rows, strict=True):
        numbers = [
            (
                step.parent,
                number(step.partner),
                number(step.target),
                sum(1 << SLOT[relation] for relation in step.relations),
            )
            for step in walk
        ]
        readings.append(Reading(np.array(numbers, np.int16), np.array(own, np.int32)))
    return readings, seen


def _places(attention: NDArray[np.float32]) -> NDArray[np.float32]:
    """Where it lies and how far it spreads, in cells: the means of rows and columns, and their
    standard deviations."""
    share = np.maximum(attention, 0) + 1e-9
    share /= share.sum(axis=(1, 2), keepdims=True)
    found = []
    for axis, size in ((2, attention.shape[1]), (1, attention.shape[2])):
        along, places = share.sum(axis=axis), np.arange(size)
        mean = along @ places
        found += [mean, np.sqrt(np.maximum(along @ places**2 - mean**2, 0))]
    return np.stack([found[0], found[2], found[1], found[3]], axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Examples for a judge of readings.")
    parser.add_argument("output", type=Path, help="the file of examples (.npz)")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--config", type=Path, help="samples of this configuration")
    source.add_argument("--corpus", type=Path, help="bitmaps or photographs, with their labels")
    parser.add_argument("--stage", help="of the configuration; by default its last")
    parser.add_argument("--count", type=int, default=20_000, help="samples")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.count < 1 or asked.seed < 0:
        raise SanError("--count is at least 1, and --seed at least 0")
    check_outputs([asked.output], [asked.config, asked.corpus])  # before an hour of reading
    samples: Iterable[Sample]
    if asked.corpus is not None:
        corpus = open_corpus(asked.corpus)
        count = len(corpus)
        samples = ((one.picture(), one.tree) for one in corpus)
    else:
        count = asked.count
        samples = made_samples(asked.config, asked.stage, count, asked.seed)
    found = collect(track(samples, "reading", count))
    save_examples(asked.output, found)
    print(f"{asked.output}: {len(found.unsure):,} of {found.pictures:,} pictures read unsurely")


if __name__ == "__main__":
    run_or_exit(main)
