"""What bright marks on photographs cost, drawn on a screen by a teacher; in colours and in grey.

    python benchmarks/screen_marks.py val_photos.zip [--count 319] [--quick] [--sheet FILE.png]

Each photograph of a folder or zip gets one or two ticks, strokes or rings, two to three and a half
times as broad as its pen, nearly opaque and bright red, and is compressed anew. It is read as it
was, marked, and marked in grey: there nobody can tell a mark from ink. What a mark covers is lost.
"""

import argparse
import io
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.progress import track

from san.data.corpus import open_corpus
from san.errors import SanError, run_or_exit
from san.evaluation.metrics import Rate
from san.reader import Formula, Recognizer

Colours = NDArray[np.uint8]
FINER = 2
"""Times: marks are drawn so much larger, for smooth edges."""


def pen_width(colours: Colours) -> float:
    dark = (colours.min(2) < 0.7 * np.median(colours, (0, 1)).min()).astype(np.uint8)
    inside = cv2.distanceTransform(dark, cv2.DIST_L2, 3)
    return 2 * float(np.median(inside[inside > 0.9])) if (inside > 0.9).any() else 3.0


def shape(kind: int, x: float, y: float, size: float) -> NDArray[np.float64]:
    """Points of a tick, a stroke or a ring."""
    if kind == 0:
        return np.array(
            [(x - 0.3 * size, y), (x, y + 0.3 * size), (x + 0.5 * size, y - 0.5 * size)]
        )
    if kind == 1:
        return np.array([(x - 0.2 * size, y + 0.5 * size), (x + 0.2 * size, y - 0.5 * size)])
    angle = np.linspace(0, 6.6, 40)
    return np.stack([x + 0.6 * size * np.cos(angle), y + 0.45 * size * np.sin(angle)], 1)


def marked(colours: Colours, rng: np.random.Generator) -> Colours:
    height, width = colours.shape[:2]
    layer = np.zeros((FINER * height, FINER * width), np.uint8)
    breadth = max(round(FINER * pen_width(colours) * rng.uniform(2, 3.5)), 3 * FINER)
    for _ in range(rng.integers(1, 3)):
        size = rng.uniform(0.6, 1.3) * min(height, width)
        place = rng.uniform(0.1, 0.9) * width, rng.uniform(0.2, 0.8) * height
        points = np.rint(FINER * shape(int(rng.integers(3)), *place, size)).astype(np.int32)
        cv2.polylines(layer, [points], False, 255, breadth, cv2.LINE_AA)
    part = cv2.resize(layer, (width, height), interpolation=cv2.INTER_AREA)[..., None] / 255
    part *= rng.uniform(0.8, 1.0)
    red = (rng.uniform(235, 255), rng.uniform(20, 70), rng.uniform(20, 70))
    return np.rint(colours * (1 - part) + np.array(red) * part).astype(np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photos", type=Path)
    parser.add_argument("--count", type=int, default=1 << 30)
    parser.add_argument("--quick", action="store_true", help="one pass alone")
    parser.add_argument("--sheet", type=Path, help="save some of the marked photographs")
    asked = parser.parse_args()
    samples = list(open_corpus(asked.photos))[: asked.count]
    if not samples or any(sample.encoded is None for sample in samples):
        raise SanError(f"{asked.photos}: photographs are wanted, with their labels")
    reader = Recognizer(quick=asked.quick)
    right = {"as they are": 0, "marked": 0, "marked, in grey": 0}
    drawn: list[Colours] = []
    for number, sample in enumerate(track(samples, "reading")):
        rng = np.random.default_rng(number)
        plain = Image.open(io.BytesIO(sample.encoded or b"")).convert("RGB")
        kept = io.BytesIO()
        quality = int(rng.integers(70, 93))
        drawn.append(marked(np.asarray(plain), rng))
        Image.fromarray(drawn[-1]).save(kept, "jpeg", quality=quality)
        photograph = Image.open(kept)
        for name, picture in zip(right, (plain, photograph, photograph.convert("L")), strict=True):
            (result,) = reader.read_many([picture])
            right[name] += isinstance(result, Formula) and result.expression == sample.tree
    for name, count in right.items():
        rate = Rate(count, len(samples))
        low, high = rate.interval
        print(f"{name}: {rate.percent:.1f}% of {rate.total} ({low:.1f} to {high:.1f})")
    if asked.sheet:
        some = [cv2.resize(one, (480, 120)) for one in drawn[:: max(len(drawn) // 12, 1)][:12]]
        Image.fromarray(np.vstack(some)).save(asked.sheet)


if __name__ == "__main__":
    run_or_exit(main)
