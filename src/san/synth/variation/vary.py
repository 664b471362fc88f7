"""Real ink with other symbols in it: the layout is a person's, the symbols come from others.

An exchanged glyph goes where the old one was, in the size that is usual for it there. All copies
of a symbol are exchanged together, and for glyphs of one hand: that a letter looks like itself
elsewhere in the formula must stay true. A name that is exchanged (every `a` of a formula becomes an
`n`) is exchanged in the tree as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from san.grammar.tree import Expression, Symbol
from san.synth.formulas.exchange import new_names, renamed
from san.synth.glyphs.bank import GlyphBank, WrittenExpression
from san.synth.glyphs.blend import Blend
from san.synth.layout.blocks import Placed
from san.synth.layout.symbol_classes import SIMILAR_TO
from san.synth.random_stream import RandomStream
from san.synth.variation.page import Page, write

WIDEST = 1.5
"""A new glyph may be so much wider than the old one."""
SIGNS = ("+", "+", "-", "=", "=", r"\times", ",", r"\leq", r"\geq", "<", r"\rightarrow")
"""What may stand between two expressions."""


@dataclass(frozen=True)
class Variation:
    """How likely each change to real ink is."""

    exchange: float = 0.35  # a glyph for the same symbol by another hand
    renaming: float = 0.5  # that names are exchanged at all
    rename: float = 0.4  # and then each of them
    sign: float = 0.75  # a sign between two expressions


def varied(
    bank: GlyphBank,
    written: WrittenExpression,
    how: Variation,
    random: RandomStream,
    blend: Blend | None = None,
) -> tuple[Page, Expression]:
    """An aligned expression with some of its glyphs exchanged, and its tree."""
    placed, names = _exchanged(bank, written, how, random)
    return write(bank, placed, blend), renamed(written.tree, names)


def joined(
    bank: GlyphBank,
    both: tuple[WrittenExpression, WrittenExpression],
    how: Variation,
    random: RandomStream,
    blend: Blend | None = None,
) -> tuple[Page, Expression]:
    """Two aligned expressions side by side on one line, mostly with a sign between them."""
    one, other = both
    left, names = _exchanged(bank, one, how, random)
    right, other_names = _exchanged(bank, other, how, random)
    # Stray ink, behind the symbols, is left out: it would stand among the other's symbols.
    left, right = left[: len(one.outline)], right[: len(other.outline)]
    tree, second = renamed(one.tree, names), renamed(other.tree, other_names)
    between: tuple[Symbol, ...] = ()
    em, level = bank.em[one.first], bank.axis[one.first + _last_on_line(one)]
    x = max((bank.box[own.glyph].right - own.ox) * own.sx + own.tx for own in left)
    signs = [sign for sign in SIGNS if sign in bank.by_name]
    if signs and random.uniform() < how.sign:
        sign = random.choice(signs)
        glyph = random.choice(bank.by_writer.get((sign, one.writer)) or bank.by_name[sign])
        factor = em / bank.em[glyph]
        box = bank.box[glyph]
        x += random.between(0.2, 0.7) * em
        left.append(Placed(glyph, box.left, bank.axis[glyph], factor, factor, x, level))
        x += box.width * factor
        between = (Symbol(sign),)
    x += random.between(0.2, 0.7) * em
    factor = em / bank.em[other.first]
    start = min((bank.box[own.glyph].left - own.ox) * own.sx + own.tx for own in right)
    axis = bank.axis[other.first]
    for own in right:
        own.tx = (own.tx - start) * factor + x
        own.ty = (own.ty - axis) * factor + level
        own.sx *= factor
        own.sy *= factor
    page = write(bank, left + right, blend)
    return page, Expression((*tree.symbols, *between, *second.symbols))


def _exchanged(
    bank: GlyphBank, written: WrittenExpression, how: Variation, random: RandomStream
) -> tuple[list[Placed], dict[str, str]]:
    old: Sequence[str] = bank.names[written.first : written.last]
    renames = random.uniform() < how.renaming
    names = new_names(old, bank.by_name, random, how.rename) if renames else {}
    other = random.choice(bank.expressions).writer
    others: dict[str, Sequence[int]] = {}  # for each new name another hand's glyphs, or none
    placed = []
    for glyph, name in enumerate(old, written.first):
        new = names.get(name, name)
        if new not in others:
            # Only what has likes is exchanged: bars, roots, fences fit what they cover as they are.
            renamed_here = any(names.get(own, own) == new != own for own in old)
            exchanged = renamed_here or (new in SIMILAR_TO and random.uniform() < how.exchange)
            others[new] = bank.by_writer.get((new, other), ()) if exchanged else ()
            if exchanged and not others[new] and (known := bank.by_name.get(new)):
                others[new] = bank.by_same_writer(new, random.choice(known))
        if others[new]:
            placed.append(_put(bank, glyph, random.choice(others[new])))
        else:
            left, top = bank.box[glyph][:2]
            placed.append(Placed(glyph, left, top, 1.0, 1.0, left, top))
    return placed, names


def _put(bank: GlyphBank, old: int, new: int) -> Placed:
    """The new glyph in the old one's place, as large as its writer would have written it there."""
    was, box = bank.box[old], bank.box[new]
    factor = bank.em[old] / bank.em[new]
    room = WIDEST * was.width + 0.15 * bank.em[old]
    if box.width * factor > room:
        factor = max(room / box.width, 0.6 * factor)
    x = (was.left + was.right) / 2 - factor * box.width / 2
    return Placed(new, box.left, bank.axis[new], factor, factor, x, bank.axis[old])


def _last_on_line(written: WrittenExpression) -> int:
    """The place, in walk order, of the last symbol of the main line."""
    return written.outline.chain(0)[-1]
