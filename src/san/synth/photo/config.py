"""The numbers that shape samples which look like photographs: paper, camera, wear, recombining.

Lengths are in letter heights unless it says otherwise. A pair is the ends of a range, or mean and
deviation where it says so.
"""

from dataclasses import dataclass, field

from san.config import ranged

Pair = tuple[float, float]
Counts = tuple[int, int]
Sides = tuple[float, float, float, float]
Colour = tuple[int, int, int]


@dataclass(frozen=True)
class PaperConfig:
    """A procedural photograph: paper, pen, light and camera (`paper`)."""

    zoom: Pair = ranged((0.35, 1.5), 0.05, 20, "pixels of the photograph for one of the picture")
    dark_chance: float = ranged(0.125, 0, 1, "light ink on dark paper")
    dark_paper: Counts = ranged((20, 59), 0, 255, "levels of dark paper")
    dark_ink: Counts = ranged((180, 255), 0, 255, "levels of ink on dark paper")
    light_paper: Counts = ranged((150, 250), 0, 255, "levels of light paper")
    light_paper_tint: Counts = ranged((-15, 5), -255, 255, "added to each of its colours")
    pens: tuple[Colour, Colour, Colour, Colour, Colour] = ranged(
        ((30, 30, 35), (30, 30, 35), (30, 50, 150), (190, 40, 50), (105, 105, 105)),
        0,
        255,
        "colours of pens on light paper: black, black, blue, red, pencil",
    )
    pen_tint: Counts = ranged((-20, 20), -255, 255, "added to each colour of a pen")
    rulings: str = field(
        default="plain plain ruled squared",
        metadata={"doc": "of paper, as often as they stand here"},
    )
    line_darkness: Pair = ranged((0.15, 0.5), 0, 1, "of a ruling, over the ink's")
    line_tint: float = ranged(10.0, 0, 255, "deviation of a ruling's colours")
    line_spacing: Pair = ranged((25.0, 90.0), 1, 1000, "pixels of the picture from line to line")
    lines_per_spacing: float = ranged(
        40.0, 1, 1000, "lines of a ruling that would fill the room between two of them"
    )
    edge_blur: float = ranged(
        0.9, 0.01, 10, "pixels of the picture: strokes are blurred so, and cut anew, to be round"
    )
    pen_change: Pair = ranged((-1.2, 2.5), -10, 20, "pixels of the picture: strokes are wider")
    margin: Pair = ranged((5.0, 60.0), 0, 1000, "pixels of the picture around the ink")
    texture: Pair = ranged((0.0, 0.02), 0, 1, "of the paper: share of its brightness")
    texture_cells: Counts = ranged((2, 24), 1, 1000, "pixels: fibres and stains")
    tilt: float = ranged(1.5, 0, 45, "degrees, deviation")
    perspective: Pair = ranged((0.0, 0.03), 0, 0.3, "how far a corner moves, as share of the side")
    slack: float = ranged(
        0.06, 0, 1, "of the longer side: what is cut off again once the view is turned"
    )
    min_slack: int = ranged(8, 1, 1000, "pixels that are cut off in any case")
    uneven_light: Pair = ranged((0.0, 0.5), 0, 1, "how much is lost towards the dark side")
    shadow_chance: float = ranged(0.5, 0, 1, "that there is a shadow")
    shadow: Pair = ranged((0.1, 0.6), 0, 1, "how much of the light it takes")
    shadow_softness: Pair = ranged((0.05, 0.3), 0.001, 2, "of its edge, in half sides")
    shadow_offset: Pair = ranged((-0.4, 0.4), -1, 1, "of its edge from the middle, in half sides")
    blur: Pair = ranged((0.2, 1.0), 0, 10, "pixels of the picture, standard deviation")
    noise: Pair = ranged((0.0, 0.025), 0, 1, "of the sensor, as share of white")
    jpeg_quality: Counts = ranged((40, 95), 1, 100, "quality")


