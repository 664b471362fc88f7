"""Symbols of some ink that are known before it is read: corrections that people made."""

from collections.abc import Sequence
from numbers import Integral
from typing import NamedTuple

import numpy as np

from san.decoding.engine import Engine
from san.decoding.known import KnownCells, KnownSymbolsEngine
from san.errors import SanError, brief
from san.grammar.symbols import is_symbol
from san.ink import Ink
from san.model.spec import STRIDE
from san.reader.pieces import strokes_of
from san.reader.prepared import KnownSymbol, PreparedImage


class AnnotatedInk(NamedTuple):
    """Ink with symbols that are known: a source whose reading holds them fixed."""

    ink: Ink
    known: tuple[KnownSymbol, ...]

    def checked(self) -> "AnnotatedInk":
        """The same; a SanError where it cannot be."""
        for one in self.known if isinstance(self.known, tuple | list) else [self.known]:
            if not _is_known_symbol(one):
                raise SanError(f"{brief(repr(one))}: known symbols are KnownSymbol(name, strokes)")
        owners: dict[int, str] = {}
        for name, strokes in self.known:
            if not is_symbol(name):
                raise SanError(f"{brief(name)!r} is no symbol")
            if not strokes or not 0 <= min(strokes) <= max(strokes) < len(self.ink.strokes):
                raise SanError(f"{name}: its strokes are not among the ink's")
            for number in set(strokes):
                if number in owners:
                    raise SanError(
                        f"stroke {number} is known as {owners[number]} and as {name}: name one"
                    )
                owners[number] = name
        return self


def _is_known_symbol(one: object) -> bool:
    return (
        isinstance(one, tuple)
        and len(one) == 2
        and isinstance(one[0], str)
        and isinstance(one[1], Sequence)
        and all(isinstance(number, Integral) for number in one[1])
    )


def holding_known(engine: Engine, images: Sequence[PreparedImage]) -> Engine:
    """The engine; where an image has known symbols, one that holds them fixed."""
    if not any(image.known for image in images):
        return engine
    return KnownSymbolsEngine(engine, [_cells(image) for image in images])


def _cells(image: PreparedImage) -> list[KnownCells]:
    if not image.known or image.ink is None:
        return []
    pieces = strokes_of(image)
    rows, columns = (-(-side // STRIDE) for side in image.picture.shape)
    x, y = np.clip(pieces.points.T // STRIDE, 0, [[columns - 1], [rows - 1]]).astype(np.int64)
    cell = y * columns + x
    total = np.bincount(cell, minlength=rows * columns)
    numbers = image.stroke_numbers or tuple(range(len(image.ink.strokes)))
    source_number = np.array(numbers)[pieces.piece]
    cells = []
    for name, strokes in image.known:
        own = np.bincount(cell[np.isin(source_number, strokes)], minlength=rows * columns)
        if own.any():  # or else it is of another formula
            share = (own / np.maximum(total, 1)).astype(np.float32)
            ink = (total > 0).reshape(rows, columns)
            cells.append(KnownCells(name, share.reshape(rows, columns), ink))
    return cells
