"""The symbols of a reading: how sure each is, where it stands, and what it may be instead."""

from dataclasses import dataclass

import numpy as np

from san.decoding.engine import Floats
from san.decoding.reading import Reading
from san.grammar.tree import NOTHING
from san.ink import Box
from san.model.spec import STRIDE
from san.reader.boxes import Location, locate_symbols
from san.reader.prepared import PreparedImage
from san.reader.step_symbols import symbol_steps


@dataclass(frozen=True, eq=False)
class Symbol:
    """A symbol of a formula, how sure the network was of it, and where it stands."""

    name: str
    probability: float
    box: Box | None  # pixels of the image, or units of the ink; None: a symbol without ink
    attention: Floats  # rows x columns of the picture's cells
    alternatives: tuple[tuple[str, float], ...]  # other symbols and their probabilities, best first
    strokes: tuple[int, ...] | None = None  # of ink: the strokes that it is made of


def symbols_of(reading: Reading, image: PreparedImage) -> tuple[Symbol, ...]:
    """Every symbol, in reading order."""
    writing = symbol_steps([read.step for read in reading.steps])
    steps = [reading.steps[index] for index in writing]
    names = [visit.symbol.name for visit in reading.expression.walk()]
    rows, columns = (-(-side // STRIDE) for side in image.picture.shape)
    attention = [step.attention[:rows, :columns] for step in steps]
    locations: list[Location | tuple[None, None]] = [(None, None)] * len(names)
    inked = [index for index, name in enumerate(names) if name != NOTHING]
    if inked:
        of_inked = np.stack([attention[index] for index in inked])
        for index, location in zip(inked, locate_symbols(image, of_inked, STRIDE), strict=True):
            locations[index] = location
    return tuple(
        Symbol(name, step.probability, box, cells, step.alternatives, strokes)
        for name, step, (box, strokes), cells in zip(
            names, steps, locations, attention, strict=True
        )
    )
