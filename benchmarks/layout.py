"""How people space and stack on photographs, on tablets, and in composed photo-style samples.

    python benchmarks/layout.py [--photos packs/photos.npz] [--masks packs/photo-masks.npz]
                                [--glyphs packs/photo-glyphs.npz] [--ink packs/crohme-train.npz]
                                [--formulas packs/photo-formulas.txt]

All are measured alike (`san.synth.layout.photo_observations`): what is composed, of the
photographs' own labels and worn, has masks as well, of the symbols that touch no other. In em: how
many, 5%, quartiles, 95%. Then how far the middle of a line lies above or below its ends, and how
many symbols the formulas have that are chosen for such samples.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from san.data.pack import Pack
from san.data.photo_masks import MAX_SYMBOLS, PhotoMask, PhotoMasks
from san.errors import run_or_exit
from san.grammar import Expression, Relation, parse
from san.grammar.productions import MARKS, unfold
from san.images.clean.components import find_components, stroke_width
from san.synth.composer import Composer
from san.synth.config import SynthConfig
from san.synth.formulas.text import read_lines
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.layout.observations import BAR, GAP, ROOT, Example, Key
from san.synth.layout.photo_observations import photo_examples
from san.synth.photo.wear import wear
from san.synth.random_stream import RandomStream
from san.synth.samples import LabelledPhotos, Photographs, SynthSample

SYNTH = SynthConfig()
WEAR = SYNTH.photo_wear
BOX_TOLERANCE = 3
"""Pixels by which ink may lie outside its box."""
MIN_EXAMPLES = 30
"""Examples of a kind on photographs that are worth a row."""
LINE, LONG = 6, 8
"""Digits and capitals on a line that tell whether it is straight, and how many of their heights it
is long at least."""
CHOSEN = 2000
PARTS = {
    GAP: ("gap",),
    BAR: ("over: size", "distance", "under: size", "distance", "over: off", "under: off", "hang"),
    ROOT: ("size", "left", "top", "right", "bottom"),
    "sup": ("size", "across", "down"),
    "sub": ("size", "across", "down"),
    "fence": ("top", "bottom"),
}


class Made:
    """Composed writing with wear, as photographs with masks."""

    def __init__(self, samples: Sequence[SynthSample]) -> None:
        self.ids: Sequence[str] = [str(number) for number in range(len(samples))]
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples)

    def tree(self, place: int) -> Expression:
        return self.samples[place].tree

    def image(self, place: int) -> NDArray[np.uint8]:
        return self.samples[place].picture

    def of(self, name: str) -> PhotoMask:
        picture, tree, boxes = self.samples[int(name)]
        ink = (picture > 127).astype(np.uint8)
        steps = [number for number, step in enumerate(unfold(tree)) if step.target not in MARKS]
        return PhotoMask("", _alone(ink, boxes[steps][:MAX_SYMBOLS]), stroke_width(ink))


def _alone(ink: NDArray[np.uint8], boxes: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Whose pieces are whose, where one symbol's box holds them and they fill it."""
    found = find_components(ink)
    left, top, wide, high = found.stats[:, :4].T
    corners = np.stack((left, top, left + wide, top + high), axis=1)
    sides = np.array((1, 1, -1, -1))
    inside = ((corners[:, None] - boxes[None]) * sides >= -BOX_TOLERANCE).all(axis=2)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    owner = np.where(inside, area, np.inf).argmin(axis=1)
    owner[~inside.any(axis=1)] = -1
    for symbol in range(len(boxes)):
        own = corners[owner == symbol]
        if len(own):
            extent = np.concatenate((own[:, :2].min(axis=0), own[:, 2:].max(axis=0)))
            if not (np.abs(extent - boxes[symbol]) <= BOX_TOLERANCE + 1).all():
                owner[owner == symbol] = -1
    return np.concatenate(([0], owner + 1)).astype(np.uint8)[found.labels]


def composed_samples(composer: Composer, photos: Photographs) -> Iterator[SynthSample]:
    """The photographs' labels, composed, with wear."""
    known = composer.bank.by_name.keys()
    for place in track(range(len(photos)), "composing", transient=True):
        tree = photos.tree(place)
        if tree.symbols and {visit.symbol.name for visit in tree.walk()} <= known:
            rng = np.random.default_rng(place)
            own = composer.compose(tree, rng)
            picture, boxes = wear(own.picture, own.boxes, rng, WEAR)
            yield SynthSample(picture, tree, boxes)


def examples(bank: GlyphBank, album: LabelledPhotos) -> dict[Key, list[Example]]:
    found: dict[Key, list[Example]] = defaultdict(list)
    for _, key, example in photo_examples(
        bank, album, SYNTH.photo_writing_style, SYNTH.writing_style
    ):
        found[key].append(example)
    return found


