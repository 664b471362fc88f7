"""Typesets a tree with the outlines of a typeface: about as TeX does it, with varying distances.

Design choices
- A chain stands on its base line from x = 0 on; what hangs on a symbol is laid out by itself first,
  and then moved as a whole. Sizes go down the tree, blocks come up.
- Each number is drawn once a formula, so that all its fractions are alike.
- Every outline knows the symbol that it belongs to, so boxes are exact.
"""

from functools import partial

from san.data.print_fonts import Character, Face, Outline
from san.errors import SanError
from san.grammar.characters import character
from san.grammar.constructs import LIMIT_OPERATORS, MATRIX
from san.grammar.symbols import WORDS
from san.grammar.tree import NOTHING, Expression, Relation, Symbol
from san.synth.layout.observations import fence_pairs
from san.synth.layout.symbol_classes import CLOSERS, OPENERS
from san.synth.printed.blocks import RULE, Block, block_of, fitted, symbol_count
from san.synth.printed.config import TypesetConfig
from san.synth.printed.grid import lay_fence, lay_grid
from san.synth.printed.marks import MARKS, lay_mark
from san.synth.printed.spacing import gaps
from san.synth.random_stream import RandomStream

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP, UPPER_LEFT = Relation.SUB, Relation.SUP, Relation.UPPER_LEFT
INTEGRALS = frozenset(r"\int \iint \iiint \oint \oiint".split())
LARGE = INTEGRALS | (LIMIT_OPERATORS - WORDS)
PRIME = r"\prime"
ROOT, FRACTION, BINOMIAL = r"\sqrt", r"\frac", r"\binom"


class UnprintableError(SanError):
    """A symbol that the typeface does not have."""


