"""What cleaning is worth: photographs read as they are, and as `images.clean.pipeline` makes them.

    python benchmarks/photos.py hme100k/train_photos.zip
    python benchmarks/photos.py crohme/test2014.inkml.zip --photograph --count 200
    python benchmarks/photos.py crohme/test2014.inkml.zip --photograph --close --count 200
    python benchmarks/photos.py --figures docs/figures    # before and after, of our own ink

"Plain" is the least that anyone would do: inverted if most of the picture is light, and cut in the
middle between its darkest and its lightest pixel; neither cropped nor scaled. Rates are over all
labels, and over those whose symbols the network knows.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from unittest.mock import patch

import cv2
import numpy as np
from PIL import Image
from rich.console import Console
from rich.progress import track
from rich.table import Table

from san.data.corpus import open_corpus
from san.data.sample import Sample
from san.decoding import DecodingLimits, decode
from san.errors import run_or_exit
from san.evaluation.report import Report, score
from san.grammar import to_latex
from san.images.bitmap import FAR_MARGIN, MARGIN, Grey, Picture
from san.images.clean import pipeline as cleaning
from san.images.clean.pipeline import NoInk, clean
from san.images.clean.thinning import redrawn_with_nib
from san.images.clean.threshold import above
from san.ink import Box
from san.ink.draw import draw
from san.ink.inkml import read_inkml
from san.model.onnx.engine import OnnxEngine
from san.reader.prepared import prepare_image
from san.synth.photo.paper import PaperPage, Ruling, photograph, random_page

Way = Callable[[Grey], Picture]
ROOT = Path(__file__).resolve().parent.parent
LIMITS = DecodingLimits(steps=200, depth=120)
"""Where readings of what is no formula end, that would run to the decoder's own limits."""
MAX_PIXELS = 2_000_000
"""A larger picture is not read, and counts as wrong: only pictures as they are can be so large."""

QUIET = PaperPage(zoom=1.3, room=25, noise=0.006, spacing=34)
PAGES = {
    "ruled": replace(QUIET, ruling=Ruling.RULED, ink=(45, 60, 150), tilt=1.5),
    "squared": replace(QUIET, ruling=Ruling.SQUARED, perspective=0.03, ink=(90, 90, 95)),
    "shadow": replace(QUIET, shadow=0.55, uneven=0.5, blur=1.2),
    "red": replace(QUIET, paper=(205, 196, 180), ink=(190, 45, 55), pen=2.0),
    "dark": replace(QUIET, paper=(38, 52, 46), ink=(220, 222, 210), line=(70, 88, 80)),
}


