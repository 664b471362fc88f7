"""The numbers that shape glyphs: as they are cut out of ink, derived, drawn, and blended."""

from dataclasses import dataclass

from san.config import ranged
from san.synth.layout.config import MeasureConfig


@dataclass(frozen=True)
class BankConfig:
    """Which written glyphs are trusted, and how large and how high they are said to be."""

    root_overreach: float = ranged(
        0.25, 0, 10, "of a root's height: so far above it the middle of what is inside may lie"
    )
    min_glyphs: int = ranged(4, 1, 1000, "of a name, that tell how large it is written")
    measure: MeasureConfig = MeasureConfig()


@dataclass(frozen=True)
class DrawnConfig:
    """Our own shapes, as imagined writers would write them; lengths on the alphabet's ruled paper.

    A writer has habits that all its glyphs of a symbol share; each glyph misses them a little.
    """

    knot_habit: float = ranged(0.4, 0, 5, "deviation of where a writer means a knot to lie")
    size_habit: float = ranged(0.1, 0, 1, "deviation of a writer's size, as logarithm")
    width_habit: float = ranged(0.13, 0, 1, "deviation of a writer's width, as logarithm")
    slant_habit: tuple[float, float] = ranged((0.06, 0.1), -1, 1, "mean, deviation of the slant")
    max_smoothing: int = ranged(4, 0, 100, "passes by which a writer rounds corners, at most")
    knot_jitter: float = ranged(0.2, 0, 5, "deviation of each knot of a glyph")
    stroke_jitter: float = ranged(0.3, 0, 5, "deviation of where the pen is put down again")
    overshoot: tuple[float, float] = ranged(
        (0.02, 0.12), -1, 1, "mean, deviation of what a stroke's end is too long, as share of it"
    )
    overshoot_reach: float = ranged(8.0, 0, 100, "how much of a stroke counts for its overshoot")
    turn: float = ranged(0.04, 0, 1, "deviation of a glyph's turn, as tangent")
    dot_length: float = ranged(0.45, 0.01, 5, "how far a pen slips that makes a dot")


@dataclass(frozen=True)
class DerivedConfig:
    """Symbols that the ink lacks: put together from written glyphs by rule, spelled, or drawn."""

    seed: int = ranged(20, 0, doc="every process derives the same glyphs")
    writers: int = ranged(36, 1, 10_000, "of one symbol, about: its drawings and rules share them")
    min_writers: int = ranged(2, 1, 10_000, "of each drawing and of each rule")
    glyphs_per_writer: int = ranged(6, 1, 1000, "of one symbol")
    rule_weight: float = ranged(2.0, 0.01, 100, "writers of a rule for each of a drawing")
    corner_habit: float = ranged(
        0.35, 0, 5, "deviation of where a writer means the corners of a part to be"
    )
    size_habit: tuple[float, float] = ranged(
        (0.1, 0.07), 0, 1, "deviation of a writer's width and height, as logarithm"
    )
    part_jitter: float = ranged(0.25, 0, 5, "deviation of where each part of a glyph is put")
    min_thickness: float = ranged(
        0.12, 0.001, 1, "em: what is thinner, a bar or a dot, keeps its thickness"
    )
    max_aspect: float = ranged(1.2, 0.1, 10, "width over height of a part that keeps proportions")
    min_letter_height: float = ranged(
        0.1, 0.001, 10, "em: what is lower does not tell the size of the ruled paper"
    )
    default_paper: tuple[float, float] = ranged(
        (19.0, 13.0), 0.1, 1000, "its units in an em, and where the axis is, if nothing tells"
    )
    ink_unit: float = ranged(4.0, 0.01, 1000, "units of ink in one of the ruled paper")
    word_size: float = ranged(0.88, 0.1, 2, "letters of a word, over letters that stand alone")
    word_gap: float = ranged(1.6, 0, 20, "between letters of a word, on the ruled paper")
    word_gap_factor: tuple[float, float] = ranged((0.2, 1.6), 0, 10, "each gap is so many of it")
    drawn: DrawnConfig = DrawnConfig()


@dataclass(frozen=True)
class BlendConfig:
    """Glyphs blended from several that were written; one of three ways for an expression.

    Towards a partner; away from it, a caricature; or moved as two of the partner's glyphs differ.
    """

    towards: float = ranged(0.2, 0, 1, "weight of blending towards the partner")
    away: float = ranged(0.3, 0, 1, "weight of blending away from it")
    transferred: float = ranged(0.5, 0, 1, "weight of a difference between two of its glyphs")
    towards_share: tuple[float, float] = ranged((0.3, 0.7), 0, 1, "of the way to the partner")
    away_share: tuple[float, float] = ranged((-0.4, -0.15), -1, 0, "of the way to the partner")
    transferred_share: tuple[float, float] = ranged((0.3, 0.7), 0, 1, "of the difference")
    max_distance: float = ranged(
        0.27, 0, 1, "between matched strokes (RMS over the glyph's side), towards the partner"
    )
    max_distance_beyond: float = ranged(0.2, 0, 1, "the same, where nothing lies between the two")
    symbol_chance: float = ranged(0.8, 0, 1, "how likely each symbol of an expression is blended")
    candidates: int = ranged(24, 1, 1000, "glyphs that are compared to find a partner")
    max_stretch: float = ranged(1.3, 1, 10, "when a blend is brought to the first glyph's box")
    bar_straightness: float = ranged(
        0.96, 0, 1, "a single stroke whose ends are so much of its length apart is not blended"
    )
    dot_size: float = ranged(0.25, 0, 10, "em: a single stroke as small is not blended")
    stroke_points: int = ranged(32, 4, 1024, "of a stroke that is compared")
    min_side: float = ranged(
        0.3, 0.001, 1, "of a glyph's longer side: a shorter one counts as if it were as long"
    )
    max_permuted: int = ranged(
        4, 1, 7, "strokes up to which every order is tried; words are compared as written"
    )
