"""Configuration of how ink is varied: distortion, spacing, joined strokes, exchanged symbols."""

from dataclasses import dataclass, field

from san.config import described, ranged


@dataclass(frozen=True)
class JoinedStrokesConfig:
    """A pen that is not lifted between some strokes; lengths in mean symbol sizes."""

    chance: float = ranged(0.0, 0.0, 1.0, "that an expression is by such a writer")
    min_stroke: float = ranged(0.3, 0.0, 100.0, "shorter strokes (dots) are never joined")
    max_stroke: float = ranged(2.5, 0.0, 100.0, "nor are longer ones (fraction bars)")
    near: float = ranged(0.3, 0.01, 100.0, "ends that are closer nearly meet")
    reach: float = ranged(1.0, 0.01, 100.0, "ends that are farther apart are never joined")
    far_chance: float = ranged(
        0.3, 0.0, 1.0, "of symbols of two strokes that do not nearly meet: joined at most"
    )
    three_stroke_factor: float = ranged(
        0.5, 0.0, 1.0, "times that for symbols of three strokes; of more it would be a zigzag"
    )
    chance_factor: tuple[float, float] = ranged(
        (0.3, 1.0), 0.0, 1.0, "times all chances in an expression: lowest and highest"
    )
    drag_share: float = ranged(0.5, 0.0, 1.0, "of such writers: drag the pen to the next symbol")
    drag_chance: float = ranged(0.4, 0.0, 1.0, "of neighbours, by those writers: at most")
    max_drag_slope: float = ranged(1.5, 0.0, 100.0, "rise over run of a dragged line")
    bow: float = ranged(0.1, 0.0, 10.0, "deviation of a join's middle, in its length")


@dataclass(frozen=True)
class SpacingConfig:
    """Looser or tighter lines, with a base line that wanders; lengths in mean symbol sizes."""

    chance: float = ranged(0.0, 0.0, 1.0, "that an expression is spaced anew")
    gap_factor: tuple[float, float] = ranged(
        (0.5, 2.0), 0.05, 20.0, "times all gaps of it, log-uniform: lowest and highest"
    )
    wide_gap_chance: float = ranged(0.25, 0.0, 1.0, "and that one gap of it is widened")
    wide_gap: tuple[float, float] = ranged((0.5, 3.0), 0.0, 100.0, "by so much")
    min_widened: float = ranged(0.35, 0.0, 100.0, "smaller gaps (of a word, of a script) are not")
    wander: float = ranged(0.035, 0.0, 1.0, "deviation of the base line from gap to gap")
    max_wander_deviations: float = ranged(2.5, 0.0, 10.0, "how far it goes, in deviations")


