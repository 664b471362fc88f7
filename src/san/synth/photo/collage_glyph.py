"""Symbols drawn anew onto photographs, in the hands of pupils.

Design choices
- A new glyph is as large as the old one, times what the two names usually differ by in the bank; it
  stands as much higher or lower as they usually do. So no size of the photograph has to be fitted.
- Its strokes are as wide as the photograph's: drawn four times as large and shrunk, for OpenCV's
  own widths go in steps of two pixels.
- All new glyphs of a sample lean alike and are blended alike (`Hand`): so many pupils have left so
  few glyphs that a network comes to know each of them.
- It may touch its neighbours as pupils' symbols do, but hardly cover them; or the old one stays.
"""

from math import exp, hypot
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.grammar.tree import Expression, Symbol
from san.synth.glyphs.bank import NO_WRITER, GlyphBank
from san.synth.glyphs.blend import Blend
from san.synth.layout.outline import outline
from san.synth.layout.symbol_classes import CLOSERS, OPENERS
from san.synth.photo.collage_source import Clipping, Marks, edged
from san.synth.random_stream import RandomStream

FINE = 4
"""Times as large as the picture: how glyphs are drawn before they are shrunk."""
SUBPIXELS = 4
"""Bits behind the point, as OpenCV draws."""
PEN = (1.35, -1.25, 2.6)
"""A line so many times as wide as measured strokes, plus so much, measures the same; the least."""
SMALLEST = 0.3
"""Em: dots and primes, which have no hand, stay as they are."""
LEGIBLE, NARROW = 4.5, 2.0
"""Widths of a stroke: what is smaller from corner to corner, or across, would be a blot."""
THIN = 0.3
"""Of its height: what is as narrow by itself, as a 1, may be so."""
WIDEST = 1.5
"""A new glyph may be so much wider than the old one."""
STRETCHED = 1.5
"""How far from its own shape a fence or a minus may be brought to fit."""
COVERED = 0.03
"""Of a new glyph's pixels: how many may lie on others' ink."""
PLAIN = ("-", "=", "1", "/", "|", "(", ")")
"""Straight lines and bows, which can be read however small they are."""
FITTING = {*OPENERS, *CLOSERS, "-", "/"}

Usual = tuple[float, float]


class Hand(NamedTuple):
    """What is done to all new glyphs of a sample, as by somebody who wrote none of them."""

    lean: float = 0.0  # tangent
    blend: Blend | None = None


class Glyph(NamedTuple):
    """Pixels, and where on the picture they begin."""

    pixels: Marks
    left: int
    top: int


PLAINLY = Hand()


