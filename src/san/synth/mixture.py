"""What epochs are mixed of: composed formulas, varied ink, photographs, the corpus as it is.

- One pack of ink serves all but the photographs (`san.synth`). The corpus as it is comes as its
  own pictures, drawn as they are when they are read, and every sample of it is as likely as any
  other; where its symbols stand is known from the same alignment that composing rests on.
- Half of what is composed or varied is blended (`san.synth.glyphs.blend`): a few hundred hands
  are soon
  known by heart.
- School formulas are composed like others, and then look as cleaned photographs do
  (`san.synth.photo.wear`); a few are photographed and cleaned indeed, which takes ten times as
  long.
  Most of them are written with glyphs of photographs, where those were harvested
  (`san.synth.extraction`),
  and spaced as on those, where it is known which pixels are which symbol
  (`san.synth.layout.photo_style`).
- Where it is known which pixels of photographs are which symbol, most are recombined before they
  are taken again (`san.synth.photo.collage`): there are too few of them to be shown as they are.
- A `Mixture` is what travels to a worker process; it opens its files there.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from san.data.pack import Pack
from san.data.places import Places
from san.errors import SanError, reason
from san.grammar.productions import unfold
from san.images.clean.pipeline import NoInk, clean
from san.ink.draw import FIELD_PEN
from san.synth.composer import Composer, Recipe
from san.synth.config import KINDS, SynthConfig
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.blend import Blender
from san.synth.glyphs.build import build_bank
from san.synth.photo.collage import Collage
from san.synth.photo.config import PaperConfig, WearConfig
from san.synth.photo.paper import photograph, random_page
from san.synth.photo.wear import has_all_symbols, retake, wear
from san.synth.sample import SynthSample
from san.synth.sources import LabelledPhotos
from san.synth.variation.distort import Range

# On a tablet nearly everybody lifts the pen, and bitmaps are drawn with the field's.
TABLET = Range(merge=0.08, nib=(0.9, 0.05, 0.05))
COMPOSED = Recipe(real=0.0, varied=0.0, joined=0.0, range=TABLET)
VARIED = Recipe(formula=0.0, grafted=0.0, invented=0.0, range=TABLET)
# Hastier than ink on a tablet. Its size and its pen are changed when it is worn.
HASTY = Range(
    scale=(1.0, 1.0), pen=(0.0, 0.0, 1.0), stretch=0.10, slant=0.14, slope=1.1, keystone=0.03,
    symbol_shift=0.04, symbol_size=0.07, symbol_slant=0.08, symbol_turn=0.05, wobble=0.018,
    warp=0.06, bow=0.2, merge=0.4
)  # fmt: skip
# Closer together than CROHME's hands write, and in lines as long as those that are photographed:
# 20 symbols in the mean, where school's formulas have 13.
SCHOOL = Recipe(
    real=0.0, varied=0.0, joined=0.0, formula=0.95, grafted=0.0, invented=0.05,
    longer=1.6, tight=0.65, harvested=0.7, range=HASTY,
)  # fmt: skip
WEAR = WearConfig()
SPACED = replace(WEAR, gaps=(1.0, 1.0))
"""Wear that leaves gaps alone: they are school's already, or tight."""
TAKEN = 0.02
"""Of the school's formulas, how many are photographed and cleaned."""
PAPER = PaperConfig()
"""How such photographs are taken."""
AS_IT_IS = 0.15
"""Of the photographs, how many stay as they were packed."""
TRIES = 3
"""How often ink is worn until nothing of it is gone."""
COLLAGED = 0.7
"""Of the photographs, how many are recombined, where their places are known."""


@dataclass(frozen=True)
class Mixture:
    pack: str
    config: SynthConfig

    def open(self) -> "Mixer":
        """In a worker process."""
        cv2.setNumThreads(1)  # there is a process for each core
        config = self.config
        photos = open_photographs(config.photos) if config.photos else None
        places = None
        if config.photo_masks and photos is not None:
            places = Places.load(config.photo_masks)
            places.check(photos)
        return Mixer(
            Pack.load(self.pack),
            lines(config.formulas),
            config,
            lines(config.photo_formulas),
            photos,
            Pack.load(config.photo_glyphs) if config.photo_glyphs else None,
            places,
        )


