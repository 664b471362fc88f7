"""The pictures of `tools.paper_figures`: attention beside attention, strings, failures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from san.decoding.reading import Reading
from san.evaluation.compare import differing
from san.grammar import Expression, GrammarError, parse, to_tokens
from san.grammar.tree import NOTHING, Relation
from san.ink import Box
from san.reader.explain.canvas import (
    COLOURS,
    DARK,
    FINE,
    MUTED,
    Canvas,
    Colour,
    Picture,
    light,
    lit_picture,
    text_width,
    with_margin,
)
from san.reader.explain.steps import in_percent
from san.reader.explain.tree import UNSURE_COLOUR
from san.reader.symbols import SymbolsAndUnread
from tools.paper_looks import Look
from tools.paper_samples import OwnSample

WIDTH, MARGIN, GUTTER = 1280, 24, 12
"""Pixels."""
COLUMNS, CAPTION, HEADING = 4, 26, 40
"""Of the cards of attention."""
INK_WIDTH, INK_HEIGHT, LINE = 430, 140, 22
"""Of a case: what its ink and a line of text may take."""
TYPE, SPACE = 15.0, 7.0
MAX_WORDS, MAX_CARDS = 80, 48
"""Of a line and of a block: a decoder that finds no end would fill the picture."""
OWN, GIVEN = COLOURS[0], COLOURS[1]
MIN_GIVEN = 1e-6
"""Of attention: less is none."""


def draw_attention(
    picture: Picture, label: str, blocks: Sequence[tuple[str, Sequence[Look]]]
) -> Image.Image:
    """A block a system, a card a step: what it is given, and where it looks."""
    picture = with_margin(picture)
    blocks = [(title, looks[:MAX_CARDS]) for title, looks in blocks]
    width = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GUTTER) / COLUMNS
    zoom = min((width - 8) / picture.shape[1], INK_HEIGHT / picture.shape[0])
    height = picture.shape[0] * zoom + 8 + CAPTION
    rows = [-(-len(looks) // COLUMNS) for _, looks in blocks]
    tall = sum(HEADING + count * (height + GUTTER) for count in rows)
    canvas = Canvas(WIDTH, round(2 * MARGIN + 2 * LINE + tall))
    canvas.text(MARGIN, MARGIN + LINE / 2, label, 18)
    x = float(MARGIN)
    for colour, words in ((GIVEN, "attention that the step is given"), (OWN, "its own")):
        y = MARGIN + 1.7 * LINE
        canvas.box((x, y - 7, x + 14, y + 7), colour, colour, 3)
        canvas.text(x + 22, y, words, TYPE, MUTED)
        x += 22 + text_width(words, TYPE) + 28
    top = MARGIN + 2.0 * LINE
    for (title, looks), count in zip(blocks, rows, strict=True):
        canvas.text(MARGIN, top + HEADING / 2 + 4, title, 16)
        top += HEADING
        for place, look in enumerate(looks):
            x = MARGIN + place % COLUMNS * (width + GUTTER)
            y = top + place // COLUMNS * (height + GUTTER)
            canvas.card((x, y, x + width, y + height))
            shown = lit_picture(picture, _lights(picture, look), zoom * FINE)
            canvas.paste(x + (width - picture.shape[1] * zoom) / 2, y + 4, shown)
            canvas.text(x + 10, y + height - CAPTION / 2, f"{place + 1}", 13, MUTED)
            canvas.text(x + width / 2, y + height - CAPTION / 2, look.name, TYPE, DARK, "mm")
        top += count * (height + GUTTER)
    return canvas.finished()


def _lights(picture: Picture, look: Look) -> Iterator[tuple[np.ndarray, Colour]]:
    if look.given.max(initial=0) > MIN_GIVEN:
        yield light(look.given, picture.shape), GIVEN
    yield light(look.own, picture.shape), OWN


class _Line(NamedTuple):
    """Words behind what says what they are; some are marked."""

    what: str
    words: Sequence[str]
    marked: set[int]
    verdict: str = ""


class _Case(NamedTuple):
    """A sample with lines beside its ink, and frames on it."""

    sample: OwnSample
    lines: list[_Line]
    frames: list[Box]  # in pixels of its picture


def draw_strings(cases: Sequence[tuple[OwnSample, Mapping[str, Reading]]]) -> Image.Image:
    """What is written, and what each system made of it; the tree's reading is the last."""
    drawn = []
    for sample, readings in cases:
        truth = to_tokens(sample.tree)
        lines: list[_Line] = []
        missed: set[int] = set()
        for name, reading in readings.items():
            got = to_tokens(reading.expression) if reading.parses else reading.latex.split()
            lacking, marked = differing(truth, got)
            if reading.expression == sample.tree:
                lines.append(_Line(name, got, set(), "right"))
                continue
            missed |= lacking
            lines.append(_Line(name, got, marked, _verdict(reading)))
        drawn.append(_Case(sample, [_Line("written", truth, missed), *lines], []))
    return _draw_cases(drawn)


def _verdict(reading: Reading) -> str:
    """Why a reading is wrong."""
    if reading.parses:
        return "another formula"
    try:
        parse(reading.latex)
    except GrammarError as error:
        return f"no formula: {error}"
    return "no formula"


