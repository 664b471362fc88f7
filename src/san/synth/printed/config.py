"""The numbers that shape printed formulas: how they are typeset, and how they are seen.

Lengths are in em, the size of the font, unless it says otherwise. A pair is the ends of a range,
from which each formula takes one value, or mean and deviation where it says so.
"""

from dataclasses import dataclass, field

from san.config import ranged
from san.errors import SanError
from san.synth.photo.config import CameraConfig

Pair = tuple[float, float]


@dataclass(frozen=True)
class TypesetConfig:
    """How a formula is typeset (`typeset`): about as TeX, word processors and web pages do it."""

    script_size: Pair = ranged((0.6, 0.78), 0.2, 1, "of scripts, over what they stand on")
    min_size: float = ranged(0.45, 0.1, 1, "of scripts of scripts")
    max_script_size: float = ranged(
        0.79, 0, 1, "what is smaller has no space beside operators and relations"
    )
    spacing: Pair = ranged((0.5, 1.2), 0, 5, "times TeX's space beside operators and relations")
    spaced_scripts_share: float = ranged(0.2, 0, 1, "of formulas: scripts have that space, too")
    tracking: Pair = ranged((-0.01, 0.04), -0.2, 1, "between any two characters")
    axis: Pair = ranged((0.23, 0.28), 0, 1, "height of fraction bars over the base line")
    rule: Pair = ranged((0.035, 0.085), 0.005, 0.5, "thickness of bars")
    display_share: float = ranged(
        0.6, 0, 1, "formulas as on a line of their own: large sums, fractions in full size"
    )
    full_fractions_share: float = ranged(
        0.25, 0, 1, "of formulas: fractions in fractions are in full size as well"
    )
    fraction_gap: Pair = ranged((0.06, 0.26), 0, 2, "between a bar and what is over or under it")
    fraction_overhang: Pair = ranged((0.0, 0.14), 0, 2, "of the bar, at each side")
    fraction_side: float = ranged(0.06, 0, 1, "between a fraction and its neighbours")
    superscript_shift: Pair = ranged((0.32, 0.46), 0, 2, "of a superscript's base line upward")
    superscript_drop: Pair = ranged((0.2, 0.38), 0, 2, "of it below the top of what is tall")
    subscript_shift: Pair = ranged((0.12, 0.26), 0, 2, "of a subscript's base line downward")
    subscript_drop: Pair = ranged((0.02, 0.15), 0, 2, "of it below the foot of what is deep")
    min_superscript_foot: float = ranged(0.12, -1, 1, "of a superscript over the base line")
    max_subscript_top: float = ranged(0.45, 0, 2, "of a subscript over the base line")
    integral_foot: float = ranged(0.6, 0, 1, "of an integral's width: where its subscript begins")
    prime_height: float = ranged(0.6, 0.1, 2, "fonts differ in whether theirs is small by itself")
    script_gap: Pair = ranged((0.0, 0.14), 0, 1, "between a symbol and its scripts")
    script_clearance: float = ranged(0.12, 0, 1, "between a superscript and a subscript, at least")
    limit_gap: Pair = ranged((0.08, 0.2), 0, 2, "between a sum and what is over or under it")
    limits_beside_share: float = ranged(
        0.4, 0, 1, "of formulas that are not displayed: limits stand beside a sum"
    )
    operator_size: Pair = ranged((1.2, 1.6), 1, 4, "of a large sum, where a font has no larger one")
    grown_fences_share: float = ranged(0.75, 0, 1, "of formulas: brackets are as tall as content")
    fence_reach: Pair = ranged((-0.08, 0.06), -1, 1, "of tall brackets beyond their content")
    max_fence_stretch: float = ranged(1.1, 1, 3, "of a bracket, if the font has a larger one")
    min_grown_fence: float = ranged(1.3, 0.1, 10, "height of content: lower needs no tall bracket")
    root_gap: Pair = ranged((0.05, 0.18), 0, 2, "between a root's bar and its content")
    min_root_height: float = ranged(0.45, 0, 2, "of a root's content over the base line")
    root_foot: float = ranged(0.05, 0, 1, "of a root, below its content")
    root_overhang: float = ranged(0.05, 0, 1, "of its bar beyond the content, and space behind it")
    root_index_right: float = ranged(0.45, 0, 1, "of the root's hook: where its index ends")
    root_index_size: Pair = ranged((0.5, 0.65), 0.2, 1, "of an index, over the root's")
    root_index_height: Pair = ranged((0.4, 0.65), 0, 1, "of the root's height: the index's foot")
    mark_gap: Pair = ranged((0.05, 0.14), 0, 1, "between an accent and what it is on")
    mark_width: Pair = ranged((0.85, 1.05), 0.1, 3, "of a bar or arrow, over its content's")
    max_accent: Pair = ranged(
        (0.36, 0.16), 0.02, 2, "width and height; hats are as wide as their content"
    )
    max_arrow_height: float = ranged(0.36, 0.02, 2, "of an arrow over its content")
    ringed_size: float = ranged(0.75, 0.2, 1, "of what is in a ring")
    arrow_margin: float = ranged(0.3, 0, 2, "of an arrow at each side of its text")
    equals_gap: float = ranged(0.2, 0.05, 1, "between the lines of a long equals sign")
    box_gap: Pair = ranged((0.12, 0.3), 0, 2, "between a box or ring and its content")
    row_gap: Pair = ranged((0.2, 0.6), 0, 5, "between two lines")
    min_pitch: Pair = ranged((1.2, 1.5), 0.5, 5, "from one base line to the next, at least")
    column_gap: Pair = ranged((0.6, 1.3), 0.1, 10, "between two columns")
    grid_size: Pair = ranged((0.85, 1.0), 0.3, 1, "of several lines, over what is beside them")
    centred_lines_share: float = ranged(0.1, 0, 1, "of stacked lines: each in the middle")
    left_lines_share: float = ranged(
        0.5, 0, 1, "of them: with the centred ones; the rest is aligned at relation signs"
    )
    centred_columns_share: float = ranged(0.7, 0, 1, "of matrices; the others begin at the left")
    upright_letters_share: float = ranged(0.06, 0, 1, "of formulas: no letter is italic")
    word_gap: Pair = ranged((0.08, 0.2), 0, 1, "between sin and its argument")


