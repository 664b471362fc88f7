"""A bank's symbols that its ink does not have: made from real glyphs where a rule can, or drawn.

Made once, when the bank is made, from a fixed seed: to compose with them costs no more than with
any other glyph, and every process makes the same.
"""

from typing import TYPE_CHECKING

import numpy as np

from san.ink.alphabet import SHAPES, WAYS, outlines
from san.synth.glyphs.derived import Maker, Paper, parts_of
from san.synth.glyphs.drawn import Piece, drawn
from san.synth.glyphs.rules import RULES, SPELLED

if TYPE_CHECKING:
    from san.synth.glyphs.bank import Bank

SEED = 20
HANDS = 36
"""Hands of one symbol, about: its ways and rules share them, and a rule counts twice."""
EACH = 6
"""Writings of a symbol by one hand."""
RULED = Paper(19.0, 13.0)
"""How the ruled paper meets ink of which nothing is known."""


def widened(bank: "Bank", paper: Paper) -> dict[str, list[list[Piece]]]:
    """For each symbol that nobody wrote its writings, hand by hand, on the ruled paper."""
    made = {}
    for number, name in enumerate(sorted({*WAYS, *RULES, *SPELLED})):
        if name not in bank.of_name:
            rng = np.random.default_rng((SEED, number))
            if groups := _made(name, Maker(bank, paper, rng), rng):
                made[name] = groups
    return made


def _made(name: str, maker: Maker, rng: np.random.Generator) -> list[list[Piece]]:
    if name in SPELLED:
        word = SPELLED[name]
        known = all(letter in maker.bank.of_name for letter in word)
        return maker.spelled(word, HANDS, EACH) if known else []
    ways = WAYS.get(name, ())
    rules = [
        rule for rule in RULES.get(name, ()) if maker.can([part.name for part in parts_of(rule)])
    ]
    share = HANDS / max(len(ways) + 2 * len(rules), 1)
    groups: list[list[Piece]] = []
    for way in ways:
        groups += drawn(way, rng, max(round(share), 2), EACH)
    for rule in rules:
        groups += maker.derived(rule, max(round(2 * share), 2), EACH)
    return groups


def paper_of(bank: "Bank") -> Paper:
    """Measured on the letters and digits that both the bank and the ruled paper have."""
    sizes, axes = [], []
    ems, lines_of = np.array(bank.em), np.array(bank.axis)
    for name in sorted(bank.of_name.keys() & SHAPES.keys()):
        if not name.isalnum():
            continue
        glyphs = np.array(bank.of_name[name])
        em, axis = ems[glyphs], lines_of[glyphs]
        tops, bottoms = (np.median((bank.boxes[glyphs, side] - axis) / em) for side in (1, 3))
        lines = np.concatenate([own.knots[:, 1] for own in outlines(name)])
        top, bottom = lines.min(), lines.max()
        if bottoms - tops > 0.1:
            size = (bottom - top) / (bottoms - tops)
            sizes.append(size)
            axes.append((top + bottom) / 2 - size * (tops + bottoms) / 2)
    return Paper(float(np.median(sizes)), float(np.median(axes))) if sizes else RULED