def draw_failures(
    cases: Sequence[tuple[OwnSample, Reading, SymbolsAndUnread]],
) -> Image.Image:
    """Symbols that are wrong, or where they are not written, and ink that was not read, framed."""
    drawn = []
    for sample, reading, found in cases:
        wrong = differing(_symbols(sample.tree), _symbols(reading.expression))[1]
        truth, got = to_tokens(sample.tree), to_tokens(reading.expression)
        marked = differing(truth, got)
        boxes, doubts = [], []
        inked = [symbol for symbol in found.symbols if symbol.name != NOTHING]
        for place in sorted(wrong):
            symbol = inked[place]
            if symbol.box is not None:
                boxes.append(symbol.box)
            doubt = f"{symbol.name} {in_percent(symbol.probability)}"
            if symbol.alternatives:
                name, chance = symbol.alternatives[0]
                doubt += f", or {name} {in_percent(chance)}"
            doubts.append(doubt)
        boxes += [place.box for place in found.unread]
        frames = [sample.image.box_to_picture(box) for box in boxes]
        lines = [
            _Line("written", truth, marked[0]),
            _Line("read", got, marked[1], "; ".join(doubts[:4])),
        ]
        drawn.append(_Case(sample, lines, frames))
    return _draw_cases(drawn)


def _symbols(expression: Expression) -> list[tuple[str, Relation | None]]:
    """In reading order, each with its relation to the one before it or above it."""
    return [
        (visit.symbol.name, visit.relation)
        for visit in expression.walk()
        if visit.symbol.name != NOTHING
    ]


def _draw_cases(cases: Sequence[_Case]) -> Image.Image:
    room = WIDTH - 3 * MARGIN - INK_WIDTH - 2 * GUTTER
    label = max(text_width(line.what, TYPE) for case in cases for line in case.lines) + 14
    laid = [[(line, list(_wrapped(line, room - label))) for line in case.lines] for case in cases]
    heights = [
        max(INK_HEIGHT + 2 * GUTTER, _text_height(lines) + 2 * GUTTER + LINE) for lines in laid
    ]
    canvas = Canvas(WIDTH, round(MARGIN + sum(heights) + len(cases) * MARGIN))
    y = float(MARGIN)
    for case, lines, height in zip(cases, laid, heights, strict=True):
        canvas.card((MARGIN, y, WIDTH - MARGIN, y + height))
        _draw_ink(canvas, case, MARGIN + GUTTER, y + GUTTER, height - 2 * GUTTER)
        left, top = 2.0 * MARGIN + INK_WIDTH, y + GUTTER
        canvas.text(left, top + LINE / 2, case.sample.name, 13, MUTED)
        top += LINE
        for line, rows in lines:
            canvas.text(left, top + LINE / 2, line.what, TYPE, MUTED)
            for row in rows:
                _draw_words(canvas, left + label, top + LINE / 2, row)
                top += LINE
            if line.verdict:
                colour = MUTED if line.verdict == "right" else UNSURE_COLOUR
                canvas.text(left + label, top + LINE / 2, line.verdict, 13, colour)
                top += LINE
        y += height + MARGIN
    return canvas.finished()


def _text_height(lines: Sequence[tuple[_Line, Sequence[object]]]) -> float:
    return LINE * sum(len(rows) + bool(line.verdict) for line, rows in lines)


def _wrapped(line: _Line, room: float) -> Iterator[list[tuple[str, bool]]]:
    """The words of a line, each with whether it is marked, as many a row as there is room for."""
    row: list[tuple[str, bool]] = []
    used = 0.0
    words = [*line.words[:MAX_WORDS]] or ["(nothing)"]
    words += ["…"] if len(line.words) > MAX_WORDS else []
    for place, word in enumerate(words):
        wide = text_width(word, TYPE) + SPACE
        if row and used + wide > room:
            yield row
            row, used = [], 0.0
        row.append((word, place in line.marked))
        used += wide
    yield row


def _draw_words(canvas: Canvas, x: float, y: float, row: Sequence[tuple[str, bool]]) -> None:
    """Marked words are red and underlined: colour alone is not seen by all."""
    for word, marked in row:
        wide = text_width(word, TYPE)
        canvas.text(x, y, word, TYPE, UNSURE_COLOUR if marked else DARK)
        if marked:
            canvas.line([(x, y + 9), (x + wide, y + 9)], UNSURE_COLOUR, 1.5)
        x += wide + SPACE


def _draw_ink(canvas: Canvas, case: _Case, x: float, y: float, height: float) -> None:
    picture = case.sample.image.picture
    rows, columns = picture.shape
    zoom = min(INK_WIDTH / columns, INK_HEIGHT / rows, 1.6)
    x += (INK_WIDTH - columns * zoom) / 2
    y += (height - rows * zoom) / 2
    canvas.paste(x, y, lit_picture(picture, [], zoom * FINE))
    for left, top, right, bottom in case.frames:
        around = (
            x + left * zoom - 3, y + top * zoom - 3, x + right * zoom + 3, y + bottom * zoom + 3,
        )  # fmt: skip
        canvas.dashed_box(around, UNSURE_COLOUR)
