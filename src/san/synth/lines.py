"""What samples of several lines are made of: composers, stacked lines of photographs, photos."""

from dataclasses import replace

import numpy as np

from san.synth.composer import Composer
from san.synth.config import SynthConfig
from san.synth.formulas.invent_lines import LineInventor
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.blend import Blender
from san.synth.photo.collage import Collage
from san.synth.photo.stacked_lines import StackedLines
from san.synth.samples import Photographs, SynthSample, as_packed


class Lines:
    """Two composers, of ink and in the style of photographs; and photographs.

    Args:
        bank: where glyphs are taken from.
        formulas: lines of the file of formulas.
        photos: cleaned photographs of several lines, if there are any.
        config: shares, and all that shapes samples.
        blender: of the bank.
        collage: of photographs of single lines, if their symbols are known.
    """

    def __init__(
        self,
        bank: GlyphBank,
        formulas: list[str],
        photos: Photographs | None,
        config: SynthConfig,
        blender: Blender,
        collage: Collage | None = None,
    ) -> None:
        lines = config.lines
        self.photos = photos
        self.stacked = None
        if collage is not None:
            self.stacked = StackedLines(collage, config.layout.grid, config.stacked_lines)
        inventor = LineInventor(bank.names, config.invent_lines, config.invent)
        self.ink, self.photo_style = (
            Composer(bank, formulas, config.composer(composition, distortion), blender, inventor)
            for composition, distortion in (
                (lines.ink_composition, replace(config.distortion, reading_scale=True)),
                (lines.photo_composition, config.photo_distortion),
            )
        )
        self._shares = {
            "ink": lines.ink,
            "photo_style": lines.photo_style,
            "stacked": lines.stacked if self.stacked is not None else 0.0,
            "photographed": lines.photographed if photos is not None else 0.0,
        }

    def random_way(self, rng: np.random.Generator) -> str:
        drawn = rng.random() * sum(self._shares.values())
        for way, share in self._shares.items():
            drawn -= share
            if drawn < 0:
                return way
        return "ink"

    def photograph(self, rng: np.random.Generator) -> SynthSample:
        assert self.photos is not None
        return as_packed(self.photos, int(rng.integers(len(self.photos))))
