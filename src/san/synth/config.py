"""Configuration of synthetic training samples: the mixture of an epoch, and all that shapes it."""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

from san.config import ranged
from san.errors import SanError
from san.synth.extraction.config import ExtractionConfig
from san.synth.formulas.config import FormulaTextConfig, InventConfig, InventLinesConfig
from san.synth.glyphs.config import BankConfig, BlendConfig, DerivedConfig
from san.synth.layout.config import LayoutConfig, PhotoWritingStyleConfig, WritingStyleConfig
from san.synth.photo.config import (
    CollageConfig,
    PaperConfig,
    RetakeConfig,
    StackedLinesConfig,
    WearConfig,
)
from san.synth.printed.config import PrintedConfig
from san.synth.variation.config import (
    DistortionConfig,
    ExchangeConfig,
    photo_distortion,
    tablet_distortion,
)


@dataclass(frozen=True)
class Shares:
    """How much of an epoch each kind of sample is; shares need not add up to one."""

    composed: float = ranged(0.5, 0.0, 1.0, "formulas laid out with glyphs of the corpus")
    varied: float = ranged(0.35, 0.0, 1.0, "ink of the corpus, varied")
    photo_style: float = ranged(
        0.0, 0.0, 1.0, "photo_formulas, composed to look like cleaned photographs"
    )
    photographed: float = ranged(0.0, 0.0, 1.0, "cleaned photographs, recombined or taken anew")
    plain: float = ranged(0.15, 0.0, 1.0, "the corpus as it is")
    lines: float = ranged(
        0.0, 0.0, 1.0, "systems, cases, stacked lines and matrices, composed or photographed"
    )
    printed: float = ranged(0.0, 0.0, 1.0, "formulas typeset with print_fonts")

    def values(self) -> tuple[float, ...]:
        """The shares in the order in which kinds are drawn."""
        return (
            self.composed, self.varied, self.photo_style, self.photographed, self.plain,
            self.lines, self.printed,
        )  # fmt: skip


KINDS = tuple(share.name for share in fields(Shares))
"""The kinds of samples, in the order in which they are drawn."""


def _final_shares() -> Shares:
    return Shares(composed=0.0, varied=0.5, plain=0.5)


@dataclass(frozen=True)
class CompositionConfig:
    """What one composer makes: shares of six ways, which need not add up to one, and their choices.

    The first three take written ink as it is laid out; the others are laid out anew.
    """

    real: float = ranged(0.25, 0.0, 1e6, "share: written ink")
    varied: float = ranged(0.2, 0.0, 1e6, "share: written ink with symbols exchanged")
    joined: float = ranged(0.1, 0.0, 1e6, "share: two such expressions side by side")
    formula: float = ranged(0.3, 0.0, 1e6, "share: a formula from text")
    grafted: float = ranged(0.1, 0.0, 1e6, "share: a written tree with branches of others")
    invented: float = ranged(0.05, 0.0, 1e6, "share: a formula of the random grammar")
    ink_length_power: float = ranged(
        0.3, 0.0, 10.0, "ink is chosen by the number of its symbols to this power"
    )
    formula_length_power: float = ranged(
        0.0, 0.0, 10.0, "formulas from text are chosen by the number of theirs to this power"
    )
    graft_chance: float = ranged(0.4, 0.0, 1.0, "that a branch is exchanged")
    rename_share: float = ranged(0.5, 0.0, 1.0, "of formulas from text: names are exchanged at all")
    rename_chance: float = ranged(0.15, 0.0, 1.0, "and then of each name: for one of like shape")
    decimal_commas: float = ranged(
        0.0, 0.0, 1.0, "share of formulas from text whose decimal points become commas"
    )
    max_steps: int = ranged(60, 1, 1000, "of a new tree")
    attempts: int = ranged(
        8, 1, 1000, "to make a tree that is not too long or excluded; then written ink is taken"
    )
    min_invented_symbols: int = ranged(4, 1, 150, "shorter formulas are written often enough")
    tightening: float = ranged(0.0, 0.0, 1.0, "by what share gaps may shrink in what is laid out")
    photo_glyphs_share: float = ranged(
        0.0, 0.0, 1.0, "of what is laid out: with glyphs of photographs; if any, all is so spaced"
    )
    photo_writer_candidates: int = ranged(
        10, 1, 1000, "writers of photographs compared for who wrote most of the symbols"
    )
    max_photo_writers: int = ranged(4, 1, 100, "in one expression")
    hands_share: float = ranged(0.0, 0.0, 1.0, "of what is laid out: by one of the further hands")

    def __post_init__(self) -> None:
        if min(self.shares) < 0 or not sum(self.shares):
            raise SanError("synth: the shares of a composition are from 0 on, and not all 0")

    @property
    def shares(self) -> tuple[float, ...]:
        return (
            self.real, self.varied, self.joined, self.formula, self.grafted, self.invented
        )  # fmt: skip