@dataclass(frozen=True)
class SurroundingsConfig:
    """What is on a page beside the formula, where there is any of it (`surroundings`)."""

    line_above: float = ranged(0.5, 0, 1, "chance that a neighbouring line is above, not below")
    line_reach: Pair = ranged((0.1, 0.55), 0, 5, "how much of a neighbouring line is seen")
    min_line_reach: int = ranged(2, 1, 100, "pixels of it, at least")
    line_distance: float = ranged(0.1, 0, 5, "from a neighbouring line to the writing, at least")
    side_reach: Pair = ranged((0.1, 0.6), 0, 1, "of the margin: what a neighbour beside it fills")
    ruling_upright: float = ranged(0.25, 0, 1, "chance that a ruling is a margin line")
    ruling_at_edge: float = ranged(0.7, 0, 1, "chance that it lies near the edge of the page")
    ruling_edge: Pair = ranged((0.0, 0.15), 0, 1, "of the page: where it lies then")
    ruling_at_end: float = ranged(0.6, 0, 1, "chance that it is counted from below or the right")
    ruling_thickness: Pair = ranged((0.05, 0.11), 0, 1, "thickness")
    ruling_darkness: Pair = ranged((0.5, 1.0), 0, 1, "darkness")
    ruling_pieces: Counts = ranged((1, 4), 1, 100, "pieces that stayed")
    ruling_length: Pair = ranged((-0.7, 2.3), -5, 5, "of a piece, as logarithm")
    speck_count: Counts = ranged((1, 5), 1, 100, "specks beside one another")
    speck_spread: Pair = ranged((0.3, 3.0), 0, 20, "deviation of where they lie")
    speck_size: Pair = ranged((0.03, 0.09), 0, 1, "half their height")
    speck_aspect: Pair = ranged((0.7, 2.5), 0.1, 10, "width over height")
    speck_darkness: Pair = ranged((0.5, 1.0), 0, 1, "darkness")
    strike_chance: float = ranged(0.5, 0, 1, "a correction is a stroke across, not a symbol over")
    strike_length: Pair = ranged((0.8, 2.5), 0, 20, "length")
    strike_angle: Pair = ranged((0.2, 1.1), -3.2, 3.2, "radians")
    strike_thickness: Pair = ranged((0.06, 0.15), 0, 1, "thickness")
    strike_darkness: Pair = ranged((0.6, 1.0), 0, 1, "darkness")
    overwritten_size: Pair = ranged((0.5, 1.0), 0, 5, "side of what is written over something")
    min_overwritten: int = ranged(2, 1, 100, "pixels of that side, at least")
    min_coverage: float = ranged(0.2, 0, 1, "of a pixel: what covers less is no ink")


@dataclass(frozen=True)
class CrossedOutConfig:
    """What was scribbled over, where there is any of it (`crossed_out`)."""

    sides: Pair = ranged((0.35, 2.5), 0, 20, "of a symbol that may be crossed out")
    room: Pair = ranged((0.1, 0.35), 0, 5, "around it that the scribble may fill")
    gap: Pair = ranged((0.05, 0.35), 0, 5, "to what stands before and after it")
    passes: Pair = ranged((4.0, 11.0), 1, 100, "how often the pen goes across")
    points_per_pass: int = ranged(6, 2, 100, "of the curve that it draws")
    jitter: float = ranged(0.1, 0, 1, "of the sides: how far it misses its aim, deviation")
    inset: float = ranged(0.15, 0, 0.5, "of the sides: where it turns, in mean")
    lean: float = ranged(0.3, 0, 5, "deviation of its slant, as tangent")
    loops: Pair = ranged((0.0, 0.2), 0, 1, "half their length, of the sides")
    upright: float = ranged(0.5, 0, 1, "chance that it goes up and down, not from side to side")
    thickness: Pair = ranged((0.07, 0.16), 0, 1, "of its stroke")
    darkness: Pair = ranged((0.7, 1.0), 0, 1, "of its stroke")
    min_coverage: float = ranged(0.2, 0, 1, "of a pixel: what covers less is no ink")


