"""How fast pictures are read from disk, and how the cost grows; beside torch, in one run.

    python benchmarks/read.py [--count 986] [--threads 2] [--weights FILE] [--rivals 100] [--quick]
    python benchmarks/read.py --quick --beside FILE     another network, in turns with the first

Reads bitmaps of CROHME 2014 where they are at hand (the folder SAN_DATA, or shared/data beside the
checkout), else rows of our own alphabet. What a user sees comes first, each in a process of its
own: start, a stream of files, single files one after the other, memory. Then engines side by side:
ONNX Runtime, OpenVINO where it is installed, and the yardstick, torch with the paper's Algorithm 1:
one step at a time, layers as they were trained (but for the attention's convolution and the linear
map behind it, which are one in training too). Last, how time grows with images and with pixels.

CPU time is shown too. On a busy machine go by it: cores over CPU time is what a quiet one would do.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engines import ROOT, pictures, rivals
from san.errors import run_or_exit


def start(weights: Path, path: Path, threads: int, quick: bool, begun: float) -> dict[str, float]:
    """From before there was a process."""
    from san.reader import Recognizer

    imported = time.time()
    Recognizer(weights, threads=threads, quick=quick).read(path)
    answered = time.time()
    found = {"import": imported - begun, "answer": answered - begun, "memory": memory()}
    return {**found, "cpu": time.process_time()}


def stream(weights: Path, paths: Sequence[Path], threads: int, quick: bool) -> dict[str, float]:
    from san.reader import Formula, Recognizer

    reader = Recognizer(weights, threads=threads, quick=quick)
    reader.read(paths[0])
    wall, busy = time.perf_counter(), time.process_time()
    results = [isinstance(result, Formula) for result in reader.read_many(paths)]
    wall, busy = time.perf_counter() - wall, time.process_time() - busy
    assert all(results)
    return {"wall": wall / len(paths), "cpu": busy / len(paths), "memory": memory()}


def single(weights: Path, paths: Sequence[Path], threads: int, quick: bool) -> dict[str, float]:
    from san.reader import Recognizer

    reader = Recognizer(weights, threads=threads, quick=quick)
    reader.read(paths[0])
    waits, work = [], []
    for path in paths:
        wall, busy = time.perf_counter(), time.process_time()
        reader.read(path)
        waits.append(time.perf_counter() - wall)
        work.append(time.process_time() - busy)
    found = {"memory": memory()}
    for name, times in (("wall", waits), ("cpu", work)):
        found[f"{name} median"], found[f"{name} p99"] = np.percentile(times, (50, 99)).tolist()
    return found


def growth(weights: Path, paths: Sequence[Path], threads: int, quick: bool) -> dict[str, Any]:
    """CPU time of more and more files, and of larger and larger pictures."""
    from san.ink import Box, draw
    from san.ink.alphabet import compose
    from san.reader import Recognizer

    reader = Recognizer(weights, threads=threads, quick=quick)

    def busy(work: Callable[[], object]) -> float:
        begun = time.process_time()
        work()
        return time.process_time() - begun

    part = [paths[len(paths) * place // 25] for place in range(25)]
    images = {n * len(part): busy(partial(list, reader.read_many(part * n))) for n in (1, 2, 4)}
    pixels = {}
    for symbols in (4, 8, 16, 32, 64):
        row = [("x", Box(60 * place, 0, 60 * place + 40, 40)) for place in range(symbols)]
        picture = draw(compose(row).ink)
        reader.read(picture)
        pixels[picture.size] = busy(partial(reader.read, picture))
    return {"images": images, "pixels": pixels}


def beside(weights: Sequence[Path], paths: Sequence[Path], threads: int, quick: bool) -> None:
    """Two networks in turns, each picture by both; CPU time, since other work disturbs it least."""
    from san.reader import Recognizer

    readers = [Recognizer(path, threads=threads, quick=quick) for path in weights]
    for reader in readers:
        reader.read(paths[0])
    times: list[list[float]] = [[], []]
    for number, path in enumerate(paths):
        for which in (0, 1) if number % 2 else (1, 0):
            begun = time.process_time()
            readers[which].read(path)
            times[which].append(time.process_time() - begun)
    sums = [sum(found) for found in times]
    for path, total in zip(weights, sums, strict=True):
        print(f"beside    CPU {1000 * total / len(paths):.1f} ms an image: {path}")
    print(f"beside    the second reads {sums[0] / sums[1]:.2f} times as many images a second")


def memory() -> float:
    """Megabytes, at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(what: str, options: argparse.Namespace, paths: Sequence[Path]) -> dict[str, Any]:
    """One of the above, in a process of its own."""
    given = {"weights": str(options.weights), "threads": options.threads, "begun": time.time()}
    given["quick"] = options.quick
    order = json.dumps([what, {**given, "paths": [str(path) for path in paths]}])
    command = [sys.executable, __file__, "--apart"]
    done = subprocess.run(command, input=order, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def ordered() -> None:
    what, given = json.load(sys.stdin)
    weights, paths = Path(given["weights"]), [Path(path) for path in given["paths"]]
    if what == "start":
        found = start(weights, paths[0], given["threads"], given["quick"], given["begun"])
    else:
        found = {"stream": stream, "single": single, "growth": growth}[what](
            weights, paths, given["threads"], given["quick"]
        )
    print(json.dumps(found))


def report(options: argparse.Namespace, paths: Sequence[Path]) -> None:
    cores = options.threads
    found = apart("start", options, paths)
    print(
        f"start     imported in {found['import']:.2f} s, first answer after {found['answer']:.2f} s"
        f" (CPU {found['cpu']:.2f} s), {found['memory']:.0f} MB"
    )
    found = apart("stream", options, paths)
    print(
        f"stream    {1 / found['wall']:.1f} images/s; CPU {found['cpu'] * 1000:.1f} ms an image: "
        f"{cores / found['cpu']:.1f} images/s on {cores} quiet cores; {found['memory']:.0f} MB"
    )
    found = apart("single", options, paths)
    print(
        f"single    median {found['wall median'] * 1000:.0f} ms, "
        f"p99 {found['wall p99'] * 1000:.0f} ms; CPU {found['cpu median'] * 1000:.0f} "
        f"and {found['cpu p99'] * 1000:.0f} ms; "
        f"{found['memory']:.0f} MB"
    )
    found = apart("growth", options, paths)
    for what, times in found.items():
        each = ", ".join(f"{int(n):,}: {1e6 * t / int(n):.4g}" for n, t in times.items())
        print(f"growth    CPU in microseconds a piece of so many {what}: {each}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=986, help="pictures for the reader")
    parser.add_argument("--rivals", type=int, default=100, help="pictures for each engine; 0: none")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--weights", type=Path, default=ROOT / "src/san/models/san.safetensors")
    parser.add_argument("--quick", action="store_true", help="one look, however unsure")
    parser.add_argument("--beside", type=Path, help="weights to compare with, and nothing else")
    parser.add_argument("--apart", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.apart:
        return ordered()
    with tempfile.TemporaryDirectory() as folder:
        paths = pictures(Path(folder), options.count)
        if options.beside:
            networks = (options.weights, options.beside)
            return beside(networks, paths, options.threads, options.quick)
        report(options, paths)
        if options.rivals:
            some = paths[:: max(len(paths) // options.rivals, 1)][: options.rivals]
            rivals(options.weights, some, options.threads)
    return None


if __name__ == "__main__":
    run_or_exit(main)
