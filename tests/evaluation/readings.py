"""Readings without a network: someone who reads LaTeX instead of the picture."""

import numpy as np
from numpy.typing import NDArray

from san.decoding.reading import Reading, ReadStep
from san.evaluation.compare import compare
from san.evaluation.wrong_readings import WrongReading
from san.grammar import parse, to_latex
from san.grammar.productions import by_level, unfold

SIZE = (40, 70)


def picture(size: tuple[int, int] = SIZE) -> NDArray[np.uint8]:
    """A white diagonal on black."""
    rows, columns = np.indices(size)
    return np.where(abs(rows * size[1] - columns * size[0]) < 60, 255, 0).astype(np.uint8)


def reading(latex: str, cells: tuple[int, int] = (5, 6)) -> Reading:
    """As the frontier gives it: level by level, attention on the canvas of a whole batch."""
    steps = by_level(unfold(parse(latex)))
    attention = np.eye(cells[0] * cells[1], dtype=np.float32).reshape(-1, *cells)
    return Reading(
        tuple(
            ReadStep(step, 0.9, (0.5,) * 7, attention[index % len(attention)])
            for index, step in enumerate(steps)
        )
    )


def wrong_reading(label: str, read: str, name: str = "a") -> WrongReading:
    guess = reading(read)
    pair = compare(label, to_latex(guess.expression))
    return WrongReading(name, label, picture(), guess, pair)
