"""Can anyone tell samples in photo style from photographs? A test with two samples.

    python benchmarks/two_sample.py configs/san.toml [--part held] [--crops]

Each photograph's own formula is composed with the wear of a `photo_style` sample, so what is
written gives nothing away; then classifiers try to tell one from the other. 0.5 is a blind guess,
1 is sure.

Design choices
- Figures that mean something (`picture_statistics`) first, each by itself: which differ is to be
  mended. All of them together, by a logistic regression, tell how far it is.
- Small networks on crops find what nobody thought of measuring: crops of a stroke or two have no
  layout, those of a line have.
- A photograph and its formula are always in the same fold, and each is judged by what learnt from
  the others. Ranges of wear are fitted with `--part fit`, two of three photographs; the third that
  is left tells what that is worth.
"""

import argparse
from collections.abc import Callable
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from torch import nn

from picture_statistics import picture_statistics
from san.errors import SanError, run_or_exit
from san.images.bitmap import Picture
from san.synth.mixture import Mixer, Mixture
from san.training.config import load_config

PARTS: dict[str, tuple[int, ...]] = {"fit": (0, 1), "held": (2,), "all": (0, 1, 2)}
"""Of every three photographs."""
FOLDS = 4
CROPS: dict[str, tuple[tuple[int, int], int]] = {
    "crops of strokes": ((40, 40), 6),
    "crops of lines": ((80, 200), 2),
}
"""Height and width, and how many of a picture."""
EPOCHS, BATCH = 6, 64
RIDGE = 1.0
SHOWN = (5, 25, 50, 75, 95)

Pair = tuple[Picture, Picture]
Scores = NDArray[np.float64]
Pictures = NDArray[np.uint8]


def pairs_of(mixer: Mixer, part: str, rng: np.random.Generator) -> list[tuple[int, Pair]]:
    """Number of symbols, a photograph, and the same formula made."""
    photos, composer = mixer.photos, mixer.photo_style
    if photos is None or composer is None:
        raise SanError("synth.photos or synth.photo_formulas names no file")
    found = []
    for place in track(range(len(photos)), "composing", transient=True):
        if place % 3 not in PARTS[part]:
            continue
        tree = photos.tree(place)
        names = [visit.symbol.name for visit in tree.walk()]
        if not set(names) <= composer.bank.by_name.keys():
            continue
        made = mixer.with_wear(composer.compose(tree, rng), rng, mixer.config.photo_wear)
        found.append((len(names), (photos.image(place), made.picture)))
    return found


def area(scores: Scores, made: NDArray[np.bool_]) -> float:
    """How often something made scores higher than a photograph: the area under the ROC curve."""
    many = int(made.sum())
    return float((ranked(scores)[made].sum() - many * (many + 1) / 2) / (many * (len(made) - many)))