@dataclass(frozen=True)
class DistortionConfig:
    """How far each variation of strokes goes; deviations where nothing else is said.

    A size is that of the mean symbol of the expression.
    """

    scale: tuple[float, float] = ranged(
        (0.7, 1.4), 0.01, 100.0, "times the usual scale, log-uniform: lowest and highest"
    )
    reading_scale: bool = described(
        False, "the usual scale is that of ink that is read: larger beside few tall strokes"
    )
    stretch: float = ranged(0.08, 0.0, 1.0, "log of width over height")
    slant: float = ranged(0.10, 0.0, 1.0, "tangent")
    slope: float = ranged(1.5, 0.0, 45.0, "degrees")
    max_slope_deviations: float = ranged(2.0, 0.0, 10.0, "how far it goes, in deviations")
    keystone: float = ranged(0.04, 0.0, 0.3, "how much nearer one edge of the paper is")
    min_keystone_divisor: float = ranged(
        0.2, 0.01, 1.0, "what is nearest grows by one over this at most; behind the eye nothing is"
    )
    warp: float = ranged(0.06, 0.0, 1.0, "smooth waves of the paper, in sizes")
    warp_factor: tuple[float, float] = ranged((0.0, 1.5), 0.0, 10.0, "times warp, a wave")
    warp_wavelength: tuple[float, float] = ranged((2.5, 8.0), 0.1, 1000.0, "in sizes")
    max_warp_slope: float = ranged(
        0.3, 0.0, 0.99, "of these waves, tangent: from 1 on ink would be folded"
    )
    bow: float = ranged(0.0, 0.0, 1.0, "how a line sags or rises as a parabola, in sizes")
    bow_factor: float = ranged(4.0, 0.0, 100.0, "times bow at most")
    bow_power: float = ranged(3.0, 0.0, 10.0, "of a uniform number: deep bows are seldom")
    bow_full_width: float = ranged(16.0, 0.1, 1000.0, "sizes: shorter lines bow less")
    max_symbol_deviations: float = ranged(
        2.5, 0.0, 10.0, "of what follows: one symbol of a hundred would be farther out"
    )
    symbol_side: tuple[float, float] = ranged(
        (1.5, 8.0), 0.0, 100.0,
        "a symbol's size is at most its shorter side times this, plus pixels: bars hardly move",
    )  # fmt: skip
    min_size_freedom: float = ranged(0.4, 0.0, 1.0, "of symbol_size: what is left of it for bars")
    symbol_shift: float = ranged(0.03, 0.0, 1.0, "each symbol by itself, of its size")
    symbol_size: float = ranged(0.05, 0.0, 1.0, "each symbol by itself, log")
    symbol_slant: float = ranged(0.05, 0.0, 1.0, "each symbol by itself, tangent")
    symbol_turn: float = ranged(0.03, 0.0, 1.0, "each symbol by itself, radians")
    symbol_aspect: float = ranged(0.0, 0.0, 1.0, "each symbol by itself, log of width over height")
    symbol_bend: float = ranged(0.0, 0.0, 1.0, "each symbol by itself, waves, of its size")
    symbol_bend_wavelength: tuple[float, float] = ranged(
        (0.7, 1.7), 0.1, 1000.0, "of those waves, in a symbol's longer side"
    )
    max_bend_slope: float = ranged(
        0.5, 0.0, 0.99, "of those waves, tangent: well before 1 a p lies flat"
    )
    wildness: tuple[float, float] = ranged(
        (1.0, 1.0), 0.0, 10.0,
        "times symbol_*, warp and wobble, an expression: lowest and highest; both 1: off",
    )  # fmt: skip
    max_wild_amount: float = ranged(1.0, 0.0, 1.0, "of what wildness multiplies, at most")
    wildness_power: float = ranged(1.5, 0.0, 10.0, "of a uniform number: great wildness is seldom")
    climb: float = ranged(0.0, 0.0, 1.0, "tangent of lines that rise or fall under upright symbols")
    steep_climb: float = ranged(0.10, 0.0, 1.0, "the same in few expressions")
    steep_climb_chance: float = ranged(0.0, 0.0, 1.0, "that an expression is one of those")
    max_climb: float = ranged(
        0.2, 0.0, 1.0, "tangent: on a steeper line what follows would look like a script"
    )
    wobble: float = ranged(0.012, 0.0, 1.0, "an unsteady pen, in sizes")
    wobble_factor: tuple[float, float] = ranged((0.0, 2.0), 0.0, 10.0, "times wobble")
    wobble_period: tuple[int, int] = ranged(
        (3, 9), 1, 1000, "points from one deviation to the next: fewest, and one more than most"
    )
    smooth: float = ranged(0.15, 0.0, 1.0, "chance that strokes are smoothed")
    cut: float = ranged(0.15, 0.0, 1.0, "chance that strokes lose part of their ends")
    cut_divisor: float = ranged(12.0, 2.0, 1e9, "such an end is at most a stroke over this")
    min_cut_points: int = ranged(8, 1, 1000, "strokes of so few points lose nothing")
    pen: tuple[float, float, float, float] = ranged(
        (0.0, 0.1, 0.8, 0.1), 0.0, 1.0, "how likely widths of 1, 2, 3, 4 pixels are"
    )
    nib: tuple[float, float, float] = ranged(
        (1.0, 0.0, 0.0), 0.0, 1.0, "how likely a square, a round, a broad nib is"
    )
    spacing: SpacingConfig = field(default_factory=SpacingConfig)
    joined_strokes: JoinedStrokesConfig = field(default_factory=JoinedStrokesConfig)


def tablet_distortion() -> DistortionConfig:
    """On a tablet nearly everybody lifts the pen, and the field draws with a square one."""
    return DistortionConfig(nib=(0.9, 0.05, 0.05), joined_strokes=JoinedStrokesConfig(chance=0.08))


def photo_distortion() -> DistortionConfig:
    """Less careful than ink on a tablet; size and pen are left to wear."""
    return DistortionConfig(
        scale=(1.0, 1.0), pen=(0.0, 0.0, 1.0, 0.0), stretch=0.10, slant=0.14, slope=1.1,
        keystone=0.03, symbol_shift=0.04, symbol_size=0.07, symbol_slant=0.08, symbol_turn=0.05,
        wobble=0.018, warp=0.06, bow=0.2, joined_strokes=JoinedStrokesConfig(chance=0.4),
    )  # fmt: skip


GENTLE = DistortionConfig(
    scale=(1.0, 1.0), stretch=0.03, slant=0.03, slope=0.5, keystone=0.0, warp=0.02, wobble=0.004,
    smooth=0.0, cut=0.0, pen=(0.0, 0.0, 1.0, 0.0),
)  # fmt: skip
"""For a picture that a person looks at."""


@dataclass(frozen=True)
class ExchangeConfig:
    """Real ink with symbols exchanged, or two expressions joined; lengths in em."""

    glyph_chance: float = ranged(0.35, 0.0, 1.0, "of a symbol: by another writer")
    hands_share: float = ranged(
        0.0, 0.0, 1.0, "of expressions: that other writer is one of the further hands"
    )
    rename_share: float = ranged(0.5, 0.0, 1.0, "of expressions: names are exchanged at all")
    rename_chance: float = ranged(0.4, 0.0, 1.0, "and then of each name: for one of like shape")
    signs: str = described(
        r"+ + - = = \times , \leq \geq < \rightarrow",
        "that may stand between two joined expressions, as often as they are named here",
    )
    sign_chance: float = ranged(0.75, 0.0, 1.0, "that two joined expressions have a sign between")
    gap: tuple[float, float] = ranged((0.2, 0.7), 0.0, 10.0, "beside that sign, or without one")
    max_width: float = ranged(1.5, 0.1, 10.0, "of a new glyph, over that of the old")
    extra_width: float = ranged(0.15, 0.0, 10.0, "and so much more")
    min_shrink: float = ranged(0.6, 0.01, 1.0, "a new glyph that is too wide gets so small at most")
