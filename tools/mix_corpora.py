"""One pack of several corpora of ink, each with its share: one writer's own ink among others'.

    python -m tools.mix_corpora own=collection/ others=train.inkml.zip -o packs/own-hand.npz

Each corpus gives as many samples as the others. One that has fewer is repeated, as its own writer,
so that training meets it as often; of one that has more, samples are drawn by the seed. Pictures
that are too large for a training on a CPU are left out, and said to be.
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from san.cli.console import MAX_SKIPS_SHOWN
from san.data.corpus import open_corpus
from san.data.pack import write_pack
from san.data.sample import Sample
from san.errors import SanError, run_or_exit

SAMPLES = 1000
"""Of each corpus: no more are seen in a training of minutes."""
MAX_SHAPE = (208, 1008)
"""Height and width of a picture: four of these are trained on at a time, within 6 GB."""


def repeated(
    name: str,
    samples: Iterable[Sample],
    count: int,
    seed: int,
    max_shape: tuple[int, int] = MAX_SHAPE,
) -> Iterator[Sample]:
    """`count` of some samples, drawn or repeated; where repeated, as by one writer of this name."""
    every = list(samples)
    written = [sample for sample in every if sample.ink is not None]
    chosen: dict[int, Sample] = {}
    large = 0
    for place in np.random.default_rng(seed).permutation(len(written)).tolist():
        if np.all(written[place].picture().shape <= np.array(max_shape)):
            chosen[place] = written[place]
        else:
            large += 1
        if len(chosen) == count:
            break
    if not chosen:
        raise SanError(f"{name}: no ink to train on")
    for number, why in ((len(every) - len(written), "pictures"), (large, "too large")):
        if number:
            print(f"{name}: {number:,} left out ({why})")
    kept = [chosen[place] for place in sorted(chosen)]
    if len(kept) == count:
        yield from kept
        return
    # As CROHME's collectors named theirs, writer and number: so is a writer told from an id.
    for number in range(count):
        yield replace(kept[number % len(kept)], id=f"{name}-{number}")


def mix(corpora: dict[str, Path], output: Path, count: int = SAMPLES, seed: int = 0) -> int:
    """Write the pack; how many samples it has."""
    opened = {name: open_corpus(path) for name, path in corpora.items()}
    for corpus in opened.values():
        if output.resolve() in (origin.resolve() for origin in corpus.origins()):
            raise SanError(f"{output}: this is to be read, not written over")

    def samples() -> Iterator[Sample]:
        taken: set[str] = set()
        for name, corpus in opened.items():
            for sample in repeated(name, corpus, count, seed):
                own = f"{name}-{sample.id}" if sample.id in taken else sample.id
                taken.add(own)
                yield replace(sample, id=own)
            for skip in corpus.skipped[:MAX_SKIPS_SHOWN]:
                print(f"{name}: {skip}")
            more = len(corpus.skipped) - MAX_SKIPS_SHOWN
            if more > 0:
                print(f"{name}: {more:,} more are left out: `san data pack` tells which")

    return write_pack(samples(), output)


def main() -> None:
    parser = argparse.ArgumentParser(description="One pack of several corpora of ink.")
    parser.add_argument("corpora", nargs="+", metavar="NAME=CORPUS")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of each corpus")
    parser.add_argument("--seed", type=int, default=0, help="another draws other samples")
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    if asked.samples < 1:
        raise SanError("--samples: 1 or more")
    corpora = {}
    for argument in asked.corpora:
        name, _, path = argument.partition("=")
        if not (name.isalpha() and name.isascii() and path) or name in corpora:
            raise SanError(f"{argument}: NAME=CORPUS is wanted, with a name of letters of its own")
        corpora[name] = Path(path)
    count = mix(corpora, asked.output, asked.samples, asked.seed)
    print(f"{asked.output}: {count:,} expressions")


if __name__ == "__main__":
    run_or_exit(main)
