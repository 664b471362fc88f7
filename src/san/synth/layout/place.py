"""Layout: a tree -> where each glyph of the bank goes.

Design choices
- A chain is laid out on its axis, y = 0, from x = 0 on; what hangs on a symbol is laid out by
  itself first and then moved as a whole. Sizes go down the tree, boxes come up.
- Glyphs keep the size and the height above the line that their writer gave them. Only bars, roots
  and fences stretch: to what they cover.
- Everything is taken from examples of one writer as far as there are any (`writing_style`).
"""

from san.grammar.constructs import MATRIX
from san.grammar.tree import Expression, Relation, Symbol
from san.ink.strokes import Box
from san.synth.layout.grid import lay_grid, lay_grid_fence
from san.synth.layout.marks import lay_mark
from san.synth.layout.observations import (
    BAR,
    FENCE,
    FRACTION,
    GAP,
    INDEX,
    ROOT,
    SCRIPTED,
    Example,
    Key,
    fence_pairs,
    middle_x,
    script_key,
    union,
)
from san.synth.layout.symbol_classes import CLOSERS, OPENERS, spacing_class
from san.synth.layout.writer import Block, ExpressionWriter, PlacedGlyph

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP, UPPER_LEFT = Relation.SUB, Relation.SUP, Relation.UPPER_LEFT
_LAID_LATER = frozenset((*OPENERS, *CLOSERS, MATRIX))
"""Fences and grids: once what they enclose, or stand beside, is laid out."""


