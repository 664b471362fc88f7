"""The mixture of an epoch: composed formulas, varied ink, photographs, print, the corpus as it is.

- One pack of ink serves all but the photographs. The corpus as it is comes as its own pictures,
  drawn as they are when they are read, and every sample of it is as likely as any other; where its
  symbols stand is known from the alignment that composing rests on.
- Part of what is composed or varied has blended glyphs (`san.synth.glyphs.blend`): a few hundred
  writers are soon known by heart.
- Samples in photo style are composed like others, and then get the wear of cleaned photographs
  (`san.synth.photo.wear`); a few are photographed and cleaned indeed, which takes ten times as
  long. Most of them have glyphs of photographs, where those were extracted
  (`san.synth.extraction`), and are spaced as on those, where there are masks of their symbols
  (`san.synth.layout.writing_style`).
- Where there are masks, most photographs are recombined before they are taken anew
  (`san.synth.photo.collage`): there are too few of them to be shown as they are.
- Printed samples need outlines of characters (`san.synth.printed`), and the same formulas.
- A `Mixture` is what travels to a worker process; it opens its files there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from san.data.pack import Pack, open_photographs
from san.data.photo_masks import PhotoMasks
from san.data.print_fonts import Face, load_print_fonts
from san.images.clean.pipeline import NoInk, clean
from san.ink.draw import BITMAP_PEN
from san.synth.composer import Composer
from san.synth.config import KINDS, ComposerConfig, SynthConfig
from san.synth.formulas.text import read_lines, split
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.blend import Blender
from san.synth.glyphs.build import build_bank
from san.synth.layout.grid_boxes import with_grid_boxes
from san.synth.lines import Lines
from san.synth.photo.collage import Collage
from san.synth.photo.config import WearConfig
from san.synth.photo.paper import photograph, random_page
from san.synth.photo.wear import has_all_symbols, retake, wear
from san.synth.printed.printed import Printed
from san.synth.samples import LabelledPhotos, SynthSample, as_packed


@dataclass(frozen=True)
class Mixture:
    """The names of the files that samples are made from, and how."""

    pack: str
    config: SynthConfig

    def open(self) -> "Mixer":
        """In a worker process."""
        cv2.setNumThreads(1)  # there is a process for each core
        config = self.config
        photos = open_photographs(config.photos) if config.photos else None
        masks = None
        if config.photo_masks and photos is not None:
            masks = PhotoMasks.load(config.photo_masks)
            masks.check(photos)
        return Mixer(
            Pack.load(self.pack),
            read_lines(config.formulas),
            config,
            read_lines(config.photo_formulas),
            photos,
            Pack.load(config.photo_glyphs) if config.photo_glyphs else None,
            masks,
            read_lines(config.line_formulas),
            open_photographs(config.line_photos) if config.line_photos else None,
            load_print_fonts(config.print_fonts) if config.has_print else None,
            [Pack.load(path) for path in config.hands],
        )


class Mixer:
    """Makes one sample after the other; a `san.training.chunks.SampleMaker`.

    Args:
        pack: the corpus of ink.
        formulas: lines of the file of formulas to compose.
        config: shares, and all that shapes samples.
        photo_formulas: lines of the file of formulas to compose in the style of photographs.
        photos: cleaned photographs.
        photo_glyphs: glyphs that were extracted from them.
        masks: which of their pixels are which symbol.
        line_formulas: lines of the file of formulas of several lines.
        line_photos: cleaned photographs of several lines.
        print_faces: typefaces to print with, by their names.
        hands: glyphs by further writers.
    """

    def __init__(
        self,
        pack: Pack,
        formulas: list[str],
        config: SynthConfig,
        photo_formulas: list[str] | None = None,
        photos: Pack | None = None,
        photo_glyphs: Pack | None = None,
        masks: PhotoMasks | None = None,
        line_formulas: list[str] | None = None,
        line_photos: Pack | None = None,
        print_faces: Mapping[str, Face] | None = None,
        hands: Sequence[Pack] = (),
    ) -> None:
        self.config, self.photos = config, photos
        labelled = (
            LabelledPhotos(photos, masks) if photos is not None and masks is not None else None
        )
        bank = build_bank(
            pack,
            photo_glyphs,
            labelled,
            derived=config.derived,
            config=config.bank,
            hands=hands,
        )
        blender = Blender(bank, config.blend)

        def composer(lines: list[str], composer_config: ComposerConfig) -> Composer:
            return Composer(bank, lines, composer_config, blender)

        self.composed = composer(
            formulas, config.composer(config.composed, config.composed_distortion)
        )
        self.varied = composer(formulas, config.composer(config.varied, config.distortion))
        self.photo_style = None
        if photo_formulas:
            self.photo_style = composer(photo_formulas, config.photo_composer)
        self.plain = PlainCorpus(pack, bank)
        self.collage = None
        if photos is not None and masks is not None:
            self.collage = Collage(photos, masks, bank, config.blend_share, blender, config.collage)
        self.lines = None
        if config.has_lines:
            self.lines = Lines(
                bank, line_formulas or [], line_photos, config, blender, self.collage
            )
        self.printed = None
        if print_faces is not None:
            shares = config.printed
            sources = (
                (formulas, shares.formulas),
                (photo_formulas, shares.photo_formulas),
                (line_formulas if config.has_lines else (), shares.line_formulas),
            )
            texts = [(split(lines or ())[0], share) for lines, share in sources]
            self.printed = Printed(print_faces, texts, shares, bank.excluded)

    def make(self, rng: np.random.Generator, progress: float) -> SynthSample:
        """A sample of a kind by the shares where this part of the run is done."""
        shares = self.config.shares_at(progress)
        drawn, bound = rng.random(), 0.0
        for kind, share in zip(KINDS, shares.values(), strict=True):
            bound += share
            if drawn < bound:
                return self.make_one(kind, rng)
        return self.plain.sample(rng)

    def make_one(self, kind: str, rng: np.random.Generator) -> SynthSample:
        """A sample of one of `KINDS`."""
        if kind == "composed":
            return self._perhaps_with_wear(self.composed.sample(rng), rng)
        if kind == "varied":
            return self._perhaps_with_wear(self.varied.sample(rng), rng)
        if kind == "photo_style" and self.photo_style is not None:
            return self.as_photograph(self.photo_style.sample(rng), rng)
        if kind == "photographed" and self.photos is not None:
            return self._photographed(self.photos, rng)
        if kind == "lines" and self.lines is not None:
            return self._several_lines(self.lines, rng)
        if kind == "printed" and self.printed is not None:
            return with_grid_boxes(self.printed.sample(rng), self.config.layout.grid)
        return self.plain.sample(rng)

    def _several_lines(self, lines: Lines, rng: np.random.Generator) -> SynthSample:
        way = lines.random_way(rng)
        if way == "photographed":
            sample = lines.photograph(rng)
            if rng.random() < self.config.photo_samples.unchanged_share:
                return sample
            return self._retaken(sample, rng)
        stacked = lines.stacked.sample(rng) if way == "stacked" and lines.stacked else None
        if stacked is not None:
            picture, boxes = retake(stacked.picture, stacked.boxes, rng, self.config.line_retake)
            sample = SynthSample(picture, stacked.tree, boxes)
        elif way in ("photo_style", "stacked"):
            sample = self.as_photograph(lines.photo_style.sample(rng), rng)
        else:
            sample = self._perhaps_with_wear(lines.ink.sample(rng), rng)
        return with_grid_boxes(sample, self.config.layout.grid)

    def as_photograph(self, sample: SynthSample, rng: np.random.Generator) -> SynthSample:
        """As a cleaned photograph would show it: photographed and cleaned, or with wear."""
        config = self.config.photo_samples
        if rng.random() < config.simulated_share:
            seed = int(rng.integers(1 << 31))
            page = random_page(seed, self.config.paper)
            colours = photograph(sample.picture, page, seed)
            grey = np.asarray(cv2.cvtColor(colours, cv2.COLOR_RGB2GRAY), np.uint8)
            try:  # where the symbols are in the end is not known
                return SynthSample(clean(grey), sample.tree, np.full_like(sample.boxes, np.nan))
            except NoInk:
                pass
        return self.with_wear(sample, rng, self.config.photo_wear)

    def with_wear(
        self, sample: SynthSample, rng: np.random.Generator, config: WearConfig
    ) -> SynthSample:
        """With every symbol still there, if it can be: a pen presses harder on a dot than wear."""
        for _ in range(self.config.photo_samples.wear_tries):
            picture, boxes = wear(sample.picture, sample.boxes, rng, config)
            if has_all_symbols(picture, boxes, config):
                break
        return SynthSample(picture, sample.tree, boxes)

    def _perhaps_with_wear(self, sample: SynthSample, rng: np.random.Generator) -> SynthSample:
        if self.config.wear_share and rng.random() < self.config.wear_share:
            return self.with_wear(sample, rng, self.config.wear)
        return sample

    def _photographed(self, photos: Pack, rng: np.random.Generator) -> SynthSample:
        config = self.config.photo_samples
        if self.collage and rng.random() < config.collage_share:
            sample, unchanged_share = self.collage.sample(rng), 0.0  # seams are to be blurred
        else:
            place, unchanged_share = int(rng.integers(len(photos))), config.unchanged_share
            sample = self.collage.photograph(place) if self.collage else as_packed(photos, place)
        return sample if rng.random() < unchanged_share else self._retaken(sample, rng)

    def _retaken(self, sample: SynthSample, rng: np.random.Generator) -> SynthSample:
        picture, boxes = retake(sample.picture, sample.boxes, rng, self.config.retake)
        return SynthSample(picture, sample.tree, boxes)


class PlainCorpus:
    """A corpus as it is, with the boxes of its symbols."""

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
        margin, width = BITMAP_PEN.margin, BITMAP_PEN.width
        corners += (margin, margin, margin + width, margin + width)
        return corners