@dataclass(frozen=True)
class CameraConfig:
    """What a camera, a crop and cleaning make of ink on a page (`camera`)."""

    cleaned_size: bool = field(
        default=True, metadata={"doc": "the size is the one cleaning gives it, not that of the ink"}
    )
    size: Pair = ranged((-0.005, 0.01), -2, 2, "log of size over that: mean, deviation")
    zoom: Pair = ranged(
        (0.33, 0.5), -3, 3, "log of the cleaned size over the photograph's: mean, deviation"
    )
    min_zoom: float = ranged(0.7, 0.05, 10, "with more pixels it would look the same once cleaned")
    blur: Pair = ranged((0.1, 0.9), 0.01, 10, "of the lens, in pixels of the photograph")
    ink_level: int = ranged(220, 1, 255, "the darkest ink, of 255")
    paper_level: int = ranged(26, 0, 254, "what paper has at most, of 255; less than ink_level")
    darkness_quantile: float = ranged(
        0.75, 0, 1, "of what is darker than paper: which part is not as dark as ink is taken to be"
    )
    pressure: Pair = ranged((0.1, 0.9), 0, 1, "how much paler ink is in places")
    pressure_cell: Pair = ranged((0.3, 1.0), 0.05, 20, "size of those places")
    noise: Pair = ranged((0.0, 0.06), 0, 1, "of the sensor, as share of the ink's contrast")
    jpeg: float = ranged(0.5, 0, 1, "how likely it is compressed")
    jpeg_quality: Counts = ranged((20, 79), 1, 100, "quality")
    threshold: Pair = ranged((0.85, 1.2), 0.1, 5, "times cleaning's threshold of ink")
    margin: Pair = ranged((0.15, 0.6), 0, 10, "paper around the writing")
    min_margin: int = ranged(2, 1, 100, "pixels of it, at least")
    paper_room: int = ranged(
        100, 0, 1000, "pixels of the longest side of a picture that are left for paper"
    )
    max_zoom_to_skip: float = ranged(
        1.2, 0, 100, "size over the photograph's: up to that every second pixel is measured"
    )
    specks: float = ranged(0.25, 0, 1, "how likely there are some")
    corrections: float = ranged(0.06, 0, 1, "how likely something was written over, or struck out")
    crossed_out: float = ranged(0.0, 0, 1, "how likely something in the line was scribbled over")
    rulings: float = ranged(0.08, 0, 1, "how likely a piece of one stayed")
    line_neighbours: float = ranged(0.12, 0, 1, "how likely the line above or below is in view")
    side_neighbours: Pair = ranged((0.1, 0.05), 0, 1, "the same of what is to the left, the right")
    cropped: Sides = ranged(
        (0.35, 0.22, 0.69, 0.32), 0, 1, "how likely the upper, left, lower, right side cuts ink"
    )
    crop_depth: Sides = ranged((0.06, 0.03, 0.1, 0.03), 0, 5, "what those sides cut off, in mean")
    kept_share: float = ranged(0.65, 0, 1, "of a symbol's height or width: no side cuts off more")
    kept_whole: float = ranged(
        0.8, 0, 5, "what is smaller is not cut: an equals sign would be a minus"
    )
    min_crop_side: int = ranged(2, 1, 1000, "pixels: nothing is cropped to less")
    min_box_side: float = ranged(
        2.0,
        0,
        100,
        "pixels of a symbol: one of which an edge left less is gone, unless it was as small",
    )
    border: int = ranged(4, 1, 100, "pixels around the ink before strokes are widened")
    # To the next pixel it is 0.955, as OpenCV has distances: about half of that changes nothing.
    min_widening: float = ranged(
        0.45, 0, 3, "pixels at each side: strokes wider or narrower by no more stay as they are"
    )
    surroundings: SurroundingsConfig = field(default_factory=SurroundingsConfig)
    scribble: CrossedOutConfig = field(default_factory=CrossedOutConfig)


@dataclass(frozen=True)
class WearConfig(CameraConfig):
    """Drawn ink as a cleaned photograph would show it (`wear`)."""

    gaps: Pair = ranged((0.45, 1.0), 0, 1, "of the columns without ink: how many stay")
    squeeze: Pair = ranged((-0.1, 0.1), -2, 2, "log of width over height: mean, deviation")
    pen: Pair = ranged(
        (1.59, 0.18), -3, 4, "log of strokes' pixels in the cleaned picture: mean, deviation"
    )
    measured_columns: int = ranged(200, 1, 10_000, "that tell how wide strokes were drawn")
    max_height_ratio: float = ranged(
        10.0, 1, 1000, "to the tallest symbol: flatter ones do not tell how high letters are"
    )
    min_letter_pens: float = ranged(3.0, 0.1, 100, "strokes' widths: letters count as so high")
    max_thinning: float = ranged(
        0.6, 0, 3, "pixels at each side: with more nothing would be left of thin strokes"
    )
    min_letter: float = ranged(9.0, 1, 100, "pixels of a letter in the photograph, at least")
    max_dot: float = ranged(12.0, 0, 100, "pixels: the longer side of a dot or a comma, at most")
    box_tolerance: float = ranged(2.0, 0, 100, "pixels by which a dot may leave its box")


