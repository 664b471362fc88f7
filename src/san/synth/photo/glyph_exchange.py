"""Symbols of a photograph exchanged for glyphs of other writers, some under other names.

Design choices
- Letters get other names throughout a clipping, digits and signs one by one; both of their class,
  and more often such as photographs have more often. Copies of a symbol are drawn anew together,
  and by one writer: that it looks like itself elsewhere must stay true.
- A new glyph is as large as the old one, times what the two names usually differ by in the bank; it
  stands as much higher or lower as they usually do. So no size of the photograph has to be fitted.
- Its strokes are as wide as the photograph's: drawn larger and shrunk, for OpenCV's
  own widths go in steps of two pixels.
- All new glyphs of a sample lean alike and are blended alike (`GlyphStyle`): so many writers have
  left so few glyphs that a network comes to know each of them.
- It may touch its neighbours as symbols on paper do, but hardly cover them; or the old one stays.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import exp, hypot, isfinite
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.grammar.tree import Expression, Symbol
from san.synth.extraction.trace import SUBPIXEL_BITS
from san.synth.glyphs.bank import NO_WRITER, GlyphBank
from san.synth.glyphs.blend import Blend
from san.synth.layout.measure import outline
from san.synth.layout.symbol_classes import CLOSERS, OPENERS, SIMILAR_SHAPES, spacing_class
from san.synth.photo.clippings import Clipping, PixelMap, padded
from san.synth.photo.config import CollageConfig
from san.synth.random_stream import RandomStream

SIGN_EDGE = 2
"""Pixels around a sign by itself. No knob: joining cuts it off again."""
ALWAYS_LEGIBLE = ("-", "=", "1", "/", "|", "(", ")")
"""Straight lines and bows, which can be read however small they are."""
STRETCHED_TO_FIT = {*OPENERS, *CLOSERS, "-", "/"}

SYMBOL_CLASSES = (
    tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    *(similar for similar in SIMILAR_SHAPES if "A" not in similar),
)
"""Symbols that may be exchanged for one another."""

Substitutes = dict[str, list[str]]
"""For each symbol those that may be exchanged for it, itself too: common ones several times."""


class UsualSize(NamedTuple):
    """Of a symbol in photographs, as median."""

    diagonal: float  # em
    height: float  # em: of its middle below the axis


class GlyphStyle(NamedTuple):
    """What is done to all new glyphs of a sample, as by somebody who wrote none of them."""

    lean: float = 0.0  # tangent
    blend: Blend | None = None


class DrawnGlyph(NamedTuple):
    """Pixels, and where on the picture they begin."""

    pixels: PixelMap
    left: int
    top: int


AS_WRITTEN = GlyphStyle()


class GlyphDrawer:
    """Draws glyphs of a bank onto photographs, in the usual size of each symbol there."""

    def __init__(self, bank: GlyphBank, config: CollageConfig = CollageConfig()) -> None:
        self.bank, self.config = bank, config
        photo_writers = {*bank.photo_writers}
        self.photo_glyphs: dict[str, list[int]] = {}
        self.corpus_glyphs: dict[str, list[int]] = {}
        for glyph, (name, writer) in enumerate(zip(bank.names, bank.writer, strict=True)):
            if writer in photo_writers:
                self.photo_glyphs.setdefault(name, []).append(glyph)
            elif writer != NO_WRITER and not bank.outlier[glyph]:
                self.corpus_glyphs.setdefault(name, []).append(glyph)
        self.usual: dict[str, UsualSize] = {}
        for name, glyphs in self.photo_glyphs.items():
            boxes, em = bank.boxes[glyphs], np.array([bank.em[glyph] for glyph in glyphs])
            axis = np.array([bank.axis[glyph] for glyph in glyphs])
            size = float(np.median(np.hypot(*(boxes[:, 2:] - boxes[:, :2]).T) / em))
            lift = float(np.median((boxes[:, 1::2].mean(axis=1) - axis) / em))
            self.usual[name] = UsualSize(size, lift)

    def can_draw(self, name: str) -> bool:
        """Whether a symbol can be drawn anew."""
        usual = self.usual.get(name)
        size = usual.diagonal if usual else 0.0
        return name != r"\frac" and size >= self.config.min_glyph

    def choose(self, name: str, from_corpus: bool, random: RandomStream) -> int:
        """Somebody's glyph."""
        corpus = self.corpus_glyphs.get(name) if from_corpus else None
        return random.choice(corpus or self.photo_glyphs[name])

    def replace(
        self,
        clipping: Clipping,
        place: int,
        name: str,
        glyph: int,
        random: RandomStream,
        style: GlyphStyle = AS_WRITTEN,
    ) -> bool:
        """Draw a glyph in an old symbol's place; False, and nothing is done, if it does not fit."""
        config = self.config
        left, top, right, bottom = clipping.boxes[place].tolist()
        pen = clipping.width
        wide, high = max(right - left - pen, 1.0), max(bottom - top - pen, 1.0)
        old, new = self.usual[clipping.outline.names[place]], self.usual[name]
        em = hypot(wide, high) / old.diagonal
        box = self.bank.box[glyph]
        across, down = max(box.width, 1e-3), max(box.height, 1e-3)
        factor = em * new.diagonal / hypot(across, down)
        sx = sy = factor * exp(random.bell(config.glyph_size))
        if name in STRETCHED_TO_FIT and name == clipping.outline.names[place]:
            sx, sy = (
                min(max(fit, factor / config.max_stretch), factor * config.max_stretch)
                for fit in (wide / across, high / down)
            )
        sx *= exp(random.bell(config.glyph_width))
        room = config.max_wider * wide + config.extra_width * em
        if across * sx > room:
            sx = max(room / across, config.max_squeeze * sx)
        small = em * new.diagonal < config.min_legible * pen and name not in ALWAYS_LEGIBLE
        narrow = min(config.min_across * pen, config.narrow_aspect * down * sy)
        if small or across * sx < narrow:
            return False
        middle = ((left + right) / 2, (top + bottom) / 2 + (new.height - old.height) * em)
        turn = random.bell(config.glyph_turn)
        drawn = self.drawn(glyph, (sx, sy), middle, turn, pen, style)
        return _put(clipping, place, drawn, config.max_covered)

    def sign(self, name: str, em: float, width: float, random: RandomStream) -> Clipping:
        """A symbol by itself where an em is so many pixels."""
        glyph = self.choose(name, False, random)
        factor = em / self.bank.em[glyph]
        pixels = self.drawn(glyph, (factor, factor), (0.0, 0.0), 0.0, width).pixels
        tree = Expression((Symbol(name),))
        ink = padded(pixels, SIGN_EDGE, SIGN_EDGE)
        high, wide = pixels.shape
        box = (SIGN_EDGE, SIGN_EDGE, wide + SIGN_EDGE, high + SIGN_EDGE)
        boxes = np.array((box,), np.float32)
        return Clipping(ink, ink.copy(), tree, outline(tree), boxes, width, em)

    def drawn(
        self,
        glyph: int,
        factors: tuple[float, float],
        middle: tuple[float, float],
        turn: float,
        width: float,
        style: GlyphStyle = AS_WRITTEN,
    ) -> DrawnGlyph:
        """A glyph around a point, turned by some radians, with strokes so wide."""
        bank = self.bank
        box = bank.box[glyph]
        points = bank.points[bank.point_ends[glyph] : bank.point_ends[glyph + 1]]
        if style.blend:
            points = style.blend.blended(points, [glyph])
        points = points.astype(np.float64)
        points -= ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        points *= factors
        points = points @ np.array(((1, turn), (-turn - style.lean, 1)))  # y points down
        points += middle
        factor, offset = self.config.line_width
        line = max(factor * width + offset, self.config.min_line_width)
        larger = self.config.supersampling
        room = int(line / 2) + 2  # for the line, and what rounding adds
        left, top = (int(side) - room for side in np.floor(points.min(axis=0)))
        right, bottom = (int(side) + room + 1 for side in np.ceil(points.max(axis=0)))
        large = np.zeros(((bottom - top) * larger, (right - left) * larger), np.uint8)
        # A pixel's middle is half a pixel from its edge.
        at = np.round(((points - (left, top)) * larger - 0.5) * (1 << SUBPIXEL_BITS))
        at = at.astype(np.int32)
        lines = slice(bank.stroke_ends[glyph], bank.stroke_ends[glyph + 1])
        strokes, start = [], 0
        for length in bank.stroke_lengths[lines].tolist():
            stroke, start = at[start : start + length], start + length
            # A dot: of one point nothing is drawn.
            strokes.append(stroke if length > 1 else stroke.repeat(2, axis=0))
        thick = max(round(line * larger), 1)
        cv2.polylines(large, strokes, False, 255, thick, cv2.LINE_8, SUBPIXEL_BITS)
        small = cv2.resize(large, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
        pixels = (np.asarray(small) > 127).astype(np.uint8)
        x, y, wide, high = cv2.boundingRect(pixels)
        return DrawnGlyph(
            np.ascontiguousarray(pixels[y : y + high, x : x + wide]), left + x, top + y
        )


def _put(clipping: Clipping, place: int, new: DrawnGlyph, max_covered: float) -> bool:
    """Exchange a symbol's pixels for others, unless these would cover what is not its own."""
    high, wide = new.pixels.shape
    right, bottom = new.left + wide, new.top + high
    rows, columns = clipping.ink.shape
    if min(new.left, new.top) < 1 or right >= columns or bottom >= rows or not new.pixels.any():
        return False
    inside = (slice(new.top, bottom), slice(new.left, right))
    others = (clipping.ink[inside] > 0) & (clipping.labels[inside] != place + 1)
    pixels: NDArray[np.bool_] = new.pixels > 0
    if np.count_nonzero(others & pixels) > max_covered * np.count_nonzero(pixels):
        return False
    left, top, old_right, old_bottom = clipping.boxes[place].astype(int).tolist()
    was = (slice(top, old_bottom), slice(left, old_right))
    gone = clipping.labels[was] == place + 1
    clipping.ink[was][gone] = 0
    clipping.labels[was][gone] = 0
    clipping.ink[inside][pixels] = 1
    clipping.labels[inside][pixels & ~others] = place + 1
    clipping.boxes[place] = (new.left, new.top, right, bottom)
    return True


def substitutes_of(
    names: Iterable[str], can_draw: Callable[[str], bool], power: float
) -> Substitutes:
    """`names` are those of all photographs: common ones stay common, as the `power` has it."""
    counts = Counter(names)
    substitutes: Substitutes = {}
    for symbols in SYMBOL_CLASSES:
        able = [name for name in symbols if counts[name] and can_draw(name)]
        repeated = [name for name in able for _ in range(round(counts[name] ** power))]
        substitutes |= dict.fromkeys(able, repeated)
    return substitutes


def exchange_symbols(
    clipping: Clipping,
    drawer: GlyphDrawer,
    substitutes: Substitutes,
    random: RandomStream,
    blend: Callable[[RandomStream], Blend | None] = lambda _: None,
) -> None:
    """Draw some of the symbols anew, by other writers; some of these under other names.

    `blend`: says whether, and how, the glyphs of this sample are blended.
    """
    config = drawer.config
    share = random.between(0, config.exchanged)
    renamed = config.renamed if random.uniform() < config.rename_chance else 0.0
    from_corpus = random.uniform() < config.corpus_chance
    blended = blend(random)
    style = GlyphStyle(random.bell(config.lean), blended)
    names = clipping.outline.names
    able = [
        isfinite(left) and drawer.can_draw(name)
        for name, left in zip(names, clipping.boxes[:, 0].tolist(), strict=True)
    ]
    # A letter that cannot be exchanged everywhere keeps its name.
    kept = {name for name, can in zip(names, able, strict=True) if not can}
    everywhere = {
        name: random.choice(substitutes[name])
        for name in sorted({*names} - kept)
        if spacing_class(name) == "letter"
        and name in substitutes
        and random.uniform() < share * renamed
    }
    redrawn = {
        name: name in everywhere or random.uniform() < share for name in dict.fromkeys(names)
    }
    glyphs: dict[str, list[int]] = {}  # of each new name, by one writer
    new = list(names)
    for place, name in enumerate(names):
        if not able[place] or not redrawn[name]:
            continue
        wanted = everywhere.get(name, name)
        if spacing_class(name) != "letter" and name in substitutes and random.uniform() < renamed:
            wanted = random.choice(substitutes[name])
        if wanted not in glyphs:
            chosen = drawer.choose(wanted, from_corpus, random)
            glyphs[wanted] = drawer.bank.by_same_writer(wanted, chosen)
        if drawer.replace(clipping, place, wanted, random.choice(glyphs[wanted]), random, style):
            new[place] = wanted
    if new != names:
        clipping.tree = _named(clipping.tree, iter(new))
        clipping.outline = replace(clipping.outline, names=new)


def _named(tree: Expression, names: Iterator[str]) -> Expression:
    """The tree with other names, in the order of the walk."""
    symbols = []
    for symbol in tree.symbols:
        name = next(names)
        branches = tuple((relation, _named(branch, names)) for relation, branch in symbol.branches)
        symbols.append(Symbol(name, branches))
    return Expression(tuple(symbols))