def _screen() -> CameraConfig:
    """A screenshot or a scan: no pale ink, nothing else on the page."""
    return CameraConfig(
        blur=(0.1, 0.5), pressure=(0.0, 0.05), noise=(0.0, 0.01), jpeg=0.2, jpeg_quality=(50, 95),
        threshold=(0.9, 1.1), specks=0.0, corrections=0.0, rulings=0.0, line_neighbours=0.0,
        side_neighbours=(0.0, 0.0), cropped=(0.0, 0.0, 0.0, 0.0),
    )  # fmt: skip


def _book() -> CameraConfig:
    """A photograph of a printed page."""
    return CameraConfig(
        blur=(0.2, 0.9), pressure=(0.0, 0.4), noise=(0.0, 0.05), specks=0.1, corrections=0.02,
        rulings=0.02, line_neighbours=0.08, side_neighbours=(0.04, 0.04),
        cropped=(0.04, 0.03, 0.04, 0.03),
    )  # fmt: skip


@dataclass(frozen=True)
class PrintedConfig:
    """Printed formulas (`printed`): which, how large, and who sees them."""

    formulas: float = ranged(0.5, 0, 1, "share: formulas of the file formulas")
    photo_formulas: float = ranged(0.3, 0, 1, "share: of the file photo_formulas, if there is one")
    line_formulas: float = ranged(
        0.1, 0, 1, "share: of the file line_formulas, if samples of several lines are made"
    )
    resolution: Pair = ranged((15.0, 64.0), 4, 400, "pixels of an em; small ones are more common")
    book_share: float = ranged(0.3, 0, 1, "photographed; the others are screenshots or scans")
    turned_share: float = ranged(0.3, 0, 1, "of screenshots and scans: turned a little")
    turn: float = ranged(0.8, 0, 10, "degrees, deviation, of those and of photographs")
    max_turn: float = ranged(3.0, 0, 20, "degrees, at most")
    stretch: float = ranged(0.05, 0, 1, "log of width over height, deviation")
    slant: float = ranged(0.02, 0, 1, "of photographs, deviation")
    attempts: int = ranged(8, 1, 1000, "to find a formula whose symbols the typeface has")
    typeset: TypesetConfig = field(default_factory=TypesetConfig)
    screen: CameraConfig = field(default_factory=_screen)
    book: CameraConfig = field(default_factory=_book)

    def __post_init__(self) -> None:
        if not self.formulas + self.photo_formulas:
            raise SanError("synth.printed: of formulas and photo_formulas one must be above 0")
