"""What was read: a formula, in every form that people want it in, and how it was read.

- Nothing is computed before it is asked for: whoever wants LaTeX pays for no boxes.
- Symbols are numbered as in the JSON: in reading order, `Expression.walk`.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from san.decoding.engine import Floats
from san.decoding.reading import Reading
from san.grammar import Expression, to_latex, to_tokens
from san.grammar.json import to_dict
from san.grammar.labelgraph import to_labelgraph
from san.grammar.mathml import to_mathml
from san.grammar.tree import NOTHING
from san.ink import Box
from san.model.spec import STRIDE
from san.reader.boxes import Location, locate_symbols
from san.reader.prepared import PreparedImage
from san.reader.step_symbols import symbol_steps


@dataclass(frozen=True, eq=False)
class WrittenSymbol:
    """A symbol of a formula, how sure the network was of it, and where it stands."""

    name: str
    probability: float
    box: Box | None  # pixels of the image, or units of the ink; None: a symbol without ink
    attention: Floats  # rows x columns of the picture's cells
    alternatives: tuple[tuple[str, float], ...]  # other symbols and their probabilities, best first
    strokes: tuple[int, ...] | None = None  # of ink: the strokes that it is made of


@dataclass(frozen=True, eq=False)
class Formula:
    """One source, read."""

    reading: Reading
    page: PreparedImage
    confidence: float  # how probable it is that the whole formula is right
    name: str = ""  # of the source
    alternatives: tuple["Formula", ...] = ()  # other readings of the same page, best first

    @property
    def tree(self) -> Expression:
        return self.reading.expression

    @cached_property
    def latex(self) -> str:
        return to_latex(self.tree)

    @property
    def tokens(self) -> list[str]:
        return to_tokens(self.tree)

    @property
    def mathml(self) -> str:
        return to_mathml(self.tree)

    @property
    def labelgraph(self) -> str:
        return to_labelgraph(self.tree)

    @property
    def json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `san.grammar.json`, with the confidence and what is known of each symbol."""
        document = to_dict(self.tree)
        entries = document.pop("symbols")
        document["confidence"] = round(self.confidence, 4)
        for entry, symbol in zip(entries, self.symbols, strict=True):
            entry["probability"] = round(symbol.probability, 4)
            entry["box"] = symbol.box and [round(side, 2) for side in symbol.box]
        document["symbols"] = entries
        if self.alternatives:
            document["alternatives"] = [
                {"latex": other.latex, "confidence": round(other.confidence, 4)}
                for other in self.alternatives
            ]
        return document

    @cached_property
    def symbols(self) -> tuple[WrittenSymbol, ...]:
        """Every symbol, in reading order."""
        steps = [
            self.reading.steps[i] for i in symbol_steps([read.step for read in self.reading.steps])
        ]
        names = [visit.symbol.name for visit in self.tree.walk()]
        rows, columns = (-(-side // STRIDE) for side in self.page.picture.shape)
        attention = [step.attention[:rows, :columns] for step in steps]
        locations: list[Location | tuple[None, None]] = [(None, None)] * len(names)
        inked = [index for index, name in enumerate(names) if name != NOTHING]
        if inked:
            of_inked = np.stack([attention[index] for index in inked])
            for index, location in zip(
                inked, locate_symbols(self.page, of_inked, STRIDE), strict=True
            ):
                locations[index] = location
        return tuple(
            WrittenSymbol(name, step.probability, box, cells, step.alternatives, strokes)
            for name, step, (box, strokes), cells in zip(
                names, steps, locations, attention, strict=True
            )
        )

    def __repr__(self) -> str:
        return f"Formula({self.latex!r}, confidence={self.confidence:.2f})"
