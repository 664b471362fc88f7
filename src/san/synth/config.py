"""Configuration of synthetic training samples: the mixture of an epoch and its files."""

from dataclasses import dataclass, field, fields

from san.config import ranged
from san.errors import SanError


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

    def values(self) -> tuple[float, ...]:
        """The shares in the order in which kinds are drawn."""
        return (
            self.composed, self.varied, self.photo_style, self.photographed, self.plain
        )  # fmt: skip


KINDS = tuple(share.name for share in fields(Shares))
"""The kinds of samples, in the order in which they are drawn."""


def _final_shares() -> Shares:
    return Shares(composed=0.0, varied=0.5, plain=0.5)


@dataclass(frozen=True)
class SynthConfig:
    """Samples that are made while training runs, instead of the corpus as it is.

    Towards the end of the run the shares of the kinds move to `final_shares`: what is to be read in
    the end is writing as people leave it.
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
        default="", metadata={"doc": "pack of glyphs of the photographs (`san ink harvest`)"}
    )
    photo_masks: str = field(
        default="", metadata={"doc": "symbol masks of the photographs, to recombine them"}
    )
    blend_share: float = ranged(
        0.0, 0.0, 1.0, "part of samples made of ink whose glyphs are blends of two writers'"
    )
    wear_share: float = ranged(
        0.0, 0.0, 1.0, "part of the composed and varied that looks like cleaned photographs"
    )
    final_shares_from: float = ranged(
        1.0, 0.0, 1.0, "part of the run after which shares move to final_shares"
    )
    workers: int = ranged(0, 0, 1000, "processes that make samples; 0: one a core")
    shares: Shares = field(default_factory=Shares)
    final_shares: Shares = field(default_factory=_final_shares)

    def __post_init__(self) -> None:
        if not self.samples_per_epoch:
            return
        for section in ("shares", "final_shares"):
            if not sum(getattr(self, section).values()):
                raise SanError(f"synth.{section}: of {', '.join(KINDS)} one must be above 0")
        for name, kind in (
            ("formulas", "composed"),
            ("photo_formulas", "photo_style"),
            ("photos", "photographed"),
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
