"""The symbols of a reading, each with its ink; what parts lines and cells has none."""

import numpy as np

from san.decoding.reading import Reading, ReadStep
from san.grammar import parse
from san.grammar.grids import INKLESS
from san.grammar.productions import unfold
from san.model.spec import STRIDE
from san.reader.prepared import PreparedImage
from san.reader.symbols import symbols_and_unread


def test_lines_take_no_ink_from_their_symbols() -> None:
    """Four dashes in two rows; the step of the grid attends to all of them, `\\\\` to the third."""
    picture = np.zeros((4 * STRIDE, 4 * STRIDE), np.uint8)
    cells = {"a": (0, 0), "b": (0, 2), "c": (2, 0), "d": (2, 2)}
    for row, column in cells.values():
        top, left = row * STRIDE + 4, column * STRIDE + 2
        picture[top : top + 8, left : left + 12] = 255
    tree = parse(r"\begin{matrix}a b\\c d\end{matrix}")
    steps = []
    for step in unfold(tree):
        attention = np.zeros((4, 4), np.float32)
        if step.target in cells:
            attention[cells[step.target]] = 0.6
        elif step.target == r"\\":
            attention[2, 0] = 0.9
        else:
            attention[:] = 1 / 16
        steps.append(ReadStep(step, 0.9, (), attention))
    symbols, unread, _ = symbols_and_unread(
        Reading(tuple(steps)), PreparedImage(picture, 1.0, 0.0, 0.0)
    )
    assert not unread
    for symbol in symbols:
        if symbol.name in INKLESS:
            assert symbol.box is None
        else:
            assert symbol.box is not None
            row, column = cells[symbol.name]
            assert symbol.box.left // STRIDE == column
            assert symbol.box.top // STRIDE == row
            assert symbol.box.height < STRIDE
