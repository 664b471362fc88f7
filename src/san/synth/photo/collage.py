"""New samples out of real photographs: symbols exchanged, lines cut, pieces joined.

    collage = Collage(photos, places, bank)
    picture, tree, boxes = collage.sample(np.random.default_rng(7))

Design choices
- What is real stays: layout, gaps, touching, slips of the pen. What could be learnt by heart
  changes: which symbols stand there, who wrote them, where a line begins and ends.
- Pieces that are joined agree in size, line and width of strokes as far as one hand's do. The gaps
  between them are chosen among those that photographs have.
- Short photographs are joined, long ones cut: lines of any length are as likely.
- A tree that is barred is never made. Where nothing new comes of a photograph, it is returned as it
  is. The same seed gives the same sample.
- Needs numpy and OpenCV alone: it runs where a network is trained.
"""

from math import exp, log

import numpy as np

from san.errors import SanError
from san.grammar.productions import MARKS, unfold
from san.grammar.tree import NOTHING, Expression
from san.ink.draw import FIELD_PEN, Picture
from san.synth.formulas.text import fingerprint
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.blend import Blend, Blender
from san.synth.layout.symbol_classes import spacing_class
from san.synth.photo.collage_glyph import Scribe
from san.synth.photo.collage_join import em_of, joined, level_of
from san.synth.photo.collage_names import exchange, likes
from san.synth.photo.collage_source import Clipping, Marks, Source, edged
from san.synth.random_stream import RandomStream
from san.synth.sample import Boxes, SynthSample, boxes_of_steps
from san.synth.sources import Photographs, SymbolMasks

TRIES = 4
"""How often something new is tried; then a photograph comes as it is."""
LONGEST = 60
"""Steps of a new tree."""
WANTED = (4, 45)
"""Symbols of a sample."""
MOST = 3
"""Photographs in a sample."""
ENOUGH = 0.7
"""Of the symbols that are wanted."""
PARTNERS = 6
"""Of how many the one is joined whose strokes are most alike."""
CUT = 0.3
"""How likely what is not too long is cut nevertheless."""
SIGNED = 0.5
"""How likely a sign stands between two pieces where neither has one there."""
SIGNS = ("=", "=", "=", "+", "-", r"\times", r"\Rightarrow")
GAPS = (0.1, 1.2)
"""Em between two pieces: what is nearer may touch, what is farther is another line."""
NOWHERE = 1e-9
"""Em: no pen writes as finely."""
HAND = 0.06
"""How much one hand's writing varies in size, as deviation of its logarithm."""


