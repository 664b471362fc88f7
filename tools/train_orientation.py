"""Trains the network that tells how writing lies on a picture (`san.reader.orientation`).

    P=packs/photos.npz L=packs/lines.npz H=packs/photos-held.npz
    SEE="python -m tools.train_orientation see"
    $SEE -o packs/seen-photos.npz --seed 7 $P $P $P $P $P $P $L $L $L
    $SEE -o packs/seen-1.npz --seed 101 --config configs/san.toml
    $SEE -o packs/seen-2.npz --seed 102 --config configs/san.toml
    $SEE -o packs/seen-held.npz --seed 8 $H $H $H packs/val-lines.npz
    python -m tools.train_orientation train packs/seen-photos.npz packs/seen-[12].npz \\
        --held-out packs/seen-held.npz

What the network is to see is kept in files, for making it takes as long as training. Each corpus is
a pack, or ink or photographs in a folder or zip, all of them upright; one that is named twice
counts twice. Most pictures are made: samples of the mixture that networks which read are trained
on, for there are too few photographs. Every picture is tilted at random, half of them a little and
half up to a lot, and the network learns by how much; quarter turns it learns by telling the picture
from its own turned copies. What is held out is not learnt from, and told after each epoch.
"""

import argparse
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from time import process_time
from typing import NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from safetensors.numpy import save
from torch import Tensor, nn

from san.data.corpus import open_corpus
from san.data.pack import Pack, is_pack
from san.errors import SanError, run_or_exit
from san.files import UNPACKING, read_file, write_file
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
from san.synth.mixture import Mixture
from san.training.config import load_config

LAYERS = ("near", "far", "hidden", "output")
CHANNELS, KERNELS, HIDDEN = (16, 48), (5, 3), 96
DROPOUT = 0.25
POWER = 0.5
"""What training begins with, of the number of parts."""
SEEN_PARTS = 6
"""Of a picture, drawn anew at every step: a short formula must do as well, and it saves time."""
EPOCHS, BATCH, LEARNING_RATE, WEIGHT_DECAY = 7, 64, 3e-3, 0.05
WORN_SHARE = 0.6
"""Of the ink among what is made: with the strokes of cleaned photographs."""
LEVEL_SHARE, LEVEL_DEVIATION = 0.5, 3.0
"""How many pictures are tilted no more than people hold a telephone, and by how many degrees."""
MAX_SEEN_BYTES = 1 << 30
"""Of a file of `see`: 12,000 pictures are some 200 million bytes before they are packed."""
INK_GREY = 110
"""Grey from which on a pixel of a tilted picture is ink."""


class Sight(NamedTuple):
    """The windows of one picture, in 255ths, and its tilt, in steps of TILTS."""

    windows: NDArray[np.uint8]
    place: float


def sight_of(picture: Picture, degrees: float) -> Sight:
    """A picture that is tilted by so much."""
    seen = np.rint(255 * windows(tilted(picture, degrees))).astype(np.uint8)
    return Sight(seen, (degrees - TILTS[0]) / (TILTS[1] - TILTS[0]))


def write_sights(sights: Sequence[Sight], path: Path) -> None:
    np.savez_compressed(
        path,
        windows=np.concatenate([sight.windows for sight in sights]),
        parts=np.array([len(sight.windows) for sight in sights]),
        places=np.array([sight.place for sight in sights]),
    )


def read_sights(path: Path) -> list[Sight]:
    try:
        with np.load(io.BytesIO(read_file(path, MAX_SEEN_BYTES))) as kept:
            seen, parts, places = kept["windows"], kept["parts"], kept["places"]
    except (ValueError, KeyError, TypeError, AttributeError, *UNPACKING) as error:
        raise SanError(f"{path}: nothing that `see` has written") from error
    ends = np.cumsum(parts)
    return [
        Sight(seen[end - count : end], float(place))
        for end, count, place in zip(ends, parts, places, strict=True)
    ]


def random_tilt(rng: np.random.Generator) -> float:
    if rng.random() < LEVEL_SHARE:
        return float(np.clip(rng.normal(0, LEVEL_DEVIATION), TILTS[0], TILTS[-1]))
    return float(rng.uniform(TILTS[0], TILTS[-1]))


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
        self.power = nn.Parameter(torch.tensor(POWER))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, pictures: Sequence[NDArray[np.uint8]]) -> Tensor:
        """From the windows of each picture, log probabilities of quarter turns and tilts:
        pictures x (QUARTERS x tilts)."""
        parts = torch.tensor([len(own) for own in pictures])
        owner = torch.repeat_interleave(torch.arange(len(pictures)), parts)
        seen = torch.from_numpy(np.concatenate(pictures)).float() / 255
        seen = seen.permute(0, 3, 1, 2)
        turned = torch.cat([torch.rot90(seen, -turn, (2, 3)) for turn in range(QUARTERS)])
        states = torch.relu(self.far(torch.relu(self.near(turned))))
        states = self.drop(states.permute(0, 2, 3, 1).flatten(1))
        scores = self.output(self.drop(torch.relu(self.hidden(states))))
        scores = scores.reshape(QUARTERS, -1, len(TILTS)).transpose(0, 1).flatten(1)
        sums = torch.zeros(len(pictures), scores.shape[1]).index_add(0, owner, scores)
        return torch.log_softmax(sums / parts[:, None] ** self.power, dim=1)

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

    def saved(self) -> bytes:
        """The file that `san.reader.orientation` reads."""
        facts = {"layers": LAYERS, "power": float(self.power.detach())}
        return save(self.arrays(), {"orientation": json.dumps(facts)})


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


