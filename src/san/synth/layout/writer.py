"""A writer of one expression: chooses glyphs of the bank and examples of a style for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from san.ink.strokes import Box
from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.config import LayoutConfig
from san.synth.layout.observations import Example, Key, union
from san.synth.layout.writing_style import Style
from san.synth.random_stream import RandomStream


@dataclass(slots=True)
class PlacedGlyph:
    """A glyph of the bank, and how its points go onto the page: x' = (x - ox) * sx + tx."""

    glyph: int
    ox: float
    oy: float
    sx: float
    sy: float
    tx: float
    ty: float
    bend: tuple[float, float, float] | None = None
    """Of roots and arrows, of which one end is not stretched: source x, factor left of it, right
    of it."""

    def move(self, x: float, y: float) -> None:
        self.tx += x
        self.ty += y


@dataclass(slots=True)
class Block:
    """Glyphs that stand fast to one another, and the box around them."""

    box: Box
    symbol_box: Box  # of the symbol that scripts hang on
    placed: list[PlacedGlyph] = field(default_factory=list)

    def move(self, x: float, y: float) -> None:
        for placed in self.placed:
            placed.move(x, y)
        left, top, right, bottom = self.box
        self.box = Box(left + x, top + y, right + x, bottom + y)
        left, top, right, bottom = self.symbol_box
        self.symbol_box = Box(left + x, top + y, right + x, bottom + y)

    def take(self, other: "Block") -> None:
        self.placed += other.placed
        self.box = union(self.box, other.box)


class ExpressionWriter:
    """Writes one expression: all copies of a symbol by one person, gaps and sizes in one style.

    Args:
        bank: where glyphs are taken from.
        style: where examples of gaps, sizes and heights are taken from.
        writer: of ink; whose glyphs and examples come first.
        random: all chance.
        config: how likely the writer is followed.
        first_writers: of photographs or fonts, whose glyphs come before those of ink, in this
            order.
    """

    def __init__(
        self,
        bank: GlyphBank,
        style: Style,
        writer: int,
        random: RandomStream,
        config: LayoutConfig,
        first_writers: Sequence[int] = (),
    ) -> None:
        self.bank = bank
        self.style = style
        self.writer = writer
        self.random = random
        self.config = config
        self.first_writers = first_writers
        self._second_writer = random.choice(bank.expressions).writer  # for what the first lacks
        self._used: set[int] = set()
        self._habits: dict[Key, Example] = {}
        self._candidates: dict[str, list[int]] = {}  # glyphs of one person, by name

    def example(self, key: Key, repeat_chance: float) -> Example:
        """How this writer does it: mostly as before in this expression."""
        habit = self._habits.get(key)
        if habit is None or self.random.uniform() > repeat_chance:
            fresh = self.random.choice(self.style.examples(key, self.writer))
            if habit is None:
                self._habits[key] = fresh
            return fresh
        return habit

    def glyph(self, name: str) -> int:
        """A glyph of the symbol, if possible another one each time.

        Rather the same again than one of another writer: a letter looks like itself elsewhere.
        """
        candidates = self._glyphs(name)
        glyph = self.random.choice(candidates)
        if glyph in self._used:
            unused = [candidate for candidate in candidates if candidate not in self._used]
            glyph = self.random.choice(unused or candidates)
        self._used.add(glyph)
        return glyph

    def fitting_glyph(self, name: str, size: float, *, vertical: bool) -> int:
        """Of a few glyphs the one that needs to stretch least to this size in em."""
        config, candidates = self.config, self._glyphs(name)
        best, least = -1, inf
        for _ in range(config.stretch_candidates):
            glyph = self.random.choice(candidates)
            box = self.bank.box[glyph]
            side = (box.height if vertical else box.width) / self.bank.em[glyph]
            misfit = max(side, size) / max(min(side, size), config.min_compared_side)
            misfit += config.repeat_penalty * (glyph in self._used)
            if misfit < least:
                best, least = glyph, misfit
        self._used.add(best)
        return best

    def root_glyph(self, name: str, width: float, height: float) -> int:
        """Of a few roots the one whose content was most like this size in em."""
        config, candidates = self.config, self._glyphs(name)
        floor = config.min_compared_content
        best, least = -1, inf
        for _ in range(config.stretch_candidates):
            glyph = self.random.choice(candidates)
            _, content_width, content_height = self.style.root_contents[glyph]
            wide = max(content_width, width) / max(min(content_width, width), floor)
            tall = max(content_height, height) / max(min(content_height, height), floor)
            if wide * tall < least:
                best, least = glyph, wide * tall
        return best

    def plain(self, name: str, em: float) -> Block:
        """A glyph as large and as high as it was written."""
        bank = self.bank
        glyph = self.glyph(name)
        left, top, right, bottom = bank.box[glyph]
        factor = em / bank.em[glyph]
        axis = bank.axis[glyph]
        box = Box(0.0, (top - axis) * factor, (right - left) * factor, (bottom - axis) * factor)
        return Block(box, box, [PlacedGlyph(glyph, left, axis, factor, factor, 0.0, 0.0)])

    def fitted(self, glyph: int, em: float, box: Box) -> Block:
        """A glyph stretched into a box; what is flat in one direction keeps its thickness."""
        source = self.bank.box[glyph]
        factor = em / self.bank.em[glyph]
        flat = self.config.min_stretched_side
        sx = box.width / source.width if source.width > flat else factor
        sy = box.height / source.height if source.height > flat else factor
        placed = PlacedGlyph(glyph, source.left, source.top, sx, sy, box.left, box.top)
        return Block(box, box, [placed])

    def _glyphs(self, name: str) -> list[int]:
        """Glyphs of a symbol by one person, the same wherever it stands in the expression."""
        if name not in self._candidates:
            self._candidates[name] = self._by_one_person(name)
        return self._candidates[name]

    def _by_one_person(self, name: str) -> list[int]:
        bank, random = self.bank, self.random
        for first_writer in self.first_writers:
            if glyphs := bank.by_writer.get((name, first_writer)):
                return glyphs
        if groups := bank.derived.get(name):
            return random.choice(groups)
        faithful = random.uniform() < self.config.own_glyph_chance
        by_writer = bank.by_writer.get((name, self.writer)) if faithful else None
        by_writer = by_writer or bank.by_writer.get((name, self._second_writer))
        return by_writer or bank.by_same_writer(name, random.choice(bank.by_name[name]))
