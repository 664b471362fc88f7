r"""Typesets marks: accents, bars and arrows over content, boxes, arrows with text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from san.grammar.characters import character
from san.grammar.constructs import CONSTRUCTS
from san.grammar.tree import Relation, Symbol
from san.synth.printed.blocks import Block, block_of, fitted

if TYPE_CHECKING:
    from san.synth.printed.typeset import Typesetter

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
ARROWS = frozenset(r"\overrightarrow \overleftarrow \overleftrightarrow \vec".split())
BARS = frozenset(r"\overline \bar \underline".split())
BOX, RING, EQUALS = r"\boxed", r"\textcircled", r"\xlongequal"
OVER = frozenset(
    name for name, construct in CONSTRUCTS.items() if construct.arguments == (BELOW,)
) - {r"\overbrace"}
UNDER = frozenset((r"\underline",))
TEXTED = frozenset(name for name, construct in CONSTRUCTS.items() if construct.option is BELOW)
MARKS = OVER | UNDER | TEXTED | {BOX, RING}
ACCENTS = frozenset(r"\hat \dot \ddot \tilde \check \acute \grave \breve \mathring".split())
"""These keep their width."""


def lay_mark(setter: Typesetter, symbol: Symbol, number: int, size: float) -> Block:
    """A mark with its content, and scripts."""
    if symbol.name in TEXTED:
        return _texted(setter, symbol, number, size)
    if symbol.name in (BOX, RING):
        return setter.scripted(symbol, number, _around(setter, symbol, number, size), size)
    block = _covered(setter, symbol, number, size)
    return setter.scripted(symbol, number, block, size, (ABOVE, BELOW))


def _covered(setter: Typesetter, symbol: Symbol, number: int, size: float) -> Block:
    side = ABOVE if symbol.name in UNDER else BELOW
    content = setter.parts(symbol, number, {side: size}).get(side, Block())
    gap = setter.random.between(*setter.config.mark_gap) * size
    wide = (content.right - content.left) * setter.random.between(*setter.config.mark_width)
    if symbol.name in BARS:
        mark = setter.bar(number, 0.0, wide, 0.0, size)
    else:
        outline = setter.outline(character(symbol.name))
        left, top, right, bottom = outline.box
        max_wide, max_high = setter.config.max_accent
        if symbol.name in ACCENTS:
            wide = min(right - left, max_wide) * size
        elif symbol.name in ARROWS:
            max_high = setter.config.max_arrow_height
        high = min(bottom - top, max_high) * size
        mark = fitted(outline, number, (0.0, 0.0, wide, high))
    if side is BELOW:
        mark.move(content.middle - mark.middle, content.top - gap - mark.bottom)
    else:
        mark.move(content.middle - mark.middle, content.bottom + gap - mark.top)
    width = max(content.width, content.right)
    mark.take(content)
    mark.width = width
    return mark


def _around(setter: Typesetter, symbol: Symbol, number: int, size: float) -> Block:
    inner = size if symbol.name == BOX else setter.config.ringed_size * size
    content = setter.parts(symbol, number, {INSIDE: inner}).get(INSIDE, Block())
    gap = setter.random.between(*setter.config.box_gap) * size
    left, right = content.left - gap, content.right + gap
    top, bottom = content.top - gap, content.bottom + gap
    if symbol.name == RING:
        radius = max(right - left, bottom - top) / 2
        x, y = content.middle, (top + bottom) / 2
        ring = setter.outline("◯")
        block = fitted(ring, number, (x - radius, y - radius, x + radius, y + radius))
        right, left = x + radius, x - radius
    else:
        block = setter.bar(number, left, right, top, size)
        block.take(setter.bar(number, left, right, bottom, size))
        for x in (left, right):
            upright = setter.bar(number, 0.0, 1.0, 0.0, size)
            half = setter.rule * size / 2
            block.take(fitted(upright.placed[0].outline, number, (x - half, top, x + half, bottom)))
    block.take(content)
    block.move(-left, 0)
    block.width = right - left
    return block


def _texted(setter: Typesetter, symbol: Symbol, number: int, size: float) -> Block:
    parts = setter.parts(symbol, number, dict.fromkeys((ABOVE, BELOW), setter.script(size)))
    wide = max((part.right - part.left for part in parts.values()), default=0.0)
    wide = max(wide + 2 * setter.config.arrow_margin * size, size)
    if symbol.name == EQUALS:
        half = setter.config.equals_gap * size / 2
        mark = setter.bar(number, 0.0, wide, -setter.axis * size - half, size)
        mark.take(setter.bar(number, 0.0, wide, -setter.axis * size + half, size))
    else:
        mark = block_of(setter.outline(character(symbol.name)), number, size, size)
        (placed,) = mark.placed
        mark = fitted(placed.outline, number, (0.0, mark.top, wide, mark.bottom))
    for side, part in parts.items():
        gap = setter.random.between(*setter.config.mark_gap) * size
        y = mark.top - gap - part.bottom if side is ABOVE else mark.bottom + gap - part.top
        part.move(wide / 2 - part.middle, y)
    for part in parts.values():
        mark.take(part)
    mark.width = wide
    return mark
