"""What a beam gains and what it costs, beside greedy reading, in one run.

    python benchmarks/beam.py [CORPUS] [--widths 1 3 5 10] [--weights FILE] [--count N]

CORPUS is a folder or zip with its labels; by default the bitmaps of CROHME 2014 (the folder
SAN_DATA, or shared/data beside the checkout). Each picture is encoded once and decoded greedily and
by each beam, one thread, alone; told is CPU time, which other work on the machine leaves alone.
"""

import argparse
import time
from itertools import islice
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from corpora import CROHME
from san.data.corpus import open_corpus
from san.decoding.beam import decode_beam_memory
from san.decoding.frontier import decode_memory
from san.errors import run_or_exit
from san.model.onnx.engine import OnnxEngine

ROOT = Path(__file__).resolve().parents[1]
RANKED_WIDTH = 5
"""The width whose ranks are told."""


class Tally:
    """What one way to decode came to."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.seconds = 0.0
        self.places: list[int] = []  # of the truth among the readings; -1: not there
        self.said: list[list[float]] = []  # the readings' own probabilities

    def rate(self, best: int) -> float:
        return 100 * sum(0 <= place < best for place in self.places) / len(self.places)


def swapped(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(b, a) for a, b in pairs]


def print_ranks(tally: Tally) -> None:
    """How often the readings of each rank are right, and how often they say so."""
    print(f"\n| rank in a beam of {tally.width} | readings | mean probability | right |")
    print("| --- | --- | --- | --- |")
    for rank in range(tally.width):
        said = [some[rank] for some in tally.said if rank < len(some)]
        if said:
            right = tally.places.count(rank) / len(said)
            print(f"| {rank + 1} | {len(said):,} | {np.mean(said):.1%} | {right:.1%} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, default=CROHME / "test2014.bitmaps.zip")
    parser.add_argument("--widths", type=int, nargs="+", default=[1, 3, 5, 10])
    parser.add_argument("--weights", type=Path, default=ROOT / "src/san/models/san.safetensors")
    parser.add_argument("--count", type=int, help="only so many pictures")
    options = parser.parse_args()

    engine = OnnxEngine(options.weights, 1)
    corpus = open_corpus(options.corpus)
    greedy = Tally(0)
    beams = [Tally(width) for width in options.widths]
    total = min(options.count or len(corpus), len(corpus))
    encoding = 0.0
    for sample in track(islice(corpus, total), "reading", total, console=Console(stderr=True)):
        start = time.process_time()
        memory = engine.encode([sample.picture().astype(np.float32) / 255])
        encoding += time.process_time() - start
        for tally in (greedy, *beams):
            start = time.process_time()
            if tally.width:
                readings = decode_beam_memory(engine, memory, tally.width)[0]
            else:
                readings = decode_memory(engine, memory)
            tally.seconds += time.process_time() - start
            trees = [reading.expression for reading in readings]
            tally.said.append([reading.probability for reading in readings])
            tally.places.append(trees.index(sample.tree) if sample.tree in trees else -1)

    read = len(greedy.places)
    print(
        f"{options.corpus.name}: {read:,} pictures, {1000 * encoding / read:.0f} ms to encode one"
    )
    print("| | ExpRate | gained | lost | among 3 | among 5 | among 10 | decoding | whole reading |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for tally in (greedy, *beams):
        name = f"beam {tally.width}" if tally.width else "greedy"
        both = list(zip(tally.places, greedy.places, strict=True))
        gained, lost = (sum(a == 0 != b for a, b in pairs) for pairs in (both, swapped(both)))
        rates = " | ".join(
            f"{tally.rate(best):.2f}" if best <= tally.width else "" for best in (3, 5, 10)
        )
        times = (tally.seconds + encoding) / (greedy.seconds + encoding)
        first = f"{tally.rate(1):.2f} | {gained} | {lost}"
        print(
            f"| {name} | {first} | {rates} | {1000 * tally.seconds / read:.0f} ms | x {times:.2f} |"
        )
    for tally in beams:
        if tally.width == RANKED_WIDTH:
            print_ranks(tally)


if __name__ == "__main__":
    run_or_exit(main)
