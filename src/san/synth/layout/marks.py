r"""Marks that are drawn to fit: over what they cover, around it, or under what stands on them.

Accents (`\overline`, `\overrightarrow`, `\widehat`, `\dot`), rings and boxes (`\textcircled`,
`\boxed`), arrows and long equals signs with text (`\xrightarrow`, `\xlongequal`). CROHME has none
of these, so there are no examples to learn from: each number is drawn from a
range, about as wide as what pupils do.
"""

from typing import TYPE_CHECKING

from san.grammar.constructs import CONSTRUCTS
from san.grammar.tree import Relation, Symbol
from san.ink.strokes import Box
from san.synth.layout.blocks import Block
from san.synth.layout.observe import across, union

if TYPE_CHECKING:
    from san.synth.layout.place import Layout

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE

DOTS = frozenset((r"\dot", r"\ddot"))
ARROWS = frozenset((r"\overrightarrow", r"\vec", r"\xrightarrow"))
"""Their heads keep their size while their shafts grow."""
AROUND = 0.08
"""Em: a ring keeps so much more away from its neighbours than a letter does."""
RINGS = frozenset((r"\textcircled", r"\boxed"))
OVER = frozenset(
    name for name, own in CONSTRUCTS.items() if own.arguments == (BELOW,) and own.sup is not ABOVE
)
UNDER = frozenset((r"\underline",))
TEXTED = frozenset(name for name, own in CONSTRUCTS.items() if own.option is BELOW)


def marked(
    layout: "Layout", symbol: Symbol, em: float
) -> tuple[Block, dict[Relation, Block]] | None:
    """The mark where it belongs, and what it marks; None for a symbol that is no such mark.

    The block's `own` box is what scripts hang on: the mark together with its content.
    """
    if symbol.name in OVER or symbol.name in UNDER:
        return _covered(layout, symbol, em)
    if symbol.name in RINGS:
        return _ringed(layout, symbol, em)
    if symbol.name in TEXTED:
        return _texted(layout, symbol, em)
    return None


def _covered(layout: "Layout", symbol: Symbol, em: float) -> tuple[Block, dict[Relation, Block]]:
    random = layout.random
    where = ABOVE if symbol.name in UNDER else BELOW
    inside = layout.chain(symbol.branch(where).symbols, em)
    content = inside.box
    width = max(content.width * random.between(0.85, 1.15), 0.3 * em)
    middle = across(content) + random.bell(0.05) * em
    gap = random.between(0.06, 0.22) * em
    if symbol.name in DOTS:
        mark = layout.plain(symbol.name, em)
        width = mark.box.width
    else:
        mark = _stretched(layout, symbol.name, em, width)
    y = content.bottom + gap - mark.box.top
    if where is BELOW:
        y = content.top - gap - mark.box.bottom
    mark.move(middle - width / 2 - mark.box.left, y)
    mark.own = union(mark.box, content)
    return mark, {where: inside}


def _ringed(layout: "Layout", symbol: Symbol, em: float) -> tuple[Block, dict[Relation, Block]]:
    random = layout.random
    round_ = symbol.name == r"\textcircled"
    inside = layout.chain(symbol.branch(INSIDE).symbols, em * random.between(0.65, 0.95))
    # What is in a ring stands in the middle of the line, however high it would stand alone.
    inside.move(0, random.bell(0.06) * em - (inside.box.top + inside.box.bottom) / 2)
    content = inside.box
    pad = random.between(0.1, 0.3) * em
    wide, tall = content.width / 2 + pad, content.height / 2 + pad
    if round_:
        # The corners of the content may just touch the ring; and a ring is as round as it can be.
        wide, tall = wide * random.between(1.1, 1.35), tall * random.between(1.1, 1.35)
        wide = max(wide, tall * random.between(0.85, 1.1))
        tall = max(tall, min(wide, 0.6 * em) * random.between(0.8, 1.0))
    x, y = across(content), (content.top + content.bottom) / 2
    x, y = x + random.bell(0.1) * pad, y + random.bell(0.1) * pad
    ring = layout.fitted(layout.glyph(symbol.name), em, Box(x - wide, y - tall, x + wide, y + tall))
    left, top, right, bottom = ring.box
    ring.box = Box(left - AROUND * em, top, right + AROUND * em, bottom)
    return ring, {INSIDE: inside}


def _texted(layout: "Layout", symbol: Symbol, em: float) -> tuple[Block, dict[Relation, Block]]:
    random = layout.random
    size = em * random.between(0.5, 0.75)
    parts = {
        relation: layout.chain(part.symbols, size)
        for relation, part in symbol.branches
        if relation is ABOVE or relation is BELOW
    }
    widest = max((part.box.width for part in parts.values()), default=0.0)
    width = max(widest + random.between(0.1, 0.7) * em, random.between(1.0, 1.6) * em)
    mark = _stretched(layout, symbol.name, em, width)
    for relation, part in parts.items():
        gap = random.between(0.05, 0.2) * em
        x = width / 2 + random.bell(0.08) * em - across(part.box)
        if relation is ABOVE:
            part.move(x, mark.box.top - gap - part.box.bottom)
        else:
            part.move(x, mark.box.bottom + gap - part.box.top)
    return mark, parts


def _stretched(layout: "Layout", name: str, em: float, width: float) -> Block:
    """A mark as wide as this, as high above the line as it was written."""
    bank = layout.bank
    glyph = layout.glyph(name)
    source, factor = bank.box[glyph], em / bank.em[glyph]
    stretch = width / max(source.width * factor, 0.1 * em)
    # What grows in length hardly grows in height: a long hat is a flat one.
    tall = min(max(stretch, 0.4) ** 0.3, 1.2) * factor
    top = (source.top - bank.axis[glyph]) * tall
    block = layout.fitted(glyph, em, Box(0.0, top, width, top + source.height * tall))
    if name in ARROWS:
        head = min(max(0.8 * source.height, 1.0), 0.5 * source.width)
        shaft = source.width - head
        keep = min(tall, 0.5 * width / head)
        block.placed[0].bend = (source.right - head, (width - head * keep) / shaft, keep)
    return block