def figures(folder: Path) -> None:
    """Each page as photographed, and below it what is made of it."""
    drawn = draw(read_inkml(ROOT / "docs/figures/quadratic.inkml").ink)
    for name, page in PAGES.items():
        before = photograph(drawn, page, seed=1)
        after = clean(np.asarray(cv2.cvtColor(before, cv2.COLOR_RGB2GRAY), np.uint8))
        width = max(before.shape[1], after.shape[1])
        sheet = Image.new("RGB", (width, before.shape[0] + after.shape[0] + 8), "white")
        sheet.paste(Image.fromarray(before), ((width - before.shape[1]) // 2, 0))
        sheet.paste(Image.fromarray(after), ((width - after.shape[1]) // 2, before.shape[0] + 8))
        sheet.quantize(128).save(folder / f"photo-{name}.png", optimize=True)


def plain(grey: Grey) -> Picture:
    light = 255 - grey if np.median(grey) > 127 else grey
    middle = (int(light.min()) + int(light.max())) / 2
    return np.where(light > middle, 255, 0).astype(np.uint8)


def photographed(samples: list[Sample], close: bool = False) -> Iterator[Grey]:
    """Drawn ink, each sample on a random page of its own; perhaps cropped close to the ink."""
    for seed, sample in enumerate(samples):
        photo = photograph(sample.picture(), random_page(seed), seed)
        grey = np.asarray(cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY), np.uint8)
        yield cropped(grey, np.random.default_rng(seed)) if close else grey


def cropped(grey: Grey, rng: np.random.Generator) -> Grey:
    """As people crop: a pixel too close at one side, three to spare at another."""
    try:
        cleaned = prepare_image(grey)
    except NoInk:
        return grey
    height, width = cleaned.picture.shape
    box = cleaned.to_source(Box(MARGIN, MARGIN, width - FAR_MARGIN, height - FAR_MARGIN))
    left, top, right, bottom = np.rint(box + rng.uniform(-1, 3, 4) * (-1, -1, 1, 1)).astype(int)
    return grey[max(top, 0) : max(bottom, top + 1), max(left, 0) : max(right, left + 1)]


def read(engine: OnnxEngine, pictures: Iterable[tuple[str, Grey]], way: Way) -> dict[str, str]:
    guesses: dict[str, str] = {}
    waits = []
    for name, grey in track(list(pictures), way.__name__):
        begin = perf_counter()
        try:
            picture = way(grey)
        except NoInk:
            continue
        finally:
            waits.append(perf_counter() - begin)
        if picture.size <= MAX_PIXELS:
            (reading,) = decode(engine, [picture.astype(np.float32) / 255], LIMITS)
            guesses[name] = to_latex(reading.expression)
    print(f"{way.__name__}: {1000 * np.median(waits):.1f} ms a picture (median)")
    return guesses


def without(name: str, **stand_ins: object) -> Way:
    """Cleaning with some of its parts put out of action."""

    def way(grey: Grey) -> Picture:
        with ExitStack() as stack:
            for part, stand_in in stand_ins.items():
                stack.enter_context(patch.object(cleaning, part, stand_in))
            return clean(grey)

    way.__name__ = f"clean without {name}"
    return way


PARTS = (
    without("rulings", find_rulings=lambda difference: ()),
    without("strays", without_strays=lambda ink, *rest: ink),
    without("frames", without_black_border=lambda grey: grey),
    without("local", local_ink=lambda difference, cut: above(difference, cut.edge)),
    without("size", scale_of=lambda stats, nib: 1.0),
    without("a least width", widened_to_nib=lambda mask: mask),
    without("the pen's own width", widened_to_nib=redrawn_with_nib),
)


def row(table: Table, name: str, figures: Report) -> None:
    rates = (figures.exprate, figures.le1, figures.le2, figures.espr)
    numbers = (f"{rate.percent:.2f}" for rate in rates)
    low, high = figures.exprate.interval
    table.add_row(
        name, str(figures.n), *numbers, f"{low:.1f} to {high:.1f}", str(len(figures.missing))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, nargs="?", help="a folder or zip of images")
    parser.add_argument("--figures", type=Path, metavar="FOLDER", help="draw these, and end")
    parser.add_argument("--labels", type=Path, help="by default those that lie beside it")
    parser.add_argument("--weights", type=Path, default=ROOT / "src/san/models/san.safetensors")
    parser.add_argument("--parts", action="store_true", help="also without each part of cleaning")
    parser.add_argument("--longest", type=int, help="only labels of at most so many known symbols")
    parser.add_argument("--count", type=int, help="only the first so many")
    parser.add_argument(
        "--photograph", action="store_true", help="the images are drawings: photograph them first"
    )
    parser.add_argument("--close", action="store_true", help="and cropped as close as people crop")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if options.figures:
        figures(options.figures)
        return
    if not options.photos:
        parser.error("name a folder or zip of photographs")
    engine = OnnxEngine(options.weights, options.threads)
    samples = list(open_corpus(options.photos, options.labels))[: options.count]
    if options.longest:
        knows = engine.vocabulary.knows
        samples = [s for s in samples if knows(s.tree) and len(s.tree) <= options.longest]
    labels = {sample.id: to_latex(sample.tree) for sample in samples}
    known = {one.id: labels[one.id] for one in samples if engine.vocabulary.knows(one.tree)}
    names = [sample.id for sample in samples]
    greys = (
        photographed(samples, options.close)
        if options.photograph
        else (one.picture() for one in samples)
    )
    pictures = list(zip(names, greys, strict=True))
    table = Table("", "n", "ExpRate", "<= 1", "<= 2", "ESPR", "95%", "not read")
    for way in (plain, clean, *(PARTS if options.parts else ())):
        guesses = read(engine, pictures, way)
        row(table, f"{way.__name__}, all", score(guesses, labels))
        if len(known) == len(labels):
            continue
        own = {name: latex for name, latex in guesses.items() if name in known}
        row(table, f"{way.__name__}, known symbols", score(own, known))
    Console().print(table)


if __name__ == "__main__":
    run_or_exit(main)