def made_pictures(config: Path, count: int, rng: np.random.Generator) -> Iterator[Picture]:
    """Samples of a training's mixture, with more wear than there."""
    training = load_config(config)
    synth = replace(training.synth, wear_share=WORN_SHARE)
    mixer = Mixture(training.data.train, synth).open()
    for _ in track(range(count), config.name):
        yield mixer.make(rng, 0.0).picture


def sights_of(
    pictures: Iterable[Picture], rng: np.random.Generator, count: int | None = None
) -> Iterator[Sight]:
    """Each picture, tilted."""
    for picture in islice(pictures, count):
        sight = sight_of(picture, random_tilt(rng))
        if len(sight.windows):
            yield sight


def drawn_parts(sight: Sight, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The windows of some of its parts."""
    if len(sight.windows) <= SEEN_PARTS:
        return sight.windows
    return sight.windows[rng.choice(len(sight.windows), SEEN_PARTS, replace=False)]


def train(
    network: TrainedOrientation,
    sights: Sequence[Sight],
    rng: np.random.Generator,
    epochs: int = EPOCHS,
) -> Iterator[float]:
    """The mean loss of each epoch."""
    steps = len(sights) // BATCH
    if steps * epochs < 1:  # else what chance made would be written over what was trained
        raise SanError(
            f"{len(sights)} pictures, {epochs} epochs: nothing is learnt of less than {BATCH}, once"
        )
    optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, epochs * steps)
    for _ in range(epochs):
        network.train()
        total = 0.0
        order = rng.permutation(len(sights))
        for start in range(0, steps * BATCH, BATCH):
            batch = [sights[index] for index in order[start : start + BATCH]]
            loss = loss_of(network([drawn_parts(sight, rng) for sight in batch]), batch)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        yield total / steps


@torch.no_grad()
def report(network: TrainedOrientation, sights: Sequence[Sight]) -> str:
    """How often the turn is right, among four and among two, and how far the tilt is off."""
    network.eval()
    batches = (sights[start : start + BATCH] for start in range(0, len(sights), BATCH))
    scores = torch.cat([network([sight.windows for sight in batch]) for batch in batches])
    scores = scores.reshape(len(sights), QUARTERS, len(TILTS))
    quarters = scores.logsumexp(2)
    upright = (quarters.argmax(1) == 0).float().mean()
    not_upside_down = (quarters[:, 0] > quarters[:, 2]).float().mean()
    shares = scores[:, 0].softmax(1)
    off = (shares @ torch.arange(len(TILTS)).float()) - torch.tensor([s.place for s in sights])
    degrees = off.abs() * (TILTS[1] - TILTS[0])
    near = (degrees < TILTS[1] - TILTS[0]).float().mean()
    return (
        f"quarter turn right {upright:.1%}, half turn {not_upside_down:.1%}; "
        f"tilt off by {degrees.median():.1f}, {near:.0%} < 5"
    )


def see(options: argparse.Namespace) -> None:
    rng = np.random.default_rng(options.seed)
    sights = [
        sight
        for path in options.corpora
        for sight in sights_of(pictures_of(path), rng, options.count)
    ]
    if options.config:
        sights += sights_of(made_pictures(options.config, options.made, rng), rng)
    if not sights:
        raise SanError("nothing to see: name corpora, or the configuration of a training")
    write_sights(sights, options.output)
    print(f"{options.output}: {len(sights):,} pictures")


def learn(options: argparse.Namespace) -> None:
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    sights = [sight for path in options.seen for sight in read_sights(path)]
    held_out = [sight for path in options.held_out for sight in read_sights(path)]
    network = TrainedOrientation()
    began = process_time()
    losses = train(network, sights, np.random.default_rng(options.seed), options.epochs)
    for epoch, loss in enumerate(losses, 1):
        said = f"; held out: {report(network, held_out)}" if held_out else ""
        spent = f"{process_time() - began:.0f} s"
        print(f"epoch {epoch}, {spent}: loss {loss:.3f}{said}", flush=True)
    write_file(options.output, network.saved())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    ways = parser.add_subparsers(required=True)
    seeing = ways.add_parser("see", help="keep in a file what is to be learnt from")
    seeing.set_defaults(run=see)
    seeing.add_argument("corpora", type=Path, nargs="*", help="packs, folders or zips, all upright")
    seeing.add_argument("--config", type=Path, help="of a training: samples of it are made")
    seeing.add_argument("--made", type=int, default=12_000, help="how many of those")
    seeing.add_argument("--count", type=int, help="only the first so many of each corpus")
    seeing.add_argument("--output", "-o", type=Path, required=True)
    learning = ways.add_parser("train", help="learn from such files, on one core")
    learning.set_defaults(run=learn)
    learning.add_argument("seen", type=Path, nargs="+", help="files that `see` wrote")
    learning.add_argument("--held-out", type=Path, nargs="+", default=[], help="not learnt from")
    learning.add_argument("--epochs", type=int, default=EPOCHS)
    learning.add_argument("--output", "-o", type=Path, default=ORIENTATION)
    for way in (seeing, learning):
        way.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    run_or_exit(main)