class Layout:
    """Lays out one expression with the glyphs and examples of a writer."""

    def __init__(self, writer: ExpressionWriter, spread: float = 1.0) -> None:
        """`spread`: how far apart neighbours stand, over what is usual for the writer."""
        self.writer = writer
        self.bank = writer.bank
        self.style = writer.style
        self.config = writer.config
        self.spread = spread

    def expression(self, tree: Expression) -> list[PlacedGlyph]:
        """The glyphs of all written symbols in the order of the walk."""
        return self.chain(tree.symbols, self.config.size).placed

    def chain(self, symbols: tuple[Symbol, ...], em: float) -> Block:
        """Symbols side by side; of none (a numerator that was left out) just room for one."""
        config = self.config
        if not symbols:
            side = config.empty_part * em
            room = Box(0.0, -side, side, side)
            return Block(room, room)
        blocks: list[Block | None] = [
            None if symbol.name in _LAID_LATER else self._symbol(symbol, em) for symbol in symbols
        ]
        beside_grid = self._grids(symbols, em, blocks)
        for start, end in fence_pairs([symbol.name for symbol in symbols]):
            if start in beside_grid and end in beside_grid:
                continue
            inner = [block for block in blocks[start + 1 : end] if block is not None]
            if inner:
                top = min(block.box.top for block in inner)
                bottom = max(block.box.bottom for block in inner)
                for place in (start, end):
                    blocks[place] = self._fence(symbols[place], em, top, bottom)
        row: Block | None = None
        before = ""
        for place, (symbol, block) in enumerate(zip(symbols, blocks, strict=True)):
            if block is None:  # a fence without its partner, or around nothing
                block = self._symbol(symbol, em)
            if row is None:
                block.move(-block.box.left, 0)
                row = block
            else:
                if beside_grid and self._is_beside_grid(symbols, place, beside_grid):
                    gap = self.writer.random.between(*config.grid.fence_gap)
                else:
                    key = (GAP, before, spacing_class(symbol.name))
                    (gap,) = self.writer.example(key, config.gap_repeat_chance)
                    gap = max(gap * self.spread, config.min_gap)
                block.move(row.box.right + gap * em - block.box.left, 0)
                row.take(block)
            before = SCRIPTED if symbol.branches else spacing_class(symbol.name)
        assert row is not None
        return row

    @staticmethod
    def _is_beside_grid(symbols: tuple[Symbol, ...], place: int, fences: set[int]) -> bool:
        """Whether a symbol and the one before it are a grid and its fence."""
        names = (symbols[place - 1].name, symbols[place].name)
        return MATRIX in names and bool({place - 1, place} & fences)

    def _grids(
        self, symbols: tuple[Symbol, ...], em: float, blocks: list[Block | None]
    ) -> set[int]:
        """Lays out grids and the fences beside them; the places of those fences."""
        beside: set[int] = set()
        for place, symbol in enumerate(symbols):
            if symbol.name != MATRIX:
                continue
            grid = lay_grid(self.writer, self.chain, symbol, em)
            base = Block(grid.block.box, grid.block.box)
            blocks[place] = self._scripted(symbol, base, em, {INSIDE: grid.block})
            fences = {
                other
                for other, names in ((place - 1, OPENERS), (place + 1, CLOSERS))
                if 0 <= other < len(symbols) and symbols[other].name in names
            }
            for other in sorted(fences - beside):
                name = symbols[other].name
                fence = lay_grid_fence(self.writer, name, grid, len(fences) == 1, em)
                blocks[other] = self._scripted(symbols[other], fence, em, {})
            beside |= fences
        return beside

    def _symbol(self, symbol: Symbol, em: float) -> Block:
        if symbol.name == FRACTION:
            return self._fraction(symbol, em)
        if marked := lay_mark(self.writer, self.chain, symbol, em):
            return self._scripted(symbol, marked[0], em, marked[1])
        if symbol.has(INSIDE) or symbol.has(UPPER_LEFT):
            return self._root(symbol, em)
        return self._scripted(symbol, self.writer.plain(symbol.name, em), em, {})

    def _fence(self, symbol: Symbol, em: float, top: float, bottom: float) -> Block:
        over, under = self._example((FENCE, self.style.fence_class((bottom - top) / em)))
        top, bottom = top + over * em, bottom + under * em
        height = max(bottom - top, self.config.min_fence_height * em)
        glyph = self.writer.fitting_glyph(symbol.name, height / em, vertical=True)
        source = self.bank.box[glyph]
        factor = em / self.bank.em[glyph]
        stretch = height / (max(source.height, 1.0) * factor)
        width = source.width * factor * stretch**self.config.fence_width_growth
        block = self.writer.fitted(glyph, em, Box(0.0, top, width, top + height))
        return self._scripted(symbol, block, em, {})

    def _fraction(self, symbol: Symbol, em: float) -> Block:
        config = self.config
        example = self._example((BAR,))
        ratio_over, gap_over, ratio_under, gap_under, off_over, off_under, hang = example
        over = self.chain(symbol.branch(ABOVE).symbols, em * ratio_over)
        under = self.chain(symbol.branch(BELOW).symbols, em * ratio_under)
        widest = max(over.box.width, under.box.width)
        width = max(widest + hang * em, config.min_bar_cover * widest, config.min_bar_width * em)
        glyph = self.writer.fitting_glyph(FRACTION, width / em, vertical=False)
        source = self.bank.box[glyph]
        factor = em / self.bank.em[glyph]
        middle = ((source.top + source.bottom) / 2 - self.bank.axis[glyph]) * factor
        # A short bar's tilt would look odd on a long one.
        of_width, of_em = config.max_bar_tilt
        tilt = min(source.height * factor, of_width * width + of_em * em)
        bar = self.writer.fitted(glyph, em, Box(0.0, middle - tilt / 2, width, middle + tilt / 2))
        scale = max(width, em)
        over.move(
            width / 2 + off_over * scale - middle_x(over.box),
            middle - max(gap_over, config.min_bar_gap) * em - over.box.bottom,
        )
        under.move(
            width / 2 + off_under * scale - middle_x(under.box),
            middle + max(gap_under, config.min_bar_gap) * em - under.box.top,
        )
        bar.symbol_box = union(bar.box, union(over.box, under.box))
        return self._scripted(symbol, bar, em, {ABOVE: over, BELOW: under})

    def _root(self, symbol: Symbol, em: float) -> Block:
        ratio, left, top, right, bottom = self._example((ROOT,))
        inside = self.chain(symbol.branch(INSIDE).symbols, em * ratio)
        glyph = self.writer.root_glyph(symbol.name, inside.box.width / em, inside.box.height / em)
        source = self.bank.box[glyph]
        content = inside.box
        min_left, min_top, min_right, min_bottom = self.config.min_root_reach
        left = max(left, min_left)
        box = Box(
            content.left - left * em,
            content.top - max(top, min_top) * em,
            content.right + max(right, min_right) * em,
            content.bottom + max(bottom, min_bottom) * em,
        )
        root = self.writer.fitted(glyph, em, box)
        part = self.config.min_root_part * source.width
        start = min(
            max(self.style.root_contents[glyph][0], source.left + part + 1),
            source.right - part - 1,
        )
        if source.width > self.config.min_bent_root:
            hook = left * em / (start - source.left)
            cover = (box.right - content.left) / (source.right - start)
            root.placed[0].bend = (start, hook, cover)
        parts = {INSIDE: inside}
        if symbol.has(UPPER_LEFT):
            size, right, bottom = self._example((INDEX,))
            index = self.chain(symbol.branch(UPPER_LEFT).symbols, em * size)
            index.move(
                content.left + min(right, self.config.max_index_right) * em - index.box.right,
                box.top + bottom * box.height - index.box.bottom,
            )
            parts[UPPER_LEFT] = index
        return self._scripted(symbol, root, em, parts)

    def _scripted(
        self, symbol: Symbol, block: Block, em: float, parts: dict[Relation, Block]
    ) -> Block:
        """A symbol with all that hangs on it: the parts given, and scripts laid out here."""
        config, base = self.config, block.symbol_box
        for relation, branch in symbol.branches:
            if relation in parts:
                continue
            first = branch.symbols[0].name
            key = script_key(relation, symbol.name, first, self.style.distinct_superscripts)
            ratio, across, down = self._example(key)
            if symbol.name != r"\int" and (relation is SUB or relation is SUP):
                across = max(across, config.min_script_gap)
            part = parts[relation] = self.chain(branch.symbols, em * ratio)
            if relation is SUB or relation is SUP:
                x = base.right + across * em - part.box.left
            else:
                x = middle_x(base) + across * em
                x -= middle_x(part.box)
            if relation is SUP or relation is ABOVE:
                y = base.top + down * em - part.box.bottom
            else:
                y = base.bottom + down * em - part.box.top
            part.move(x, y)
            part.move(0, self._away(relation, part.box, em))
        if SUB in parts and SUP in parts:
            clash = parts[SUP].box.bottom - parts[SUB].box.top + config.script_clearance * em
            if clash > 0:  # two scripts keep out of each other's way
                parts[SUP].move(0, -clash / 2)
                parts[SUB].move(0, clash / 2)
        for relation, _ in symbol.branches:
            block.take(parts[relation])
        return block

    def _example(self, key: Key) -> Example:
        return self.writer.example(key, self.config.repeat_chance)

    def _away(self, relation: Relation, box: Box, em: float) -> float:
        """How far a script has to move from the line so that nobody takes it for a neighbour.

        An example's distance was from a symbol of another height. The bounds are what all but a few
        in a hundred of written scripts keep.
        """
        middle = (box.top + box.bottom) / 2
        if relation is SUB:
            depth, foot = self.style.subscript_depth
            return max(depth * em - middle, foot * em - box.bottom, 0.0)
        if relation is SUP:
            height, foot = self.config.superscript_height
            return -max(middle + height * em, box.bottom + foot * em, 0.0)
        return 0.0
