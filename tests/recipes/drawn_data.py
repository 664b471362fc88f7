"""The archives that a recipe begins with, small and of our own ink; and a configuration."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from san.ink import Sheet, write_inkml
from san.ink.alphabet import compose
from san.ink.draw import draw
from san.ink.strokes import Box
from san.synth.photo.config import PaperConfig
from san.synth.photo.paper import random_page
from tests.data.drawn import encoded, fill, zipped
from tests.images.photographs import grey_photograph

LEARNT, SHORT = (
    [" ".join(row) for row in product(("x", "1", "+"), repeat=length)] for length in (3, 2)
)
"""Labels to train on; and shorter ones, of which a network that knows those alone is unsure."""
READ = [*LEARNT[::5], *(8 * SHORT)]
LINES = r"\begin{{matrix}} {} \\ {} \end{{matrix}}"
WRONG = "1 1 1 1"
"""A label that no picture here deserves: calibration needs wrong readings, too."""

CONFIG = """
name = "tiny"
[network]
encoder = "residual"
residual_channels = [8, 12, 16]
residual_blocks = [1, 1, 1]
residual_dropout = 0.0
stem = 8
hidden = 32
embedding = 16
attention = 32
coverage_kernel = 5
merge = 24
fine_attention = 8
context = 32
reversed = false
dropout = 0.0
head_dropout = 0.0
[data]
train = "packs/crohme-train.npz"
validation = "packs/crohme-2014.npz"
validation_photos = ["packs/val-photos.npz", "packs/photos-held.npz"]
buckets = 2
depth_buckets = 2
[synth]
samples_per_epoch = 384
formulas = "packs/formulas.txt"
photo_formulas = "packs/photo-formulas.txt"
photos = "packs/photos.npz"
photo_glyphs = "packs/photo-glyphs.npz"
photo_masks = "packs/photo-masks.npz"
line_formulas = "packs/line-formulas.txt"
line_photos = "packs/lines.npz"
workers = 1
[synth.shares]
composed = 0.1
varied = 0.1
photo_style = 0.1
photographed = 0.3
plain = 0.3
lines = 0.1
[synth.final_shares]
composed = 0.0
varied = 0.0
photo_style = 0.0
photographed = 0.5
plain = 0.5
[synth.extraction]
min_line_share = 0.5
[training]
epochs = 1
batch_size = 16
optimiser = "adamw"
learning_rate = 6e-3
clip_norm = 1.0
warmup_epochs = 0.1
attention_loss = 1.0
attention_loss_end = 1.0
ema = 0.9
precision = "fp32"
validate_every = 100
[language_model]
hidden = 8
steps = 4
[stroke_network]
head_width = 4
epochs = 1
composed = 0.1
pool_epochs = 1
[[stages]]
name = "ink"
[stages.synth]
photos = ""
photo_glyphs = ""
photo_masks = ""
line_formulas = ""
line_photos = ""
[stages.synth.shares]
composed = 0.0
varied = 0.0
photo_style = 0.0
photographed = 0.0
plain = 1.0
lines = 0.0
[stages.synth.final_shares]
composed = 0.0
varied = 0.0
photo_style = 0.0
photographed = 0.0
plain = 1.0
[stages.training]
epochs = 3
seed = 1
[[stages]]
name = "all"
[stages.network]
residual_blocks = [1, 2, 2]
[stages.training]
learning_rate = 1e-3
seed = 2
[[stages]]
name = "lines"
like = "all"
[stages.network]
head_hidden = 8
[stages.synth]
photos = "packs/all-photos.npz"
photo_glyphs = "packs/all-photo-glyphs.npz"
photo_masks = "packs/all-photo-masks.npz"
[stages.training]
seed = 3
[[stages]]
name = "mean"
like = "lines"
mean_of = ["all", "lines"]
[[stages]]
name = "trial"
like = "mean"
init = "mean"
trial = true
"""


def rows(labels: Sequence[str], seed: int) -> list[Sheet]:
    """Symbols side by side as the labels say, each a little apart."""
    rng = np.random.default_rng(seed)
    sheets = []
    for label in labels:
        placed, left = [], 0.0
        for name in label.split():
            wide = float(rng.uniform(16, 22))
            placed.append((name, Box(left, 0.0, left + wide, 26.0)))
            left += wide + float(rng.uniform(12, 16))
        sheets.append(compose(placed, truth=label))
    return sheets


def two_lines(label: str, seed: int) -> Sheet:
    """The same row twice, one above the other."""
    names = label.split()
    shift = float(np.random.default_rng(seed).uniform(0, 4))
    return compose(
        (name, Box(36.0 * place, top + shift * place, 36.0 * place + 20, top + shift * place + 26))
        for top in (0.0, 60.0)
        for place, name in enumerate(names)
    )


def photograph(sheet: Sheet, seed: int) -> NDArray[np.uint8]:
    page = random_page(seed, PaperConfig(zoom=(1.2, 1.4)))
    return grey_photograph(draw(sheet.ink), page, seed)


def write_corpus(path: Path, files: Sequence[bytes], suffix: str, labels: Sequence[str]) -> None:
    """A zip, and its labels beside it."""
    name = path.name.partition(".")[0]
    zipped(path, {f"{name}_{place}{suffix}": file for place, file in enumerate(files)})
    lines = [f"{name}_{place}\t{label}\n" for place, label in enumerate(labels)]
    path.with_name(f"{name}.tsv").write_text("".join(lines))


def write_archives(folder: Path) -> Path:
    """As docs/data.md describes them."""
    crohme, hme = folder / "crohme", folder / "hme100k"
    crohme.mkdir(parents=True)
    hme.mkdir()
    ink = [write_inkml(sheet) for sheet in rows(LEARNT, 0)]
    write_corpus(crohme / "train.inkml.zip", ink, ".inkml", LEARNT)
    for year in (2014, 2016):
        bitmaps = [encoded(draw(sheet.ink), "BMP") for sheet in rows(READ, year)]
        labels = [label if place % 4 else WRONG for place, label in enumerate(READ)]
        write_corpus(crohme / f"test{year}.bitmaps.zip", bitmaps, ".bmp", labels)
    zipped(
        crohme / "test2014.inkml.zip",
        {f"test2014_{n}.inkml": write_inkml(sheet) for n, sheet in enumerate(rows(READ, 2014))},
    )
    for part, shown in (("train", LEARNT[:14]), ("val", READ[:6]), ("test", READ[:4])):
        photos = [
            encoded(photograph(sheet, place + len(shown)), "JPEG")
            for place, sheet in enumerate(rows(shown, len(shown)))
        ]
        labels = [WRONG if part == "val" and not n % 3 else own for n, own in enumerate(shown)]
        write_corpus(hme / f"{part}_photos.zip", photos, ".jpg", labels)
    mlhme = folder / "mlhme"
    mlhme.mkdir()
    for part, count in (("train", 12), ("test", 1)):
        shown = LEARNT[1::2][:count]
        photos = [
            encoded(photograph(two_lines(label, n), n), "JPEG") for n, label in enumerate(shown)
        ]
        labels = [LINES.format(label, label) for label in shown]
        write_corpus(mlhme / f"{part}_lines.zip", photos, ".jpg", labels)
    (hme / "test_labels.tsv").write_text("a\tx\n")
    longer = "\n".join(" ".join(row) for row in product(("x", "1", "+"), repeat=4)) + "\n"
    several = "".join(LINES.format(label, "x") + "\n" for label in LEARNT)
    texts = {"hme100k_train.txt": longer, "mne.txt": longer, "mlhme_lines.txt": several}
    fill(folder / "formulas", texts)
    return folder
