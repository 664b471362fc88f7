"""How much one source may hold, and how long a reading may become.

Files come from strangers: each limit is checked before the work that it bounds, and each refusal is
one line. The defaults let through every telephone's photograph and every sheet of CROHME.
"""

from dataclasses import dataclass

from san.decoding import DecodingLimits
from san.errors import SanError, brief
from san.files import MAX_BYTES
from san.images.open import MAX_PIXELS
from san.ink import InkLimits

PILLOW_MAX_PIXELS = 178_000_000
"""Pixels: beyond it Pillow refuses by itself."""
MAX_STEPS = 10_000
"""A reading of so many steps is none; more would only keep the machine busy."""
MIN_PROBABILITY = 1e-20
"""Of a reading: what is less probable is no formula, and is not read to its end. Of all readings of
CROHME 2014 and of 1,039 photographs, right or wrong, none is less probable than 1e-8."""

MAX_THREADS = 1_024
"""More than most machines have cores; a hundred thousand of them take minutes to begin."""
MAX_BEAM = 100
MAX_SERVICE_BEAM = 10
"""Readings that are followed at once, or given: here, and by a service, which has others, too."""

CONNECT_TIMEOUT = 60.0
"""Seconds that a service has for one source, with the times that it says it is busy."""


@dataclass(frozen=True)
class Limits:
    """Of one source."""

    bytes: int = MAX_BYTES
    pixels: int = MAX_PIXELS
    strokes: int = InkLimits.strokes
    points: int = InkLimits.points
    steps: int = DecodingLimits.steps

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise SanError(f"at most {value} {name}: a limit is 1 or more")
        highest = {"bytes": MAX_BYTES, "pixels": PILLOW_MAX_PIXELS, "steps": MAX_STEPS}
        for name, value in highest.items():
            if getattr(self, name) > value:
                raise SanError(f"a limit of {name} is at most {value:,}")

    @property
    def of_ink(self) -> InkLimits:
        # Ink in an image's number of bytes would be a book: its own limit holds as well.
        return InkLimits(min(self.bytes, InkLimits.bytes), self.strokes, self.points)

    @property
    def of_decoding(self) -> DecodingLimits:
        return DecodingLimits(self.steps, min_probability=MIN_PROBABILITY)


def check_whole(number: object, what: str) -> None:
    """A SanError where an option is no whole number: it would fail later, and say less."""
    if not isinstance(number, int):
        raise SanError(f"{what} is a whole number, not {brief(repr(number))}")


def check_threads(threads: int) -> None:
    """The same for a number of threads; 0 is one for each core."""
    check_whole(threads, "a number of threads")
    if not 0 <= threads <= MAX_THREADS:
        raise SanError(f"a number of threads is 0, for all cores, or up to {MAX_THREADS:,}")


def check_limits(limits: object) -> Limits:
    """The same for limits."""
    if not isinstance(limits, Limits):
        raise SanError(f"limits are Limits(...) of san.reader, not {brief(repr(limits))}")
    return limits


def check_beam(beam: int, n_best: int, max_beam: int = MAX_BEAM) -> None:
    """A SanError where one of them is out of its range."""
    for number in (beam, n_best):
        check_whole(number, "a beam, or a number of readings,")
    if not (1 <= beam <= max_beam and 1 <= n_best <= max_beam):
        by = " of a service" if max_beam == MAX_SERVICE_BEAM else ""
        raise SanError(f"a beam and a number of readings{by} lie between 1 and {max_beam}")
