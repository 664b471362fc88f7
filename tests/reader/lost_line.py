"""A formula of two written lines, of which one was read; made by hand, without a network."""

from dataclasses import replace

import numpy as np

from san.decoding.engine import Floats
from san.decoding.reading import Reading, ReadStep
from san.grammar import parse
from san.grammar.productions import EMPTY_STRING, EXTEND, unfold
from san.grammar.tree import Relation
from san.ink import Box, Sheet
from san.ink.alphabet import compose
from san.reader.prepared import PreparedImage, prepare_image, prepare_ink
from san.reader.result import Formula
from san.reader.step_symbols import symbol_steps

CELL = 16
READ = [("x", Box(0, 0, 40, 50)), ("=", Box(60, 15, 100, 35)), ("2", Box(120, 0, 150, 50))]
LOST = [("y", Box(0, 150, 40, 210)), ("=", Box(60, 165, 100, 185)), ("3", Box(120, 150, 150, 200))]


def attention_on(image: PreparedImage, box: Box) -> Floats:
    """Attention on the cell at the middle of a box (in pixels), and on those around."""
    rows, columns = (-(-side // CELL) for side in image.picture.shape)
    y, x = np.mgrid[:rows, :columns] * CELL + CELL / 2
    middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    closeness = np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / (2 * 12.0**2))
    return np.asarray(closeness / closeness.sum(), np.float32)


def gazes(image: PreparedImage, ink: PreparedImage, sheet: Sheet) -> Floats:
    """Attention on each glyph of a sheet."""
    found = []
    for glyph in sheet.glyphs:
        corners = np.array([glyph.box[:2], glyph.box[2:]], np.float32)
        (left, top), (right, bottom) = ink.to_picture(corners).tolist()
        found.append(attention_on(image, Box(left, top, right, bottom)))
    return np.stack(found)


def formula_of(sheet: Sheet, latex: str, pictured: bool = False, sure: float = 0.99) -> Formula:
    """As if the first symbols of a sheet had been read as this formula, and the others not."""
    ink = prepare_ink(sheet.ink)
    image = prepare_image(ink.picture) if pictured else ink
    attention = gazes(image, ink, sheet)
    steps = unfold(parse(latex))
    nowhere = np.zeros_like(attention[0])
    own = {step: attention[number] for number, step in enumerate(symbol_steps(steps))}
    read = [
        ReadStep(
            step,
            sure if step.target not in (EMPTY_STRING, EXTEND) else 0.99,
            tuple(float(relation in step.relations) for relation in Relation),
            own.get(number, nowhere),
            (("z", 1 - sure),),
        )
        for number, step in enumerate(steps)
    ]
    return Formula(Reading(tuple(read)), image, sure, "lines.inkml")


def lost_line(pictured: bool = False, sure: float = 0.99) -> Formula:
    """x=2 is read; y=3, below it, is not."""
    return formula_of(compose([*READ, *LOST]), "x=2", pictured, sure)


def whole_line(sure: float = 0.99) -> Formula:
    """x=2 is read, and nothing else is there."""
    return replace(formula_of(compose(READ), "x=2", sure=sure), name="line.inkml")