def ranked(values: Scores) -> Scores:
    """From 1 on; what is equal shares a rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[place])


def crossed(
    count: int, judge: Callable[[NDArray[np.intp], NDArray[np.intp]], Scores], each: int = 1
) -> Scores:
    """Scores of pairs (photographs first, `each` of a picture), judged by what saw the others."""
    fold = np.arange(count) % FOLDS
    group = np.tile(np.repeat(fold, each), 2)
    scores = np.empty(len(group))
    for own in track(range(FOLDS), "judging", transient=True):
        rest, held = np.flatnonzero(group != own), np.flatnonzero(group == own)
        scores[held] = judge(rest, held)
    return scores


def by_statistics(table: Scores, made: NDArray[np.bool_]) -> float:
    """Logistic regression on ranks, which no outlier bends, and on how far from the middle."""
    ranks = np.apply_along_axis(ranked, 0, table) / len(table) - 0.5
    columns = np.hstack((ranks, np.abs(ranks), np.full((len(ranks), 1), 0.5)))
    want = made.astype(float)

    def judge(rest: NDArray[np.intp], held: NDArray[np.intp]) -> Scores:
        own, weights = columns[rest], np.zeros(columns.shape[1])
        for _ in range(12):  # Newton's steps
            chance = 1 / (1 + np.exp(-own @ weights))
            slope = own.T @ (want[rest] - chance) - RIDGE * weights
            bend = (own.T * (chance * (1 - chance))) @ own + RIDGE * np.eye(len(weights))
            weights += np.linalg.solve(bend, slope)
        return np.asarray(columns[held] @ weights)

    return area(crossed(len(made) // 2, judge), made)


def crop(picture: Picture, shape: tuple[int, int], rng: np.random.Generator) -> Picture:
    """Around some ink; what lies beyond the picture is paper."""
    rows, columns = np.nonzero(picture)
    some = int(rng.integers(len(rows)))
    high, wide = shape
    around = np.pad(picture, ((high, high), (wide, wide)))
    top, left = int(rows[some]) + high - high // 2, int(columns[some]) + wide - wide // 2
    return around[top : top + high, left : left + wide]


def by_crops(crops: Pictures, made: NDArray[np.bool_], each: int, seed: int) -> float:
    pixels = torch.from_numpy(crops[:, None] > 0)
    want = torch.from_numpy(made.astype(np.float32))

    def judge(rest: NDArray[np.intp], held: NDArray[np.intp]) -> Scores:
        torch.manual_seed(seed)
        widths = (1, 12, 24, 48)
        layers = chain.from_iterable(
            (nn.Conv2d(one, two, 5, stride=2, padding=2), nn.BatchNorm2d(two), nn.ReLU())
            for one, two in pairwise(widths)
        )
        network = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(48, 1))
        steps = EPOCHS * -(-len(rest) // BATCH)
        optimiser = torch.optim.AdamW(network.parameters(), 3e-3, weight_decay=0.05)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps)
        for _ in range(EPOCHS):
            order = torch.from_numpy(rest)[torch.randperm(len(rest))]
            for start in range(0, len(rest), BATCH):
                batch = order[start : start + BATCH]
                score = network(pixels[batch].float())[:, 0]
                loss = nn.functional.binary_cross_entropy_with_logits(score, want[batch])
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                schedule.step()
        network.eval()
        with torch.inference_mode():
            scores = [
                network(pixels[held[start : start + BATCH]].float())[:, 0]
                for start in range(0, len(held), BATCH)
            ]
        return np.asarray(torch.cat(scores).numpy(), np.float64)

    return area(crossed(len(made) // (2 * each), judge, each), made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "config", type=Path, help="a training configuration with photographs and their glyphs"
    )
    parser.add_argument("--part", choices=PARTS, default="all")
    parser.add_argument("--crops", action="store_true", help="networks on crops as well")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    config = load_config(given.config)
    rng = np.random.default_rng(given.seed)
    found = pairs_of(Mixture(config.data.train, config.synth).open(), given.part, rng)
    symbols, pairs = [symbols for symbols, _ in found], [pair for _, pair in found]
    report(symbols, pairs, given.crops, rng, given.seed)


def report(
    symbols: list[int], pairs: list[Pair], crops: bool, rng: np.random.Generator, seed: int
) -> None:
    both = [pair[side] for side in (0, 1) for pair in pairs]
    made = np.arange(len(both)) >= len(pairs)
    rows = [picture_statistics(own, count) for own, count in zip(both, symbols * 2, strict=True)]
    table = np.array([list(row.values()) for row in rows])
    areas = [area(column, made) for column in table.T]
    shown = Table("", f"photographs ({len(pairs)})", "made", "told apart")
    names = list(rows[0])
    for place in sorted(range(len(names)), key=lambda own: -abs(areas[own] - 0.5)):
        ranges = (np.percentile(table[side, place], SHOWN).tolist() for side in (~made, made))
        cells = (" ".join(f"{value:.3g}" for value in own) for own in ranges)
        shown.add_row(names[place], *cells, f"{areas[place]:.3f}")
    shown.add_section()
    shown.add_row("all of these", "", "", f"{by_statistics(table, made):.3f}")
    for name, (shape, each) in CROPS.items() if crops else ():
        cut = np.array([crop(own, shape, rng) for own in both for _ in range(each)])
        shown.add_row(name, "", "", f"{by_crops(cut, np.repeat(made, each), each, seed):.3f}")
    Console(width=120).print(shown)


if __name__ == "__main__":
    run_or_exit(main)
