"""Which symbols of a photograph are trusted to become glyphs, and how their ink becomes strokes."""

from dataclasses import dataclass, field

from san.config import ranged


@dataclass(frozen=True)
class TraceConfig:
    """The middle line of ink as strokes of a pen (`trace`)."""

    max_cosine: float = ranged(
        -0.35, -1, 1, "between two lines that are one stroke: from 110 degrees on"
    )
    min_spur: float = ranged(0.5, 0, 10, "strokes' widths: what is shorter and ends freely is cut")
    max_bridge: float = ranged(3.0, 0, 100, "strokes' widths between two knots that may be one")
    direction_reach: float = ranged(
        1.5, 0, 100, "strokes' widths from a knot to where a line shows its direction"
    )
    smoothing: float = ranged(1.2, 0.1, 10, "pixels along the stroke, standard deviation")
    smoothing_reach: int = ranged(4, 1, 100, "pixels of the stroke that are averaged, either way")
    tolerance: float = ranged(0.35, 0, 10, "pixels from a stroke to points that are left out")


@dataclass(frozen=True)
class FontGlyphsConfig:
    """What `san ink font-glyphs` keeps of a handwriting font."""

    pixels_per_em: int = ranged(112, 16, 1000, "of the picture of which strokes are traced")
    min_fidelity: float = ranged(
        0.6, 0, 1, "intersection over union of strokes and outline: less is a brush, or a blot"
    )
    max_extent: float = ranged(
        4.0, 0.1, 100, "em from where a character begins to any side of it: more is an ornament"
    )
    min_symbols: int = ranged(20, 1, 1000, "of a font: one that has fewer is none for formulas")


@dataclass(frozen=True)
class CharacterGlyphsConfig:
    """What `san ink character-glyphs` keeps of characters that somebody wrote one by one."""

    per_symbol: int = ranged(3, 1, 1000, "glyphs of one symbol by one writer")
    min_symbols: int = ranged(10, 1, 1000, "of a writer: who has fewer is left out")
    min_extent: float = ranged(
        16.0, 1, 1e6, "units of the tablet: in less there is nothing left of a hand"
    )
    smoothing: float = ranged(1.5, 0, 100, "units of the tablet along strokes, standard deviation")
    max_points: int = ranged(120, 2, 10_000, "of a stroke while it is smoothed")
    tolerance: float = ranged(0.006, 0, 1, "em from a stroke to points that are left out")
    max_ratio: float = ranged(
        1.3, 1, 10, "of a symbol's size to what is usual for it, either way, by the same writer"
    )


@dataclass(frozen=True)
class ExtractionConfig:
    """What `san ink extract-glyphs` keeps of a photograph, and of all photographs.

    Sizes are fitted, and places checked, as those of written ink (`BankConfig`).
    """

    rounds: int = ranged(6, 0, 100, "in which symbols compete for components of ink")
    min_share: float = ranged(0.35, 0, 1, "of all attention on a component, before they compete")
    min_final_share: float = ranged(0.9, 0, 1, "the same afterwards")
    min_attention: float = ranged(
        0.02, 0, 1, "of a symbol's attention: a component that gets less belongs to nobody"
    )
    min_focus: float = ranged(0.4, 0, 1, "of a symbol's attention on ink: on its own components")
    min_probability: float = ranged(0.5, 0, 1, "of a symbol, given all that comes before it")
    min_alone_probability: float = ranged(
        0.02, 0, 1, "of its strokes by themselves, or of what looks like them"
    )
    min_fidelity: float = ranged(0.6, 0, 1, "intersection over union of strokes and ink")
    max_break: float = ranged(2.5, 0, 100, "strokes' widths between parts of a broken symbol")
    max_components: int = ranged(8, 1, 1000, "of a word or a root that gets a mask")
    min_side: float = ranged(0.15, 0.01, 5, "em: shorter sides are not told apart")
    max_deviations: float = ranged(2.5, 0, 100, "of a symbol's sides from the median of its name")
    min_line_share: float = ranged(
        0.7, 0.5, 1, "of all attention on a component: by the symbols of the line that it goes to"
    )
    min_symbols: int = ranged(3, 1, 1000, "of a photograph: fewer do not show how somebody writes")
    trace: TraceConfig = field(default_factory=TraceConfig)
    fonts: FontGlyphsConfig = field(default_factory=FontGlyphsConfig)
    characters: CharacterGlyphsConfig = field(default_factory=CharacterGlyphsConfig)
