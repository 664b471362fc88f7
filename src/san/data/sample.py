"""A sample (one written expression and its tree), and why others were skipped."""

from dataclasses import dataclass
from enum import Enum

from san.errors import SanError, printable
from san.grammar import Expression
from san.ink.draw import Picture, draw
from san.ink.strokes import Glyph, Ink


class DataError(SanError):
    """A corpus or a pack that cannot be used; the message is one line that says why."""


@dataclass(frozen=True, eq=False)
class Sample:
    """One written expression and its tree. It has either ink or an image."""

    id: str
    tree: Expression
    ink: Ink | None = None
    glyphs: tuple[Glyph, ...] = ()  # which strokes make which symbol, where the ink's file tells
    image: Picture | None = None
    encoded: bytes = b""  # the image's file as it came: far smaller than its pixels

    def __post_init__(self) -> None:
        if (self.ink is None) == (self.image is None):
            raise ValueError("a sample has either ink or an image")

    def picture(self) -> Picture:
        """The image, or the ink drawn as the network sees it."""
        if self.ink is not None:
            return draw(self.ink)
        assert self.image is not None
        return self.image


class Fault(Enum):
    """Why something is not among the samples."""

    LINE = "not a line of labels"
    TWICE = "its id is taken"
    MISSING = "labelled, but without a file"
    UNLABELLED = "without a label"
    FILE = "does not open"
    EMPTY = "cannot be cleaned"
    LABEL = "its label does not parse"


@dataclass(frozen=True)
class Skip:
    """Something left out: the name of a file, an id, or a place in a file of labels."""

    name: str
    fault: Fault
    detail: str = ""

    def __str__(self) -> str:
        reason = f"{self.fault.value}: {self.detail}" if self.detail else self.fault.value
        return printable(f"{self.name}: {reason}")
