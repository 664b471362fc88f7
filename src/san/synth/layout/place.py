"""A tree -> where each glyph of the bank goes.

Design choices
- A chain is laid out on its axis, y = 0, from x = 0 on; what hangs on a symbol is laid out by
  itself first and then moved as a whole. Sizes go down the tree, boxes come up.
- Glyphs keep the size and the height above the line that their writer gave them. Only bars, roots
  and fences stretch: to what they cover.
- Everything is taken from examples of one hand as far as it left any (see `manner`).
"""

from collections.abc import Sequence

from san.grammar.tree import Expression, Relation, Symbol
from san.ink.strokes import Box
from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.blocks import Block, Placed
from san.synth.layout.marks import marked
from san.synth.layout.observe import (
    BAR,
    FENCE,
    FRACTION,
    GAP,
    INDEX,
    ROOT,
    SCRIPTED,
    Example,
    Key,
    pairs,
    script_key,
    tallness,
    union,
)
from san.synth.layout.symbol_classes import CLOSERS, OPENERS, spacing_class
from san.synth.layout.writing_style import Ways
from san.synth.random_stream import RandomStream

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP, UPPER_LEFT = Relation.SUB, Relation.SUP, Relation.UPPER_LEFT

CLOSEST = -0.1
"""Em: boxes overlap by more at times, but then their writer saw that the ink did not."""
CLOSEST_SCRIPT = -0.06
"""The same for scripts; only an integral has room for them at its foot."""
EMPTY = 0.3
"""Em: where nothing is written there is so much room to the right, above and below."""
TRIES = 6
"""So many glyphs are compared for one that has to stretch."""
FAITHFUL = 0.9
"""How likely a symbol is taken from the hand itself, where it wrote such a one."""
STEADY = 0.6
"""How likely a hand does again exactly what it did before in this expression."""


