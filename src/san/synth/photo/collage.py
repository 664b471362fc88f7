"""New samples out of real photographs: symbols exchanged, lines cut, pieces joined.

    collage = Collage(photos, masks, bank)
    picture, tree, boxes = collage.sample(np.random.default_rng(7))

Design choices
- What is real stays: layout, gaps, touching, slips of the pen. What could be learnt by heart
  changes: which symbols stand there, who wrote them, where a line begins and ends.
- Pieces that are joined agree in size, line and width of strokes as far as one writer's do. The
  gaps between them are chosen among those that photographs have.
- A main line's em and axis are what its symbols with masks say, each by what is usual for its name:
  the median says how large, the few nearest to the seam how high. Where they contradict one
  another, or a piece would have to grow or shrink too much, nothing is joined.
- Short photographs are joined, long ones cut: lines of any length are as likely.
- A tree that is excluded is never made. Where nothing new comes of a photograph, it is returned as
  it is. The same seed gives the same sample.
- Needs numpy and OpenCV alone: it runs where a network is trained.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, hypot, isfinite, log
from typing import NamedTuple

import numpy as np

from san.errors import SanError
from san.grammar.normal_form import chain
from san.grammar.productions import MARKS, unfold
from san.grammar.tree import NOTHING, Expression
from san.images import bitmap
from san.ink.draw import BITMAP_PEN, Picture
from san.synth.formulas.text import is_excluded
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.blend import Blend, Blender
from san.synth.layout.measure import outline
from san.synth.layout.symbol_classes import spacing_class
from san.synth.photo.clippings import Clipping, CuttablePhoto, PixelMap, padded
from san.synth.photo.config import CollageConfig
from san.synth.photo.glyph_exchange import (
    GlyphDrawer,
    UsualSize,
    exchange_symbols,
    substitutes_of,
)
from san.synth.random_stream import RandomStream
from san.synth.samples import Boxes, Photographs, SymbolMasks, SynthSample, boxes_of_steps

MIN_EM_PEN = 1e-9
"""Em: no pen writes as finely. No knob: it only keeps a logarithm finite."""
SIZE_SIGNS = ("=", "+", r"\times", "(", ")", r"\angle")
"""Signs that tell a line's size as well as letters do: others are as wide as there is room."""