def lines(path: str) -> list[str]:
    """Of a text file; none where there is none to read."""
    try:
        return Path(path).read_text("utf-8").splitlines() if path else []
    except OSError as error:
        raise SanError(f"{path}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise SanError(f"{path}: this is no text") from None


def open_photographs(path: str) -> Pack:
    """A pack whose pictures are as the network sees them."""
    pack = Pack.load(path)
    if not pack.is_black_and_white:
        raise SanError(f"{path}: these photographs are not cleaned; pack them with --clean")
    return pack


class Mixer:
    """Makes one sample after the other; a `san.training.chunk.Maker`."""

    def __init__(
        self,
        pack: Pack,
        formulas: list[str],
        config: SynthConfig,
        school: list[str] | None = None,
        photos: Pack | None = None,
        harvest: Pack | None = None,
        places: Places | None = None,
    ) -> None:
        self.config, self.photos = config, photos
        album = (
            LabelledPhotos(photos, places) if photos is not None and places is not None else None
        )
        bank = build_bank(pack, photo_glyphs=harvest, photographs=album)
        composed, varied, schooled = (
            replace(recipe, blend=config.blend_share) for recipe in (COMPOSED, VARIED, SCHOOL)
        )
        blender = Blender(bank)
        self.composer = Composer(bank, formulas, composed, blender)
        self.varier = Composer(bank, formulas, varied, blender)
        self.school = Composer(bank, school, schooled, blender) if school else None
        self.plain = Plain(pack, bank)
        self.collage = None
        if photos is not None and places is not None:
            self.collage = Collage(photos, places, bank, config.blend_share, blender)

    def make(self, rng: np.random.Generator, done: float) -> SynthSample:
        shares = self.config.shares_at(done)
        roll, bound = rng.random(), 0.0
        for kind, share in zip(KINDS, shares.values(), strict=True):
            bound += share
            if roll < bound:
                return self.make_one(kind, rng)
        return self.plain.sample(rng)

    def make_one(self, kind: str, rng: np.random.Generator) -> SynthSample:
        """A sample of a kind that the configuration names a share for."""
        if kind == "composed":
            return self._perhaps_worn(self.composer.sample(rng), rng)
        if kind == "varied":
            return self._perhaps_worn(self.varier.sample(rng), rng)
        if kind == "photo_style" and self.school is not None:
            return at_school(self.school.sample(rng), rng)
        if kind == "photographed" and self.photos is not None:
            return self._photographed(self.photos, rng)
        return self.plain.sample(rng)

    def _photographed(self, photos: Pack, rng: np.random.Generator) -> SynthSample:
        if self.collage and rng.random() < COLLAGED:
            made, keep = self.collage.sample(rng), 0.0  # seams are to be blurred
        else:
            place, keep = int(rng.integers(len(photos))), AS_IT_IS
            made = self.collage.photograph(place) if self.collage else _as_packed(photos, place)
        if rng.random() < keep:
            return made
        picture, boxes = retake(made.picture, made.boxes, rng)
        return SynthSample(picture, made.tree, boxes)

    def _perhaps_worn(self, made: SynthSample, rng: np.random.Generator) -> SynthSample:
        if self.config.wear_share and rng.random() < self.config.wear_share:
            return worn_whole(made, rng)
        return made


def at_school(made: SynthSample, rng: np.random.Generator) -> SynthSample:
    """As a cleaned photograph would show it: taken and cleaned, or worn."""
    return _taken(made, rng) if rng.random() < TAKEN else worn_whole(made, rng, SPACED)


def worn_whole(
    made: SynthSample, rng: np.random.Generator, config: WearConfig = WEAR
) -> SynthSample:
    """With every symbol still there, if it can be: a pen presses harder on a dot than wear does."""
    for _ in range(TRIES):
        picture, boxes = wear(made.picture, made.boxes, rng, config)
        if has_all_symbols(picture, boxes):
            break
    return SynthSample(picture, made.tree, boxes)


def _taken(made: SynthSample, rng: np.random.Generator) -> SynthSample:
    """The whole way; where the symbols are in the end nobody knows. Worn, if nothing was left."""
    seed = int(rng.integers(1 << 31))
    taken = photograph(made.picture, random_page(seed, PAPER), seed)
    grey = np.asarray(cv2.cvtColor(taken, cv2.COLOR_RGB2GRAY), np.uint8)
    try:
        return SynthSample(clean(grey), made.tree, np.full_like(made.boxes, np.nan))
    except NoInk:
        return worn_whole(made, rng, SPACED)


def _as_packed(photos: Pack, place: int) -> SynthSample:
    tree = photos.tree(place)
    nowhere = np.full((len(unfold(tree)), 4), np.nan, np.float32)
    return SynthSample(photos.image(place), tree, nowhere)


class Plain:
    """A corpus as it is, with the places of its symbols."""

    def __init__(self, pack: Pack, bank: GlyphBank) -> None:
        self.pack, self.bank = pack, bank
        # The bank passes over what has no ink.
        self.places = [place for place in range(len(pack)) if pack.ink(place) is not None]
        assert len(self.places) == len(bank.expressions)

    def sample(self, rng: np.random.Generator) -> SynthSample:
        return self.take(int(rng.integers(len(self.places))))

    def take(self, number: int) -> SynthSample:
        written = self.bank.expressions[number]
        boxes = np.full((written.length, 4), np.nan, np.float32)
        if written.aligned:
            boxes[list(written.steps)] = self._boxes(written.first, written.last)[
                : len(written.steps)
            ]
        return SynthSample(self.pack.image(self.places[number]), written.tree, boxes)

    def _boxes(self, first: int, last: int) -> NDArray[np.float64]:
        """Of some glyphs, where the field's pen draws them."""
        corners: NDArray[np.float64] = np.floor(self.bank.boxes[first:last])
        corners -= np.tile(corners[:, :2].min(axis=0), 2)
        margin, width = FIELD_PEN.margin, FIELD_PEN.width
        corners += (margin, margin, margin + width, margin + width)
        return corners
