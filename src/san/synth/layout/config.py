"""Configuration of layout: how glyphs are chosen and placed, and what is learnt of writers.

Lengths are in em of the line that things stand on; y goes down.
"""

from dataclasses import dataclass, field

from san.config import ranged
from san.errors import SanError


@dataclass(frozen=True)
class MeasureConfig:
    """How the sizes and the lines of chains are fitted (`measure`)."""

    rounds: int = ranged(8, 1, 1000, "of averages")
    min_diagonal: float = ranged(
        1.0, 1e-3, 100.0, "units of ink: a dot has no size that could be measured"
    )
    min_deviation: float = ranged(
        0.15, 1e-3, 10.0, "of sizes, as logarithm, and of heights: what varies less counts no more"
    )
    slope_evidence: float = ranged(
        6.0, 0.0, 1e6, "squared em: so much evidence of a slope is believed half"
    )
    max_deviations: float = ranged(
        3.0, 0.0, 100.0, "from what is usual for its name: what is farther off is an outlier"
    )


@dataclass(frozen=True)
class MarksConfig:
    """Marks that stretch to what they cover: uniform ranges, since the ink has no examples."""

    cover_width: tuple[float, float] = ranged((0.85, 1.15), 0.1, 10.0, "over its content's")
    min_cover_width: float = ranged(0.3, 0.0, 10.0, "of any cover")
    cover_shift: float = ranged(0.05, 0.0, 1.0, "deviation of its middle")
    cover_gap: tuple[float, float] = ranged((0.06, 0.22), 0.0, 10.0, "between cover and content")
    ring_content: tuple[float, float] = ranged(
        (0.65, 0.95), 0.1, 1.0, "size of what is in a ring or a box"
    )
    ring_content_shift: float = ranged(0.06, 0.0, 1.0, "deviation of its height")
    ring_padding: tuple[float, float] = ranged((0.1, 0.3), 0.0, 10.0, "between ring and content")
    ring_widening: tuple[float, float] = ranged(
        (1.1, 1.35), 1.0, 10.0, "so that corners fit into a ring"
    )
    ring_width: tuple[float, float] = ranged(
        (0.85, 1.1), 0.0, 10.0, "of a ring, over its height, at least"
    )
    ring_height: tuple[float, float] = ranged(
        (0.8, 1.0), 0.0, 10.0, "of a ring, over its width, at least"
    )
    max_ring_lift: float = ranged(0.6, 0.0, 10.0, "half a width that the height follows at most")
    ring_shift: float = ranged(0.1, 0.0, 1.0, "deviation, in paddings")
    ring_margin: float = ranged(0.08, 0.0, 10.0, "more room beside a ring than beside a letter")
    text_size: tuple[float, float] = ranged(
        (0.5, 0.75), 0.1, 1.0, "on an arrow or a long equals sign"
    )
    text_overhang: tuple[float, float] = ranged(
        (0.1, 0.7), 0.0, 10.0, "of the arrow, beyond its text"
    )
    min_arrow_width: tuple[float, float] = ranged((1.0, 1.6), 0.1, 10.0, "of any arrow")
    text_gap: tuple[float, float] = ranged((0.05, 0.2), 0.0, 10.0, "between text and arrow")
    text_shift: float = ranged(0.08, 0.0, 1.0, "deviation of its middle")
    height_growth: float = ranged(0.3, 0.0, 1.0, "a stretched mark's height: stretch to this power")
    height_bounds: tuple[float, float] = ranged(
        (0.4, 1.2), 0.01, 10.0, "least stretch; highest growth"
    )
    arrow_head: float = ranged(0.8, 0.0, 10.0, "length of an arrow's head, in its height")
    max_arrow_head: float = ranged(0.5, 0.01, 0.99, "and in the arrow's length")
    min_stretched_width: float = ranged(0.1, 0.001, 10.0, "a narrower mark counts as so wide")


