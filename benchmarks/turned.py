"""Pictures that are turned, tilted or lie on a desk, beside the same upright.

    python benchmarks/turned.py hme100k/val_photos.zip --count 200      # what was fitted on
    python benchmarks/turned.py hme100k/test_photos.zip --no-times      # for a report
    python benchmarks/turned.py hme100k/val_photos.zip --ways upright tilted --count 60

Tilts are up to 15 degrees to either side; around a tilted photograph its own paper goes on. On a
desk: the writing on a sheet of its own paper, seen from the side, on wood, cloth or a plain table
that is drawn here. What cleaning takes for cut off by the photograph's edge is left out of the
sheet, which does not end there. All is seeded by the photograph's place in the corpus.

The last line compares the CPU time of the upright ones with reading them as they lie, side by side
in one run.
"""

import argparse
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from time import process_time

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from san.data.corpus import open_corpus
from san.data.sample import Sample
from san.errors import SanError, run_or_exit
from san.evaluation.metrics import Rate
from san.images.bitmap import Grey
from san.images.clean.contrast import is_dark_paper, smooth_paper
from san.images.view import ViewedImage
from san.reader import Recognizer
from san.reader.prepared import prepare_image

MAX_TILT = 15.0
SHORT_SIDE = 260
"""Pixels of a sheet's shorter side at least, for a desk is not photographed with ten pixels a
letter."""
NEAR_INK = 9
"""Pixels around the ink that are taken from the photograph as they are."""

Way = Callable[[Grey, np.random.Generator], Grey]


def tilted(grey: Grey, rng: np.random.Generator) -> Grey:
    return ViewedImage(grey).tilted(float(rng.uniform(-MAX_TILT, MAX_TILT))).grey