class Scribe:
    """Knows what pupils wrote, and how large and how high each symbol is usually written."""

    def __init__(self, bank: GlyphBank) -> None:
        self.bank = bank
        pupils = {*bank.photo_writers}
        self.pupils: dict[str, list[int]] = {}
        self.tablets: dict[str, list[int]] = {}
        for glyph, (name, hand) in enumerate(zip(bank.names, bank.writer, strict=True)):
            if hand in pupils:
                self.pupils.setdefault(name, []).append(glyph)
            elif hand != NO_WRITER and not bank.outlier[glyph]:
                self.tablets.setdefault(name, []).append(glyph)
        self.usual: dict[str, Usual] = {}
        for name, glyphs in self.pupils.items():
            boxes, em = bank.boxes[glyphs], np.array([bank.em[own] for own in glyphs])
            axis = np.array([bank.axis[own] for own in glyphs])
            size = float(np.median(np.hypot(*(boxes[:, 2:] - boxes[:, :2]).T) / em))
            lift = float(np.median((boxes[:, 1::2].mean(axis=1) - axis) / em))
            self.usual[name] = (size, lift)

    def knows(self, name: str) -> bool:
        """Whether a symbol can be drawn anew."""
        return name != r"\frac" and self.usual.get(name, (0.0, 0.0))[0] >= SMALLEST

    def pick(self, name: str, tablet: bool, random: RandomStream) -> int:
        """Somebody's glyph."""
        return random.choice((tablet and self.tablets.get(name)) or self.pupils[name])

    def exchange(
        self,
        page: Clipping,
        place: int,
        name: str,
        glyph: int,
        random: RandomStream,
        hand: Hand = PLAINLY,
    ) -> bool:
        """Draw a glyph in an old symbol's place; False, and nothing is done, if it does not fit."""
        left, top, right, bottom = page.boxes[place].tolist()
        pen = page.width
        wide, high = max(right - left - pen, 1.0), max(bottom - top - pen, 1.0)
        old, new = self.usual[page.shape.names[place]], self.usual[name]
        em = hypot(wide, high) / old[0]
        box = self.bank.box[glyph]
        across, down = max(box.width, 1e-3), max(box.height, 1e-3)
        factor = em * new[0] / hypot(across, down)
        sx = sy = factor * exp(random.bell(0.05))
        if name in FITTING and name == page.shape.names[place]:
            sx, sy = (
                min(max(fit, factor / STRETCHED), factor * STRETCHED)
                for fit in (wide / across, high / down)
            )
        sx *= exp(random.bell(0.06))
        room = WIDEST * wide + 0.15 * em
        if across * sx > room:
            sx = max(room / across, 0.6 * sx)
        small = em * new[0] < LEGIBLE * pen and name not in PLAIN
        if small or across * sx < min(NARROW * pen, THIN * down * sy):
            return False
        middle = ((left + right) / 2, (top + bottom) / 2 + (new[1] - old[1]) * em)
        new_glyph = self.drawn(glyph, (sx, sy), middle, random.bell(0.05), pen, hand)
        return _put(page, place, new_glyph)

    def sign(self, name: str, em: float, width: float, random: RandomStream) -> Clipping:
        """A symbol by itself where an em is so many pixels."""
        glyph = self.pick(name, False, random)
        factor = em / self.bank.em[glyph]
        pixels = self.drawn(glyph, (factor, factor), (0.0, 0.0), 0.0, width).pixels
        tree = Expression((Symbol(name),))
        ink = edged(pixels, 2, 2)
        high, wide = pixels.shape
        boxes = np.array(((2, 2, wide + 2, high + 2),), np.float32)
        return Clipping(ink, ink.copy(), tree, outline(tree), boxes, width, em)

    def drawn(
        self,
        glyph: int,
        factors: tuple[float, float],
        middle: tuple[float, float],
        turn: float,
        width: float,
        hand: Hand = PLAINLY,
    ) -> Glyph:
        """A glyph around a point, turned by some radians, with strokes so wide."""
        bank = self.bank
        box = bank.box[glyph]
        points = bank.points[bank.point_ends[glyph] : bank.point_ends[glyph + 1]]
        if hand.blend:
            points = hand.blend.blended(points, [glyph])
        points = points.astype(np.float64)
        points -= ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        points *= factors
        points = points @ np.array(((1, turn), (-turn - hand.lean, 1)))  # y points down
        points += middle
        line = max(PEN[0] * width + PEN[1], PEN[2])
        room = int(line / 2) + 2
        left, top = (int(own) - room for own in np.floor(points.min(axis=0)))
        right, bottom = (int(own) + room + 1 for own in np.ceil(points.max(axis=0)))
        large = np.zeros(((bottom - top) * FINE, (right - left) * FINE), np.uint8)
        # A pixel's middle is half a pixel from its edge.
        at = np.round(((points - (left, top)) * FINE - 0.5) * (1 << SUBPIXELS)).astype(np.int32)
        lines = slice(bank.stroke_ends[glyph], bank.stroke_ends[glyph + 1])
        strokes, start = [], 0
        for length in bank.stroke_lengths[lines].tolist():
            own, start = at[start : start + length], start + length
            # A dot: of one point nothing is drawn.
            strokes.append(own if length > 1 else own.repeat(2, axis=0))
        thick = max(round(line * FINE), 1)
        cv2.polylines(large, strokes, False, 255, thick, cv2.LINE_8, SUBPIXELS)
        small = cv2.resize(large, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
        pixels = (np.asarray(small) > 127).astype(np.uint8)
        x, y, wide, high = cv2.boundingRect(pixels)
        return Glyph(np.ascontiguousarray(pixels[y : y + high, x : x + wide]), left + x, top + y)


def _put(page: Clipping, place: int, new: Glyph) -> bool:
    """Exchange a symbol's pixels for others, unless these would cover what is not its own."""
    high, wide = new.pixels.shape
    right, bottom = new.left + wide, new.top + high
    rows, columns = page.ink.shape
    if min(new.left, new.top) < 1 or right >= columns or bottom >= rows or not new.pixels.any():
        return False
    inside = (slice(new.top, bottom), slice(new.left, right))
    others = (page.ink[inside] > 0) & (page.owner[inside] != place + 1)
    pixels: NDArray[np.bool_] = new.pixels > 0
    if np.count_nonzero(others & pixels) > COVERED * np.count_nonzero(pixels):
        return False
    left, top, old_right, old_bottom = page.boxes[place].astype(int).tolist()
    was = (slice(top, old_bottom), slice(left, old_right))
    gone = page.owner[was] == place + 1
    page.ink[was][gone] = 0
    page.owner[was][gone] = 0
    page.ink[inside][pixels] = 1
    page.owner[inside][pixels & ~others] = place + 1
    page.boxes[place] = (new.left, new.top, right, bottom)
    return True
