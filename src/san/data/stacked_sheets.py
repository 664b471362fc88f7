"""Sheets of several formulas: single ones of a CROHME corpus by one writer, one below the other.

Gaps are between the boxes of two formulas, in letters (the mean height of a stroke). Lines that
pupils stack on photographs (mlhme/train_lines) have gaps of 0 to 0.8, 0.25 in the middle; lines of
ruled paper about one.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from san.ink import Ink, Sheet, read_many
from san.ink.draw import BITMAP_PEN, scale_of

Gaps = tuple[float, float]
"""The least and the most, in letters."""
WRITTEN_GAPS: Gaps = (0.3, 1.8)
INDENT = 3.0
"""Letters that a line begins to the right of the margin, at most."""
MAX_FORMULAS = 4
MIN_OF_WRITER = MAX_FORMULAS


@dataclass(frozen=True, eq=False)
class StackedSheet:
    """A sheet's ink, the formula of each stroke, and the formulas as they were written."""

    ink: Ink
    owners: NDArray[np.int64]
    formulas: tuple[Sheet, ...]


def formulas_by_writer(corpus: Path) -> dict[str, list[Sheet]]:
    """Only writers of several; where none is named, the files that are named alike."""
    writers: dict[str, list[Sheet]] = defaultdict(list)
    for sheet in read_many(corpus, on_skip=lambda *_: None):
        named = sheet.writer not in (None, "Unknown")
        writers[(named and sheet.writer) or sheet.name.rstrip("0123456789")[:12]].append(sheet)
    return {name: some for name, some in writers.items() if len(some) >= MIN_OF_WRITER}


def stacked_sheets(
    corpus: Path, count: int, seed: int, min_formulas: int = 2, gaps: Gaps = WRITTEN_GAPS
) -> Iterator[StackedSheet]:
    """So many sheets, each by one writer; writers of more formulas have more sheets."""
    rng = np.random.default_rng(seed)
    writers = formulas_by_writer(corpus)
    names = sorted(writers)
    share = np.array([len(writers[name]) for name in names], np.float64)
    for _ in range(count):
        formulas = writers[names[int(rng.choice(len(names), p=share / share.sum()))]]
        lines = int(rng.integers(min_formulas, MAX_FORMULAS + 1))
        chosen = rng.choice(len(formulas), lines, replace=False).tolist()
        yield stack([formulas[number] for number in chosen], rng, gaps)


def stack(
    formulas: list[Sheet], rng: np.random.Generator, gaps: Gaps = WRITTEN_GAPS
) -> StackedSheet:
    """Formulas one below the other, in the size in which they were written."""
    letter = float(np.mean([BITMAP_PEN.height / scale_of(sheet.ink) for sheet in formulas]))
    strokes, owners, top = [], [], 0.0
    for number, sheet in enumerate(formulas):
        box = sheet.ink.box
        left = rng.uniform(0, INDENT) * letter
        top += rng.uniform(*gaps) * letter if number else 0.0
        move = np.array([left - box.left, top - box.top], np.float32)
        strokes += [stroke + move for stroke in sheet.ink.strokes]
        owners += [number] * len(sheet.ink.strokes)
        top += box.height
    return StackedSheet(Ink.of(strokes), np.array(owners), tuple(formulas))
