"""Trains the network that tells how writing lies on a picture (`san.reader.orientation`).

    P=packs/photos.npz L=packs/lines.npz
    python -m tools.train_orientation $P $P $P $P $L $L packs/crohme-train.npz \\
        --print-fonts packs/print.npz --formulas packs/formulas.txt  # 10 minutes

Each corpus is a pack, or ink or photographs in a folder or zip, all of them upright; one that is
named twice counts twice. Formulas are printed as well, if there are fonts to do it with. Every
picture is tilted at random, and the network learns by how much; quarter turns it learns by telling
the picture from its own turned copies. One picture in twenty is held out.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from safetensors.numpy import save
from torch import Tensor, nn

from san.data.corpus import open_corpus
from san.data.pack import Pack, is_pack
from san.data.print_fonts import load_print_fonts
from san.errors import SanError, run_or_exit
from san.files import write_file
from san.images.bitmap import Picture
from san.models import ORIENTATION
from san.reader.orientation import (
    CELL_SIZES,
    CELLS,
    QUARTERS,
    STRIDE,
    TILTS,
    windows,
)
from san.synth.formulas.text import split
from san.synth.mixture import read_lines
from san.synth.printed.config import PrintedConfig
from san.synth.printed.printed import Printed

LAYERS = ("near", "far", "hidden", "output")
CHANNELS, KERNELS, HIDDEN = (16, 32), (5, 3), 64
POWER, DROPOUT = 0.5, 0.25
EPOCHS, BATCH, LEARNING_RATE, WEIGHT_DECAY = 12, 64, 3e-3, 0.05
HELD_OUT = 20
"""One picture in so many."""
INK_GREY = 110
"""Grey from which on a pixel of a tilted picture is ink."""


class Sight:
    """The windows of one picture and its tilt, in steps of TILTS."""

    def __init__(self, picture: Picture, degrees: float) -> None:
        self.windows = np.rint(255 * windows(tilted(picture, degrees))).astype(np.uint8)
        self.place = (degrees - TILTS[0]) / (TILTS[1] - TILTS[0])


def tilted(picture: Picture, degrees: float) -> Picture:
    """Turned clockwise about its middle, on a canvas that holds all of it."""
    rows, columns = picture.shape
    turn = cv2.getRotationMatrix2D((columns / 2, rows / 2), -degrees, 1.0)
    width, height = np.abs(turn[:, :2]) @ (columns, rows)
    turn[:, 2] += (width / 2 - columns / 2, height / 2 - rows / 2)
    turned = cv2.warpAffine(picture, turn, (int(width) + 1, int(height) + 1))
    return np.where(turned > INK_GREY, 255, 0).astype(np.uint8)


class TrainedOrientation(nn.Module):
    """What `san.reader.orientation` computes, in torch."""

    def __init__(self) -> None:
        super().__init__()
        self.near = nn.Conv2d(len(CELL_SIZES), CHANNELS[0], KERNELS[0], STRIDE)
        self.far = nn.Conv2d(CHANNELS[0], CHANNELS[1], KERNELS[1], STRIDE)
        side = CELLS
        for kernel in KERNELS:
            side = (side - kernel) // STRIDE + 1
        self.hidden = nn.Linear(side * side * CHANNELS[1], HIDDEN)
        self.output = nn.Linear(HIDDEN, len(TILTS))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, sights: Sequence[Sight]) -> Tensor:
        """Log probabilities of quarter turns and tilts: pictures x (QUARTERS x tilts)."""
        parts = torch.tensor([len(sight.windows) for sight in sights])
        owner = torch.repeat_interleave(torch.arange(len(sights)), parts)
        seen = torch.from_numpy(np.concatenate([s.windows for s in sights])).float() / 255
        seen = seen.permute(0, 3, 1, 2)
        turned = torch.cat([torch.rot90(seen, -turn, (2, 3)) for turn in range(QUARTERS)])
        states = torch.relu(self.far(torch.relu(self.near(turned))))
        states = self.drop(states.permute(0, 2, 3, 1).flatten(1))
        scores = self.output(self.drop(torch.relu(self.hidden(states))))
        scores = scores.reshape(QUARTERS, -1, len(TILTS)).transpose(0, 1).flatten(1)
        sums = torch.zeros(len(sights), scores.shape[1]).index_add(0, owner, scores)
        return torch.log_softmax(sums / parts[:, None] ** POWER, dim=1)

    @torch.no_grad()
    def arrays(self) -> dict[str, NDArray[np.float16]]:
        named = {}
        for name in LAYERS:
            layer = getattr(self, name)
            weights = layer.weight
            order = (2, 3, 1, 0) if weights.ndim == 4 else (1, 0)
            named[name] = weights.permute(order)
            named[f"{name}_bias"] = layer.bias
        return {name: one.contiguous().numpy().astype(np.float16) for name, one in named.items()}


def loss_of(scores: Tensor, sights: Sequence[Sight]) -> Tensor:
    """Cross entropy: the picture is upright, and its tilt lies between two steps."""
    place = torch.tensor([sight.place for sight in sights])
    low = place.floor().long().clamp(0, len(TILTS) - 2)
    share = place - low
    rows = torch.arange(len(sights))
    return -((1 - share) * scores[rows, low] + share * scores[rows, low + 1]).mean()


def pictures_of(path: Path) -> Iterator[Picture]:
    """Those of a corpus, cleaned."""
    if is_pack(path):
        pack = Pack.load(path)
        for place in track(range(len(pack)), path.name):
            yield pack.image(place)
    else:
        samples = open_corpus(path, None, cleaned=True)
        for sample in track(samples, path.name, total=len(samples)):
            yield sample.picture()


def printed_pictures(
    fonts: Path, formulas: Path, count: int, rng: np.random.Generator
) -> Iterator[Picture]:
    """Formulas in print."""
    lines, _ = split(read_lines(str(formulas)))
    printed = Printed(load_print_fonts(fonts), [(lines, 1.0)], PrintedConfig())
    for _ in track(range(count), fonts.name):
        yield printed.sample(rng).picture


def sights_of(
    pictures: Iterable[Picture], rng: np.random.Generator, count: int | None = None
) -> Iterator[tuple[bool, Sight]]:
    """Each picture, tilted, and whether it is held out."""
    for number, picture in enumerate(islice(pictures, count)):
        sight = Sight(picture, float(rng.uniform(TILTS[0], TILTS[-1])))
        if len(sight.windows):
            yield number % HELD_OUT == 0, sight


def train(network: TrainedOrientation, sights: list[Sight], rng: np.random.Generator) -> None:
    steps = EPOCHS * (len(sights) // BATCH)
    optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, max(steps, 1))
    network.train()
    for _ in track(range(EPOCHS), "epochs"):
        order = rng.permutation(len(sights))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = [sights[index] for index in order[start : start + BATCH]]
            loss = loss_of(network(batch), batch)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()


@torch.no_grad()
def report(network: TrainedOrientation, sights: list[Sight]) -> str:
    """How often the quarter turn is right, and how far the tilt is off."""
    network.eval()
    scores = torch.cat(
        [network(sights[start : start + BATCH]) for start in range(0, len(sights), BATCH)]
    ).reshape(len(sights), QUARTERS, len(TILTS))
    upright = (scores.logsumexp(2).argmax(1) == 0).float().mean()
    shares = scores[:, 0].softmax(1)
    off = (shares @ torch.arange(len(TILTS)).float()) - torch.tensor([s.place for s in sights])
    degrees = off.abs() * (TILTS[1] - TILTS[0])
    near = (degrees < TILTS[1] - TILTS[0]).float().mean()
    return f"quarter turn right {upright:.1%}; tilt off by {degrees.median():.1f}, {near:.0%} < 5"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="+", help="packs, folders or zips, all upright")
    parser.add_argument("--print-fonts", type=Path, help="outlines (`san ink print-fonts`)")
    parser.add_argument("--formulas", type=Path, help="what is printed with them")
    parser.add_argument("--printed", type=int, default=4000, help="how many of those")
    parser.add_argument("--output", "-o", type=Path, default=ORIENTATION)
    parser.add_argument("--count", type=int, help="only the first so many of each corpus")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if (options.print_fonts is None) != (options.formulas is None):
        raise SanError("--print-fonts and --formulas belong together")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    sights = [
        seen
        for path in options.corpora
        for seen in sights_of(pictures_of(path), rng, options.count)
    ]
    if options.print_fonts:
        printed = printed_pictures(options.print_fonts, options.formulas, options.printed, rng)
        sights += sights_of(printed, rng)
    network = TrainedOrientation()
    train(network, [sight for held_out, sight in sights if not held_out], rng)
    print("held out:", report(network, [sight for held_out, sight in sights if held_out]))
    facts = {"orientation": json.dumps({"layers": LAYERS, "power": POWER})}
    write_file(options.output, save(network.arrays(), facts))


if __name__ == "__main__":
    run_or_exit(main)
