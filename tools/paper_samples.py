"""Our own ink for the paper's figures: the formulas of samples/ and longer ones, by several hands.

Everything is drawn by `tools.handwriting`: run again, it is the same. Hands become less steady.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.grammar import Expression, parse
from san.ink.alphabet import SimulatedWriter
from san.reader.prepared import PreparedImage, drawn_ink
from tools.handwriting import write_formula
from tools.make_samples import FORMULAS, HABITS

LONGER: dict[str, str] = {
    "cardano": r"x=\sqrt[3]{-\frac{q}{2}+\sqrt{\frac{q^2}{4}+\frac{p^3}{27}}}",
    "golden-fraction": r"\phi=1+\frac{1}{1+\frac{1}{1+\frac{1}{1+x}}}",
    "cosines": r"c=\sqrt{a^2+b^2-2ab\cos\theta}",
    "heron": r"A=\sqrt{s(s-a)(s-b)(s-c)}",
    "standard-deviation": r"\sigma=\sqrt{\frac{1}{n}\sum_{i=1}^{n}(x_i-\mu)^2}",
    "sum-of-squares": r"\sum_{k=1}^{n}k^2=\frac{n(n+1)(2n+1)}{6}",
    "by-parts": r"\int_a^bx\sin xdx=b\cos a-\frac{x^2}{2}+C",
    "power-tower": r"y=x^{x^{x^{2}}}+a_{n_{1}}",
    "chain-of-roots": r"\sqrt{a+\sqrt{b+\sqrt{c+\sqrt{d}}}}",
    "tangent-sum": r"\tan(\alpha+\beta)=\frac{\tan\alpha+\tan\beta}{1-\tan\alpha\tan\beta}",
    "double-fraction": r"\frac{\frac{a}{b}+\frac{c}{d}}{\frac{e}{f}-\frac{x}{y}}",
    "taylor": r"e^x=1+x+\frac{x^2}{2}+\frac{x^3}{6}+\frac{x^4}{24}",
    "lens": r"\frac{1}{f}=(n-1)(\frac{1}{r_1}-\frac{1}{r_2}+\frac{(n-1)d}{nr_1r_2})",
    "limits": r"\lim_{n\rightarrow\infty}\sum_{k=1}^{n}\frac{1}{\sqrt{n^2+k}}=1",
    "lorentz": r"t=\frac{T}{\sqrt{1-\frac{v^2}{c^2}}}",
    "quartic": r"x^4-4x^3+6x^2-4x+1=(x-1)^4",
}
"""Deeper and longer than those of samples/, by their names."""
LESS_STEADY = 0.3
"""Part by which each further hand misses more than the one before."""


class OwnSample(NamedTuple):
    """A formula as one hand wrote it."""

    name: str
    label: str
    image: PreparedImage

    @property
    def tree(self) -> Expression:
        return parse(self.label)

    @property
    def pixels(self) -> NDArray[np.float32]:
        """As a network takes them: ink 1 on 0."""
        return (self.image.picture > 127).astype(np.float32)


def own_samples(hands: int) -> Iterator[OwnSample]:
    for hand in range(hands):
        for number, (name, label) in enumerate((FORMULAS | LONGER).items()):
            habits = HABITS[(number + hand) % len(HABITS)]
            unsteady = habits["unsteady"] * (1 + LESS_STEADY * hand)
            writer = SimulatedWriter(1000 * hand + number, **(habits | {"unsteady": unsteady}))
            sheet = write_formula(label, writer)
            yield OwnSample(f"{name}, hand {hand + 1}", label, drawn_ink(sheet.ink))
