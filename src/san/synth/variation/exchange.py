"""Expressions with parts exchanged: branches of their trees, names of symbols, written glyphs.

- A numerator may become any other numerator, a subscript any other subscript: what hangs on a
  symbol by a relation is exchanged only for what hung on such a symbol by the same relation.
- Names are exchanged through the whole tree at once, so that `x^{2}+x` becomes `n^{2}+n`.
- In written ink the layout is one person's, some glyphs are another's. An exchanged glyph goes
  where the old one was, in the size that is usual for it there. All copies of a symbol are
  exchanged together, and for glyphs of one writer: that a letter looks like itself elsewhere in the
  formula must stay true.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from san.grammar.tree import Expression, Relation, Symbol
from san.synth.glyphs.bank import GlyphBank, WrittenExpression
from san.synth.glyphs.blend import Blend
from san.synth.layout.symbol_classes import SIMILAR_TO
from san.synth.layout.writer import PlacedGlyph
from san.synth.random_stream import RandomStream
from san.synth.variation.config import ExchangeConfig
from san.synth.variation.page import InkPage, write_glyphs

Place = tuple[Relation, str]
_BRANCHES_OF_THEIR_OWN = frozenset((r"\frac", r"\sqrt", r"\sum", r"\int", r"\lim", r"\log"))


def place_of(relation: Relation, name: str) -> Place:
    """Where a branch hangs: by which relation, on which class of symbol."""
    return relation, name if name in _BRANCHES_OF_THEIR_OWN else ""


class BranchPool:
    """All branches of some trees, by where they hang."""

    def __init__(self, trees: Iterable[Expression]) -> None:
        self._branches: dict[Place, list[Expression]] = defaultdict(list)
        for tree in trees:
            for visit in tree.walk():
                for relation, branch in visit.symbol.branches:
                    self._branches[place_of(relation, visit.symbol.name)].append(branch)

    def graft(self, tree: Expression, random: RandomStream, chance: float) -> Expression:
        """The tree with each branch, outer ones first, exchanged at a chance."""
        symbols = []
        for symbol in tree.symbols:
            branches = []
            for relation, branch in symbol.branches:
                others = self._branches.get(place_of(relation, symbol.name))
                if others and random.uniform() < chance:
                    branches.append((relation, random.choice(others)))
                else:
                    branches.append((relation, self.graft(branch, random, chance)))
            symbols.append(Symbol(symbol.name, tuple(branches)))
        return Expression(tuple(symbols))


def similar_names(
    names: Iterable[str], known: Iterable[str], random: RandomStream, chance: float
) -> dict[str, str]:
    """For some of the names others of a like shape; `known` are those that can be written."""
    can = set(known)
    exchanged = {}
    for name in sorted(set(names)):
        similar = SIMILAR_TO.get(name)
        if similar and random.uniform() < chance:
            new = random.choice(similar)
            if new in can:
                exchanged[name] = new
    return exchanged


def rename(tree: Expression, names: dict[str, str]) -> Expression:
    """The tree with some names exchanged everywhere."""
    if not names:
        return tree
    return Expression(
        tuple(
            Symbol(
                names.get(symbol.name, symbol.name),
                tuple((relation, rename(branch, names)) for relation, branch in symbol.branches),
            )
            for symbol in tree.symbols
        )
    )


def exchange_symbols(
    bank: GlyphBank,
    written: WrittenExpression,
    config: ExchangeConfig,
    random: RandomStream,
    blend: Blend | None = None,
) -> tuple[InkPage, Expression]:
    """An aligned expression with some of its glyphs exchanged, and its tree."""
    placed, names = _exchanged(bank, written, config, random)
    return write_glyphs(bank, placed, blend), rename(written.tree, names)


def join_expressions(
    bank: GlyphBank,
    both: tuple[WrittenExpression, WrittenExpression],
    config: ExchangeConfig,
    random: RandomStream,
    blend: Blend | None = None,
) -> tuple[InkPage, Expression]:
    """Two aligned expressions side by side on one line, mostly with a sign between them."""
    former, latter = both
    left, names = _exchanged(bank, former, config, random)
    right, other_names = _exchanged(bank, latter, config, random)
    # Stray ink, behind the symbols, is left out: it would stand among the other's symbols.
    left, right = left[: len(former.outline)], right[: len(latter.outline)]
    tree, second = rename(former.tree, names), rename(latter.tree, other_names)
    between: tuple[Symbol, ...] = ()
    em, level = bank.em[former.first], bank.axis[former.first + _last_on_line(former)]
    x = max((bank.box[placed.glyph].right - placed.ox) * placed.sx + placed.tx for placed in left)
    signs = [sign for sign in config.signs.split() if sign in bank.by_name]
    if signs and random.uniform() < config.sign_chance:
        sign = random.choice(signs)
        glyph = random.choice(bank.by_writer.get((sign, former.writer)) or bank.by_name[sign])
        factor = em / bank.em[glyph]
        box = bank.box[glyph]
        x += random.between(*config.gap) * em
        left.append(PlacedGlyph(glyph, box.left, bank.axis[glyph], factor, factor, x, level))
        x += box.width * factor
        between = (Symbol(sign),)
    x += random.between(*config.gap) * em
    factor = em / bank.em[latter.first]
    start = min(
        (bank.box[placed.glyph].left - placed.ox) * placed.sx + placed.tx for placed in right
    )
    axis = bank.axis[latter.first]
    for placed in right:
        placed.tx = (placed.tx - start) * factor + x
        placed.ty = (placed.ty - axis) * factor + level
        placed.sx *= factor
        placed.sy *= factor
    page = write_glyphs(bank, left + right, blend)
    return page, Expression((*tree.symbols, *between, *second.symbols))


def _exchanged(
    bank: GlyphBank, written: WrittenExpression, config: ExchangeConfig, random: RandomStream
) -> tuple[list[PlacedGlyph], dict[str, str]]:
    old: Sequence[str] = bank.names[written.first : written.last]
    renames = random.uniform() < config.rename_share
    names = similar_names(old, bank.by_name, random, config.rename_chance) if renames else {}
    share = config.hands_share
    if share and bank.hands and random.uniform() < share:
        other = random.choice(bank.hands)
    else:
        other = random.choice(bank.expressions).writer
    others: dict[str, Sequence[int]] = {}  # for each new name another writer's glyphs, or none
    placed = []
    for glyph, name in enumerate(old, written.first):
        new = names.get(name, name)
        if new not in others:
            # Only what has similar shapes is exchanged: bars, roots and fences fit what they cover.
            renamed_here = any(names.get(name, name) == new != name for name in old)
            exchanged = renamed_here or (
                new in SIMILAR_TO and random.uniform() < config.glyph_chance
            )
            others[new] = bank.by_writer.get((new, other), ()) if exchanged else ()
            if exchanged and not others[new] and (known := bank.by_name.get(new)):
                others[new] = bank.by_same_writer(new, random.choice(known))
        if others[new]:
            placed.append(_fitted(bank, glyph, random.choice(others[new]), config))
        else:
            left, top = bank.box[glyph][:2]
            placed.append(PlacedGlyph(glyph, left, top, 1.0, 1.0, left, top))
    return placed, names


def _fitted(bank: GlyphBank, old: int, new: int, config: ExchangeConfig) -> PlacedGlyph:
    """The new glyph in the old one's place, as large as its writer would have written it there."""
    old_box, new_box = bank.box[old], bank.box[new]
    factor = bank.em[old] / bank.em[new]
    room = config.max_width * old_box.width + config.extra_width * bank.em[old]
    if new_box.width * factor > room:
        factor = max(room / new_box.width, config.min_shrink * factor)
    x = (old_box.left + old_box.right) / 2 - factor * new_box.width / 2
    return PlacedGlyph(new, new_box.left, bank.axis[new], factor, factor, x, bank.axis[old])


def _last_on_line(written: WrittenExpression) -> int:
    """The place, in walk order, of the last symbol of the main line."""
    return written.outline.chain(0)[-1]