@dataclass(frozen=True)
class GridConfig:
    """Several lines and matrices: uniform ranges, measured on photographs of several lines."""

    size: tuple[float, float] = ranged((0.85, 1.0), 0.1, 2.0, "of the lines")
    line_size_change: float = ranged(0.03, 0.0, 0.3, "deviation of a line's size from the others'")
    row_gap: tuple[float, float] = ranged(
        (-0.1, 1.3), -1.0, 10.0, "between the ink of one line and of the next"
    )
    matrix_row_gap: tuple[float, float] = ranged(
        (0.03, 1.2), -1.0, 10.0, "the same between the rows of a matrix"
    )
    row_gap_power: float = ranged(
        1.6, 0.1, 10.0, "of the uniform number: above 1, small gaps are common"
    )
    row_gap_change: float = ranged(0.08, 0.0, 1.0, "deviation of a gap from the others")
    min_pitch: tuple[float, float] = ranged((0.9, 1.4), 0.1, 10.0, "from axis to axis at least")
    left_share: float = ranged(0.82, 0.0, 1.0, "share: lines begin below one another")
    relation_share: float = ranged(
        0.15, 0.0, 1.0, "share: lines are aligned at their relation signs"
    )
    centre_share: float = ranged(0.06, 0.0, 1.0, "share: lines stand in the middle")
    line_shift: float = ranged(0.14, 0.0, 10.0, "deviation of where a line begins")
    indentation: float = ranged(
        0.12, 0.0, 10.0, "deviation: how much farther right each line begins"
    )
    column_gap: tuple[float, float] = ranged(
        (0.45, 1.7), 0.0, 10.0, "between the cells of a matrix"
    )
    equal_columns: float = ranged(
        0.5, 0.0, 1.0, "of matrices: all columns are as wide as the widest"
    )
    cell_centre: float = ranged(0.6, 0.0, 1.0, "share: cells stand in the middle of their column")
    cell_left: float = ranged(0.25, 0.0, 1.0, "share: cells begin below one another")
    cell_right: float = ranged(0.15, 0.0, 1.0, "share: cells end below one another")
    cell_shift: float = ranged(0.06, 0.0, 1.0, "deviation of each cell, along and down")
    axis_shift: float = ranged(0.12, 0.0, 10.0, "deviation of the middle from the line around")
    brace_inset: tuple[float, float] = ranged(
        (-0.3, 0.55), -5.0, 1.0, "heights of the first and last line: where a lone brace ends in it"
    )
    mirrored_brace: float = ranged(0.35, 0.0, 1.0, "of braces: the other one, mirrored")
    bracket_reach: tuple[float, float] = ranged(
        (-0.1, 0.35), -1.0, 10.0, "of the brackets of a matrix, over and under it"
    )
    min_fence_height: float = ranged(0.5, 0.1, 1.0, "over the height of the grid")
    fence_gap: tuple[float, float] = ranged((-0.05, 0.5), -1.0, 10.0, "between fence and grid")
    fence_width_growth: float = ranged(0.25, 0.0, 1.0, "a fence's width: its stretch to this power")
    max_fence_width: float = ranged(0.35, 0.01, 2.0, "over its height")
    line_start_width: float = ranged(
        0.6, 0.1, 10.0, "heights of a line: where attention looks for its start, left of its ink"
    )

    def __post_init__(self) -> None:
        lines = self.left_share + self.relation_share + self.centre_share
        if not lines or not self.cell_centre + self.cell_left + self.cell_right:
            raise SanError("synth.layout.grid: of each kind of alignment one share must be above 0")


@dataclass(frozen=True)
class LayoutConfig:
    """How one expression is laid out with examples of a writer's style."""

    size: float = ranged(40.0, 1.0, 1000.0, "units of ink in an em of the main line")
    own_glyph_chance: float = ranged(0.9, 0.0, 1.0, "a symbol is the writer's, if they wrote it")
    repeat_chance: float = ranged(0.6, 0.0, 1.0, "an example is used again in the expression")
    gap_repeat_chance: float = ranged(0.3, 0.0, 1.0, "the same for gaps between neighbours")
    stretch_candidates: int = ranged(6, 1, 1000, "glyphs compared for one that must stretch")
    repeat_penalty: float = ranged(1.0, 0.0, 1000.0, "stretching that a glyph used before costs")
    min_compared_side: float = ranged(0.01, 1e-6, 10.0, "of a glyph to stretch, in comparing")
    min_compared_content: float = ranged(0.1, 1e-6, 10.0, "of what is in a root, in comparing")
    min_stretched_side: float = ranged(
        1.0, 0.0, 1000.0, "units of ink: a flatter glyph keeps its thickness"
    )
    min_gap: float = ranged(-0.1, -10.0, 10.0, "between the boxes of neighbours")
    min_script_gap: float = ranged(-0.06, -10.0, 10.0, "between a symbol and its script")
    empty_part: float = ranged(0.3, 0.0, 10.0, "room for a part that was left out")
    min_fence_height: float = ranged(0.6, 0.01, 10.0, "of any fence")
    fence_width_growth: float = ranged(0.5, 0.0, 1.0, "a fence's width: its stretch to this power")
    min_bar_width: float = ranged(0.4, 0.0, 10.0, "of any fraction")
    min_bar_cover: float = ranged(0.7, 0.0, 1.0, "of the wider part of a fraction")
    max_bar_tilt: tuple[float, float] = ranged(
        (0.08, 0.05), 0.0, 1.0, "height of a bar: of its width, plus em"
    )
    min_bar_gap: float = ranged(0.05, 0.0, 10.0, "between a bar and its parts")
    min_root_reach: tuple[float, float, float, float] = ranged(
        (0.3, 0.1, -0.1, -0.3), -10.0, 10.0, "of a root beyond its content: left, up, right, down"
    )
    min_root_part: float = ranged(
        0.1, 0.0, 0.49, "of a root's width: its hook at least, and what covers the content"
    )
    min_bent_root: float = ranged(
        8.0, 1.0, 1000.0, "units of ink: the hook of a narrower root stretches with the rest"
    )
    max_index_right: float = ranged(
        -0.25, -10.0, 10.0, "of a root's index, from the content's left"
    )
    script_clearance: float = ranged(0.05, 0.0, 10.0, "between a superscript and a subscript")
    superscript_height: tuple[float, float] = ranged(
        (0.27, 0.03), -10.0, 10.0, "above the axis at least: its middle, its foot"
    )
    marks: MarksConfig = field(default_factory=MarksConfig)
    grid: GridConfig = field(default_factory=GridConfig)