def on_desk(grey: Grey, rng: np.random.Generator) -> Grey:
    """A sheet with the writing on it, in perspective on a desk."""
    sheet = written_sheet(grey, rng)
    height, width = sheet.shape
    columns, rows = (int(side * rng.uniform(1.3, 1.7)) for side in (width, height))
    rows = max(rows, columns // 2)
    paper = float(np.median(sheet))
    seen = desk((rows, columns), rng) * np.float32(rng.uniform(0.25, 0.6) * paper)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    lean = rng.uniform(-0.06, 0.06, (4, 2)) * min(width, height)
    middle = np.array([columns, rows]) / 2 + rng.uniform(-0.05, 0.05, 2) * (columns, rows)
    turn = np.radians(rng.uniform(-8, 8))
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    placed = (corners + lean - (width / 2, height / 2)) @ spin.T + middle
    view = cv2.getPerspectiveTransform(corners.astype(np.float32), placed.astype(np.float32))
    size = columns, rows
    on_sheet = cv2.warpPerspective(sheet, view, size, flags=cv2.INTER_CUBIC)
    share = cv2.warpPerspective(np.ones_like(sheet, np.float32), view, size)
    shadow = cv2.GaussianBlur(np.roll(share, (5, 4), (0, 1)), (0, 0), 5.0)
    seen = seen * (1 - 0.5 * shadow) * (1 - share) + on_sheet * share
    seen = cv2.GaussianBlur(seen, (0, 0), 0.7) + rng.normal(0, 2.0, seen.shape)
    return np.clip(np.rint(seen), 0, 255).astype(np.uint8)


def written_sheet(grey: Grey, rng: np.random.Generator) -> Grey:
    """The photograph's ink on more of its paper."""
    if is_dark_paper(grey):
        grey = 255 - grey
    cleaned = prepare_image(grey)
    near = cv2.dilate(cleaned.picture, np.ones((NEAR_INK, NEAR_INK), np.uint8))
    y, x = np.indices(grey.shape, np.float32) + 0.5
    places = cleaned.to_picture(np.stack([x.ravel(), y.ravel()], axis=1)).astype(np.float32)
    columns, rows = places.reshape(*grey.shape, 2).transpose(2, 0, 1)
    share = cv2.remap(near.astype(np.float32) / 255, columns - 0.5, rows - 0.5, cv2.INTER_LINEAR)
    share = np.asarray(cv2.GaussianBlur(share, (0, 0), 1.5), np.float32)
    # Very soft, or ink at the photograph's edge would run on over the sheet.
    paper = np.asarray(cv2.GaussianBlur(smooth_paper(grey), (0, 0), max(grey.shape) / 4))
    zoom = max(1.0, SHORT_SIDE / 2 / min(grey.shape))
    written, paper = (
        np.asarray(cv2.resize(layer, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_CUBIC))
        for layer in (share * grey + (1 - share) * paper, paper)
    )
    room = [int(rng.uniform(0.15, 0.5) * min(written.shape)) for _ in range(4)]
    spare = max(0, SHORT_SIDE - written.shape[0] - room[0] - room[1]) // 2
    top, bottom, left, right = room[0] + spare, room[1] + spare, *room[2:]
    sheet = cv2.copyMakeBorder(paper, top, bottom, left, right, cv2.BORDER_REPLICATE)
    sheet[top : top + len(written), left : left + written.shape[1]] = written
    noisy = np.rint(sheet + rng.normal(0, 1.5, sheet.shape))
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def desk(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """Wood, a checked cloth or a plain table, about 1."""
    rows, columns = shape
    y, x = np.indices(shape, np.float32)
    kind = rng.integers(3)
    if kind == 0:
        small = rng.normal(0, 1, (rows // 3 + 2, columns // 60 + 2)).astype(np.float32)
        grain = cv2.resize(small, (columns, rows), interpolation=cv2.INTER_CUBIC)
        look = 1 + 0.12 * grain - 0.25 * ((y % (rows / 2.5)) < 3)  # boards with joints
    elif kind == 1:
        check = float(rng.uniform(14, 40))
        look = 1 + 0.2 * (((x // check) + (y // check)) % 2 - 0.5)
    else:
        look = np.ones(shape, np.float32)
    slope = 1 + 0.15 * (x / columns - 0.5) * rng.choice([-1, 1])
    return np.asarray(look * slope, np.float32)


WAYS: dict[str, Way] = {
    "upright": lambda grey, rng: grey,
    "90": lambda grey, rng: np.ascontiguousarray(np.rot90(grey, -1)),
    "180": lambda grey, rng: np.ascontiguousarray(np.rot90(grey, 2)),
    "270": lambda grey, rng: np.ascontiguousarray(np.rot90(grey, 1)),
    "tilted": tilted,
    "desk": on_desk,
}


def count_right(reader: Recognizer, samples: list[Sample], way: str, show: bool) -> int:
    right = 0
    for number, sample in enumerate(track(samples, way)):
        try:
            formula = reader.read(WAYS[way](sample.picture(), np.random.default_rng(number)))
        except SanError as error:
            if show:
                print(sample.id, error)
            continue
        right += formula.expression == sample.tree
        if show:
            found = f"{formula.turned:.1f} {formula.outline is not None} {formula.confidence:.2f}"
            print(sample.id, formula.expression == sample.tree, found, formula.latex)
    return right


def times(reader: Recognizer, samples: list[Sample]) -> tuple[float, float]:
    """CPU seconds as they lie, and with all that is done to set them upright."""
    before = after = 0.0
    for number, sample in enumerate(track(samples, "times")):
        grey = sample.picture()
        for new in (True, False) if number % 2 else (False, True):
            begun = process_time()
            with suppress(SanError):
                reader.read(grey) if new else reader.read_prepared([prepare_image(grey)])
            spent = process_time() - begun
            before, after = (before, after + spent) if new else (before + spent, after)
    return before, after


def plain(reader: Recognizer, samples: list[Sample]) -> int:
    """How many are read rightly as they lie, whatever the orientation may seem to be."""
    right = 0
    for sample in track(samples, "plain"):
        try:
            (formula,) = reader.read_prepared([prepare_image(sample.picture())])
            right += formula.expression == sample.tree
        except SanError:
            continue
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, help="a folder or zip of upright photographs")
    parser.add_argument("--count", type=int, help="only so many, chosen by the seed")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--ways", nargs="+", choices=[*WAYS], default=[*WAYS])
    parser.add_argument("--no-times", action="store_true", help="leave CPU times out")
    parser.add_argument("--show", action="store_true", help="print every reading")
    options = parser.parse_args()
    samples = list(open_corpus(options.photos, None))
    Random(options.seed).shuffle(samples)
    samples = samples[: options.count]
    reader = Recognizer(threads=1)
    base = plain(reader, samples)
    print(f"as they lie: {Rate(base, len(samples)).percent:.2f}% of {len(samples)}")
    for way in options.ways:
        right = count_right(reader, samples, way, options.show)
        share = f"{right / max(base, 1):.1%} of those read as they lie"
        print(f"{way}: {Rate(right, len(samples)).percent:.2f}%, {share}")
    if not options.no_times:
        before, after = times(reader, samples)
        each = f"{1000 * before / len(samples):.0f} and {1000 * after / len(samples):.0f} ms"
        print(f"CPU time a picture, as it lies and set upright: {each}, x {after / before:.3f}")


if __name__ == "__main__":
    run_or_exit(main)
