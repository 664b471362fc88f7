"""A formula's tree -> ink, laid out as people write it.

Design choices
- The tree says everything: what stands above, below, inside; the proportions here are a writer's,
  not a typesetter's.
- A piece is what has been written so far, with y = 0 on its line. Pieces are moved, never written
  anew.
- Recursion follows the formula. Samples are ours, and shallow.
"""

from dataclasses import dataclass

import numpy as np

from san.grammar import parse
from san.grammar.constructs import CONSTRUCTS, LIMIT_OPERATORS
from san.grammar.tree import Expression, Relation, Symbol
from san.ink import Box, Sheet
from san.ink.alphabet import WORDS, SimulatedWriter, sheet_of
from san.ink.strokes import Points, box_of

AXIS = -6.8
"""Where +, - and the bar of a fraction stand, over the line."""
SCRIPT, LIMIT, NESTED = 0.64, 0.72, 0.92
"""Sizes of scripts, of limits and of what stands over and under a bar."""
SIGNS = frozenset(r"+ - = < > \pm \times \geq \leq \neq \in \rightarrow".split())
WIDE = frozenset({*CONSTRUCTS, *WORDS})
"""Around these a writer leaves room."""
OPENING, CLOSING = frozenset("([|"), frozenset(")]|")
UNITS = 3.0
"""Ink units for one unit of the alphabet's ruled paper."""


@dataclass
class Piece:
    """Symbols with their strokes."""

    written: list[tuple[str, list[Points]]]

    @property
    def box(self) -> Box:
        return box_of(stroke for _, own in self.written for stroke in own)

    def moved(self, x: float, y: float) -> "Piece":
        by = np.array([x, y], np.float32)
        return Piece([(label, [stroke + by for stroke in own]) for label, own in self.written])

    def at(self, left: float, y: float = 0.0) -> "Piece":
        return self.moved(left - self.box.left, y)

    def centred(self, middle: float, y: float) -> "Piece":
        return self.moved(middle - (self.box.left + self.box.right) / 2, y)


def write_formula(latex: str, writer: SimulatedWriter) -> Sheet:
    """The ink of a formula, with its truth and its symbols; coordinates have one decimal."""
    written = _chain(parse(latex), writer, 1.0).written
    corner = np.min([stroke.min(axis=0) for _, own in written for stroke in own], axis=0)
    rounded = [
        (label, [((stroke - corner) * UNITS).round(1) for stroke in own]) for label, own in written
    ]
    return sheet_of(rounded, latex)


def _chain(expression: Expression, writer: SimulatedWriter, size: float) -> Piece:
    symbols = expression.symbols
    heights = _fences(symbols, writer, size)
    row: list[tuple[str, list[Points]]] = []
    pen = 0.0
    for place, symbol in enumerate(symbols):
        before = symbols[place - 1] if place else None
        if before is not None:
            gap = _gap(before.name, symbol.name, place == 1, writer)
            pen += (gap + (2.6 if before.branches else 0)) * size
        piece = _symbol(symbol, writer, size, heights.get(place))
        piece = piece.at(pen, writer.jitter(writer.drift) * size)
        row += piece.written
        pen = piece.box.right
    return Piece(row)


def _gap(left: str, right: str, first: bool, writer: SimulatedWriter) -> float:
    gap = 3.2
    signs = left in SIGNS, right in SIGNS
    if signs[1] or (signs[0] and not first):  # a sign in front belongs to what it negates
        gap = 6.0
    if left == "," or {left, right} & WIDE:
        gap = max(gap, 5.6)
    return max(gap + writer.jitter(0.9), 1.4)


def _fences(symbols: tuple[Symbol, ...], writer: SimulatedWriter, size: float) -> dict[int, Box]:
    """What the fences of a chain enclose, for those around something tall."""
    around: dict[int, Box] = {}
    opened: list[int] = []
    for place, symbol in enumerate(symbols):
        if symbol.name in CLOSING and opened:
            start = opened.pop()
            inner = Expression(symbols[start + 1 : place])
            if any(one.name in CONSTRUCTS for one in inner.symbols):
                # Written once more by another hand of the same habits: only its height is wanted.
                trial = SimulatedWriter(writer.seed, writer.slant, writer.width, 0.0)
                around[start] = around[place] = _chain(inner, trial, size).box
        elif symbol.name in OPENING:
            opened.append(place)
    return around


