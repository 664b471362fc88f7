"""The steps one by one: the part of the picture under its attention, what was read, how sure."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from san.decoding.reading import ReadStep
from san.grammar.productions import EXTEND
from san.grammar.tree import Relation
from san.reader.explain.canvas import (
    EDGE,
    FINE,
    MUTED,
    Canvas,
    Colour,
    Picture,
    colour_of,
    light,
    lit_picture,
    symbol_width,
    text_width,
)
from san.reader.explain.tree import UNSURE_BELOW, UNSURE_COLOUR, Node, unsure_mark

MAX_STEPS = 48
COLUMN, ROW, GUTTER = 137, 116, 12
"""Pixels: width and height of a step, and between two."""
CROP_HEIGHT = 70
"""Height of the part of the picture that it shows."""
TYPE, SMALL = 19, 13


class StepCard(NamedTuple):
    """A step to be drawn, in its symbol's colour."""

    read: ReadStep
    colour: Colour


def step_cards(nodes: Iterable[Node]) -> list[StepCard]:
    """In reading order; the empty strings that end chains are not shown."""
    return [
        StepCard(read, colour_of(node.number))
        for node in nodes
        for read in (node.read, node.opens)
        if read is not None
    ]


def draw_step_card(canvas: Canvas, picture: Picture, step: StepCard, x: float, y: float) -> None:
    read, colour = step
    unsure = read.step_probability < UNSURE_BELOW
    canvas.box((x, y, x + COLUMN, y + ROW), (255, 255, 255), UNSURE_COLOUR if unsure else EDGE, 7)
    crop = _crop(picture, step)
    height, width = crop.shape[0] / FINE, crop.shape[1] / FINE
    canvas.paste(x + (COLUMN - width) / 2, y + 4 + (CROP_HEIGHT - height) / 2, crop, 4)
    middle = y + CROP_HEIGHT + 8 + (ROW - CROP_HEIGHT - 8) / 2
    percent = in_percent(read.step_probability)
    canvas.text(x + COLUMN - 10, middle, percent, SMALL, UNSURE_COLOUR if unsure else MUTED, "rm")
    room = COLUMN - 28 - text_width(percent, SMALL)
    if read.step.target == EXTEND:
        _opens(canvas, read.step.relations, x + 10, middle, room)
    else:
        wide = symbol_width(read.step.target, TYPE)
        canvas.box((x + 10, middle - 9, x + 14, middle + 9), colour, colour, 2)
        canvas.symbol(x + 22 + wide / 2, middle, read.step.target, TYPE)
        if unsure and read.alternatives:
            _alternative(canvas, read.alternatives[0][0], x + 30 + wide, middle, room - 20 - wide)
    if unsure:
        unsure_mark(canvas, x + COLUMN - 4, y + 4)


def in_percent(probability: float) -> str:
    """Never 100: a network is not certain, and 0.998 is not 1."""
    return ">99%" if probability > 0.99 else f"{100 * probability:.0f}%"


def _opens(
    canvas: Canvas, relations: tuple[Relation, ...], x: float, y: float, room: float
) -> None:
    """What an E opens; `right` goes without saying."""
    names = [relation.value for relation in relations if relation is not Relation.RIGHT]
    for size in (SMALL, 11.0):
        for lines in ([" + ".join(names)], names):
            if max(text_width(line, size) for line in lines) <= room and len(lines) <= 3:
                top = y - (len(lines) - 1) * size * 0.55
                for place, line in enumerate(lines):
                    canvas.text(x, top + place * size * 1.1, line, size, MUTED)
                return
    canvas.text(x, y, f"{len(names)} branches", SMALL, MUTED)


def _alternative(canvas: Canvas, name: str, x: float, y: float, room: float) -> None:
    """What it may be instead, where there is room to say so."""
    word = text_width("or", SMALL)
    wide = symbol_width(name, SMALL)
    if word + 5 + wide <= room:
        canvas.text(x, y, "or", SMALL, MUTED)
        canvas.symbol(x + word + 5 + wide / 2, y, name, SMALL, MUTED)


def _crop(picture: Picture, step: StepCard) -> Picture:
    """What lies around the peak of the attention, as large as in the picture."""
    glow = light(step.read.attention, picture.shape)
    window = []
    for middle, side, room in zip(
        np.unravel_index(int(glow.argmax()), glow.shape),
        glow.shape,
        (CROP_HEIGHT, COLUMN - 8),
        strict=True,
    ):
        start = int(np.clip(middle - room // 2, 0, max(side - room, 0)))
        window.append(slice(start, start + room))
    near = tuple(window)
    return lit_picture(picture[near], [(glow[near], step.colour)], FINE)