class Typesetter:
    """Typesets one formula.

    Args:
        face: the typeface.
        config: the ranges.
        random: what numbers are drawn by.
    """

    def __init__(self, face: Face, config: TypesetConfig, random: RandomStream) -> None:
        self.face, self.config, self.random = face, config, random
        between, chance = random.between, random.uniform
        self.script_size = between(*config.script_size)
        self.spacing = between(*config.spacing)
        self.spaces_scripts = chance() < config.spaced_scripts_share
        self.tracking = between(*config.tracking)
        self.axis = between(*config.axis)
        self.rule = between(*config.rule)
        self.is_displayed = chance() < config.display_share
        self.has_full_fractions = chance() < config.full_fractions_share
        self.limits_beside = not self.is_displayed and chance() < config.limits_beside_share
        self.grows_fences = chance() < config.grown_fences_share
        self.is_upright = chance() < config.upright_letters_share
        self.fraction_gap = between(*config.fraction_gap)
        self.fraction_overhang = between(*config.fraction_overhang)
        self.superscript = between(*config.superscript_shift), between(*config.superscript_drop)
        self.subscript = between(*config.subscript_shift), between(*config.subscript_drop)
        self.script_gap = between(*config.script_gap)
        self.limit_gap = between(*config.limit_gap)
        self.operator_size = between(*config.operator_size)
        self.fence_reach = between(*config.fence_reach)
        self.root_gap = between(*config.root_gap)
        self.word_gap = between(*config.word_gap)

    def expression(self, tree: Expression) -> Block:
        """The formula; UnprintableError where the typeface lacks a symbol of it."""
        return self.chain(tree.symbols, 0, 1.0, self.is_displayed)

    def chain(
        self,
        symbols: tuple[Symbol, ...],
        number: int,
        size: float,
        displayed: bool = False,
        is_script: bool = False,
    ) -> Block:
        """Symbols side by side; `number`: of the first in the formula's walk."""
        numbers = [number]
        for symbol in symbols:
            numbers.append(numbers[-1] + symbol_count(symbol))
        lay = partial(self._symbol, size=size, displayed=displayed)
        blocks = [lay(*pair) for pair in zip(symbols, numbers, strict=False)]
        names = [symbol.name for symbol in symbols]
        for place, name in enumerate(names):
            if name == MATRIX:
                for other, fences in ((place - 1, OPENERS), (place + 1, CLOSERS)):
                    if 0 <= other < len(names) and names[other] in fences:
                        fence = lay_fence(self, names[other], numbers[other], blocks[place], size)
                        blocks[other] = self.scripted(symbols[other], numbers[other], fence, size)
        for start, end in fence_pairs(names) if self.grows_fences else ():
            inner = blocks[start + 1 : end]
            if not inner or MATRIX in names[start + 1 : end]:
                continue
            content = Block()
            for block in inner:
                content.take(block)
            if content.height > self.config.min_grown_fence * size:
                for place in (start, end):
                    fence = lay_fence(self, names[place], numbers[place], content, size)
                    blocks[place] = self.scripted(symbols[place], numbers[place], fence, size)
        row, x = Block(), 0.0
        spaces = (*gaps(names, self.spacing, is_script, self.word_gap), 0.0)
        for block, gap in zip(blocks, spaces, strict=False):
            row.take(block.move(x, 0))
            x += block.width + (gap + self.tracking) * size
        row.width = x
        return row

    def outline(self, text: str, upright: bool = False) -> Outline:
        return self.sizes(text, upright)[0]

    def sizes(self, text: str, upright: bool = False) -> tuple[Outline, ...]:
        """The outlines of a character, from the usual size to the largest."""
        for key in (Character(text, upright), Character(text)):
            if key in self.face:
                return self.face[key]
        raise UnprintableError(f"the typeface has no {text}")

    def bar(self, number: int, left: float, right: float, middle: float, size: float) -> Block:
        half = self.rule * size / 2
        return fitted(RULE, number, (left, middle - half, right, middle + half))

    def _symbol(self, symbol: Symbol, number: int, size: float, displayed: bool) -> Block:
        if symbol.name in (FRACTION, BINOMIAL):
            return self._fraction(symbol, number, size, displayed)
        if symbol.name == ROOT:
            return self._root(symbol, number, size)
        if symbol.name == MATRIX:
            block = lay_grid(self, symbol, number, size)
        elif symbol.name in MARKS:
            return lay_mark(self, symbol, number, size)
        else:
            block = self._plain(symbol.name, number, size, displayed)
        return self.scripted(symbol, number, block, size)

    def _plain(self, name: str, number: int, size: float, displayed: bool) -> Block:
        """One character, or a word such as sin."""
        if name == NOTHING:
            return Block()
        if name in WORDS:
            word = Block()
            for letter in name[1:]:
                block = block_of(self.outline(letter, True), number, size, size)
                word.take(block.move(word.width, 0))
                word.width += block.width
            return word
        text = character(name)
        sizes = self.sizes(text, self.is_upright)
        if name == PRIME:
            _, top, _, bottom = sizes[0].box
            factor = self.config.prime_height * size / (bottom - top)
            block = block_of(sizes[0], number, factor, factor)
            return block.move(-block.left, -block.bottom)
        if name not in LARGE:
            return block_of(sizes[0], number, size, size)
        outline, factor = sizes[0], size
        if displayed:
            outline = sizes[1] if len(sizes) > 1 else sizes[0]
            factor = size if len(sizes) > 1 else size * self.operator_size
        block = block_of(outline, number, factor, factor)
        return block.move(0, -self.axis * size - (block.top + block.bottom) / 2)

    def parts(
        self, symbol: Symbol, number: int, sizes: dict[Relation, float]
    ) -> dict[Relation, Block]:
        """What hangs on a symbol, each part laid out by itself."""
        parts: dict[Relation, Block] = {}
        number += 1
        for relation, branch in symbol.branches:
            if relation in sizes:
                small = sizes[relation]
                is_script = small <= self.config.max_script_size and not self.spaces_scripts
                parts[relation] = self.chain(branch.symbols, number, small, is_script=is_script)
            number += sum(map(symbol_count, branch.symbols))
        return parts

    def script(self, size: float) -> float:
        """The size of scripts of something of a size."""
        return max(size * self.script_size, min(self.config.min_size, size))

    def _fraction(self, symbol: Symbol, number: int, size: float, displayed: bool) -> Block:
        full = displayed or self.has_full_fractions
        smaller = size if full else self.script(size)
        parts = self.parts(symbol, number, {ABOVE: smaller, BELOW: smaller})
        over, under = (parts.get(relation, Block()) for relation in (ABOVE, BELOW))
        hang = self.fraction_overhang * size
        width = max(over.right - over.left, under.right - under.left) + 2 * hang
        axis, gap = -self.axis * size, (self.fraction_gap + self.rule / 2) * size
        over.move(width / 2 - over.middle, axis - gap - over.bottom)
        under.move(width / 2 - under.middle, axis + gap - under.top)
        if symbol.name == FRACTION:
            block = self.bar(number, 0.0, width, axis, size)
            block.take(over)
        else:
            block = over
        block.take(under)
        if symbol.name == BINOMIAL:
            content = Block(width, 0.0, block.top, width, block.bottom, block.placed)
            left, right = (lay_fence(self, name, number, content, size) for name in "()")
            content.move(left.width, 0)
            right.move(left.width + width, 0)
            content.take(left)
            content.take(right)
            block, width = content, left.width + width + right.width
        side = self.config.fraction_side * size
        block.move(side, 0)
        block.width = width + 2 * side
        return self.scripted(symbol, number, block, size, (ABOVE, BELOW))

    def _root(self, symbol: Symbol, number: int, size: float) -> Block:
        parts = self.parts(
            symbol,
            number,
            {INSIDE: size, UPPER_LEFT: size * self.random.between(*self.config.root_index_size)},
        )
        content = parts.get(INSIDE, Block())
        config, rule = self.config, self.rule * size
        top = min(content.top, -config.min_root_height * size) - self.root_gap * size - rule
        bottom = max(content.bottom, 0.0) + config.root_foot * size
        outlines = self.sizes("√")
        outline = next(
            (each for each in outlines if (each.box[3] - each.box[1]) * size >= bottom - top),
            outlines[-1],
        )
        wide = (outline.box[2] - outline.box[0]) * size
        block = fitted(outline, number, (0.0, top, wide, bottom))
        end = wide + max(content.right, content.width) + config.root_overhang * size
        block.take(self.bar(number, wide - rule, end, top + rule / 2, size))
        content.move(wide, 0)
        block.take(content)
        block.width = end + config.root_overhang * size
        if UPPER_LEFT in parts:
            index = parts[UPPER_LEFT]
            height = self.random.between(*config.root_index_height)
            foot = bottom - height * (bottom - top)
            index.move(config.root_index_right * wide - index.right, foot - index.bottom)
            block.take(index)
            if index.left < 0:
                width = block.width - index.left
                block.move(-index.left, 0)
                block.width = width
        return self.scripted(symbol, number, block, size)

    def scripted(
        self,
        symbol: Symbol,
        number: int,
        block: Block,
        size: float,
        taken: tuple[Relation, ...] = (),
    ) -> Block:
        """A symbol with its scripts, and with what stands over and under it.

        `taken`: what is part of the block already.
        """
        small = self.script(size)
        wanted = {side: small for side in (ABOVE, BELOW, SUB, SUP) if side not in taken}
        parts = self.parts(symbol, number, wanted)
        if not parts:
            return block
        if self.limits_beside and symbol.name in LARGE | WORDS:
            for limit, script in ((ABOVE, SUP), (BELOW, SUB)):
                if limit in parts and script not in parts:
                    parts[script] = parts.pop(limit)
        self._set_scripts(parts, block, small, size, symbol.name)
        left, right, width = block.left, block.right, block.width
        for side in (ABOVE, BELOW):
            if side in parts:
                gap = self.limit_gap * size
                y = block.top - gap - parts[side].bottom
                if side is BELOW:
                    y = block.bottom + gap - parts[side].top
                parts[side].move((left + right) / 2 - parts[side].middle, y)
        for side, part in parts.items():
            block.take(part)
            width = max(width, part.right + (self.script_gap * size if side in (SUB, SUP) else 0))
        if block.left < min(left, 0.0):
            shift = min(left, 0.0) - block.left
            block.move(shift, 0)
            width += shift
        block.width = width
        return block

    def _set_scripts(
        self, parts: dict[Relation, Block], block: Block, small: float, size: float, name: str
    ) -> None:
        """Moves superscript and subscript to their places beside a block."""
        config = self.config
        is_tall = len(block.placed) > 1 or name in LARGE or block.height > size
        over, under = parts.get(SUP), parts.get(SUB)
        gap = self.script_gap * size
        if over is not None:
            shift, drop = self.superscript
            rise = max(shift * size, -block.top - drop * small / self.script_size if is_tall else 0)
            rise = max(rise, over.bottom + config.min_superscript_foot * size)
            over.move(max(block.right, block.width) + gap - over.left, -rise)
        if under is not None:
            shift, drop = self.subscript
            fall = max(shift * size, block.bottom + drop * size if is_tall else 0)
            fall = max(fall, -under.top - config.max_subscript_top * size)
            right = block.width
            if name in INTEGRALS:
                right = block.left + config.integral_foot * (block.right - block.left)
            under.move(right + gap / 2 - under.left, fall)
        if over is not None and under is not None:
            clash = over.bottom + config.script_clearance * size - under.top
            if clash > 0:
                under.move(0, clash)
