"""Pictures to measure on, and the engines that read them, side by side. For benchmarks/read.py."""

import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpora import CROHME

if TYPE_CHECKING:
    from san.decoding import Engine, Reading
    from san.grammar import Expression

ROOT = Path(__file__).resolve().parents[1]
Read = Callable[["Engine", Sequence[NDArray[np.generic]]], "list[Reading]"]


class Compiled:
    """A model on OpenVINO."""

    def __init__(self, model: bytes, threads: int, precision: str) -> None:
        import openvino

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
    rate: float  # images a second of CPU time
    trees: "list[Expression]"


def pictures(folder: Path, count: int) -> list[Path]:
    """So many image files, spread over the corpus."""
    from san.data.corpus import open_corpus

    source = CROHME / "test2014.bitmaps.zip"
    paths: list[Path] = []
    if source.is_file():
        corpus = open_corpus(source)
        for sample in islice(corpus, 0, None, max(len(corpus) // count, 1)):
            paths.append(folder / f"{len(paths)}.image")
            paths[-1].write_bytes(sample.encoded)
        paths = paths[:count]
        print(f"{len(paths)} pictures of CROHME 2014")
        return paths
    print(f"{count} pictures of our own alphabet (no corpus here)")
    return [_drawn(folder / f"{number}.png", number) for number in range(count)]


def _drawn(path: Path, seed: int) -> Path:
    import cv2

    from san.ink import Box, draw
    from san.ink.alphabet import SHAPES, compose

    random = np.random.default_rng(seed)
    names = sorted(set(SHAPES) - {r"\frac", r"\sqrt"})
    row = [
        (str(random.choice(names)), Box(45 * place, 0, 45 * place + 30, 40))
        for place in range(int(random.integers(2, 16)))
    ]
    cv2.imwrite(str(path), draw(compose(row).ink))
    return path


def rivals(weights: Path, paths: Sequence[Path], threads: int) -> None:
    """Every engine at hand on the same pictures, one after the other."""
    import torch

    from san.decoding import decode
    from san.decoding.stack import decode_by_stack
    from san.model.onnx.engine import OnnxEngine
    from san.model.onnx.models import build_models
    from san.model.torch.engine import TorchEngine
    from san.model.torch.weights import load_san

    class OpenVinoEngine(OnnxEngine):
        """The same models; `precision` is f32 or bf16, for the encoder."""

        def __init__(self, precision: str) -> None:
            self._precisions = iter((precision, "f32"))  # the encoder is started first
            super().__init__(weights, threads)

        def _start(self, model: bytes, threads: int, name: str = "") -> Compiled:
            return Compiled(model, threads, next(self._precisions))

    torch.set_num_threads(threads)
    ours = measure("ONNX Runtime, frontier", OnnxEngine(weights, threads), decode, paths)
    others: dict[str, Timing] = {}
    if (fast := build_models(weights, exact=False)) != build_models(weights):
        name = "ONNX Runtime in eight bits"
        others[name] = measure(name, OnnxEngine(fast, threads), decode, paths)
    if importlib.util.find_spec("openvino"):
        for precision in ("f32", "bf16"):
            name = f"OpenVINO {precision}, frontier"
            others[name] = measure(name, OpenVinoEngine(precision), decode, paths)
    name = "torch, step by step"
    others[name] = measure(name, TorchEngine(load_san(weights)), decode_by_stack, paths)
    for name, other in others.items():
        same = sum(a == b for a, b in zip(ours.trees, other.trees, strict=True))
        print(f"ONNX Runtime : {name} = {ours.rate / other.rate:.2f} to 1; {same} trees equal")


def measure(name: str, engine: "Engine", read: Read, paths: Sequence[Path]) -> Timing:
    from san.images.open import open_image

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
    print(
        f"{name:32} {len(paths) / sum(waits):6.1f} images/s   median {median:5.0f} ms   "
        f"p99 {late:5.0f} ms   CPU {busy * 1000:5.0f} ms an image",
        flush=True,
    )
    return Timing(1 / busy, trees)
