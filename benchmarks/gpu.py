"""How fast one GPU reads pictures that are in memory, and whether it reads the same trees.

    python benchmarks/gpu.py WEIGHTS SOURCE [--passes 5] [--count 986] [--device cuda] [--stack 20]
        [--processes 4] [--captured] [--profile]

SOURCE is a pack, or a folder or zip of pictures with labels (docs/data.md). Each pass begins with
the pictures as arrays of bytes and ends with every tree and its probability, and with all that is
known of its steps on the host. While trees are written, the GPU encodes the next pictures. Two
passes are told apart: the first plans convolutions for shapes that the others meet again, in the
second `--captured` captures the steps of these shapes as graphs. Beside it in the same run: a pass
whose parts wait for each other, to see what each takes; single precision, whose trees are the
reference; and the paper's Algorithm 1, one image and one step at a time, on some of the pictures.
One process keeps a large GPU waiting for most of the time: `--processes` lets several read at once,
each its share of the pictures, pass after pass.

Needs torch and numpy, and nothing that opens files for a pack: a machine with a GPU may have no
more. The package is taken from the checkout.
"""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from san.data.pack import Pack, is_pack  # noqa: E402
from san.decoding import Memory, Reading  # noqa: E402
from san.decoding.frontier import decode_levels, to_readings  # noqa: E402
from san.decoding.stack import decode_by_stack  # noqa: E402
from san.errors import SanError, run_or_exit  # noqa: E402
from san.grammar import Expression  # noqa: E402
from san.model.spec import STRIDE  # noqa: E402
from san.model.torch.engine import TorchEngine  # noqa: E402
from san.model.torch.network import SAN  # noqa: E402
from san.model.torch.weights import load_san  # noqa: E402
from san.training.batching import Bucket, assign_buckets, choose_buckets  # noqa: E402

ImageSource = Sequence[NDArray[np.uint8]]
PIXELS = 1 << 24
"""Of a canvas and all its pictures: each takes some 100 bytes."""


class Samples(NamedTuple):
    pictures: ImageSource  # ink 1 on 0
    trees: Sequence[Expression]


