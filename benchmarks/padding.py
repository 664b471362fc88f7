"""Does padding change what is read? python benchmarks/padding.py WEIGHTS CORPUS

Reads every picture twice: on a canvas of its own size, and on one that is a bucket larger. Prints
how many trees differ; there should be none.
"""

import argparse
from pathlib import Path

import numpy as np
from rich.progress import track

from san.data.corpus import open_corpus
from san.decoding.frontier import decode_memory
from san.errors import run_or_exit
from san.model.torch.engine import TorchEngine
from san.model.torch.weights import load_san

LARGER = (48, 96)
"""Pixels of height and width that are added: more than from one bucket to the next."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("corpus", type=Path)
    options = parser.parse_args()
    engine = TorchEngine(load_san(options.weights))
    corpus = open_corpus(options.corpus)
    count = changed = 0
    for sample in track(corpus, "reading", len(corpus)):
        picture = sample.picture().astype(np.float32) / 255
        height, width = picture.shape
        sizes = ((height, width), (height + LARGER[0], width + LARGER[1]))
        small, large = (decode_memory(engine, engine.encode([picture], size))[0] for size in sizes)
        count += 1
        changed += small.expression != large.expression
    print(f"{count} pictures, {changed} trees changed")


if __name__ == "__main__":
    run_or_exit(main)