def _composed() -> CompositionConfig:
    return CompositionConfig(real=0.0, varied=0.0, joined=0.0)


def _varied() -> CompositionConfig:
    return CompositionConfig(formula=0.0, grafted=0.0, invented=0.0)


def _photo_style() -> CompositionConfig:
    """Tighter than ink on tablets, and in lines as long as those that are photographed."""
    return CompositionConfig(
        real=0.0, varied=0.0, joined=0.0, formula=0.95, grafted=0.0, invented=0.05,
        formula_length_power=1.6, tightening=0.65, photo_glyphs_share=0.7,
    )  # fmt: skip


def _ink_lines() -> CompositionConfig:
    return CompositionConfig(
        real=0.0, varied=0.0, joined=0.0, formula=0.5, grafted=0.0, invented=0.5, max_steps=160
    )


def _photo_lines() -> CompositionConfig:
    """As single formulas in the style of photographs; half of their length is in their lines."""
    return CompositionConfig(
        real=0.0, varied=0.0, joined=0.0, formula=0.75, grafted=0.0, invented=0.25, max_steps=160,
        formula_length_power=0.5, tightening=0.65, photo_glyphs_share=0.7,
    )  # fmt: skip


@dataclass(frozen=True)
class LinesConfig:
    """Samples of several lines: shares of four ways, which need not add up to one."""

    ink: float = ranged(0.32, 0.0, 1.0, "share: composed of ink")
    photo_style: float = ranged(0.38, 0.0, 1.0, "share: composed to look like cleaned photographs")
    stacked: float = ranged(
        0.18, 0.0, 1.0, "share: lines of photos below one another, if there are photo_masks"
    )
    photographed: float = ranged(0.12, 0.0, 1.0, "share: line_photos taken anew, if there are any")
    ink_composition: CompositionConfig = field(default_factory=_ink_lines)
    photo_composition: CompositionConfig = field(default_factory=_photo_lines)
    max_size: tuple[int, int] = ranged(
        (512, 1504), 32, 4000, "pixels, height and width: what is larger is made again"
    )
    max_depth: int = ranged(90, 1, 1000, "steps of a path: the same for what is deeper")

    def __post_init__(self) -> None:
        if not self.ink + self.photo_style:
            raise SanError("synth.lines: of ink and photo_style one must be above 0")


@dataclass(frozen=True)
class ComposerConfig:
    """All that one `Composer` needs."""

    composition: CompositionConfig = field(default_factory=CompositionConfig)
    blend_share: float = ranged(0.0, 0.0, 1.0, "of what is not written ink as it is")
    distortion: DistortionConfig = field(default_factory=DistortionConfig)
    exchange: ExchangeConfig = field(default_factory=ExchangeConfig)
    layout: LayoutConfig = field(default_factory=LayoutConfig)
    writing_style: WritingStyleConfig = field(default_factory=WritingStyleConfig)
    photo_writing_style: PhotoWritingStyleConfig = field(default_factory=PhotoWritingStyleConfig)
    invent: InventConfig = field(default_factory=InventConfig)
    blend: BlendConfig = field(default_factory=BlendConfig)


