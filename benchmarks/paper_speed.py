"""Table 3 of the paper: how many images a second its systems read, one image at a time, in one run.

    python benchmarks/paper_speed.py packs/crohme-2014.npz --count 100 \\
        san=runs/paper/san-plain-0 dwap=runs/paper/dwap-plain-0 bttr=runs/paper/bttr-plain-0

Each NAME=RUN is a run's folder, or weights. All are read with torch in single precision, from
pixels to trees, greedily; systems of strings also with a beam of 10 (`--beam`). SAN is read twice:
by the paper's Algorithm 1, one step after the other, and level by level as `san` does it.

Images take turns: every system reads one before any of them reads the next, so that all of them
meet the same machine. The last column compares with the first row.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from san.data.pack import Pack  # noqa: E402
from san.decoding.stack import decode_by_stack  # noqa: E402
from san.errors import SanError, run_or_exit  # noqa: E402
from san.files import write_file  # noqa: E402
from san.model.torch.engine import TorchEngine  # noqa: E402
from san.model.torch.network import SAN  # noqa: E402
from san.model.torch.readers import open_reader  # noqa: E402
from san.model.torch.weights import load_weights  # noqa: E402

WARM_UP = 2
"""Images that are read before any is timed: a GPU plans its convolutions then."""
STRINGS = ("dwap", "bttr")

Image = NDArray[np.float32]


class System(NamedTuple):
    """A way to read with a network."""

    name: str
    way: str
    parameters: int
    read: Callable[[Image], object]


def ways_of(name: str, weights: Path, device: str, beam: int) -> list[System]:
    """In which a network is read."""
    network = load_weights(weights / "weights.safetensors" if weights.is_dir() else weights)
    reader = open_reader(network, device)
    size = sum(parameter.numel() for parameter in network.parameters())

    def greedy(image: Image) -> object:
        return reader.read(reader.encode([image]))

    def searched(image: Image) -> object:
        return reader.read(reader.encode([image]), beam=beam)

    kind = network.config.kind
    if kind == "san":
        assert isinstance(network, SAN)
        engine = TorchEngine(network, device)
        by_step = System(name, "step by step", size, lambda image: decode_by_stack(engine, [image]))
        return [by_step, System(name, "level by level", size, greedy)]
    systems = [System(name, "greedy", size, greedy)]
    if kind in STRINGS and beam > 1:
        systems.append(System(name, f"beam {beam}", size, searched))
    return systems


def timed(systems: Sequence[System], images: Sequence[Image], device: str) -> list[float]:
    """Seconds that each took for all images but the first, which warm up."""
    seconds = [0.0] * len(systems)
    for number, image in enumerate(track(images, "reading", transient=True)):
        for place, system in enumerate(systems):
            begun = time.perf_counter()
            system.read(image)
            if device.startswith("cuda"):
                torch.cuda.synchronize()
            if number >= WARM_UP:
                seconds[place] += time.perf_counter() - begun
    return seconds


def table(systems: Sequence[System], seconds: Sequence[float], count: int) -> str:
    lines = ["| system | read | parameters | images/s | times the first |", "| --- " * 5 + "|"]
    for system, took in zip(systems, seconds, strict=True):
        rate = count / took
        lines.append(
            f"| {system.name} | {system.way} | {system.parameters / 1e6:.2f} M | {rate:.1f} "
            f"| {seconds[0] / took:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pack", type=Path, help="pictures (`san data pack`)")
    parser.add_argument("networks", nargs="+", metavar="NAME=RUN")
    parser.add_argument("--count", type=int, default=100, help="pictures that are timed")
    parser.add_argument("--beam", type=int, default=10, help="of strings; 1: none")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("-o", "--output", type=Path, help="write the table there, too")
    options = parser.parse_args()
    if options.count < 1 or options.beam < 1:
        parser.error("--count and --beam are numbers from 1 on")
    systems: list[System] = []
    for given in options.networks:
        name, _, weights = given.partition("=")
        if not weights:
            raise SanError(f"{given}: a name and a run, as san=runs/paper/san-plain-0")
        systems += ways_of(name, Path(weights), options.device, options.beam)
    pack = Pack.load(options.pack)
    wanted = min(options.count + WARM_UP, len(pack))
    if wanted <= WARM_UP:
        raise SanError(f"{options.pack}: {len(pack)} pictures; {WARM_UP} are read to warm up")
    places = np.linspace(0, len(pack) - 1, wanted).astype(int).tolist()
    images = [(pack.image(place) > 127).astype(np.float32) for place in places]
    seconds = timed(systems, images, options.device)
    count = len(images) - WARM_UP
    where = torch.cuda.get_device_name() if options.device.startswith("cuda") else "CPU"
    told = f"{count} pictures, one at a time, on {where}, torch {torch.__version__}"
    text = f"{told}\n\n{table(systems, seconds, count)}\n"
    print(text, end="")
    if options.output is not None:
        write_file(options.output, text)


if __name__ == "__main__":
    run_or_exit(main)