def crowded(photos: Photographs) -> str:
    """Pieces of ink for each symbol: fewer where they touch."""
    shares = [
        len(find_components((photos.image(place) > 127).astype(np.uint8)).stats)
        / max(sum(1 for _ in photos.tree(place).walk()), 1)
        for place in range(len(photos))
    ]
    return row(shares)


def bowed(album: LabelledPhotos) -> str:
    """Of long lines: how deep a parabola lies that their digits and capitals stand on."""
    found = []
    for place, name in enumerate(album.photos.ids):
        marked = album.masks.of(name)
        boxes = [] if marked is None else on_the_line(album.photos.tree(place), marked.labels)
        if len(boxes) < LINE:
            continue
        left, top, right, foot = np.array(boxes, float).T
        letter = float(np.median(foot - top))
        across = (left + right) / 2 / letter
        if np.ptp(across) >= LONG:
            across -= across.mean()
            bend, bow = (np.polyval(np.polyfit(across, foot / letter, n), across) for n in (1, 2))
            found.append(float(np.ptp(bow - bend)))
    return f"{row(found)}   mean {np.mean(found):.3f}" if found else row(found)


def on_the_line(tree: Expression, labels: NDArray[np.uint8]) -> list[tuple[int, int, int, int]]:
    """Boxes of digits and capitals that are no script's, as far as they have places."""
    main: set[int] = set()
    found = []
    for number, (symbol, parent, relation) in enumerate(tree.walk()):
        if parent >= 0 and (parent not in main or relation is not Relation.RIGHT):
            continue
        main.add(number)
        if len(symbol.name) == 1 and (symbol.name.isdigit() or symbol.name.isupper()):
            rows, columns = np.nonzero(labels == number + 1)
            if len(rows):
                found.append((columns.min(), rows.min(), columns.max() + 1, rows.max() + 1))
    return found


def lengths(trees: Iterable[Expression]) -> str:
    found = [len(tree) for tree in trees]
    return f"{row(found)}   mean {np.mean(found):.1f}"


def row(values: Sequence[float]) -> str:
    if not len(values):
        return "-"
    spread = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
    return f"{len(values):6,}" + "".join(f"{value:7.2f}" for value in spread)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ink", type=Path, default=Path("packs/crohme-train.npz"))
    parser.add_argument("--photos", type=Path, default=Path("packs/photos.npz"))
    parser.add_argument("--masks", type=Path, default=Path("packs/photo-masks.npz"))
    parser.add_argument("--glyphs", type=Path, default=Path("packs/photo-glyphs.npz"))
    parser.add_argument("--formulas", type=Path, default=Path("packs/photo-formulas.txt"))
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    formulas = read_lines(asked.formulas)
    photos, masks = Pack.load(asked.photos), PhotoMasks.load(asked.masks)
    masks.check(photos)
    album = LabelledPhotos(photos, masks)
    bank = build_bank(Pack.load(asked.ink), photo_glyphs=Pack.load(asked.glyphs), photographs=album)
    config = replace(
        SYNTH.photo_composer,
        composition=replace(SYNTH.photo_style, photo_glyphs_share=1.0),
        blend_share=0.5,
    )
    new, old = (Composer(bank, ["x"], config) for _ in range(2))
    old.__dict__["photo_styles"] = None  # spaced as on tablets
    albums = {"photographs": album}
    for name, composer in (("composed", new), ("as on tablets", old)):
        pages = Made(list(composed_samples(composer, photos)))
        albums[name] = LabelledPhotos(pages, pages)
    found = {name: examples(bank, one) for name, one in albums.items()}
    for key, own in sorted(found["photographs"].items()):
        for part, name in enumerate(PARTS.get(key[0], ())):
            if len(own) >= MIN_EXAMPLES:
                print(" ".join(word for word in (*key, name) if word))
                for what, theirs in found.items():
                    print(f"  {what:14}{row([example[part] for example in theirs[key]])}")
                print(
                    f"  {'tablets':14}{row([one[part] for one in new.style.known_examples(key)])}"
                )
    print("pieces of ink for each symbol")
    for name, one in albums.items():
        print(f"  {name:14}{crowded(one.photos)}")
    print("how deep a line is bowed, in letters")
    for name, one in albums.items():
        print(f"  {name:14}{bowed(one)}")
    print("symbols of a formula")
    print(f"  {'photographs':14}{lengths(photos.tree(place) for place in range(len(photos)))}")
    for name, power in (
        ("of the file", 0.0),
        ("as chosen", SYNTH.photo_style.formula_length_power),
    ):
        composition = replace(SYNTH.photo_style, formula_length_power=power)
        composer = Composer(bank, formulas, replace(config, composition=composition))
        random = RandomStream(np.random.default_rng(0))
        chosen = (parse(composer.random_formula(random)) for _ in range(CHOSEN))
        print(f"  {name:14}{lengths(chosen)}")


if __name__ == "__main__":
    run_or_exit(main)