@dataclass(frozen=True)
class PhotoSamplesConfig:
    """Samples that look like cleaned photographs, and photographs themselves."""

    gaps: tuple[float, float] = ranged(
        (1.0, 1.0), 0.0, 10.0, "wear.gaps of photo_style samples, which are spaced so already"
    )
    simulated_share: float = ranged(
        0.02, 0.0, 1.0, "of photo_style samples: photographed and cleaned, which is slow"
    )
    wear_tries: int = ranged(3, 1, 100, "until no symbol is lost")
    collage_share: float = ranged(
        0.7, 0.0, 1.0, "of photographed samples: recombined, where there are photo_masks"
    )
    unchanged_share: float = ranged(0.15, 0.0, 1.0, "of the others: as they were packed")


@dataclass(frozen=True)
class SynthConfig:
    """Samples that are made while training runs, instead of the corpus as it is.

    Towards the end of the run the shares of the kinds move to `final_shares`: what is to be read in
    the end is writing as people leave it.

    `formula_text` and `extraction` are of the commands that prepare its files: `san ink formulas`,
    `san ink extract-glyphs`, `san ink font-glyphs`, `san ink character-glyphs`.
    """

    samples_per_epoch: int = ranged(0, 0, 1_000_000, "0: the corpus as it is")
    formulas: str = field(
        default="", metadata={"doc": "file of LaTeX, a formula a line, for composed samples"}
    )
    photo_formulas: str = field(
        default="", metadata={"doc": "the same for samples in the style of photographs"}
    )
    photos: str = field(
        default="", metadata={"doc": "pack of cleaned photographs (`san data pack --clean`)"}
    )
    photo_glyphs: str = field(
        default="", metadata={"doc": "pack of glyphs of the photographs (`san ink extract-glyphs`)"}
    )
    hands: tuple[str, ...] = field(
        default=(),
        metadata={
            "doc": "packs of glyphs by further writers (`san ink font-glyphs`, `character-glyphs`)"
        },
    )
    photo_masks: str = field(
        default="", metadata={"doc": "symbol masks of the photographs, to recombine them"}
    )
    line_formulas: str = field(
        default="", metadata={"doc": "file of formulas of several lines, for samples of lines"}
    )
    line_photos: str = field(
        default="", metadata={"doc": "pack of cleaned photographs of several lines"}
    )
    print_fonts: str = field(
        default="", metadata={"doc": "outlines of printed characters (`san ink print-fonts`)"}
    )
    blend_share: float = ranged(
        0.0, 0.0, 1.0, "part of samples made of ink whose glyphs are blends of two writers'"
    )
    wear_share: float = ranged(
        0.0, 0.0, 1.0, "part of the composed and varied that looks like cleaned photographs"
    )
    composed_wildness: float = ranged(
        1.0, 0.0, 10.0, "times distortion.wildness in composed samples, if that is asked for"
    )
    final_shares_from: float = ranged(
        1.0, 0.0, 1.0, "part of the run after which shares move to final_shares"
    )
    repeats: float = ranged(
        1.0, 1.0, 16.0, "epochs with the same samples, in other batches; 2.5: two or three of them"
    )
    workers: int = ranged(0, 0, 1000, "processes that make samples; 0: one a core")
    shares: Shares = field(default_factory=Shares)
    final_shares: Shares = field(default_factory=_final_shares)
    composed: CompositionConfig = field(default_factory=_composed)
    varied: CompositionConfig = field(default_factory=_varied)
    photo_style: CompositionConfig = field(default_factory=_photo_style)
    lines: LinesConfig = field(default_factory=LinesConfig)
    photo_samples: PhotoSamplesConfig = field(default_factory=PhotoSamplesConfig)
    printed: PrintedConfig = field(default_factory=PrintedConfig)
    distortion: DistortionConfig = field(default_factory=tablet_distortion)
    photo_distortion: DistortionConfig = field(default_factory=photo_distortion)
    exchange: ExchangeConfig = field(default_factory=ExchangeConfig)
    layout: LayoutConfig = field(default_factory=LayoutConfig)
    writing_style: WritingStyleConfig = field(default_factory=WritingStyleConfig)
    photo_writing_style: PhotoWritingStyleConfig = field(default_factory=PhotoWritingStyleConfig)
    formula_text: FormulaTextConfig = field(default_factory=FormulaTextConfig)
    invent: InventConfig = field(default_factory=InventConfig)
    invent_lines: InventLinesConfig = field(default_factory=InventLinesConfig)
    extraction: ExtractionConfig = field(default_factory=ExtractionConfig)
    bank: BankConfig = field(default_factory=BankConfig)
    blend: BlendConfig = field(default_factory=BlendConfig)
    derived: DerivedConfig = field(default_factory=DerivedConfig)
    wear: WearConfig = field(default_factory=WearConfig)
    paper: PaperConfig = field(default_factory=PaperConfig)
    retake: RetakeConfig = field(default_factory=RetakeConfig)
    collage: CollageConfig = field(default_factory=CollageConfig)
    stacked_lines: StackedLinesConfig = field(default_factory=StackedLinesConfig)

    def __post_init__(self) -> None:
        for section, camera in (
            ("wear", self.wear), ("retake", self.retake),
            ("printed.screen", self.printed.screen), ("printed.book", self.printed.book),
        ):  # fmt: skip
            if camera.paper_level >= camera.ink_level:
                raise SanError(
                    f"synth.{section}.paper_level: {camera.paper_level} is not below"
                    f" synth.{section}.ink_level, {camera.ink_level}"
                )
        if not self.samples_per_epoch:
            return
        for section in ("shares", "final_shares"):
            if not sum(getattr(self, section).values()):
                raise SanError(f"synth.{section}: of {', '.join(KINDS)} one must be above 0")
        for name, kind in (
            ("formulas", "composed"),
            ("photo_formulas", "photo_style"),
            ("photos", "photographed"),
            ("print_fonts", "printed"),
        ):
            if not getattr(self, name):
                for section in ("shares", "final_shares"):
                    if getattr(getattr(self, section), kind):
                        raise SanError(
                            f"synth.{name} names no file, but synth.{section}.{kind} is above 0"
                        )
        if self.photo_masks and not (self.photos and self.photo_glyphs):
            raise SanError("synth.photo_masks needs synth.photos and synth.photo_glyphs")

    def shares_at(self, progress: float) -> Shares:
        """The shares, adding up to one, where this part of the run is done."""
        first, final = self.shares.values(), self.final_shares.values()
        start = self.final_shares_from
        moved = (progress - start) / (1 - start) if progress > start else 0.0
        return Shares(
            *(
                (1 - moved) * share / sum(first) + moved * last / sum(final)
                for share, last in zip(first, final, strict=True)
            )
        )

    def composer(
        self, composition: CompositionConfig, distortion: DistortionConfig
    ) -> ComposerConfig:
        """The configuration of a composer for one kind of sample."""
        return ComposerConfig(
            composition,
            self.blend_share,
            distortion,
            self.exchange,
            self.layout,
            self.writing_style,
            self.photo_writing_style,
            self.invent,
            self.blend,
        )

    @property
    def has_print(self) -> bool:
        """Whether printed samples are made at all."""
        return self.samples_per_epoch > 0 and bool(self.shares.printed or self.final_shares.printed)

    @property
    def has_lines(self) -> bool:
        """Whether samples of several lines are made at all."""
        return self.samples_per_epoch > 0 and bool(self.shares.lines or self.final_shares.lines)

    @cached_property
    def composed_distortion(self) -> DistortionConfig:
        """The distortion of composed samples."""
        low, high = self.distortion.wildness
        if low == high == 1.0:  # it is off
            return self.distortion
        factor = self.composed_wildness
        return replace(self.distortion, wildness=(factor * low, factor * high))

    @cached_property
    def photo_wear(self) -> WearConfig:
        """The wear of samples in the style of photographs."""
        return replace(self.wear, gaps=self.photo_samples.gaps)

    @cached_property
    def line_retake(self) -> RetakeConfig:
        """How lines of photographs are taken anew once a brace is before them: cleaned again."""
        return replace(self.retake, cleaned_size=True)

    @property
    def photo_composer(self) -> ComposerConfig:
        """Of samples in the style of photographs."""
        return self.composer(self.photo_style, self.photo_distortion)
