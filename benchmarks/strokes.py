"""What ink is worth whose strokes were written otherwise: backwards, in any order, or nobody knows.

    python benchmarks/strokes.py test2014.inkml.zip [--every 2]

The same ink is read as it is, with strokes turned round or shuffled, which nobody writes but
programs hand out, and as its picture alone. All of these have the same picture.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from rich.progress import track

from san.data.corpus import open_corpus
from san.errors import SanError, run_or_exit
from san.evaluation.metrics import Rate
from san.ink import Ink
from san.ink.strokes import Points
from san.reader import Recognizer

Change = Callable[[Sequence[Points], np.random.Generator], Sequence[Points]]


def as_written(strokes: Sequence[Points], rng: np.random.Generator) -> Sequence[Points]:
    return strokes


def backwards(strokes: Sequence[Points], rng: np.random.Generator) -> Sequence[Points]:
    return [np.ascontiguousarray(stroke[::-1]) for stroke in strokes]


def half_backwards(strokes: Sequence[Points], rng: np.random.Generator) -> Sequence[Points]:
    turned = backwards(strokes, rng)
    return [turned[n] if rng.random() < 0.5 else stroke for n, stroke in enumerate(strokes)]


def shuffled(strokes: Sequence[Points], rng: np.random.Generator) -> Sequence[Points]:
    return [strokes[place] for place in rng.permutation(len(strokes))]


def both(strokes: Sequence[Points], rng: np.random.Generator) -> Sequence[Points]:
    return shuffled(backwards(strokes, rng), rng)


CHANGES: tuple[Change, ...] = (as_written, backwards, half_backwards, shuffled, both)


def tell(what: str, right: int, count: int) -> None:
    print(f"{what}: {right} of {count}, {Rate(right, count).percent:.1f}%")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="folder or zip of InkML")
    parser.add_argument("--every", type=int, default=2, help="only each so-many-th")
    asked = parser.parse_args()
    if asked.every < 1:
        raise SanError(f"--every {asked.every}: it takes at least 1")
    samples = [*islice(open_corpus(asked.corpus), 0, None, asked.every)]
    written = [(sample.ink, sample.tree) for sample in samples if sample.ink]
    if len(written) < len(samples):
        raise SanError(f"{asked.corpus}: pictures are in it, where ink is wanted")
    reader = Recognizer()
    for change in CHANGES:
        rng = np.random.default_rng(0)
        right = 0
        for own, tree in track(written, change.__name__, transient=True):
            ink = Ink(tuple(change(own.strokes, rng)))
            right += reader.read(ink).expression == tree
        tell(change.__name__.replace("_", " "), right, len(samples))
    right = sum(
        reader.read(sample.picture()).expression == sample.tree
        for sample in track(samples, "picture", transient=True)
    )
    tell("the picture alone", right, len(samples))


if __name__ == "__main__":
    run_or_exit(main)
