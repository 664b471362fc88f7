r"""Layout of marks that stretch: over what they cover, around it, or under what stands on them.

Accents (`\overline`, `\overrightarrow`, `\widehat`, `\dot`), rings and boxes (`\textcircled`,
`\boxed`), arrows and long equals signs with text (`\xrightarrow`, `\xlongequal`). CROHME has none
of these, so there are no examples to learn from: each number is drawn from a range
(`MarksConfig`), about as wide as what people do.
"""

from collections.abc import Callable

from san.grammar.constructs import CONSTRUCTS
from san.grammar.tree import Relation, Symbol
from san.ink.strokes import Box
from san.synth.layout.observations import middle_x, union
from san.synth.layout.writer import Block, ExpressionWriter

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE

DOTS = frozenset((r"\dot", r"\ddot"))
ARROWS = frozenset((r"\overrightarrow", r"\vec", r"\xrightarrow"))
"""Their heads keep their size while their shafts grow."""
RINGS = frozenset((r"\textcircled", r"\boxed"))
OVER = frozenset(
    name
    for name, construct in CONSTRUCTS.items()
    if construct.arguments == (BELOW,) and construct.sup is not ABOVE
)
UNDER = frozenset((r"\underline",))
TEXTED = frozenset(name for name, construct in CONSTRUCTS.items() if construct.option is BELOW)

LayChain = Callable[[tuple[Symbol, ...], float], Block]
"""Lays out symbols side by side at an em."""
MarkedBlock = tuple[Block, dict[Relation, Block]]
"""The mark where it belongs, and what it marks. The block's `symbol_box` is what scripts hang on:
the mark together with its content."""


def lay_mark(
    writer: ExpressionWriter, lay_chain: LayChain, symbol: Symbol, em: float
) -> MarkedBlock | None:
    """None for a symbol that is no such mark."""
    if symbol.name in OVER or symbol.name in UNDER:
        return _covered(writer, lay_chain, symbol, em)
    if symbol.name in RINGS:
        return _ringed(writer, lay_chain, symbol, em)
    if symbol.name in TEXTED:
        return _texted(writer, lay_chain, symbol, em)
    return None


def _covered(
    writer: ExpressionWriter, lay_chain: LayChain, symbol: Symbol, em: float
) -> MarkedBlock:
    random, config = writer.random, writer.config.marks
    where = ABOVE if symbol.name in UNDER else BELOW
    inside = lay_chain(symbol.branch(where).symbols, em)
    content = inside.box
    width = max(content.width * random.between(*config.cover_width), config.min_cover_width * em)
    middle = middle_x(content) + random.bell(config.cover_shift) * em
    gap = random.between(*config.cover_gap) * em
    if symbol.name in DOTS:
        mark = writer.plain(symbol.name, em)
        width = mark.box.width
    else:
        mark = _stretched(writer, symbol.name, em, width)
    y = content.bottom + gap - mark.box.top
    if where is BELOW:
        y = content.top - gap - mark.box.bottom
    mark.move(middle - width / 2 - mark.box.left, y)
    mark.symbol_box = union(mark.box, content)
    return mark, {where: inside}


def _ringed(
    writer: ExpressionWriter, lay_chain: LayChain, symbol: Symbol, em: float
) -> MarkedBlock:
    random, config = writer.random, writer.config.marks
    inside = lay_chain(symbol.branch(INSIDE).symbols, em * random.between(*config.ring_content))
    # What is in a ring stands in the middle of the line, however high it would stand alone.
    lift = random.bell(config.ring_content_shift) * em
    inside.move(0, lift - (inside.box.top + inside.box.bottom) / 2)
    content = inside.box
    pad = random.between(*config.ring_padding) * em
    wide, tall = content.width / 2 + pad, content.height / 2 + pad
    if symbol.name == r"\textcircled":
        # The corners of the content may just touch the ring; and a ring is as round as it can be.
        wide *= random.between(*config.ring_widening)
        tall *= random.between(*config.ring_widening)
        wide = max(wide, tall * random.between(*config.ring_width))
        followed = min(wide, config.max_ring_lift * em)
        tall = max(tall, followed * random.between(*config.ring_height))
    x, y = middle_x(content), (content.top + content.bottom) / 2
    shift = config.ring_shift
    x, y = x + random.bell(shift) * pad, y + random.bell(shift) * pad
    ring = writer.fitted(writer.glyph(symbol.name), em, Box(x - wide, y - tall, x + wide, y + tall))
    left, top, right, bottom = ring.box
    margin = config.ring_margin * em
    ring.box = Box(left - margin, top, right + margin, bottom)
    return ring, {INSIDE: inside}


def _texted(
    writer: ExpressionWriter, lay_chain: LayChain, symbol: Symbol, em: float
) -> MarkedBlock:
    random, config = writer.random, writer.config.marks
    size = em * random.between(*config.text_size)
    parts = {
        relation: lay_chain(part.symbols, size)
        for relation, part in symbol.branches
        if relation is ABOVE or relation is BELOW
    }
    widest = max((part.box.width for part in parts.values()), default=0.0)
    width = max(
        widest + random.between(*config.text_overhang) * em,
        random.between(*config.min_arrow_width) * em,
    )
    mark = _stretched(writer, symbol.name, em, width)
    for relation, part in parts.items():
        gap = random.between(*config.text_gap) * em
        x = width / 2 + random.bell(config.text_shift) * em - middle_x(part.box)
        if relation is ABOVE:
            part.move(x, mark.box.top - gap - part.box.bottom)
        else:
            part.move(x, mark.box.bottom + gap - part.box.top)
    return mark, parts


def _stretched(writer: ExpressionWriter, name: str, em: float, width: float) -> Block:
    """A mark as wide as this, as high above the line as it was written."""
    bank, config = writer.bank, writer.config.marks
    glyph = writer.glyph(name)
    source, factor = bank.box[glyph], em / bank.em[glyph]
    stretch = width / max(source.width * factor, config.min_stretched_width * em)
    # What grows in length hardly grows in height: a long hat is a flat one.
    least, most = config.height_bounds
    tall = min(max(stretch, least) ** config.height_growth, most) * factor
    top = (source.top - bank.axis[glyph]) * tall
    block = writer.fitted(glyph, em, Box(0.0, top, width, top + source.height * tall))
    if name in ARROWS:
        head = min(
            max(config.arrow_head * source.height, 1.0), config.max_arrow_head * source.width
        )
        shaft = source.width - head
        keep = min(tall, config.max_arrow_head * width / head)
        block.placed[0].bend = (source.right - head, (width - head * keep) / shaft, keep)
    return block
