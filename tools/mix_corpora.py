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

from san.data.corpus import open_corpus
from san.data.pack import write_pack
from san.data.sample import Sample
from san.errors import SanError, run_or_exit

SAMPLES = 1000
"""Of each corpus: no more are seen in a training of minutes."""
MAX_SHAPE = (208, 1008)
"""Height and width of a picture: four of these are trained on at a time, within 2 GB."""


def repeated(
    name: str,
    samples: Iterable[Sample],
    count: int,
    seed: int,
    max_shape: tuple[int, int] = MAX_SHAPE,
) -> Iterator[Sample]:
    """`count` of some samples, drawn or repeated; where repeated, as by one writer of this name."""
    written = [sample for sample in samples if sample.ink is not None]
    every = [sample for sample in written if np.all(sample.picture().shape <= np.array(max_shape))]
    if not every:
        raise SanError(f"{name}: no ink to train on")
    if len(every) < len(written):
        print(f"{name}: {len(written) - len(every):,} of {len(written):,} are too large")
    if len(every) >= count:
        chosen = np.random.default_rng(seed).permutation(len(every))[:count]
        yield from (every[place] for place in sorted(chosen.tolist()))
        return
    # As CROHME's collectors named theirs, writer and number: so is a writer told from an id.
    for number in range(count):
        yield replace(every[number % len(every)], id=f"{name}-{number}")


def mix(corpora: dict[str, Path], output: Path, count: int = SAMPLES, seed: int = 0) -> int:
    """Write the pack; how many samples it has."""
    opened = {name: open_corpus(path) for name, path in corpora.items()}
    for corpus in opened.values():
        if output.resolve() in (origin.resolve() for origin in corpus.origins()):
            raise SanError(f"{output}: this is to be read, not written over")

    def samples() -> Iterator[Sample]:
        for name, corpus in opened.items():
            yield from repeated(name, corpus, count, seed)
            for skip in corpus.skipped:
                print(skip)

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
