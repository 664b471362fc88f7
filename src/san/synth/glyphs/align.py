"""Alignment: which glyph of a segmentation is which symbol of the tree.

A segmentation names its glyphs but does not say where they stand in the tree: of the two 2s of
`x^{2}+2`, which is the script? The tree itself tells, read together with the page.

Design choices
- A chain runs from left to right, so its symbols' subtrees are cut from the glyphs in the order of
  their left edges, each taking the labels that it needs. What hangs on a symbol is told apart by
  where it stands: over and under a bar, raised and lowered, within a root.
- The page has the last word: every symbol must stand to its parent as the tree says. Where one does
  not, or where the labels do not match, the answer is None, and nobody is taught a wrong place.
- A label is what the pen drew, not what it means: a fraction's bar is a `-`, `\\cdot` a dot, and
  three dots in a row are `\\cdots`.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from san.grammar.tree import NOTHING, Relation
from san.ink.strokes import Box
from san.synth.glyphs.config import BankConfig
from san.synth.layout.measure import Outline

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP, UPPER_LEFT = Relation.SUB, Relation.SUP, Relation.UPPER_LEFT

DRAWN_AS = {r"\frac": "-", "<": r"\lt", ">": r"\gt", r"\cdot": ".", r"\cdots": r"\ldots"}
"""Symbols that look like another one, or go by another name in CROHME's segmentation."""
DOTS = r"\ldots"
MAX_SYMBOLS = 300
"""A tree of more symbols is not aligned. No knob: it might nest deeper than Python likes, and
CROHME's have 96 at most."""

Glyphs = tuple[int, ...]


class _Unit(NamedTuple):
    """What was drawn for one symbol: one glyph, or three dots."""

    label: str
    box: Box
    x: float  # its middle
    y: float
    glyphs: Glyphs


class _UncertainError(Exception):
    """The glyphs do not fit the tree."""


def align(
    tree: Outline, labels: Sequence[str], boxes: Sequence[Box], config: BankConfig = BankConfig()
) -> list[Glyphs] | None:
    """The glyphs of each symbol in the order of the walk; None where in doubt.

    What stands on nothing has no place to go by: a tree with such scripts is in doubt.
    """
    wanted = [DRAWN_AS.get(name, name) for name in tree.names]
    units = [
        _unit(DRAWN_AS.get(label, label), box, (number,))
        for number, (label, box) in enumerate(zip(labels, boxes, strict=True))
    ]
    if len(units) > len(wanted) and DOTS in wanted:
        units = _joined_dots(units, wanted)
    drawn = sorted(unit.label for unit in units)
    if not 0 < len(wanted) <= MAX_SYMBOLS or NOTHING in wanted or drawn != sorted(wanted):
        return None
    try:
        aligned = _Alignment(tree, wanted).chain(0, units)
    except _UncertainError:
        return None
    for place, (unit, relation) in enumerate(zip(aligned, tree.relations, strict=True)):
        if relation is None:
            continue
        if not stands(relation, unit.box, aligned[tree.parents[place]].box, config.root_overreach):
            return None
    return [unit.glyphs for unit in aligned]


class _Alignment:
    """The search through one tree; `wanted` are the labels of its symbols."""

    def __init__(self, tree: Outline, wanted: list[str]) -> None:
        self.tree = tree
        self.wanted = wanted

    def chain(self, first: int, units: list[_Unit]) -> list[_Unit]:
        """The units of a chain, and of all that hangs on it, in walk order."""
        rest = sorted(units, key=lambda unit: unit.box.left)
        in_order: list[_Unit] = []
        for symbol in self.tree.chain(first):
            end = symbol + self.tree.sizes[symbol]
            subtree, rest = _take(rest, self.wanted[symbol:end])
            in_order += self.symbol(symbol, subtree)
        return in_order

    def symbol(self, symbol: int, units: list[_Unit]) -> list[_Unit]:
        """The units of a symbol's subtree in walk order."""
        parts = self.tree.parts[symbol]
        if not parts:
            return units
        head = self._head(symbol, units)
        rest = [unit for unit in units if unit is not head]
        taken: dict[Relation, list[_Unit]] = {}
        for relation in sorted(parts, key=_ORDER.__getitem__):
            order = _ordered(relation, rest, head, rooted=INSIDE in parts)
            first = parts[relation]
            last = self.tree.chain(first)[-1]
            end = last + self.tree.sizes[last]
            taken[relation], rest = _take(order, self.wanted[first:end])
        in_order = [head]
        for relation in sorted(parts, key=parts.__getitem__):
            in_order += self.chain(parts[relation], taken[relation])
        return in_order

    def _head(self, symbol: int, units: Sequence[_Unit]) -> _Unit:
        """The unit of the symbol itself among those of its subtree."""
        candidates = [unit for unit in units if unit.label == self.wanted[symbol]]
        if len(candidates) == 1:
            return candidates[0]
        parts = self.tree.parts[symbol]
        if INSIDE in parts:
            return max(candidates, key=lambda unit: unit.box.width)
        if ABOVE not in parts and BELOW not in parts:
            return min(candidates, key=lambda unit: unit.box.left)
        # Of several bars it is the one with as many symbols over it as the tree has there.
        over = parts.get(BELOW, symbol + self.tree.sizes[symbol]) - symbol - 1

        def misplaced(unit: _Unit) -> tuple[int, float]:
            above = sum(other.y < unit.y for other in units if other is not unit)
            return abs(above - over), -unit.box.width

        return min(candidates, key=misplaced)


