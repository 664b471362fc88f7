"""What samples are made of: the mixture of an epoch and, by section, everything that shapes it."""

from dataclasses import dataclass
from typing import NamedTuple

from san.config import ranged
from san.errors import SanError


class Shares(NamedTuple):
    """How much of an epoch each kind of samples is; see `SynthConfig`."""

    composed: float
    varied: float
    schooled: float
    photographed: float
    plain: float


@dataclass(frozen=True)
class SynthConfig:
    """Samples that are made while training runs, instead of the corpus as it is.

    Five kinds in shares that need not add up to one; towards the end of the run they may become
    others, for what is to be read in the end is writing as people leave it.
    """

    samples: int = ranged(0, 0, 1_000_000)  # in an epoch; 0: none are made
    formulas: str = ""  # a file of LaTeX, a formula a line: what is composed
    school: str = ""  # another: what is written at school
    photos: str = ""  # a pack of cleaned photographs (`san data pack --clean`)
    harvest: str = ""  # glyphs of photographs (`san ink harvest`), for the school's formulas
    places: str = ""  # where symbols of the photographs stand (`--places`), to recombine them
    blend: float = ranged(0.0, 0.0, 1.0)  # of what is made of ink: by hands between hands
    composed: float = ranged(0.5, 0.0, 1.0)  # formulas in ink put together from the corpus's
    varied: float = ranged(0.35, 0.0, 1.0)  # the corpus's ink, varied
    plain: float = ranged(0.15, 0.0, 1.0)  # the corpus as it is
    schooled: float = ranged(0.0, 0.0, 1.0)  # the school's formulas, as on cleaned photographs
    photographed: float = ranged(0.0, 0.0, 1.0)  # photographs, each time as if taken once more
    worn: float = ranged(0.0, 0.0, 1.0)  # of the composed and varied: as on cleaned photographs
    fade: float = ranged(1.0, 0.0, 1.0)  # the part of the run after which shares begin to change
    last_composed: float = ranged(0.0, 0.0, 1.0)  # the shares at its end
    last_varied: float = ranged(0.5, 0.0, 1.0)
    last_plain: float = ranged(0.5, 0.0, 1.0)
    last_schooled: float = ranged(0.0, 0.0, 1.0)
    last_photographed: float = ranged(0.0, 0.0, 1.0)
    workers: int = ranged(0, 0, 1000)  # processes that make them; 0: as many as there are cores

    def __post_init__(self) -> None:
        if not self.samples:
            return
        for prefix, shares in (("", self._first), ("last_", self._last)):
            if not sum(shares):
                names = ", ".join(prefix + name for name in Shares._fields)
                raise SanError(f"synth: of {names} one must be above 0")
        used = Shares(*map(max, self._first, self._last))
        for name, kind, share in (
            ("formulas", "composed", used.composed),
            ("school", "schooled", used.schooled),
            ("photos", "photographed", used.photographed),
        ):
            if share and not getattr(self, name):
                raise SanError(f"synth.{name} names no file, but some are to be {kind}")
        if self.places and not (self.photos and self.harvest):
            raise SanError("synth.places needs synth.photos and synth.harvest")

    @property
    def _first(self) -> Shares:
        return Shares(
            self.composed, self.varied, self.schooled, self.photographed, self.plain
        )  # fmt: skip

    @property
    def _last(self) -> Shares:
        return Shares(
            self.last_composed,
            self.last_varied,
            self.last_schooled,
            self.last_photographed,
            self.last_plain,
        )

    def shares(self, done: float) -> Shares:
        """Adding up to one, where so much of the run is done."""
        first, last = self._first, self._last
        faded = (done - self.fade) / (1 - self.fade) if done > self.fade else 0.0
        return Shares(
            *(
                (1 - faded) * one / sum(first) + faded * other / sum(last)
                for one, other in zip(first, last, strict=True)
            )
        )
