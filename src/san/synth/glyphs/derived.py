r"""Glyphs of symbols that the ink lacks: put together from written ones, spelled, or drawn.

A rule that puts a symbol together is parts joined by "&". A part is "glyph left,top right,bottom":
a written glyph, and the box that it fills on the alphabet's ruled paper
(`san.ink.alphabet_letters`); with "?" for the right edge it keeps its proportions. Before it is put
there, "@90" turns it clockwise, "@mirror" mirrors it, and "@level" shears it until its lower arm is
level.

Design choices
- Derived once, when the bank is built, from a fixed seed: to compose with them costs no more than
  with any other glyph, and every process derives the same.
- A writer writes all the parts of a symbol: its own strokes, only put elsewhere. Where nobody wrote
  them all, each part is anybody's; and what nobody wrote (the tilde of a congruence) is drawn.
- Boxes are missed a little, by each writer in another way, so that no two writers agree on where
  the tail of a Q begins.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.ink.alphabet import SHAPES, VARIANTS, knot_strokes
from san.ink.strokes import Points
from san.synth.glyphs.bank import NO_WRITER, GlyphBank
from san.synth.glyphs.config import DerivedConfig
from san.synth.glyphs.drawn import GlyphInk, drawn


class Part(NamedTuple):
    """One part of a rule."""

    name: str
    change: str  # a turn in degrees, "mirror", "level" or nothing
    left: float
    top: float
    right: float  # NaN: as its height has it
    bottom: float


def parts_of(rule: str) -> list[Part]:
    """The parts of a rule in the order in which they are written."""
    parts = []
    for words in rule.split(" & "):
        glyph, start, end = words.split()
        name, _, change = glyph.partition("@")
        left, top = map(float, start.split(","))
        right, bottom = (float("nan") if side == "?" else float(side) for side in end.split(","))
        parts.append(Part(name, change, left, top, right, bottom))
    return parts


RULES: dict[str, tuple[str, ...]] = {
    "D": ("| 0.4,3 1,20.4 & ) 0.8,3 8.6,20",),
    "O": ("o 0,3 ?,20", "0 0,3 11,20"),
    "Q": ("0 0,3 10.6,19.6 & /@90 6,14 11.4,21", "o 0,3 ?,19.6 & /@90 7,15 12,21.6"),
    "U": ("u 0,3 ?,20",),
    "W": ("w 0,3 ?,20",),
    "K": ("k 0,3 ?,20",),
    "Z": ("z 0,3 ?,20",),
    r"\rho": ("p 0,10 ?,27.6",),
    r"\varphi": (r"\phi 0,7 ?,26",),
    r"\Lambda": ("V@180 0,3 ?,20",),
    r"\angle": ("<@level 0,6 10.6,19.8", "<@level 0,9 12,19.4"),
    r"\circ": ("o 0,9 ?,17", "0 0,9 ?,17.4", "0 0,9.4 7.4,16.6"),
    ":": (". 0,10 1,11 & . 0,18 1,19",),
    ";": (". 1,10.6 2,11.6 & , 0,18 1.8,23.4",),
    r"\therefore": (". 0,18 1,19 & . 8,18 9,19 & . 4,10 5,11",),
    r"\because": (". 0,10 1,11 & . 8,10 9,11 & . 4,18 5,19",),
    r"\%": (
        "/ 1.4,2.6 10,20.6 & o 0,3 4.6,8.6 & o 7.4,14 12,19.8",
        "/ 1.4,2.6 10.4,20.6 & 0 0,3.4 5,9 & 0 7,13.6 12,19.6",
    ),
    r"\uparrow": (r"\rightarrow@-90 0,3 7.6,20.4",),
    r"\downarrow": (r"\rightarrow@90 0,3 7.6,20.4",),
    r"\leftarrow": (r"\rightarrow@180 0,9 16.6,17",),
    r"\Rightarrow": ("= 0,11 13,15.6 & > 9.6,7.6 16.4,18.6",),
    r"\Leftarrow": ("= 3.4,11 16.4,15.6 & < 0,7.6 6.8,18.6",),
    r"\Leftrightarrow": ("= 4,11 15.6,15.6 & < 0,7.6 6.4,18.6 & > 13,7.6 19.6,18.6",),
    r"\rightleftharpoons": (r"\rightarrow 0,7.6 16,13 & \rightarrow@180 0,13.8 16,19",),
    r"\perp": ("T@180 0,5 12,20",),
    r"\sim": ("S@90 0,10 13,16", "s@90 0,10.4 12,15.6"),
    r"\cong": (r"\sim 0.4,6 10.4,9.4 & = 0,12 11,16.6",),
    r"\equiv": ("= 0,9.4 10,13.6 & - 0,17.6 10,18.2",),
    "、": (",@mirror 0,16.6 2.6,20.6",),
    "。": ("o 0,16 ?,20.8", "0 0,16 ?,20.6"),
    '"': (r"\prime 0,1 ?,6.6 & \prime 3,1 ?,6.6",),
    r"\geqslant": ("> 0,5 9,14.6 & - 0,17 9,18",),
    r"\leqslant": ("< 0,5 9,14.6 & - 0,17 9,18",),
    r"\_": ("- 0,20 12,20.6",),
    r"\bigcirc": ("0 0,3 17,20",),
    r"\vdots": (r"\ldots@90 0.6,5 1.6,20",),
    r"\triangle": (r"\Delta 0,4 ?,19.6",),
    r"\parallel": ("/ 0,3 4,20 & / 4.6,3 8.6,20",),
    r"\textcircled": ("0 0,0 18,18",),
    r"\overrightarrow": (r"\rightarrow 0,8.6 17,17",),
    r"\vec": (r"\rightarrow 0,8.6 17,17",),
    r"\xrightarrow": (r"\rightarrow 0,8.6 17,17",),
    r"\xlongequal": ("= 0,10.6 16,15.6",),
    r"\overline": ("- 0,1 12,2", r"\frac 0,1 14,2"),
    r"\bar": ("- 0,1 12,2",),
    r"\underline": ("- 0,1 12,2", r"\frac 0,1 14,2"),
    r"\widehat": ("<@90 0,0 10,4",),
    r"\hat": ("<@90 0,0 10,4",),
    r"\dot": (". 0,0 1,1",),
    r"\ddot": (". 0,0 1,1 & . 4.4,0 5.4,1",),
}

SPELLED: dict[str, str] = {
    r"\min": "min",
    r"\max": "max",
    r"\ln": "ln",
    r"\lg": "lg",
    r"\cot": "cot",
    r"\arcsin": "arcsin",
    r"\arccos": "arccos",
    r"\arctan": "arctan",
}
"""Symbols that are written letter by letter."""


class RuledPaper(NamedTuple):
    """Where the alphabet's ruled paper meets the bank: units of an em, and the axis's height."""

    em: float
    axis: float


MIN_ARM_WIDTH = 0.1
"""Em: keeps the slope of an upright arm finite."""


def derive(
    bank: GlyphBank, paper: RuledPaper, config: DerivedConfig = DerivedConfig()
) -> dict[str, list[list[GlyphInk]]]:
    """For each symbol that the bank lacks its glyphs, writer by writer, on the ruled paper."""
    derived = {}
    for number, name in enumerate(sorted({*VARIANTS, *RULES, *SPELLED})):
        if name not in bank.by_name:
            rng = np.random.default_rng((config.seed, number))
            if groups := Deriver(bank, paper, rng, config).glyphs(name):
                derived[name] = groups
    return derived


def ruled_paper_of(bank: GlyphBank, config: DerivedConfig = DerivedConfig()) -> RuledPaper:
    """Measured on the letters and digits that both the bank and the ruled paper have."""
    sizes, axes = [], []
    ems, glyph_axes = np.array(bank.em), np.array(bank.axis)
    for name in sorted(bank.by_name.keys() & SHAPES.keys()):
        if not name.isalnum():
            continue
        glyphs = np.array(bank.by_name[name])
        em, axis = ems[glyphs], glyph_axes[glyphs]
        tops, bottoms = (np.median((bank.boxes[glyphs, side] - axis) / em) for side in (1, 3))
        heights = np.concatenate([outline.knots[:, 1] for outline in knot_strokes(name)])
        top, bottom = heights.min(), heights.max()
        if bottoms - tops > config.min_letter_height:
            size = (bottom - top) / (bottoms - tops)
            sizes.append(size)
            axes.append((top + bottom) / 2 - size * (tops + bottoms) / 2)
    if not sizes:
        return RuledPaper(*config.default_paper)
    return RuledPaper(float(np.median(sizes)), float(np.median(axes)))


class Deriver:
    """Derives symbols from the glyphs of a bank; the same generator, the same ink."""

    def __init__(
        self,
        bank: GlyphBank,
        paper: RuledPaper,
        rng: np.random.Generator,
        config: DerivedConfig = DerivedConfig(),
    ) -> None:
        self.bank, self.paper, self.rng, self.config = bank, paper, rng, config
        self._bank_writers = sorted({writer for _, writer in bank.by_writer})

    def glyphs(self, name: str) -> list[list[GlyphInk]]:
        """All glyphs of one symbol, writer by writer; none where there is no way to derive it."""
        config = self.config
        writers, fewest, each = config.writers, config.min_writers, config.glyphs_per_writer
        if name in SPELLED:
            word = SPELLED[name]
            known = all(letter in self.bank.by_name for letter in word)
            return self.by_spelling(word, writers, each) if known else []
        ways = VARIANTS.get(name, ())
        rules = [
            rule
            for rule in RULES.get(name, ())
            if self.is_possible([part.name for part in parts_of(rule)])
        ]
        share = writers / max(len(ways) + config.rule_weight * len(rules), 1)
        groups: list[list[GlyphInk]] = []
        for way in ways:
            groups += drawn(way, self.rng, max(round(share), fewest), each, config.drawn)
        for rule in rules:
            groups += self.by_rule(rule, max(round(config.rule_weight * share), fewest), each)
        return groups

    def is_possible(self, names: Sequence[str]) -> bool:
        """Whether there is ink for all of these parts, one of them at least written by somebody."""
        written = [name in self.bank.by_name for name in names]
        return any(written) and all(
            known or name in VARIANTS for known, name in zip(written, names, strict=True)
        )

    def by_rule(self, rule: str, writers: int, each: int) -> list[list[GlyphInk]]:
        """Glyphs of a symbol: by so many writers, so many of each."""
        parts = parts_of(rule)
        return [
            self._by_writer(parts, writer, each)
            for writer in self._writers([part.name for part in parts], writers)
        ]

    def by_spelling(self, word: str, writers: int, each: int) -> list[list[GlyphInk]]:
        """Letters side by side, as large and as high as each is written."""
        return [
            [self._word(word, writer) for _ in range(each)]
            for writer in self._writers(word, writers)
        ]

    def _writers(self, names: Sequence[str], count: int) -> list[int]:
        """Writers who wrote all of these, or NO_WRITER for anybody's."""
        written = [name for name in names if name in self.bank.by_name]
        able = [
            writer
            for writer in self._bank_writers
            if all((name, writer) in self.bank.by_writer for name in written)
        ]
        if not able:
            return [NO_WRITER] * count
        return [able[place] for place in self.rng.permutation(len(able))[:count]]

    def _glyph(self, name: str, writer: int) -> GlyphInk:
        """A glyph in em, about its left edge and its axis."""
        bank = self.bank
        glyphs = bank.by_writer.get((name, writer)) or bank.by_name.get(name)
        if not glyphs:
            way = VARIANTS[name][self.rng.integers(len(VARIANTS[name]))]
            (((points, lengths),),) = drawn(way, self.rng, 1, 1, self.config.drawn)
            return (points - (0, self.paper.axis)) / self.paper.em, lengths
        glyph = glyphs[self.rng.integers(len(glyphs))]
        points = bank.points[bank.point_ends[glyph] : bank.point_ends[glyph + 1]]
        first, last = bank.stroke_ends[glyph], bank.stroke_ends[glyph + 1]
        in_em = (points - (bank.box[glyph].left, bank.axis[glyph])) / bank.em[glyph]
        return in_em, bank.stroke_lengths[first:last].tolist()

    def _by_writer(self, parts: list[Part], writer: int, each: int) -> list[GlyphInk]:
        config = self.config
        # Where this writer means the corners of each box to be.
        corners = np.array([(part.left, part.top, part.right, part.bottom) for part in parts])
        corners += self.rng.normal(0, config.corner_habit, corners.shape)
        centre = np.tile(np.nanmean(corners.reshape(-1, 2), axis=0), 2)
        grow = np.tile(np.exp(self.rng.normal(0, config.size_habit)), 2)
        corners = (corners - centre) * grow + centre
        glyphs = []
        for _ in range(each):
            pieces, lengths = [], []
            for part, meant in zip(parts, corners, strict=True):
                points, part_lengths = self._glyph(part.name, writer)
                box = meant + np.tile(self.rng.normal(0, config.part_jitter, 2), 2)
                pieces.append(self._fitted(_changed(points, part.change), box))
                lengths += part_lengths
            glyphs.append((np.concatenate(pieces).astype(np.float32), lengths))
        return glyphs

    def _fitted(self, points: Points, box: NDArray[np.float64]) -> Points:
        """Points in em, brought to a box on the ruled paper."""
        thin = self.config.min_thickness
        low, high = points.min(axis=0), points.max(axis=0)
        wide, tall = (high - low).tolist()
        left, top, right, bottom = box.tolist()
        down = (bottom - top) / tall if tall > thin else self.paper.em
        if right != right:
            across = min(down, self.config.max_aspect * (bottom - top) / max(wide, thin))
            right = left + wide * across
        else:
            across = (right - left) / wide if wide > thin else self.paper.em
        middle = np.array(((left + right) / 2, (top + bottom) / 2))
        return np.asarray((points - (low + high) / 2) * (across, down) + middle)

    def _word(self, word: str, writer: int) -> GlyphInk:
        config = self.config
        pieces, lengths = [], []
        x = 0.0
        for letter in word:
            points, letter_lengths = self._glyph(letter, writer)
            points = points * (config.word_size * self.paper.em) + (x, self.paper.axis)
            gap = config.word_gap * self.rng.uniform(*config.word_gap_factor)
            x = float(points[:, 0].max()) + gap
            pieces.append(points)
            lengths += letter_lengths
        return np.concatenate(pieces).astype(np.float32), lengths


def _changed(points: Points, change: str) -> Points:
    """Turned, mirrored or levelled, as a part of a rule says."""
    if not change:
        return points
    if change == "mirror":
        return points * (-1, 1)
    if change == "level":
        return np.asarray(points - (0, _lower_slope(points)) * points[:, :1])
    turn = np.radians(float(change))
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray(points @ np.array(((cos, sin), (-sin, cos))))


def _lower_slope(points: Points) -> float:
    """How far it goes down from the leftmost point to the lowest right one, for each step right."""
    corner = points[points[:, 0].argmin()]
    end = points[(points[:, 0] + points[:, 1]).argmax()]
    return float((end[1] - corner[1]) / max(end[0] - corner[0], MIN_ARM_WIDTH))