def load(source: Path, count: int) -> Samples:
    """At most so many, spread over the corpus."""
    if is_pack(source):
        pack = Pack.load(source)
        every = [(pack.image(place), pack.tree(place)) for place in range(len(pack))]
    else:
        from san.data.corpus import open_corpus

        every = [(sample.picture(), sample.tree) for sample in open_corpus(source)]
    if not every:
        raise SanError(f"{source}: no pictures in it")
    pictures, trees = zip(*every[:: max(len(every) // count, 1)][:count], strict=True)
    return Samples([(picture > 127).view(np.uint8) for picture in pictures], trees)


class Canvas(NamedTuple):
    """Images that are encoded together."""

    shape: Bucket
    places: list[int]


Plan = list[list[Canvas]]
"""The canvases of each frontier: what is decoded together."""


def plan(pictures: ImageSource, canvases: int, frontiers: int) -> Plan:
    """Tight canvases, since pixels are dear; few frontiers, since depths are. Small ones first."""
    sizes = np.array([picture.shape for picture in pictures])
    shapes = choose_buckets(sizes, canvases)
    homes = assign_buckets(sizes, shapes)
    made: list[Canvas] = []
    for number, shape in enumerate(shapes):
        places = np.flatnonzero(homes == number).tolist()
        most = max(PIXELS // shape.area, 1)
        made += [Canvas(shape, places[at : at + most]) for at in range(0, len(places), most)]
    over = assign_buckets([canvas.shape for canvas in made], choose_buckets(sizes, frontiers))
    return [[made[one] for one in np.flatnonzero(over == number)] for number in np.unique(over)]


def on_canvas(pictures: ImageSource, shape: Bucket, pinned: bool) -> tuple[Tensor, Tensor]:
    """As bytes, where a GPU fetches them by itself; and the cells that each owns."""
    pixels = torch.zeros(len(pictures), 1, *shape, dtype=torch.uint8, pin_memory=pinned)
    for canvas, picture in zip(pixels.numpy()[:, 0], pictures, strict=True):
        canvas[: picture.shape[0], : picture.shape[1]] = picture
    height, width = torch.tensor([picture.shape for picture in pictures]).T[..., None]
    rows, columns = (torch.arange(0, side, STRIDE) for side in shape)
    mask = (rows < height)[:, :, None] & (columns < width)[:, None]
    return pixels, mask.pin_memory() if pinned else mask


def encode(engine: TorchEngine, pictures: ImageSource, frontier: Sequence[Canvas]) -> Memory:
    """Of a frontier. Nobody waits for the GPU here."""
    pinned = engine.device.type == "cuda"
    return engine.join(
        [
            engine.encode_canvas(*on_canvas([pictures[place] for place in places], shape, pinned))
            for shape, places in frontier
        ]
    )


def written(readings: Sequence[Reading]) -> list[Expression]:
    """Their trees; all of them with probabilities."""
    assert all(0 <= reading.probability <= 1 for reading in readings)
    return [reading.expression for reading in readings]


def in_order(plan: Plan, found: Sequence[Expression]) -> list[Expression]:
    """What was found frontier by frontier, picture by picture."""
    places = [place for frontier in plan for canvas in frontier for place in canvas.places]
    return [found[at] for at in np.argsort(places)]


def read(engine: TorchEngine, pictures: ImageSource, plan: Plan) -> tuple[float, list[Expression]]:
    """One pass over all pictures, in seconds, and their trees."""
    begun = time.perf_counter()
    found: list[Expression] = []
    memory = encode(engine, pictures, plan[0])
    for number in range(len(plan)):
        decoded = decode_levels(engine, memory)
        if number + 1 < len(plan):
            memory = encode(engine, pictures, plan[number + 1])
        found += written(to_readings(decoded))
    return time.perf_counter() - begun, in_order(plan, found)


def parts(engine: TorchEngine, pictures: ImageSource, plan: Plan) -> list[float]:
    """What encoding, steps and trees take where each waits for the one before, in seconds."""
    times = [time.perf_counter()]

    def tick() -> None:
        if engine.device.type == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter())

    memories = [encode(engine, pictures, frontier) for frontier in plan]
    tick()
    every = [decode_levels(engine, memory) for memory in memories]
    tick()
    for decoded in every:
        written(to_readings(decoded))
    tick()
    return np.diff(times).tolist()


def profile(engine: TorchEngine, pictures: ImageSource, plan: Plan) -> None:
    """What the GPU computes in one pass, the dearest kernels first."""
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds) as seen:
        read(engine, pictures, plan)
        torch.cuda.synchronize()
    kernels = [one for one in seen.key_averages() if str(one.device_type).endswith("CUDA")]
    kernels.sort(key=lambda one: -one.self_device_time_total)
    busy = sum(one.self_device_time_total for one in kernels) / 1000
    print(f"profile        {busy:.0f} ms of {sum(one.count for one in kernels)} kernels and copies")
    for one in kernels[:18]:
        print(f"  {one.self_device_time_total / 1000:7.2f} ms {one.count:6} x {one.key[:90]}")


def share_of(pictures: ImageSource, part: int, parts: int) -> ImageSource:
    """As many small and large ones as the others have."""
    order = np.argsort([picture.size for picture in pictures], kind="stable")
    return [pictures[place] for place in order[part::parts]]


class Work(NamedTuple):
    """What each of several processes does."""

    weights: Path
    source: Path
    pictures: int
    device: str
    canvases: int
    frontiers: int
    passes: int
    captured: bool


def engine_of(network: SAN, device: str, captured: bool) -> TorchEngine:
    """The fast one: half precision where there is a GPU."""
    on_gpu = device.startswith("cuda")
    return TorchEngine(network, device, half=on_gpu, captured=captured and on_gpu)


def read_share(work: Work, part: int, parts: int, ready: Barrier, done: Connection) -> None:
    """In a process: two passes to plan and to capture, and when all are ready the others."""
    torch.set_num_threads(1)
    engine = engine_of(load_san(work.weights), work.device, work.captured)
    pictures = share_of(load(work.source, work.pictures).pictures, part, parts)
    planned = plan(pictures, work.canvases, work.frontiers)
    for _ in range(2):
        read(engine, pictures, planned)
    ready.wait()
    begun = time.monotonic()
    for _ in range(work.passes):
        read(engine, pictures, planned)
    done.send((begun, time.monotonic()))


def side_by_side(work: Work, processes: int) -> float:
    """Seconds of a pass over all pictures, while so many processes read at once.

    A process that is done leaves the GPU to the others, which counts against the rate.
    """
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(processes)
    pipes = [context.Pipe(duplex=False) for _ in range(processes)]
    readers = [
        context.Process(target=read_share, args=(work, part, processes, ready, pipe[1]))
        for part, pipe in enumerate(pipes)
    ]
    for reader in readers:
        reader.start()
    for _, sender in pipes:
        sender.close()
    try:
        times: list[tuple[float, float]] = [receiver.recv() for receiver, _ in pipes]
    except EOFError:
        ready.abort()
        fault = "a process ended before it had read its share; what is above says why"
        raise SanError(fault) from None
    finally:
        for reader in readers:
            reader.join()
    return (max(end for _, end in times) - min(begun for begun, _ in times)) / work.passes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("weights", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("--passes", type=int, default=5, help="timed passes, after the first")
    parser.add_argument("--count", type=int, default=1 << 30, help="only so many pictures")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--canvases", type=int, default=12, help="sizes to encode in")
    parser.add_argument("--frontiers", type=int, default=3, help="frontiers to decode as")
    parser.add_argument("--processes", type=int, default=1, help="that read at once, beside it")
    parser.add_argument("--stack", type=int, default=20, help="pictures for Algorithm 1; 0: none")
    parser.add_argument("--captured", action="store_true", help="steps as graphs")
    parser.add_argument("--profile", action="store_true", help="list the kernels of one pass")
    options = parser.parse_args()
    if min(options.count, options.passes, options.processes) < 1:
        parser.error("--count, --passes and --processes are numbers from 1 on")
    network = load_san(options.weights)
    if network.config.kind != "san":
        raise SanError(
            f"{options.weights}: a network of kind {network.config.kind} has no frontier to read"
        )
    pictures, truth = load(options.source, options.count)
    planned = plan(pictures, options.canvases, options.frontiers)
    count = len(pictures)

    def rate(seconds: float) -> str:
        found = count / seconds
        return f"{found:,.0f} images/s" if found >= 100 else f"{found:.1f} images/s"

    torch.backends.cudnn.allow_tf32 = False  # the reference is single precision, all of it
    exact = TorchEngine(network, options.device)
    fast = engine_of(network, options.device, options.captured)
    where = torch.cuda.get_device_name() if exact.device.type == "cuda" else "CPU"
    print(f"{count} pictures on {where}, torch {torch.__version__}")
    first, trees = read(fast, pictures, planned)
    second, trees = read(fast, pictures, planned)
    print(f"first, second  {rate(first)}, {rate(second)}")
    passes = sorted(read(fast, pictures, planned)[0] for _ in range(options.passes))
    median = passes[len(passes) // 2]
    print(f"best, median   {rate(passes[0])}, {rate(median)}; of {len(passes)} passes")
    apart = np.median([parts(fast, pictures, planned) for _ in range(options.passes)], 0) * 1000
    print("part by part   encoding {:.0f} ms, steps {:.0f} ms, trees {:.0f} ms".format(*apart))
    if options.profile and exact.device.type == "cuda":
        profile(fast, pictures, planned)
    if options.processes > 1:
        together = side_by_side(
            Work(
                options.weights, options.source, options.count, options.device, options.canvases,
                options.frontiers, options.passes, options.captured,
            ),
            options.processes,
        )  # fmt: skip
        ratio = median / together
        print(f"{options.processes} processes    {rate(together)}: {ratio:.2f} times as many")
    read(exact, pictures, planned)
    single, reference = read(exact, pictures, planned)
    print(f"in single precision {rate(single)}")
    differing = sum(a != b for a, b in zip(trees, reference, strict=True))
    right = sum(tree == true for tree, true in zip(trees, truth, strict=True))
    print(f"{differing} of {count} trees differ from its; ExpRate {100 * right / count:.2f}")
    if options.stack:
        some = pictures[:: max(count // options.stack, 1)][: options.stack]
        decode_by_stack(exact, some[:1])
        begun = time.perf_counter()
        for picture in some:
            written(decode_by_stack(exact, [picture]))
        alone = len(some) / (time.perf_counter() - begun)
        ratio = count / median / alone
        print(f"step by step   {alone:.1f} images/s on {len(some)} of them: {ratio:.0f} to 1")
    if exact.device.type == "cuda":
        print(f"GPU memory     {torch.cuda.max_memory_allocated() / 2**30:.1f} GB at most")


if __name__ == "__main__":
    run_or_exit(main)
