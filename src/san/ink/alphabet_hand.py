"""A hand: it writes the alphabet's shapes, never twice alike.

Design choices
- A hand moves the KNOTS of a shape, not the points of its curve: strokes stay as smooth as a pen
  leaves them, and yet two letters of one word differ.
- Habits (slant, width, how unsteady) are the hand's own; a seed says the rest. The same seed
  writes the same ink.
"""

from dataclasses import dataclass, field

import numpy as np

from san.ink.alphabet import Knots, Outline, curve, outlines
from san.ink.strokes import Points

BASELINE = 20.0
"""Where symbols stand on the alphabet's ruled paper."""
TICK = 6.8
"""Width of a root's tick: only the bar after it grows with what is under it."""


@dataclass
class Hand:
    """Somebody's way of writing."""

    seed: int
    slant: float = 0.08  # to the right, per unit of height
    width: float = 1.0  # of letters
    unsteady: float = 0.22  # how far a knot may miss its place, in units of the ruled paper
    drift: float = 0.5  # how far a symbol may leave its line, in the same units
    random: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def write(
        self, label: str, size: float, width: float = 0.0, height: float = 0.0
    ) -> list[Points]:
        """One symbol that stands on y = 0, about x = 0; a width or a height stretches it."""
        strokes = outlines(label)
        knots = np.concatenate([own for own, _ in strokes]) - (0, BASELINE)
        knots[:, 0] *= self.width
        knots *= size * self.random.normal(1, 0.045)
        tall = np.ptp(knots[:, 1])
        if height and tall:
            knots[:, 1] *= height / tall
        if width:
            knots[:, 0] = _stretched(knots[:, 0], width, TICK * size if label == r"\sqrt" else 0)
        knots = self._moved(knots, size)
        cuts = np.cumsum([len(own) for own, _ in strokes])[:-1]
        return [
            curve(Outline(own, corners)).astype(np.float32)
            for own, (_, corners) in zip(np.split(knots, cuts), strokes, strict=True)
        ]

    def jitter(self, spread: float) -> float:
        """A small error of the hand, never beyond twice its spread."""
        return float(np.clip(self.random.normal(0, spread), -2 * spread, 2 * spread))

    def _moved(self, knots: Knots, size: float) -> Knots:
        turn = self.jitter(0.035)
        missed = self.random.normal(0, self.unsteady * size, knots.shape)
        x, y = (knots + missed.clip(-2 * self.unsteady * size, 2 * self.unsteady * size)).T
        # A long bar would swing far with the turn that suits a letter.
        turn *= min(1.0, 20 * size / max(np.ptp(x), 1e-6))
        lean = self.slant + self.jitter(0.035)
        return np.stack([x - lean * y - turn * y, y + turn * (x - x.mean())], axis=1)


def _stretched(x: Knots, width: float, stiff: float) -> Knots:
    """What lies beyond the stiff part grows until the whole is this wide."""
    extent = np.ptp(x)
    if extent <= stiff:
        return x
    factor = (width - stiff) / (extent - stiff)
    return np.where(x > stiff, stiff + (x - stiff) * factor, x)
