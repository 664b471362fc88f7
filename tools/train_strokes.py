"""Trains the network that tells symbols by the way of the pen (`san.reader.rescoring`).

    python -m tools.train_strokes packs/crohme-train.npz --config configs/san.toml \\
        --validation test2014.inkml.zip
    python -m tools.fit_rescoring test2014.bitmaps.zip val_photos.zip --ink test2014.inkml.zip

It learns from segmented ink, and from formulas that are composed of it as the configuration's first
stage composes them: written ink with symbols exchanged, and formulas laid out anew. Formulas that
may not be learnt are barred there. Each time that ink is seen it is varied: leant, stretched, every
stroke moved, turned and bent a little; half of the time only a part of it is seen, so that it is
the pen that tells, and not what stands beside it. How much it counts beside the network that reads,
`tools/fit_rescoring.py` finds out.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from safetensors.numpy import save
from torch import Tensor, nn

from san.cli.console import check_outputs
from san.data.corpus import open_corpus
from san.data.pack import Pack
from san.decoding.engine import Floats
from san.errors import SanError, run_or_exit
from san.files import write_file
from san.models import STROKES
from san.reader.rescoring.stroke_network import (
    FORMAT,
    HEADS,
    LAYERS,
    POINTS,
    STRIDES,
    inputs_of,
)
from san.synth.mixture import Mixture
from san.training.config import load_stages
from san.training.rescoring_config import StrokeNetworkConfig, load_stroke_network
from tools.strokes_data import Written, composed, part_of, segmented, varied

MIN_COUNT = 20
"""Strokes of a symbol; one that has fewer is not told apart."""
CHANNELS, SIDES = (5, 48, 96, 128), (5, 3, 3)
"""Of the convolutions along a stroke."""
FACTS, PAIRS, PAIR_WIDTH = 8, 8, 32
"""Numbers that are seen of a stroke and of a pair of them, and what becomes of those of a pair."""
UNKNOWN = -100
"""The symbol of a stroke that nothing is learnt from; torch's cross entropy ignores it."""
READ = 64
"""Pieces of ink that are judged at once in validation."""