@dataclass(frozen=True)
class ElasticConfig:
    """Random fields that bend a picture (`elastic`)."""

    shape_spacing: float = ranged(0.6, 0.05, 20, "between the knots that bend parts of letters")
    shape_strength: float = ranged(0.085, 0, 2, "how far those move, at most, in mean")
    line_spacing: float = ranged(2.5, 0.05, 100, "between the knots that bend lines")
    line_strength: float = ranged(0.15, 0, 2, "how far those move, at most, in mean")
    max_deviations: float = ranged(2.0, 0, 10, "how far from the mean a knot moves, in deviations")
    grid_step: int = ranged(4, 1, 64, "pixels between those whose origin is worked out")


@dataclass(frozen=True)
class RetakeConfig(CameraConfig):
    """A cleaned photograph as if it were taken once more, and cleaned (`wear.retake`)."""

    cleaned_size: bool = field(
        default=False, metadata={"doc": "the size is the one cleaning gives it, not that it has"}
    )
    size: Pair = ranged((0.0, 0.15), -2, 2, "log of the change of size: mean, deviation")
    zoom: Pair = ranged((0.15, 0.15), -3, 3, "log of its size over the new one's: mean, deviation")
    min_zoom: float = ranged(0.8, 0.05, 10, "and its least")
    blur: Pair = ranged((0.2, 0.5), 0.01, 10, "of the lens, in pixels of the photograph")
    pressure: Pair = ranged((0.0, 0.25), 0, 1, "how much paler ink is in places")
    noise: Pair = ranged((0.0, 0.03), 0, 1, "of the sensor, as share of the ink's contrast")
    jpeg: float = ranged(0.2, 0, 1, "how likely it is compressed")
    specks: float = ranged(0.08, 0, 1, "how likely there are some")
    corrections: float = ranged(0.0, 0, 1, "how likely something was written over, or struck out")
    rulings: float = ranged(0.02, 0, 1, "how likely a piece of one stayed")
    line_neighbours: float = ranged(0.0, 0, 1, "how likely the line above or below is in view")
    side_neighbours: Pair = ranged((0.0, 0.0), 0, 1, "the same of what is to the left, the right")
    cropped: Sides = ranged(
        (0.01, 0.01, 0.01, 0.01), 0, 1, "how likely the upper, left, lower, right side cuts ink"
    )
    max_zoom: float = ranged(1.6, 0.05, 10, "and its most")
    pen_change: Pair = ranged((-0.6, 0.9), -3, 3, "pixels that strokes are wider at each side")
    turn: float = ranged(1.2, 0, 45, "degrees, deviation")
    max_turn: float = ranged(3.0, 0, 45, "degrees")
    slant: float = ranged(0.1, 0, 2, "deviation, as tangent")
    stretch: float = ranged(0.09, 0, 2, "log of width over height, half of it: deviation")
    perspective: float = ranged(0.02, 0, 0.5, "how much nearer one side is: deviation")
    elastic: ElasticConfig = field(default_factory=ElasticConfig)


