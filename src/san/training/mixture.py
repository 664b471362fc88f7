"""What epochs are mixed of: composed formulas, varied ink, and the corpus as it is.

- One pack of ink serves all three (`san.compose`). The corpus as it is comes as its own pictures,
  drawn as they are when they are read, and every sample of it is as likely as any other; where its
  symbols stand is known from the same alignment that composing rests on.
- A `Mixture` is what travels to a worker process; it opens its files there.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from san.compose.bank import Bank
from san.compose.composer import Composer, Recipe
from san.compose.picture import Composed
from san.data.pack import Pack
from san.errors import SanError, reason
from san.ink.draw import FIELD_PEN
from san.training.config import ComposeConfig

COMPOSED = Recipe(real=0.0, varied=0.0, joined=0.0)
VARIED = Recipe(formula=0.0, grafted=0.0, invented=0.0)


@dataclass(frozen=True)
class Mixture:
    pack: str
    config: ComposeConfig

    def open(self) -> "Mixer":
        """In a worker process."""
        try:
            text = Path(self.config.formulas).read_text("utf-8") if self.config.formulas else ""
        except OSError as error:
            raise SanError(f"{self.config.formulas}: {reason(error)}") from None
        except UnicodeDecodeError:
            raise SanError(f"{self.config.formulas}: this is no text") from None
        return Mixer(Pack.load(self.pack), text.splitlines(), self.config)


class Mixer:
    """Makes one sample after the other; a `san.training.chunk.Maker`."""

    def __init__(self, pack: Pack, formulas: list[str], config: ComposeConfig) -> None:
        self.config = config
        self.composer = Composer(pack, formulas, COMPOSED)
        self.varier = Composer(self.composer.bank, formulas, VARIED)
        self.plain = Plain(pack, self.composer.bank)

    def make(self, rng: np.random.Generator, done: float) -> Composed:
        composed, varied, _ = self.config.shares(done)
        roll = rng.random()
        if roll < composed:
            return self.composer.sample(rng)
        return self.varier.sample(rng) if roll < composed + varied else self.plain.sample(rng)


class Plain:
    """A corpus as it is, with the places of its symbols."""

    def __init__(self, pack: Pack, bank: Bank) -> None:
        self.pack, self.bank = pack, bank
        # The bank passes over what has no ink.
        self.places = [place for place in range(len(pack)) if pack.ink(place) is not None]
        assert len(self.places) == len(bank.written)

    def sample(self, rng: np.random.Generator) -> Composed:
        return self.take(int(rng.integers(len(self.places))))

    def take(self, number: int) -> Composed:
        written = self.bank.written[number]
        boxes = np.full((written.length, 4), np.nan, np.float32)
        if written.aligned:
            boxes[list(written.steps)] = self._boxes(written.first, written.last)[
                : len(written.steps)
            ]
        return Composed(self.pack.image(self.places[number]), written.tree, boxes)

    def _boxes(self, first: int, last: int) -> NDArray[np.float64]:
        """Of some glyphs, where the field's pen draws them."""
        corners: NDArray[np.float64] = np.floor(self.bank.boxes[first:last])
        corners -= np.tile(corners[:, :2].min(axis=0), 2)
        margin, width = FIELD_PEN.margin, FIELD_PEN.width
        corners += (margin, margin, margin + width, margin + width)
        return corners
