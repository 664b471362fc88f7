"""How like cleaned photographs is composed ink with wear? Statistics of both, side by side.

python benchmarks/wear.py [--photos packs/photos-train.npz] [--ink packs/crohme-train.npz]

Each photograph's own formula is composed once and worn, so that both columns have the same labels;
the third has the photographs taken again. 5%, quartiles, 95%.
"""

import argparse

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from san.data.pack import Pack
from san.errors import run_or_exit
from san.grammar import Expression
from san.images.bitmap import Picture
from san.images.clean.components import find_components, mean_height, stroke_width
from san.synth.composer import Composer
from san.synth.config import SynthConfig
from san.synth.glyphs.build import build_bank
from san.synth.photo.wear import retake, wear

PARTS = (5, 25, 50, 75, 95)
ROUND = 2.0
"""Pixels: how far an outline is smoothed before it is compared with itself."""


def measured(picture: Picture, tree: Expression) -> dict[str, float]:
    mask = (picture > 0).astype(np.uint8)
    found, nib = find_components(mask).stats, stroke_width(mask)
    symbols = sum(1 for _ in tree.walk())
    outlines, _ = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    smooth = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), ROUND) > 0.5
    holes = cv2.connectedComponents(1 - mask, connectivity=4)[0] - 2
    return {
        "height of the picture": picture.shape[0],
        "width of the picture": picture.shape[1],
        "... for each symbol": picture.shape[1] / symbols,
        "width of strokes": nib,
        "length of strokes, a symbol": mask.sum() / nib / symbols,
        "mean height of pieces": mean_height(found, nib),
        "pieces, a symbol": len(found) / symbols,
        "pieces below 3 nibs squared, a symbol": (found[:, 4] < 3 * nib**2).sum() / symbols,
        "holes, a symbol": holes / symbols,
        "roughness of edges": (smooth != mask).sum() / sum(map(len, outlines)),
    }


def short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", default="packs/photos-train.npz")
    parser.add_argument("--ink", default="packs/crohme-train.npz")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    photos, bank = Pack.load(given.photos), build_bank(Pack.load(given.ink))
    composer = Composer(bank, ["x"], SynthConfig().photo_composer)
    rng = np.random.default_rng(given.seed)
    rows: dict[str, list[dict[str, float]]] = {"photographs": [], "worn ink": [], "retaken": []}
    for place in track(range(len(photos)), "measuring", transient=True):
        tree, picture = photos.tree(place), photos.image(place)
        if not {visit.symbol.name for visit in tree.walk()} <= bank.by_name.keys():
            continue
        made = composer.compose(tree, rng)
        rows["photographs"].append(measured(picture, tree))
        rows["worn ink"].append(measured(wear(made.picture, made.boxes, rng)[0], tree))
        rows["retaken"].append(measured(retake(picture, made.boxes, rng)[0], tree))
    table = Table("", *(f"{name} ({len(found)})" for name, found in rows.items()))
    for name in rows["photographs"][0]:
        cells = (
            np.percentile([own[name] for own in found], PARTS).tolist() for found in rows.values()
        )
        table.add_row(name, *(" ".join(map(short, cell)) for cell in cells))
    Console(width=140).print(table)


if __name__ == "__main__":
    run_or_exit(main)