class Collage:
    """Photographs, and what can be made of them."""

    def __init__(
        self,
        photos: Photographs,
        masks: SymbolMasks,
        bank: GlyphBank,
        blend: float = 0.0,
        blender: Blender | None = None,
    ) -> None:
        """`blend`: how many samples have new glyphs between hands."""
        if not len(photos):
            raise SanError("there are no photographs to make a collage of")
        self.photos, self.bank, self.blend = photos, bank, blend
        self.blender = blender or Blender(bank)
        self.scribe = Scribe(bank)
        self.trees = [photos.tree(place) for place in range(len(photos))]
        self.sources = [
            Source(tree, self._ink(place), mark.labels, mark.width)
            if tree.symbols and (mark := masks.of(photos.ids[place]))
            else None
            for place, tree in enumerate(self.trees)
        ]
        known = [source for source in self.sources if source]
        names = (name for source in known for name in source.shape.names)
        self.likes = likes(names, self.scribe.knows)
        self.signs = [sign for sign in SIGNS if self.scribe.knows(sign)]
        usual = self.scribe.usual
        self._ems = [em_of(source, usual) if source else None for source in self.sources]
        self._gaps = [
            gap / em
            for source, em in zip(self.sources, self._ems, strict=True)
            if source and em
            for gap in source.gaps()
        ] or [0.4]

    def sample(self, rng: np.random.Generator) -> SynthSample:
        random = RandomStream(rng)
        place = self._place(random)
        for _ in range(TRIES):
            if (made := self._made(place, random)) is not None:
                return made
        return self.photograph(place)

    def photograph(self, place: int) -> SynthSample:
        """One as it is, with the places of its symbols."""
        source, tree = self.sources[place], self.trees[place]
        nowhere = np.full((sum(1 for _ in tree.walk()), 4), np.nan, np.float32)
        return _composed(self.photos.image(place), tree, source.boxes if source else nowhere)

    def _made(self, place: int, random: RandomStream) -> SynthSample | None:
        wanted = int(random.between(*WANTED))
        page = self._clipping(place, wanted, random)
        if page is None:
            return None
        pieces = 1
        for _ in range(TRIES):
            room = wanted - len(page.shape)
            if pieces < MOST and room > (1 - ENOUGH) * wanted:
                longer = self._longer(page, room, random)
                page, pieces = (longer, pieces + 1) if longer else (page, pieces)
        own = self.trees[place]
        # Whether it is the photograph's own takes longer to ask, and seldom matters.
        if page.tree is not own and self._is_barred(page.tree) and page.tree != own:
            return None
        return _framed(page)

    def _is_barred(self, tree: Expression) -> bool:
        return fingerprint(tree) in self.bank.excluded

    def _clipping(self, place: int, wanted: int, random: RandomStream) -> Clipping | None:
        """A photograph or a part of it, with some of its symbols exchanged."""
        source = self.sources[place]
        if source is None:
            return None
        page = None
        if len(source.shape) > wanted or random.uniform() < CUT:
            parts = source.parts(wanted)
            if parts:  # of two the longer, for the shorter are more
                ends = max(random.choice(parts), random.choice(parts), key=lambda own: own.symbols)
                page = source.clipping(ends)
        page = page or source.whole()
        page.em = self._ems[place]
        if not page.is_sound():
            return None
        exchange(page, self.scribe, self.likes, random, self._blend)
        return page

    def _longer(self, page: Clipping, room: int, random: RandomStream) -> Clipping | None:
        """With another piece to its right, and perhaps a sign between them."""
        usual = self.scribe.usual
        level = level_of(page, usual, at_end=True)
        if level is None:
            return None
        width = log(page.width / level.em)
        places = [self._place(random) for _ in range(PARTNERS)]
        place = min(places, key=lambda own: abs(log(self._pen(own)) - width))
        other = self._clipping(place, room, random)
        start = other and level_of(other, usual, at_end=False)
        if not other or not start or len(page.shape) + len(other.shape) > LONGEST:
            return None
        last, first = page.shape.names[page.line[-1]], other.shape.names[0]
        signed = not {spacing_class(last), spacing_class(first)} & {"operator", "relation"}
        if signed and self.signs and random.uniform() < SIGNED:
            sign = self.scribe.sign(random.choice(self.signs), level.em, page.width, random)
            stands = level_of(sign, usual, at_end=False)
            if stands and (longer := joined(page, sign, level, stands, self._gap(random), 1.0)):
                page, level = longer, level_of(longer, usual, at_end=True) or level
        made = joined(page, other, level, start, self._gap(random), exp(random.bell(HAND)))
        return made if made and len(unfold(made.tree)) <= LONGEST else None

    def _blend(self, random: RandomStream) -> Blend | None:
        wanted = self.blend and random.uniform() < self.blend
        return self.blender.expression(random) if wanted else None

    def _place(self, random: RandomStream) -> int:
        return int(random.uniform() * len(self.sources))

    def _pen(self, place: int) -> float:
        """Strokes' width in em; far from any where nobody knows."""
        source, em = self.sources[place], self._ems[place]
        return source.width / em if source and em else NOWHERE

    def _gap(self, random: RandomStream) -> float:
        return min(max(random.choice(self._gaps), GAPS[0]), GAPS[1])

    def _ink(self, place: int) -> Marks:
        return (self.photos.image(place) > 127).astype(np.uint8)


def _framed(page: Clipping) -> SynthSample:
    """The picture that the network sees: its margins are those of cleaned photographs."""
    left, top, right, bottom = page.extent()
    near, far = FIELD_PEN.margin, FIELD_PEN.margin - 1
    ink = page.ink[top:bottom, left:right] * np.uint8(255)
    boxes = page.boxes + np.array((near - left, near - top) * 2, np.float32)
    return _composed(edged(ink, near, far), page.tree, boxes)


def _composed(picture: Picture, tree: Expression, boxes: Boxes) -> SynthSample:
    """Boxes are those of all symbols of the walk; what is nameless is written by no step."""
    steps = unfold(tree)
    places = [number for number, step in enumerate(steps) if step.target not in MARKS]
    named = [visit.symbol.name != NOTHING for visit in tree.walk()]
    return SynthSample(picture, tree, boxes_of_steps(boxes[named], places, len(steps)))