class Collage:
    """Photographs, and what can be made of them."""

    def __init__(
        self,
        photos: Photographs,
        masks: SymbolMasks,
        bank: GlyphBank,
        blend: float = 0.0,
        blender: Blender | None = None,
        config: CollageConfig = CollageConfig(),
    ) -> None:
        """`blend`: part of the samples whose new glyphs are blended."""
        if not len(photos):
            raise SanError("there are no photographs to make a collage of")
        self.photos, self.bank, self.blend = photos, bank, blend
        self.blender = blender or Blender(bank)
        self.config = config
        self.drawer = GlyphDrawer(bank, config)
        self.trees = [photos.tree(place) for place in range(len(photos))]
        self.sources = [
            CuttablePhoto(tree, self._ink(place), mask.labels, mask.width, config)
            if tree.symbols and (mask := masks.of(photos.ids[place]))
            else None
            for place, tree in enumerate(self.trees)
        ]
        known = [source for source in self.sources if source]
        names = (name for source in known for name in source.outline.names)
        self.substitutes = substitutes_of(names, self.drawer.can_draw, config.frequency_power)
        self.signs = [sign for sign in config.signs.split() if self.drawer.can_draw(sign)]
        usual = self.drawer.usual
        self._ems = [em_of(source, usual, config) if source else None for source in self.sources]
        self._gaps = [
            gap / em
            for source, em in zip(self.sources, self._ems, strict=True)
            if source and em
            for gap in source.gaps()
        ] or [config.default_gap]

    def sample(self, rng: np.random.Generator) -> SynthSample:
        random = RandomStream(rng)
        place = self.random_place(random)
        for _ in range(self.config.attempts):
            if (sample := self._recombined(place, random)) is not None:
                return sample
        return self.photograph(place)

    def photograph(self, place: int) -> SynthSample:
        """One as it is, with the boxes of its symbols."""
        source, tree = self.sources[place], self.trees[place]
        nowhere = np.full((sum(1 for _ in tree.walk()), 4), np.nan, np.float32)
        return _composed(self.photos.image(place), tree, source.boxes if source else nowhere)

    def _recombined(self, place: int, random: RandomStream) -> SynthSample | None:
        config = self.config
        wanted = int(random.between(*config.symbols))
        clipping = self.clipping(place, wanted, random)
        if clipping is None:
            return None
        pieces = 1
        for _ in range(config.attempts):
            room = wanted - len(clipping.outline)
            if pieces < config.max_photos and room > (1 - config.enough_symbols) * wanted:
                longer = self._longer(clipping, room, random)
                clipping, pieces = (longer, pieces + 1) if longer else (clipping, pieces)
        label = self.trees[place]
        # Whether it is the photograph's own takes longer to find out, and seldom matters.
        if (
            clipping.tree is not label
            and self.is_excluded(clipping.tree)
            and clipping.tree != label
        ):
            return None
        return _framed(clipping)

    def is_excluded(self, tree: Expression) -> bool:
        """Whether a tree must never be made: it is a test's label."""
        return is_excluded(tree, self.bank.excluded)

    def clipping(self, place: int, wanted: int, random: RandomStream) -> Clipping | None:
        """A photograph or a part of it, with some of its symbols exchanged."""
        source = self.sources[place]
        if source is None:
            return None
        clipping = None
        if len(source.outline) > wanted or random.uniform() < self.config.cut_chance:
            parts = source.parts(wanted)
            if parts:  # of two the longer, for the shorter are more
                ends = max(
                    random.choice(parts), random.choice(parts), key=lambda part: part.symbols
                )
                clipping = source.clipping(ends)
        clipping = clipping or source.whole()
        clipping.em = self._ems[place]
        if not clipping.is_sound(self.config):
            return None
        exchange_symbols(clipping, self.drawer, self.substitutes, random, self._blend)
        return clipping

    def _longer(self, clipping: Clipping, room: int, random: RandomStream) -> Clipping | None:
        """With another piece to its right, and perhaps a sign between them."""
        usual, config = self.drawer.usual, self.config
        level = level_of(clipping, usual, config, at_end=True)
        if level is None:
            return None
        width = log(clipping.width / level.em)
        places = [self.random_place(random) for _ in range(config.partners)]
        place = min(places, key=lambda place: abs(log(self.pen(place)) - width))
        other = self.clipping(place, room, random)
        start = other and level_of(other, usual, config, at_end=False)
        if not other or not start or len(clipping.outline) + len(other.outline) > config.max_steps:
            return None
        last, first = clipping.outline.names[clipping.line[-1]], other.outline.names[0]
        signed = not {spacing_class(last), spacing_class(first)} & {"operator", "relation"}
        if signed and self.signs and random.uniform() < config.sign_chance:
            sign = self.drawer.sign(random.choice(self.signs), level.em, clipping.width, random)
            stands = level_of(sign, usual, config, at_end=False)
            if stands and (
                longer := joined(clipping, sign, level, stands, self._gap(random), 1.0, config)
            ):
                clipping, level = longer, level_of(longer, usual, config, at_end=True) or level
        gap, larger = self._gap(random), exp(random.bell(config.size_jitter))
        extended = joined(clipping, other, level, start, gap, larger, config)
        return extended if extended and len(unfold(extended.tree)) <= config.max_steps else None

    def _blend(self, random: RandomStream) -> Blend | None:
        wanted = self.blend and random.uniform() < self.blend
        return self.blender.expression(random) if wanted else None

    def random_place(self, random: RandomStream) -> int:
        """One of the photographs, each as likely."""
        return int(random.uniform() * len(self.sources))

    def pen(self, place: int) -> float:
        """Strokes' width in em; far from any where nobody knows."""
        source, em = self.sources[place], self._ems[place]
        return source.width / em if source and em else MIN_EM_PEN

    def _gap(self, random: RandomStream) -> float:
        least, most = self.config.gaps
        return min(max(random.choice(self._gaps), least), most)

    def _ink(self, place: int) -> PixelMap:
        return (self.photos.image(place) > 127).astype(np.uint8)


class Level(NamedTuple):
    """How large a line is written at one of its ends, and how high, in pixels."""

    em: float
    axis: float


def em_of(
    source: CuttablePhoto, usual: dict[str, UsualSize], config: CollageConfig = CollageConfig()
) -> float | None:
    """How large the main line of a photograph is; None where it does not tell."""
    names, boxes = source.outline.names, source.boxes
    sizes = [
        hypot(*np.maximum(boxes[place, 2:] - boxes[place, :2] - source.width, 1))
        / usual[names[place]].diagonal
        for place in _measurable(source.line, names, boxes, usual)
        if names[place].isalnum() or names[place] in SIZE_SIGNS
    ]
    if len(sizes) < config.min_measured:
        return None
    low, em, high = np.quantile(sizes, (0.25, 0.5, 0.75)).tolist()
    return float(em) if high <= config.max_size_ratio * low else None


