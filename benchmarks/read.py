"""How fast pictures are read from disk, the runtime beside torch, in one run.

    python benchmarks/read.py [--count 100] [--threads 2] [--weights FILE]

Reads bitmaps of CROHME 2014 where they are at hand (the folder SAN_DATA, or shared/data beside the
checkout), else rows of our own alphabet. The yardstick is torch with the paper's Algorithm 1: one
step at a time, layers as they were trained (but for the attention's convolution and the linear map
behind it, which are one in training too). Where OpenVINO is installed, it runs the same two
models. Each picture is opened and read alone. CPU time is told too; on a busy machine go by it, and
with --threads 1: threads that wait for each other burn it.
"""

import argparse
import importlib.util
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from san.data.corpus import open_corpus
from san.decoding import Engine, Reading, decode
from san.decoding.stack import decode_by_stack
from san.grammar import Expression
from san.images.open import open_image
from san.ink import Box, draw
from san.ink.alphabet import SHAPES, compose
from san.nn.engine import TorchEngine
from san.nn.weights import load_weights
from san.runtime.engine import OnnxEngine

ROOT = Path(__file__).resolve().parents[1]
Read = Callable[[Engine, Sequence[NDArray[np.generic]]], list[Reading]]


class OpenVinoEngine(OnnxEngine):
    """The same models on OpenVINO; `precision` is f32 or bf16, for the encoder."""

    def __init__(self, weights: Path, threads: int, precision: str) -> None:
        self._precisions = iter((precision, "f32"))  # the encoder is started first
        super().__init__(weights, threads)

    def _start(self, model: bytes, threads: int) -> "Compiled":
        return Compiled(model, threads, next(self._precisions))


class Compiled:
    def __init__(self, model: bytes, threads: int, precision: str) -> None:
        import openvino  # type: ignore[import-untyped]

        core = openvino.Core()
        options = {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": threads,
            "PERFORMANCE_HINT": "LATENCY",
        }
        compiled = core.compile_model(core.read_model(model), "CPU", options)
        self._request: Any = compiled.create_infer_request()

    def run(
        self, outputs: Sequence[str], inputs: Mapping[str, NDArray[np.generic]]
    ) -> list[NDArray[np.float32]]:
        contiguous = {name: np.ascontiguousarray(array) for name, array in inputs.items()}
        self._request.infer(contiguous)
        return [self._request.get_tensor(name).data.copy() for name in outputs]


class Timing(NamedTuple):
    rate: float  # images a second
    trees: list[Expression]


def pictures(folder: Path, count: int) -> list[Path]:
    """So many image files, spread over the corpus."""
    beside = ROOT.parent / "shared" / "data"
    source = Path(os.environ.get("SAN_DATA") or beside) / "crohme" / "test2014.bitmaps.zip"
    paths: list[Path] = []
    if source.is_file():
        print("pictures: CROHME 2014")
        corpus = open_corpus(source)
        for sample in islice(corpus, 0, None, max(len(corpus) // count, 1)):
            paths.append(folder / f"{len(paths)}.image")
            paths[-1].write_bytes(sample.encoded)
        return paths[:count]
    print("pictures: our own alphabet (no corpus here)")
    random = np.random.default_rng(5)
    names = sorted(set(SHAPES) - {r"\frac", r"\sqrt"})
    for number in range(count):
        row = [
            (str(random.choice(names)), Box(45 * place, 0, 45 * place + 30, 40))
            for place in range(int(random.integers(2, 16)))
        ]
        paths.append(folder / f"{number}.png")
        cv2.imwrite(str(paths[-1]), draw(compose(row).ink))
    return paths


def measure(name: str, engine: Engine, read: Read, paths: Sequence[Path]) -> Timing:
    trees, waits = [], []
    for path in paths[:3]:  # nobody times the first word
        read(engine, [open_image(path).astype(np.float32) / 255])
    begun = time.process_time()
    for path in paths:
        start = time.perf_counter()
        reading = read(engine, [open_image(path).astype(np.float32) / 255])[0]
        trees.append(reading.expression)
        waits.append(time.perf_counter() - start)
    busy = (time.process_time() - begun) / len(paths)
    median, late = np.percentile(waits, (50, 99)) * 1000
    rate = len(paths) / sum(waits)
    print(
        f"{name:32} {rate:6.1f} images/s   median {median:5.0f} ms   p99 {late:5.0f} ms"
        f"   CPU {busy * 1000:5.0f} ms an image",
        flush=True,
    )
    return Timing(rate, trees)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--weights", type=Path, default=ROOT / "src/san/models/san.safetensors")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    with tempfile.TemporaryDirectory() as folder:
        paths = pictures(Path(folder), options.count)
        start = time.perf_counter()
        engine = OnnxEngine(options.weights, options.threads)
        print(f"{len(paths)} of them; the engine is ready in {time.perf_counter() - start:.2f} s")
        ours = measure("ONNX Runtime, frontier", engine, decode, paths)
        others = {}
        if importlib.util.find_spec("openvino"):
            for precision in ("f32", "bf16"):
                name = f"OpenVINO {precision}, frontier"
                rival = OpenVinoEngine(options.weights, options.threads, precision)
                others[name] = measure(name, rival, decode, paths)
        reference = TorchEngine(load_weights(options.weights))
        name = "torch, step by step"
        others[name] = measure(name, reference, decode_by_stack, paths)
    for name, other in others.items():
        same = sum(a == b for a, b in zip(ours.trees, other.trees, strict=True))
        print(f"ONNX Runtime : {name} = {ours.rate / other.rate:.2f} to 1; {same} trees equal")


if __name__ == "__main__":
    main()