def _symbol(symbol: Symbol, writer: SimulatedWriter, size: float, around: Box | None) -> Piece:
    if symbol.name == r"\frac":
        return _fraction(symbol, writer, size)
    if symbol.name == r"\sqrt":
        return _root(symbol, writer, size)
    base = Piece([(symbol.name, writer.write(symbol.name, size))])
    if around is not None:
        tall = around.height + 4 * size
        base = Piece([(symbol.name, writer.write(symbol.name, size, height=tall))])
        base = base.moved(0, (around.top + around.bottom) / 2 - _middle(base))
    if symbol.name in LIMIT_OPERATORS:
        return _limits(symbol, base, writer, size)
    return _scripts(symbol, base, writer, size)


def _middle(piece: Piece) -> float:
    return (piece.box.top + piece.box.bottom) / 2


def _scripts(symbol: Symbol, base: Piece, writer: SimulatedWriter, size: float) -> Piece:
    box, written = base.box, list(base.written)
    small = SCRIPT * size
    gap = (1.9 + abs(writer.jitter(0.4))) * size
    if symbol.has(Relation.SUB):
        sub = _chain(symbol.branch(Relation.SUB), writer, small)
        tall = symbol.name == r"\int" or symbol.name in CLOSING
        left = box.right - (4.4 * size if symbol.name == r"\int" else 0) + gap
        # Halfway below the line, whatever hangs below it; or at the foot of what is tall.
        top = box.bottom - 0.75 * sub.box.height if tall else -0.25 * sub.box.height
        written += sub.at(left).moved(0, top - sub.box.top).written
    if symbol.has(Relation.SUP):
        sup = _chain(symbol.branch(Relation.SUP), writer, small)
        bottom = box.top + 0.34 * min(box.height, 18 * size)
        written += sup.at(box.right + gap).moved(0, bottom - sup.box.bottom).written
    return Piece(written)


def _limits(symbol: Symbol, base: Piece, writer: SimulatedWriter, size: float) -> Piece:
    box, written = base.box, list(base.written)
    middle = (box.left + box.right) / 2
    for relation in (Relation.ABOVE, Relation.BELOW):
        if symbol.has(relation):
            limit = _chain(symbol.branch(relation), writer, LIMIT * size)
            gap = (3.2 + abs(writer.jitter(0.5))) * size
            y = box.top - gap - limit.box.bottom
            if relation is Relation.BELOW:
                y = box.bottom + gap - limit.box.top
            written += limit.centred(middle + writer.jitter(0.6) * size, y).written
    return Piece(written)


def _fraction(symbol: Symbol, writer: SimulatedWriter, size: float) -> Piece:
    parts = [
        _chain(symbol.branch(relation), writer, NESTED * size)
        for relation in (Relation.ABOVE, Relation.BELOW)
    ]
    wide = max(part.box.width for part in parts) + (5 + abs(writer.jitter(1))) * size
    bar = Piece([(r"\frac", writer.write(r"\frac", size, width=wide))]).at(0)
    middle, axis = wide / 2, _middle(bar)
    written = bar.written
    gap = (3 + abs(writer.jitter(0.4))) * size
    for part, y in zip(
        parts, (axis - gap - parts[0].box.bottom, axis + gap - parts[1].box.top), strict=True
    ):
        written += part.centred(middle + writer.jitter(0.8) * size, y).written
    return Piece(written)


def _root(symbol: Symbol, writer: SimulatedWriter, size: float) -> Piece:
    inside = _chain(symbol.branch(Relation.INSIDE), writer, size * 0.96)
    gap = (4.2 + abs(writer.jitter(0.3))) * size
    tick = 9.6 * size
    tall = inside.box.height + gap + 1.4 * size
    sign = Piece(
        [(r"\sqrt", writer.write(r"\sqrt", size, inside.box.width + tick + 3 * size, tall))]
    ).at(0)
    sign = sign.moved(0, inside.box.bottom + 1.4 * size - sign.box.bottom)
    written = sign.written + inside.at(tick).written
    if symbol.has(Relation.UPPER_LEFT):
        index = _chain(symbol.branch(Relation.UPPER_LEFT), writer, 0.6 * size)
        elbow = sign.box.bottom - 0.52 * sign.box.height
        written = index.at(-3.6 * size).moved(0, elbow - index.box.bottom).written + written
    return Piece(written)