def level_of(
    clipping: Clipping,
    usual: dict[str, UsualSize],
    config: CollageConfig = CollageConfig(),
    *,
    at_end: bool,
) -> Level | None:
    """None where nobody knows how large or how high it is there."""
    known = _measurable(clipping.line, clipping.outline.names, clipping.boxes, usual)
    if clipping.em is None or not known:
        return None
    count = config.level_symbols
    heights = [
        (clipping.boxes[place, 1].item() + clipping.boxes[place, 3].item()) / 2
        - usual[clipping.outline.names[place]].height * clipping.em
        for place in (known[-count:] if at_end else known[:count])
    ]
    if max(heights) - min(heights) > config.max_level_spread * clipping.em:
        return None
    return Level(clipping.em, sum(heights) / len(heights))


def _measurable(
    line: Sequence[int], names: Sequence[str], boxes: Boxes, usual: dict[str, UsualSize]
) -> list[int]:
    lefts = boxes[:, 0].tolist()
    return [place for place in line if names[place] in usual and isfinite(lefts[place])]


def joined(
    left: Clipping,
    right: Clipping,
    left_level: Level,
    right_level: Level,
    gap: float,
    larger: float,
    config: CollageConfig = CollageConfig(),
) -> Clipping | None:
    """Both, so many em apart, the second larger by a factor than the first's size asks for."""
    factor = left_level.em / right_level.em * larger
    smallest, largest = config.resize
    if not smallest < factor < largest or right.outline.names[0] == NOTHING:
        return None
    if abs(factor - 1) < config.resize_tolerance:
        factor = 1.0
    else:
        right = resized(right, factor)
    first, second = left.extent(), right.extent()
    x = first[2] + round(gap * left_level.em) - second[0]
    y = round(left_level.axis - right_level.axis * factor)
    edge = BITMAP_PEN.margin
    west, north = first[0], min(first[1], second[1] + y)
    east, south = second[2] + x, max(first[3], second[3] + y)
    if east - west > BITMAP_PEN.max_side - config.retake_room:
        return None
    shape = (south - north + 2 * edge, east - west + 2 * edge)
    ink, labels = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    moved = []
    for clipping, box, dx, dy, before in (
        (left, first, 0, 0, 0),
        (right, second, x, y, len(left.outline)),
    ):
        dx, dy = dx + edge - west, dy + edge - north
        there = (slice(box[1] + dy, box[3] + dy), slice(box[0] + dx, box[2] + dx))
        here = (slice(box[1], box[3]), slice(box[0], box[2]))
        part = clipping.labels[here]
        ink[there] |= clipping.ink[here]
        np.copyto(labels[there], part + np.uint8(before), where=part > 0)
        moved.append(clipping.boxes + np.array((dx, dy) * 2, np.float32))
    tree = chain((*left.tree.symbols, *right.tree.symbols))
    return Clipping(ink, labels, tree, outline(tree), np.concatenate(moved), left.width, left.em)


def resized(clipping: Clipping, factor: float) -> Clipping:
    """Larger or smaller; its pixels lose their labels, which nobody needs after joining."""
    high, wide = clipping.ink.shape
    ink = (bitmap.resized(clipping.ink * 255, factor) > 127).astype(np.uint8)
    rows, columns = ink.shape
    boxes = clipping.boxes * np.array((columns / wide, rows / high) * 2, np.float32)
    return replace(clipping, ink=ink, labels=np.zeros_like(ink), boxes=boxes)


def _framed(clipping: Clipping) -> SynthSample:
    """The picture that the network sees: its margins are those of cleaned photographs."""
    left, top, right, bottom = clipping.extent()
    near, far = BITMAP_PEN.margin, BITMAP_PEN.far_margin
    ink = clipping.ink[top:bottom, left:right] * np.uint8(255)
    boxes = clipping.boxes + np.array((near - left, near - top) * 2, np.float32)
    return _composed(padded(ink, near, far), clipping.tree, boxes)


def _composed(picture: Picture, tree: Expression, boxes: Boxes) -> SynthSample:
    """Boxes are those of all symbols of the walk; what is nameless is written by no step."""
    steps = unfold(tree)
    places = [number for number, step in enumerate(steps) if step.target not in MARKS]
    named = [visit.symbol.name != NOTHING for visit in tree.walk()]
    return SynthSample(picture, tree, boxes_of_steps(boxes[named], places, len(steps)))
