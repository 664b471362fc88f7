"""The symbols of a reading: how sure each is, where it stands, and what it may be instead; and the
ink that none of them accounts for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from san.decoding.engine import Floats
from san.decoding.reading import Reading, ReadStep
from san.grammar.grids import INKLESS
from san.grammar.symbols import WORDS
from san.grammar.tree import NOTHING
from san.images.clean.components import find_components
from san.ink import Box
from san.model.spec import STRIDE
from san.reader.boxes import MIN_UNREAD_SIDE, locate
from san.reader.prepared import Location, PreparedImage
from san.reader.rescoring.stroke_likelihood import shipped_strokes, stroke_likelihood
from san.reader.step_symbols import symbol_steps

_WITHOUT_INK = INKLESS | {NOTHING}
"""What parts lines and cells is decided on, but not written."""
PARTS_APART = dict.fromkeys(("=", r"\pm", r"\mp", r"\leq", r"\geq", "i", "j"), 2) | {r"\div": 3}
"""Symbols whose parts stand above one another and do not touch."""


@dataclass(frozen=True, eq=False)
class Symbol:
    """A symbol of a formula, how sure the network was of it, and where it stands."""

    name: str
    probability: float
    box: Box | None  # pixels of the image, or units of the ink; None: a symbol without ink
    attention: Floats = field(repr=False)  # rows x columns of the picture's cells
    alternatives: tuple[tuple[str, float], ...]  # other symbols and their probabilities, best first
    strokes: tuple[int, ...] | None = None  # of ink: the strokes that it is made of


class SymbolsAndUnread(NamedTuple):
    """The ink of a reading, divided."""

    symbols: tuple[Symbol, ...]  # in reading order
    unread: tuple[Location, ...]  # strokes, or connected parts, that no symbol accounts for
    unread_share: float  # of all ink


def with_apart(located: SymbolsAndUnread, image: PreparedImage) -> SymbolsAndUnread:
    """The same, and the writing that is not in the picture: nothing of it was read."""
    if not image.apart:
        return located
    own = int(np.count_nonzero(image.picture))
    more, unread = 0, list(located.unread)
    for one in image.apart:
        # Both are as large as the network knows writing, so a letter counts as much here as there.
        more += int(np.count_nonzero(one.picture))
        for left, top, width, height, _ in find_components(one.picture).stats.tolist():
            if max(width, height) >= MIN_UNREAD_SIDE:
                unread.append(Location(one.to_source(Box(left, top, left + width, top + height))))
    share = (own * located.unread_share + more) / (own + more)
    return located._replace(unread=tuple(unread), unread_share=share)


class InkedSymbols(NamedTuple):
    """The symbols of a reading that are written with ink."""

    places: list[int]  # among all of its symbols, in reading order
    names: list[str]
    attention: Floats  # symbols x rows x columns of the picture's cells


def symbols_of(reading: Reading) -> tuple[list[str], list[ReadStep]]:
    """The names of a reading's symbols, in reading order, and the steps that they were read by."""
    writing = symbol_steps([read.step for read in reading.steps])
    names = [visit.symbol.name for visit in reading.expression.walk()]
    return names, [reading.steps[index] for index in writing]


def inked_symbols(
    names: Sequence[str], steps: Sequence[ReadStep], image: PreparedImage
) -> InkedSymbols:
    """Those of a reading's symbols that have ink, with their attention."""
    rows, columns = (-(-side // STRIDE) for side in image.picture.shape)
    places = [place for place, name in enumerate(names) if name not in _WITHOUT_INK]
    attention = np.zeros((len(places), rows, columns), np.float32)
    for number, place in enumerate(places):
        attention[number] = steps[place].attention[:rows, :columns]
    return InkedSymbols(places, [names[place] for place in places], attention)


def symbols_and_unread(reading: Reading, image: PreparedImage) -> SymbolsAndUnread:
    """Every symbol with its ink, and the ink that is left."""
    names, steps = symbols_of(reading)
    if steps and not steps[0].attention.size:  # nothing is known of where it looked
        unseen = (
            Symbol(name, step.probability, None, step.attention, step.alternatives)
            for name, step in zip(names, steps, strict=True)
        )
        return SymbolsAndUnread(tuple(unseen), (), 0.0)
    rows, columns = (-(-side // STRIDE) for side in image.picture.shape)
    attention = [step.attention[:rows, :columns] for step in steps]
    places: list[Location | tuple[None, None]] = [(None, None)] * len(names)
    inked = inked_symbols(names, steps, image)
    letters = [max(len(name) - 1, 1) if name in WORDS else 1 for name in inked.names]
    parts = [PARTS_APART.get(name, 1) for name in inked.names]
    network = shipped_strokes() if image.ink is not None else None
    likelihood = stroke_likelihood(image, network) if network else None
    likely = likelihood.of(inked.names) if likelihood else None
    locations = locate(image, inked.attention, STRIDE, letters, parts, likely)
    for place, location in zip(inked.places, locations.symbols, strict=True):
        places[place] = location
    symbols = tuple(
        Symbol(name, step.probability, box, cells, step.alternatives, strokes)
        for name, step, (box, strokes), cells in zip(names, steps, places, attention, strict=True)
    )
    return SymbolsAndUnread(symbols, tuple(locations.unread), locations.unread_share)