@dataclass(frozen=True)
class DefaultExamples:
    """What CROHME's writers do in the median, for ink that has no such example."""

    gap: tuple[float] = ranged((0.3,), -10.0, 10.0, "between neighbours")
    bar: tuple[float, float, float, float, float, float, float] = ranged(
        (0.8, 0.25, 0.8, 0.25, 0.0, 0.0, 0.3), -10.0, 10.0,
        "numerator's size, distance; denominator's; shifts of both; overhang",
    )  # fmt: skip
    root: tuple[float, float, float, float, float] = ranged(
        (0.85, 0.8, 0.4, 0.2, 0.05), -10.0, 10.0, "content's size; reach left, up, right, down"
    )
    index: tuple[float, float, float] = ranged((0.5, -0.5, 0.4), -10.0, 10.0, "size, right, bottom")
    fence: tuple[float, float] = ranged((-0.15, 0.15), -10.0, 10.0, "top, bottom")
    sub: tuple[float, float, float] = ranged((0.6, 0.1, -0.25), -10.0, 10.0, "size, across, down")
    sup: tuple[float, float, float] = ranged((0.6, 0.1, 0.1), -10.0, 10.0, "size, across, down")
    above: tuple[float, float, float] = ranged((0.6, 0.0, -0.2), -10.0, 10.0, "size, across, down")
    below: tuple[float, float, float] = ranged((0.6, 0.0, 0.2), -10.0, 10.0, "size, across, down")


@dataclass(frozen=True)
class WritingStyleConfig:
    """What is learnt of the writers of ink."""

    min_examples: int = ranged(3, 1, 1000, "of a writer, to be used before all writers'")
    trimmed: float = ranged(0.02, 0.0, 0.49, "part of examples dropped at either end as slips")
    trim_from: int = ranged(20, 1, 1_000_000, "of fewer examples none is dropped")
    fence_height_step: float = ranged(
        0.6, 0.01, 100.0, "contents of fences are classed by their height"
    )
    max_fence_class: int = ranged(5, 1, 100, "the last of those classes")
    subscript_depth: tuple[float, float] = ranged(
        (0.12, 0.36), -10.0, 10.0, "below the axis at least: a subscript's middle, its foot"
    )
    defaults: DefaultExamples = field(default_factory=DefaultExamples)

    def fence_class(self, height: float) -> str:
        """Content of fences by its height in em: fences stand out less over what is tall."""
        return str(min(int(height / self.fence_height_step), self.max_fence_class))


@dataclass(frozen=True)
class PhotoWritingStyleConfig:
    """What is learnt of the writers of photographs."""

    subscript_depth: tuple[float, float] = ranged(
        (0.1, 0.33), -10.0, 10.0, "below the axis at least: a subscript's middle, its foot"
    )
    min_examples: int = ranged(3, 1, 1000, "of a writer, to be used before others'")
    min_all_examples: int = ranged(12, 1, 1000, "of all writers, to be used before those of ink")
    similar_share: float = ranged(
        0.3, 0.0, 1.0, "of gaps: those by writers who space about as tightly"
    )
    gap_offset: float = ranged(0.25, 0.01, 10.0, "added to a gap before its logarithm is taken")
    min_offset_gap: float = ranged(0.2, 0.001, 1.0, "what is left of it for the narrowest gap")
    prior_gaps: float = ranged(3.0, 0.0, 1000.0, "usual gaps that a writer's own are averaged with")
    numerator_touch_every: int = ranged(4, 1, 1000, "one of so many numerators touches its bar")
    denominator_touch_every: int = ranged(10, 1, 1000, "the same for denominators")
    min_piece: float = ranged(1.6, 0.0, 100.0, "stroke widths: smaller pieces are no symbol")
    max_unplaced: int = ranged(8, 2, 20, "symbols without a mask in a row")
    max_width_error: float = ranged(
        0.3, 0.0, 10.0, "a symbol: pieces wider or narrower than usual fit no assignment"
    )
    touching_gap: tuple[float, float] = ranged(
        (-0.2, 0.0), -10.0, 10.0, "between boxes of two that touch"
    )
    max_touching_share: float = ranged(0.5, 0.0, 0.99, "of the examples of a gap")
    touching_share: float = ranged(
        0.6, 0.0, 1.0, "of neighbours that touch: kept; others touch once they are drawn"
    )