@dataclass(frozen=True)
class CollageConfig:
    """Photographs recombined: cut, with symbols exchanged, and joined (`collage`)."""

    attempts: int = ranged(4, 1, 100, "to make something new; then a photograph comes as it is")
    max_steps: int = ranged(60, 1, 1000, "of a new tree")
    symbols: Counts = ranged((4, 45), 1, 250, "that a sample is to have")
    enough_symbols: float = ranged(0.7, 0, 1, "of these: then nothing more is joined")
    max_photos: int = ranged(3, 1, 100, "in a sample")
    cut_chance: float = ranged(0.3, 0, 1, "of what is not too long")
    min_part: int = ranged(2, 1, 100, "symbols of what is cut out")
    unassigned_ink: Pair = ranged(
        (0.35, 2.5), 0, 100, "least and most ink of a symbol without a mask, in masked symbols"
    )
    stray_ink: float = ranged(0.1, 0, 100, "ink of no symbol, in masked symbols, at most")
    # Exchanging symbols
    exchanged: float = ranged(0.9, 0, 1, "part of a sample's symbols, at most")
    rename_chance: float = ranged(0.6, 0, 1, "that a sample gets other names at all")
    renamed: float = ranged(0.5, 0, 1, "part of the exchanged symbols that do then")
    frequency_power: float = ranged(
        0.5, 0, 2, "of how often photographs have a name: how likely it is chosen"
    )
    corpus_chance: float = ranged(0.35, 0, 1, "that new glyphs are the corpus's, not photographs'")
    lean: float = ranged(0.08, 0, 1, "deviation of new glyphs' slant, as tangent, a sample")
    glyph_size: float = ranged(0.05, 0, 1, "deviation of a new glyph's size, as logarithm")
    glyph_width: float = ranged(0.06, 0, 1, "deviation of its width, as logarithm")
    glyph_turn: float = ranged(0.05, 0, 1, "deviation of its turn, as tangent")
    line_width: Pair = ranged(
        (1.35, -1.25),
        -10,
        10,
        "times strokes' measured width, plus pixels: a line like them",
    )
    min_line_width: float = ranged(2.6, 0, 20, "pixels, of such a line")
    supersampling: int = ranged(
        4, 1, 16, "times as large as the picture: how glyphs are drawn before they are shrunk"
    )
    min_glyph: float = ranged(0.3, 0, 5, "em: what is usually smaller, as a dot, is not exchanged")
    min_legible: float = ranged(4.5, 0, 100, "strokes' widths from corner to corner, at least")
    min_across: float = ranged(2.0, 0, 100, "strokes' widths across, at least")
    narrow_aspect: float = ranged(0.3, 0, 1, "width over height: what is narrower by itself may be")
    max_wider: float = ranged(1.5, 0.1, 10, "times the old glyph's width, and in addition")
    extra_width: float = ranged(0.15, 0, 5, "em")
    max_squeeze: float = ranged(0.6, 0.1, 1, "times its own width to fit, at least")
    max_stretch: float = ranged(1.5, 1, 10, "of a fence or a minus, to fit")
    max_covered: float = ranged(0.03, 0, 1, "of a new glyph's pixels that lie on others' ink")
    # Joining pieces
    partners: int = ranged(6, 1, 1000, "of which the one with the most similar strokes is joined")
    sign_chance: float = ranged(0.5, 0, 1, "between two pieces where neither has a sign there")
    signs: str = field(
        default=r"= = = + - \times \Rightarrow", metadata={"doc": "that may stand there"}
    )
    retake_room: int = ranged(
        200, 0, 1000, "pixels of the longest side that are left: what is taken anew grows a little"
    )
    gaps: Pair = ranged((0.1, 1.2), -1, 10, "em between two pieces")
    default_gap: float = ranged(0.4, 0, 10, "em, where no photograph shows one")
    size_jitter: float = ranged(0.06, 0, 1, "deviation of a piece's size, as logarithm")
    resize: Pair = ranged((0.65, 1.55), 0.1, 10, "how much a piece may shrink or grow")
    resize_tolerance: float = ranged(0.06, 0, 1, "a difference in size that nobody sees")
    min_measured: int = ranged(2, 1, 100, "symbols that tell how large a line is")
    max_size_ratio: float = ranged(1.8, 1, 100, "between their upper and lower quartile")
    level_symbols: int = ranged(4, 1, 100, "that tell how high a line is at its end")
    max_level_spread: float = ranged(0.6, 0, 10, "em between the highest and lowest of these")


@dataclass(frozen=True)
class StackedLinesConfig:
    """Lines of several photographs below one another (`stacked_lines`)."""

    max_rows: int = ranged(4, 2, 20, "of a system")
    rows_power: float = ranged(2.5, 0.1, 10, "of a uniform number: above 1, few rows are common")
    symbols: Counts = ranged((3, 13), 1, 100, "that a line has")
    brace_share: float = ranged(0.85, 0, 1, "with a brace before the lines")
    without_relation: float = ranged(0.15, 0, 1, "chance of a line that has no relation sign")
    partners: int = ranged(8, 1, 1000, "of which the one with the most similar strokes comes next")
    attempts: int = ranged(14, 1, 1000, "to find a line")