class Layout:
    """Lays out one expression in one hand."""

    def __init__(
        self,
        bank: GlyphBank,
        manner: Ways,
        hand: int,
        random: RandomStream,
        spread: float = 1.0,
        pupils: Sequence[int] = (),
    ) -> None:
        """`spread`: how far apart neighbours stand, over what the hand does.

        `pupils`: whose glyphs come first, in this order, where they have any.
        """
        self.bank = bank
        self.manner = manner
        self.hand = hand
        self.random = random
        self.spread = spread
        self.pupils = pupils
        self._companion = random.choice(
            bank.expressions
        ).writer  # helps out with what the hand lacks
        self._used: set[int] = set()
        self._habits: dict[Key, Example] = {}
        self._ways: dict[str, list[int]] = {}  # whose writing of each symbol

    def expression(self, tree: Expression, em: float) -> list[Placed]:
        """The glyphs of all written symbols in the order of the walk."""
        return self.chain(tree.symbols, em).placed

    def chain(self, symbols: tuple[Symbol, ...], em: float) -> Block:
        """Symbols side by side; of none (a numerator that was left out) just room for one."""
        if not symbols:
            room = Box(0.0, -EMPTY * em, EMPTY * em, EMPTY * em)
            return Block(room, room)
        blocks: list[Block | None] = [
            None if symbol.name in CLOSERS or symbol.name in OPENERS else self._symbol(symbol, em)
            for symbol in symbols
        ]
        for start, end in pairs([symbol.name for symbol in symbols]):
            inner = [block for block in blocks[start + 1 : end] if block is not None]
            if inner:
                top = min(block.box.top for block in inner)
                bottom = max(block.box.bottom for block in inner)
                for place in (start, end):
                    blocks[place] = self._fence(symbols[place], em, top, bottom)
        row: Block | None = None
        before = ""
        for symbol, block in zip(symbols, blocks, strict=True):
            if block is None:  # a fence without its partner, or around nothing
                block = self._symbol(symbol, em)
            if row is None:
                block.move(-block.box.left, 0)
                row = block
            else:
                (gap,) = self._example((GAP, before, spacing_class(symbol.name)), keen=0.3)
                gap = max(gap * self.spread, CLOSEST)
                block.move(row.box.right + gap * em - block.box.left, 0)
                row.take(block)
            before = SCRIPTED if symbol.branches else spacing_class(symbol.name)
        assert row is not None
        return row

    def _symbol(self, symbol: Symbol, em: float) -> Block:
        if symbol.name == FRACTION:
            return self._fraction(symbol, em)
        if found := marked(self, symbol, em):
            return self._scripted(symbol, found[0], em, found[1])
        if symbol.has(INSIDE) or symbol.has(UPPER_LEFT):
            return self._root(symbol, em)
        return self._scripted(symbol, self.plain(symbol.name, em), em, {})

    def plain(self, name: str, em: float) -> Block:
        """A glyph as large and as high as it was written."""
        bank = self.bank
        glyph = self.glyph(name)
        left, top, right, bottom = bank.box[glyph]
        factor = em / bank.em[glyph]
        axis = bank.axis[glyph]
        box = Box(0.0, (top - axis) * factor, (right - left) * factor, (bottom - axis) * factor)
        return Block(box, box, [Placed(glyph, left, axis, factor, factor, 0.0, 0.0)])

    def fitted(self, glyph: int, em: float, box: Box) -> Block:
        """A glyph stretched into a box; what is flat in one direction keeps its thickness."""
        source = self.bank.box[glyph]
        factor = em / self.bank.em[glyph]
        sx = box.width / source.width if source.width > 1 else factor
        sy = box.height / source.height if source.height > 1 else factor
        placed = Placed(glyph, source.left, source.top, sx, sy, box.left, box.top)
        return Block(box, box, [placed])

    def _fence(self, symbol: Symbol, em: float, top: float, bottom: float) -> Block:
        over, under = self._example((FENCE, tallness((bottom - top) / em)))
        top, bottom = top + over * em, bottom + under * em
        height = max(bottom - top, 0.6 * em)
        glyph = self._fitting(symbol.name, height / em, vertical=True)
        source = self.bank.box[glyph]
        factor = em / self.bank.em[glyph]
        stretch = height / (max(source.height, 1.0) * factor)
        width = source.width * factor * stretch**0.5
        block = self.fitted(glyph, em, Box(0.0, top, width, top + height))
        return self._scripted(symbol, block, em, {})

    def _fraction(self, symbol: Symbol, em: float) -> Block:
        example = self._example((BAR,))
        ratio_over, gap_over, ratio_under, gap_under, off_over, off_under, hang = example
        over = self.chain(symbol.branch(ABOVE).symbols, em * ratio_over)
        under = self.chain(symbol.branch(BELOW).symbols, em * ratio_under)
        widest = max(over.box.width, under.box.width)
        width = max(widest + hang * em, 0.7 * widest, 0.4 * em)
        glyph = self._fitting(FRACTION, width / em, vertical=False)
        source = self.bank.box[glyph]
        factor = em / self.bank.em[glyph]
        middle = ((source.top + source.bottom) / 2 - self.bank.axis[glyph]) * factor
        # A short bar's tilt would look odd on a long one.
        tilt = min(source.height * factor, 0.08 * width + 0.05 * em)
        bar = self.fitted(glyph, em, Box(0.0, middle - tilt / 2, width, middle + tilt / 2))
        scale = max(width, em)
        over.move(
            width / 2 + off_over * scale - (over.box.left + over.box.right) / 2,
            middle - max(gap_over, 0.05) * em - over.box.bottom,
        )
        under.move(
            width / 2 + off_under * scale - (under.box.left + under.box.right) / 2,
            middle + max(gap_under, 0.05) * em - under.box.top,
        )
        bar.own = union(bar.box, union(over.box, under.box))
        return self._scripted(symbol, bar, em, {ABOVE: over, BELOW: under})

    def _root(self, symbol: Symbol, em: float) -> Block:
        ratio, left, top, right, bottom = self._example((ROOT,))
        inside = self.chain(symbol.branch(INSIDE).symbols, em * ratio)
        glyph = self._root_glyph(symbol.name, inside.box.width / em, inside.box.height / em)
        source = self.bank.box[glyph]
        content = inside.box
        left = max(left, 0.3)
        box = Box(
            content.left - left * em,
            content.top - max(top, 0.1) * em,
            content.right + max(right, -0.1) * em,
            content.bottom + max(bottom, -0.3) * em,
        )
        root = self.fitted(glyph, em, box)
        start = min(
            max(self.manner.roots[glyph][0], source.left + 0.1 * source.width + 1),
            source.right - 0.1 * source.width - 1,
        )
        if source.width > 8:
            hook = left * em / (start - source.left)
            cover = (box.right - content.left) / (source.right - start)
            root.placed[0].bend = (start, hook, cover)
        parts = {INSIDE: inside}
        if symbol.has(UPPER_LEFT):
            size, right, bottom = self._example((INDEX,))
            index = self.chain(symbol.branch(UPPER_LEFT).symbols, em * size)
            index.move(
                content.left + min(right, -0.25) * em - index.box.right,
                box.top + bottom * box.height - index.box.bottom,
            )
            parts[UPPER_LEFT] = index
        return self._scripted(symbol, root, em, parts)

    def _scripted(
        self, symbol: Symbol, block: Block, em: float, parts: dict[Relation, Block]
    ) -> Block:
        """A symbol with all that hangs on it: the parts given, and scripts laid out here."""
        own = block.own
        for relation, branch in symbol.branches:
            if relation in parts:
                continue
            first = branch.symbols[0].name
            key = script_key(relation, symbol.name, first, self.manner.apart)
            ratio, across, down = self._example(key)
            if symbol.name != r"\int" and (relation is SUB or relation is SUP):
                across = max(across, CLOSEST_SCRIPT)
            part = parts[relation] = self.chain(branch.symbols, em * ratio)
            if relation is SUB or relation is SUP:
                x = own.right + across * em - part.box.left
            else:
                x = (own.left + own.right) / 2 + across * em
                x -= (part.box.left + part.box.right) / 2
            if relation is SUP or relation is ABOVE:
                y = own.top + down * em - part.box.bottom
            else:
                y = own.bottom + down * em - part.box.top
            part.move(x, y)
            part.move(0, _away(relation, part.box, em, self.manner.low))
        if SUB in parts and SUP in parts:
            clash = parts[SUP].box.bottom - parts[SUB].box.top + 0.05 * em
            if clash > 0:  # two scripts keep out of each other's way
                parts[SUP].move(0, -clash / 2)
                parts[SUB].move(0, clash / 2)
        for relation, _ in symbol.branches:
            block.take(parts[relation])
        return block

    def _example(self, key: Key, keen: float = STEADY) -> Example:
        """How this hand does it: mostly as it did before."""
        habit = self._habits.get(key)
        if habit is None or self.random.uniform() > keen:
            found = self.manner.of(key, self.hand)
            fresh = self.random.choice(found)
            if habit is None:
                self._habits[key] = fresh
            return fresh
        return habit

    def _candidates(self, name: str) -> list[int]:
        if name not in self._ways:
            self._ways[name] = self._way(name)
        return self._ways[name]

    def _way(self, name: str) -> list[int]:
        """Whose writing of a symbol this is, wherever it stands in the expression."""
        bank, random = self.bank, self.random
        for pupil in self.pupils:
            if theirs := bank.by_writer.get((name, pupil)):
                return theirs
        if made := bank.derived.get(name):
            return random.choice(made)
        own = bank.by_writer.get((name, self.hand)) if random.uniform() < FAITHFUL else None
        own = own or bank.by_writer.get((name, self._companion))
        return own or bank.by_same_writer(name, random.choice(bank.by_name[name]))

    def glyph(self, name: str) -> int:
        """A glyph of this hand, if possible another one each time.

        Rather the same again than one of another hand: a letter looks like itself elsewhere.
        """
        found = self._candidates(name)
        glyph = self.random.choice(found)
        if glyph in self._used:
            glyph = self.random.choice([own for own in found if own not in self._used] or found)
        self._used.add(glyph)
        return glyph

    def _fitting(self, name: str, size: float, *, vertical: bool) -> int:
        """Of a few glyphs the one that need stretch least to this size in em."""
        found = self._candidates(name)
        best, least = -1, 1e9
        for _ in range(TRIES):
            glyph = self.random.choice(found)
            box = self.bank.box[glyph]
            own = (box.height if vertical else box.width) / self.bank.em[glyph]
            miss = max(own, size) / max(min(own, size), 0.01) + (glyph in self._used)
            if miss < least:
                best, least = glyph, miss
        self._used.add(best)
        return best

    def _root_glyph(self, name: str, width: float, height: float) -> int:
        found = self._candidates(name)
        best, least = -1, 1e9
        for _ in range(TRIES):
            glyph = self.random.choice(found)
            _, own_width, own_height = self.manner.roots[glyph]
            wide = max(own_width, width) / max(min(own_width, width), 0.1)
            tall = max(own_height, height) / max(min(own_height, height), 0.1)
            if wide * tall < least:
                best, least = glyph, wide * tall
        return best


def _away(relation: Relation, box: Box, em: float, low: tuple[float, float]) -> float:
    """How far a script has to move from the line so that nobody takes it for a neighbour.

    An example's distance was from a symbol of another height. The bounds are what all but a few in
    a hundred of CROHME's scripts keep.
    """
    middle = (box.top + box.bottom) / 2
    if relation is SUB:
        return max(low[0] * em - middle, low[1] * em - box.bottom, 0.0)
    if relation is SUP:
        return -max(middle + 0.27 * em, box.bottom + 0.03 * em, 0.0)
    return 0.0
