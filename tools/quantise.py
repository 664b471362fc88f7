"""Fits the ranges with which the encoder computes in eight bits, and writes them if they serve.

    python -m tools.quantise WEIGHTS PACK [--check CORPUS] [--count 200] [--every 1]
        [--max-loss 0.3]

PACK is of a training corpus (`san data pack`): the largest number of every channel over some of its
pictures is the range. Then a corpus, by default the bitmaps of CROHME 2014, is read in both
precisions, in turns: what differs, and the CPU time of both. The ranges are written beside the
weights, unless more points of ExpRate are lost than may be. To be run again when the weights
change. Needs the onnx package; finds CROHME in the folder SAN_DATA, or in shared/data beside the
checkout.
"""

import argparse
import os
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
from rich.progress import track

from san.data.corpus import open_corpus
from san.data.pack import Pack
from san.decoding.engine import Floats
from san.decoding.frontier import decode_memory
from san.errors import SanError, run_or_exit
from san.model.onnx.encoder import encoder_graph, int8_layers
from san.model.onnx.engine import OnnxEngine
from san.model.onnx.int8_ranges import Ranges, save_ranges
from san.model.onnx.models import Models, build_models
from san.model.onnx.runtime import onnxruntime
from san.model.onnx.weights import Weights
from san.model.spec import STRIDE

ROOT = Path(__file__).resolve().parents[1]
MAX_PIXELS = 1 << 17
"""Pixels: every layer's numbers of a picture are in memory at once."""
MIN_RANGE = 0.01
"""Of a layer's largest range: a channel that never fired may yet."""


def fit(encoder: bytes, names: Sequence[str], pack: Pack, count: int) -> Ranges:
    """The largest magnitude of each channel of the layers with these names, over some pictures."""
    model = onnx.load_from_string(encoder)
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    places = np.random.default_rng(0).permutation(len(pack)).tolist()
    fitting = [place for place in places if np.prod(pack.shape(place)) < MAX_PIXELS][:count]
    ends = [np.zeros(1, np.float32)] * len(names)
    for place in track(fitting, "fitting", transient=True):
        picture = pack.image(place)
        height, width = (-(-side // STRIDE) * STRIDE for side in picture.shape)
        pixels = np.zeros((1, 1, height, width), np.float32)
        pixels[0, 0, : picture.shape[0], : picture.shape[1]] = picture / np.float32(255)
        found = session.run(names, {"image": pixels})
        tops = [np.abs(one).max(axis=(0, 2, 3)) for one in found]
        ends = [np.maximum(*both) for both in zip(ends, tops, strict=True)]
    return {name: _rounded(end) for name, end in zip(names, ends, strict=True)}


def _rounded(ends: Floats) -> Floats:
    """As they will be written, and read again."""
    return np.array([float(f"{end:.3g}") for end in np.maximum(ends, MIN_RANGE * ends.max())], "f4")


def validation_corpus() -> Path:
    data = Path(os.environ.get("SAN_DATA") or ROOT.parent / "shared" / "data")
    return data / "crohme" / "test2014.bitmaps.zip"


def compare(exact: Models, fast: Models, source: Path, every: int) -> dict[str, float]:
    """Both read each picture, one right after the other."""
    corpus = open_corpus(source)
    engines = OnnxEngine(exact, 1), OnnxEngine(fast, 1)
    encoding, reading, right = np.zeros(2), np.zeros(2), np.zeros(2)
    count = differing = 0
    samples = islice(corpus, 0, None, every)
    for sample in track(samples, "reading", -(-len(corpus) // every), transient=True):
        picture = sample.picture().astype(np.float32) / 255
        trees = []
        for number, engine in enumerate(engines):
            begun = time.process_time()
            memory = engine.encode([picture])
            encoding[number] += time.process_time() - begun
            trees.append(decode_memory(engine, memory)[0].expression)
            reading[number] += time.process_time() - begun
        right += [tree == sample.tree for tree in trees]
        differing += trees[0] != trees[1]
        count += 1
    rates = 100 * right / count
    for number, name in enumerate(("single precision", "eight bits")):
        encoder, whole = 1000 * encoding[number] / count, 1000 * reading[number] / count
        print(
            f"{name:17} ExpRate {rates[number]:.2f}; CPU {encoder:.1f} ms an image in the encoder, "
            f"{whole:.1f} in all"
        )
    return {
        "n": count,
        "differing": differing,
        "exprate_exact": round(rates[0], 2),
        "exprate": round(rates[1], 2),
        "encoder_time": round(encoding[1] / encoding[0], 3),
        "time": round(reading[1] / reading[0], 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--check", type=Path, default=validation_corpus(), help="a corpus")
    parser.add_argument("--count", type=int, default=200, help="pictures to fit on")
    parser.add_argument("--every", type=int, default=1, help="check each so-many-th picture only")
    parser.add_argument("--max-loss", type=float, default=0.3, help="points of ExpRate")
    options = parser.parse_args()
    exact = build_models(options.weights)
    weights = Weights(options.weights)
    names = int8_layers(weights.config)
    ranges = fit(exact.encoder, names, Pack.load(options.pack), options.count)
    fast = exact._replace(encoder=encoder_graph(weights, ranges))
    checked = compare(exact, fast, options.check, options.every)
    print(
        f"{checked['differing']} of {checked['n']} trees differ; eight bits take "
        f"{checked['encoder_time']} of the encoder's time, {checked['time']} of all"
    )
    if checked["exprate_exact"] - checked["exprate"] > options.max_loss:
        raise SanError(f"more than {options.max_loss} points are lost: nothing is written")
    facts = {
        "fitted_on": {"pack": options.pack.name, "n": options.count},
        "checked_on": {"corpus": options.check.name, **checked},
    }
    print(save_ranges(ranges, options.weights, facts))


if __name__ == "__main__":
    run_or_exit(main)
