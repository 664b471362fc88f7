"""Does the runtime read what torch reads? All bitmaps of CROHME 2014, tree against tree.

    python benchmarks/parity.py [--weights FILE] [--every 1]

Where the two differ, both readings and their probabilities are printed: a tie of two symbols may
fall either way. Needs the corpus (the folder SAN_DATA, or shared/data beside the checkout).
"""

import argparse
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from rich.progress import track

from corpora import CROHME
from san.data.corpus import open_corpus
from san.decoding import decode
from san.errors import run_or_exit
from san.grammar import to_latex
from san.model.onnx import OnnxEngine
from san.model.torch.engine import TorchEngine
from san.model.torch.weights import load_san

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, default=ROOT / "src/san/models/san.safetensors")
    parser.add_argument("--every", type=int, default=1, help="only each so-many-th picture")
    options = parser.parse_args()
    corpus = open_corpus(CROHME / "test2014.bitmaps.zip")
    torch.set_num_threads(1)
    ours, theirs = OnnxEngine(options.weights, 1), TorchEngine(load_san(options.weights))
    count = differing = 0
    farthest = 0.0
    samples = islice(corpus, 0, None, options.every)
    for sample in track(samples, "reading", -(-len(corpus) // options.every), transient=True):
        picture = sample.picture().astype(np.float32) / 255
        mine, reference = decode(ours, [picture])[0], decode(theirs, [picture])[0]
        count += 1
        if mine.expression != reference.expression:
            differing += 1
            for name, one in (("runtime", mine), ("torch", reference)):
                print(f"{sample.id} {name:8} {one.probability:.4f} {to_latex(one.expression)}")
        else:
            farthest = max(farthest, abs(mine.probability - reference.probability))
    print(f"{count} read, {differing} differ; probabilities of the others differ by {farthest:.1e}")


if __name__ == "__main__":
    run_or_exit(main)