class TrainedStrokeNetwork(nn.Module):
    """What `StrokeNetwork` computes, in torch, for several pieces of ink."""

    def __init__(self, symbols: Sequence[str], config: StrokeNetworkConfig) -> None:
        super().__init__()
        self.symbols = tuple(symbols)
        width = HEADS * config.head_width
        sizes = zip(CHANNELS, CHANNELS[1:], SIDES, STRIDES, strict=False)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(inputs, outputs, side, stride, side // 2)
            for inputs, outputs, side, stride in sizes
        )
        self.shape = nn.Linear(POINTS // int(np.prod(STRIDES)) * CHANNELS[-1], width)
        self.facts, self.pairs = nn.Linear(FACTS, width), nn.Linear(PAIRS, PAIR_WIDTH)
        self.bias = nn.Linear(PAIR_WIDTH, LAYERS * HEADS)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm": nn.LayerNorm(width),
                    "qkv": nn.Linear(width, 3 * width),
                    "proj": nn.Linear(width, width),
                    "fc_norm": nn.LayerNorm(width),
                    "fc1_": nn.Linear(width, 3 * width),
                    "fc2_": nn.Linear(3 * width, width),
                }
            )
            for _ in range(LAYERS)
        )
        self.norm, self.drop = nn.LayerNorm(width), nn.Dropout(config.dropout)
        self.out = nn.Linear(width, len(symbols))

    def forward(self, shapes: Tensor, facts: Tensor, pairs: Tensor, real: Tensor) -> Tensor:
        """Pieces x strokes x symbols; `real` says which strokes there are."""
        pieces, count = real.shape
        values = shapes.flatten(0, 1).transpose(1, 2)
        for convolution in self.convolutions:
            values = torch.relu(convolution(values))
        # Points before channels, as `StrokeNetwork` has them.
        own = self.shape(values.transpose(1, 2).flatten(1)).view(pieces, count, -1)
        state = self.drop(own + self.facts(facts))
        bias = self.bias(torch.relu(self.pairs(pairs))).view(pieces, count, count, LAYERS, HEADS)
        absent = torch.where(real, 0.0, -1e4)[:, None, None]
        for number, layer in enumerate(self.layers):
            assert isinstance(layer, nn.ModuleDict)
            queries, keys, contents = (
                layer["qkv"](layer["norm"](state))
                .view(pieces, count, 3, HEADS, -1)
                .permute(2, 0, 3, 1, 4)
            )
            scores = queries @ keys.transpose(2, 3) / keys.shape[3] ** 0.5
            scores = scores + bias[:, :, :, number].permute(0, 3, 1, 2) + absent
            seen = (self.drop(scores.softmax(3)) @ contents).transpose(1, 2).flatten(2)
            state = state + self.drop(layer["proj"](seen))
            hidden = torch.relu(layer["fc1_"](layer["fc_norm"](state)))
            state = state + self.drop(layer["fc2_"](hidden))
        return torch.as_tensor(self.out(self.norm(state)))

    @torch.no_grad()
    def arrays(self) -> dict[str, NDArray[np.float16]]:
        """For numpy: what is multiplied from the right, and convolutions as side x inputs x
        outputs."""
        found: dict[str, Tensor] = {}

        def take(name: str, module: nn.Module) -> None:
            assert isinstance(module.weight, Tensor)
            assert isinstance(module.bias, Tensor)
            found[name] = module.weight.permute(*reversed(range(module.weight.ndim)))
            found[f"{name}_bias"] = module.bias

        for number, convolution in enumerate(self.convolutions):
            take(f"convolution{number}", convolution)
        for number, layer in enumerate(self.layers):
            assert isinstance(layer, nn.ModuleDict)
            for name, module in layer.items():
                take(f"{name}{number}", module)
        for name in ("shape", "facts", "pairs", "bias", "norm"):
            take(name, getattr(self, name))
        take("symbols", self.out)
        return {name: one.contiguous().numpy().astype(np.float16) for name, one in found.items()}


Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""The three inputs, which strokes there are, and the numbers of their symbols."""


def batch_of(ink: Sequence[tuple[Floats, Sequence[str]]], index: dict[str, int]) -> Batch:
    """Points and symbols of several pieces, filled up to the longest."""
    most = max(len(points) for points, _ in ink)
    seen = [inputs_of(points) for points, _ in ink]
    numbers = [torch.tensor([index.get(one, UNKNOWN) for one in symbols]) for _, symbols in ink]
    return (
        _filled([torch.from_numpy(one.shapes) for one in seen], (most, POINTS, CHANNELS[0])),
        _filled([torch.from_numpy(one.facts) for one in seen], (most, FACTS)),
        _filled([torch.from_numpy(one.pairs) for one in seen], (most, most, PAIRS)),
        _filled([torch.ones(len(one.facts), dtype=torch.bool) for one in seen], (most,)),
        _filled(numbers, (most,), UNKNOWN),
    )


def _filled(parts: Sequence[Tensor], shape: tuple[int, ...], value: int = 0) -> Tensor:
    whole = torch.full((len(parts), *shape), value, dtype=parts[0].dtype)
    for place, part in enumerate(parts):
        whole[place][tuple(slice(size) for size in part.shape)] = part
    return whole


def train(
    ink: Sequence[Written],
    pool: Sequence[Written],
    config: StrokeNetworkConfig,
    validation: Sequence[Written] = (),
) -> TrainedStrokeNetwork:
    """A network that has learnt from written ink and, in parts, from composed ink."""
    torch.manual_seed(config.seed)
    rng = np.random.default_rng(config.seed)
    counts = Counter(name for one in (*ink, *pool) for name in one.symbols)
    network = TrainedStrokeNetwork(
        sorted(name for name, count in counts.items() if name and count >= MIN_COUNT), config
    )
    index = {name: number for number, name in enumerate(network.symbols)}
    share = len(pool) // config.pool_epochs
    size = config.batch_size
    per_epoch = max((len(ink) + share) // size, 1)
    rate = config.learning_rate
    optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=config.epochs * per_epoch, pct_start=0.1
    )
    order = np.zeros(0, np.int64)
    for epoch in range(config.epochs):
        if len(order) < share:
            order = rng.permutation(len(pool))
        fresh, order = order[:share], order[share:]
        seen = [part_of(one, rng) for one in (*ink, *(pool[place] for place in fresh))]
        total = 0.0
        batches = _batches([len(one.points) for one in seen], size, rng)[:per_epoch]
        for batch in track(batches, f"epoch {epoch + 1} of {config.epochs}", transient=True):
            pieces = [(varied(seen[one].points, rng), seen[one].symbols) for one in batch]
            *inputs, targets = batch_of(pieces, index)
            scores = network(*inputs)
            loss = nn.functional.cross_entropy(
                scores.flatten(0, 1), targets.flatten(), label_smoothing=config.label_smoothing
            )
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item()
        told = f"epoch {epoch + 1}: loss {total / max(len(batches), 1):.3f}"
        if validation and (epoch + 1 == config.epochs or not (epoch + 1) % 5):
            right, surprise = validate(network, validation)
            told += f"; of held-back strokes {right:.2%} are told rightly, surprise {surprise:.3f}"
        print(told, flush=True)
    return network.eval()


def _batches(lengths: Sequence[int], size: int, rng: np.random.Generator) -> list[list[int]]:
    """Pieces of about one length together."""
    order = np.argsort(np.array(lengths) + rng.normal(0, 1.5, len(lengths)))
    batches = [order[first : first + size].tolist() for first in range(0, len(order), size)]
    rng.shuffle(batches)
    return batches


@torch.no_grad()
def validate(network: TrainedStrokeNetwork, ink: Sequence[Written]) -> tuple[float, float]:
    """The share of strokes whose symbol is told rightly, and the mean cross entropy of one."""
    network.eval()
    index = {name: number for number, name in enumerate(network.symbols)}
    right, surprise, count = 0, 0.0, 0
    for first in range(0, len(ink), READ):
        *inputs, targets = batch_of([one[:2] for one in ink[first : first + READ]], index)
        known = targets != UNKNOWN
        scores = network(*inputs)[known]
        right += int((scores.argmax(1) == targets[known]).sum())
        surprise += float(nn.functional.cross_entropy(scores, targets[known], reduction="sum"))
        count += int(known.sum())
    network.train()
    return right / max(count, 1), surprise / max(count, 1)


def file_content(network: TrainedStrokeNetwork) -> bytes:
    """A file that `stroke_network` opens."""
    arrays = network.arrays()
    facts = {"symbols": network.symbols, "arrays": sorted(arrays)}
    return save(arrays, {"format": FORMAT, "strokes": json.dumps(facts, ensure_ascii=False)})


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains the network that tells strokes apart.")
    parser.add_argument("pack", type=Path, help="of segmented ink")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--validation", type=Path, help="ink that nothing is learnt from")
    parser.add_argument("-o", "--output", type=Path, default=STROKES)
    asked = parser.parse_args()
    config = load_stroke_network(asked.config)
    read = [asked.pack, asked.config, *([asked.validation] if asked.validation else [])]
    check_outputs([asked.output], read)
    pack = Pack.load(asked.pack)
    ink = [
        one
        for place in range(len(pack))
        if (drawn := pack.ink(place))
        and (one := segmented(drawn, pack.glyphs(place), pack.tree(place)))
    ]
    if not ink:
        raise SanError(f"{asked.pack}: no ink in it")
    held: list[Written] = []
    if asked.validation:
        for sample in open_corpus(asked.validation):
            if sample.ink and (one := segmented(sample.ink, sample.glyphs, sample.tree)):
                held.append(one)
    count = round(len(ink) * config.composed) * config.pool_epochs
    mixture = Mixture(str(asked.pack), load_stages(asked.config)[0].config.synth)
    made = composed(mixture, count, config.varied_share, config.seed)
    pool = [*track(made, "composing", count)]
    network = train(ink, pool, config, held)
    write_file(asked.output, file_content(network))


if __name__ == "__main__":
    run_or_exit(main)