_ORDER = {UPPER_LEFT: 0, ABOVE: 1, SUP: 2, INSIDE: 3, BELOW: 4, SUB: 5}
"""In which order branches take their units: those that are surest to be told apart first."""


def _ordered(relation: Relation, units: list[_Unit], head: _Unit, *, rooted: bool) -> list[_Unit]:
    """The units with the likeliest for a branch first."""
    if relation is UPPER_LEFT:
        return sorted(units, key=lambda unit: unit.box.left)
    if relation is SUP and rooted:
        return sorted(units, key=lambda unit: -unit.x)
    if relation is SUP:
        return sorted(units, key=lambda unit: unit.y)
    if relation is ABOVE:
        return sorted(units, key=lambda unit: (unit.y > head.y, abs(unit.x - head.x)))
    return units


def _take(units: list[_Unit], needed: list[str]) -> tuple[list[_Unit], list[_Unit]]:
    """The first units that give the labels needed, and the rest."""
    if len(units) == len(needed):  # all that is left; the labels were compared as a whole
        return units, []
    if len(needed) == 1 and units and units[0].label == needed[0]:
        return units[:1], units[1:]
    taken, rest = [], []
    still = Counter(needed)
    for unit in units:
        if still[unit.label] > 0:
            still[unit.label] -= 1
            taken.append(unit)
        else:
            rest.append(unit)
    if len(taken) < len(needed):
        raise _UncertainError
    return taken, rest


def _joined_dots(units: list[_Unit], wanted: list[str]) -> list[_Unit]:
    """Three dots that stand closest in a row become one unit, as often as the tree wants it."""
    missing = wanted.count(DOTS) - sum(unit.label == DOTS for unit in units)
    dots = sorted((unit for unit in units if unit.label == "."), key=lambda unit: unit.x)
    if missing <= 0 or len(dots) != wanted.count(".") + 3 * missing:
        return units
    others = [unit for unit in units if unit.label != "."]
    for _ in range(missing):
        start = min(range(len(dots) - 2), key=lambda place: dots[place + 2].x - dots[place].x)
        three = dots[start : start + 3]
        del dots[start : start + 3]
        low, high = zip(*((unit.box[:2], unit.box[2:]) for unit in three), strict=True)
        box = Box(*map(min, zip(*low, strict=True)), *map(max, zip(*high, strict=True)))
        others.append(_unit(DOTS, box, tuple(glyph for unit in three for glyph in unit.glyphs)))
    return others + dots


def _unit(label: str, box: Box, glyphs: Glyphs) -> _Unit:
    left, top, right, bottom = box
    return _Unit(label, box, (left + right) / 2, (top + bottom) / 2, glyphs)


def stands(relation: Relation, box: Box, outer: Box, root_overreach: float) -> bool:
    """Whether a symbol stands to the one that it hangs on as a relation says.

    `root_overreach`: of a root's height; as far above it the middle of its content may lie.
    """
    unit, parent = _unit("", box, ()), _unit("", outer, ())
    if relation is Relation.RIGHT:
        return unit.x > parent.x
    if relation is ABOVE:
        return unit.y < parent.y
    if relation is BELOW:
        return unit.y > parent.y
    if relation is INSIDE:
        return unit.x > outer.left and unit.y > outer.top - root_overreach * outer.height
    if relation is UPPER_LEFT:
        return box.left < parent.x
    # A script may be nearly as large as its symbol: what counts is where it reaches.
    if relation is SUP:
        return box.top < parent.y and unit.y < outer.bottom and box.right > outer.left
    return box.bottom > parent.y and unit.y > outer.top and box.right > outer.left
