"""Small packs and files of formulas of our own ink, to mix epochs from."""

from pathlib import Path

import numpy as np

from san.data.pack import write_pack
from san.data.sample import Sample
from san.grammar import parse
from san.images.clean.pipeline import clean
from san.ink.alphabet import compose
from san.ink.draw import draw
from san.ink.strokes import Box
from san.synth.photo.config import PaperConfig
from san.synth.photo.paper import random_page
from tests.images.photographs import grey_photograph
from tests.synth.glyph_rows import GlyphRows

LABELS = ("x + 1", "2 + y", "x - 2 y", "1 x + 2", "y = x + 1", "2 = x")


def ink_pack(folder: Path, count: int = 24) -> Path:
    """Rows of symbols, each a little apart."""
    rng = np.random.default_rng(0)
    samples = []
    for index in range(count):
        label = LABELS[index % len(LABELS)]
        placed, left = [], 0.0
        for name in label.split():
            wide = float(rng.uniform(10, 16))
            flat = {"-": (9.0, 10.0), "=": (7.0, 13.0)}.get(name, (0.0, 20.0))
            placed.append((name, Box(left, flat[0], left + wide, flat[1])))
            left += wide + float(rng.uniform(4, 9))
        sheet = compose(placed)
        samples.append(
            Sample(f"hand{index % 3}_sub_{index}", parse(label), sheet.ink, sheet.glyphs)
        )
    path = folder / "ink.npz"
    write_pack(samples, path)
    return path


def formulas(folder: Path) -> Path:
    path = folder / "formulas.txt"
    path.write_text("x = 1 + y\n2 - x\n1 + 2 = y\n")
    return path


def photo_pack(folder: Path, labels: tuple[str, ...] = ("x + 1", "z = 2")) -> Path:
    """Photographs of our own ink, cleaned; one symbol that the ink pack has not."""
    samples = []
    for index, label in enumerate(labels * 3):
        placed = [
            (name, Box(30.0 * number, 0.0, 30.0 * number + 20, 24.0))
            for number, name in enumerate(label.split())
        ]
        page = random_page(index, PaperConfig(zoom=(1.0, 1.5)))
        grey = grey_photograph(draw(compose(placed).ink), page, index)
        samples.append(Sample(f"p{index}", parse(label), image=clean(grey)))
    path = folder / "photos.npz"
    write_pack(samples, path)
    return path


def photo_formulas(folder: Path) -> Path:
    path = folder / "photo-formulas.txt"
    path.write_text("1 + 1 = 2\n2 x = y\n")
    return path


def glyphs_pack(path: Path, *rows: str) -> Path:
    """As of photographs, or of handwriting fonts."""
    made = GlyphRows(*rows)
    write_pack(
        [
            Sample(made.ids[place], made.tree(place), made.ink(place), made.glyphs(place))
            for place in range(len(made))
        ],
        path,
    )
    return path
