"""Characters that people wrote one by one -> the glyphs of further writers.

Design choices
- Strokes are what they were, in their order and direction; where a tablet was so coarse that they
  are stairs, they are smoothed by as much as its steps are large.
- A character by itself has no line to stand on, and often a box of its own: its size and its height
  are those that are usual for its symbol in the corpus. How much larger or smaller somebody writes
  one symbol than others stays, within bounds.
- A glyph is read once more, its strokes by themselves, as those of photographs and fonts are, for
  labels are wrong now and then. What is far wider or flatter than usual is left out as well.
- Bars and dots are left out: no hand is known by them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.data.sample import Sample
from san.decoding.engine import Engine
from san.ink.draw import draw
from san.ink.strokes import Ink, Points, box_of
from san.ink.unipen import Character
from san.synth.extraction.collect import row_sample, shape_outliers
from san.synth.extraction.config import CharacterGlyphsConfig, ExtractionConfig
from san.synth.extraction.extract import is_readable
from san.synth.extraction.fonts import symbol_names
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.photo_glyphs import MIN_DIAGONAL, SizeAndHeight, size_and_height

_SYMBOLS = {character: f"\\{character}" for character in "{}%#&$_"}
"""How symbols are called whose character means something else in LaTeX."""


class _Glyph(NamedTuple):
    name: str
    writer: str
    strokes: list[Points]


Progress = Callable[[list[_Glyph]], Iterable[_Glyph]]
"""Passes them on, one by one, and may show how far it got."""


def character_rows(
    engine: Engine,
    characters: Iterable[Character],
    bank: GlyphBank,
    config: ExtractionConfig = ExtractionConfig(),
    progress: Progress = lambda glyphs: glyphs,
) -> Iterator[Sample]:
    """A row for each writer, less what cannot be trusted; who has hardly anything left has none.

    Args:
        bank: says how large symbols usually are.
        progress: is shown how far it got.
    """
    usual = usual_sizes(bank)
    known = symbol_names() & set(engine.vocabulary.symbols) & usual.keys()
    glyphs = list(_known(characters, known, config.characters))
    placed = _placed(glyphs, usual, config.characters)
    odd = shape_outliers(
        np.array([glyph.name for glyph in placed]),
        np.array([box_of(glyph.strokes) for glyph in placed], np.float64).reshape(-1, 4),
        np.ones(len(placed)),
        config,
    )
    rows: dict[str, list[_Glyph]] = {}
    for glyph in progress([placed[number] for number in np.flatnonzero(~odd).tolist()]):
        if _readable(engine, glyph, config):
            rows.setdefault(glyph.writer, []).append(glyph)
    for writer, row in rows.items():
        if len({glyph.name for glyph in row}) >= config.characters.min_symbols:
            row.sort(key=lambda glyph: glyph.name)
            yield row_sample(
                writer, [glyph.name for glyph in row], [glyph.strokes for glyph in row]
            )


def usual_sizes(bank: GlyphBank) -> dict[str, SizeAndHeight]:
    """How large each symbol of a bank is, and how high, in the median."""
    usual: dict[str, SizeAndHeight] = {}
    for name, numbers in bank.by_name.items():
        sizes = [
            size_and_height(bank.box[glyph], bank.em[glyph], bank.axis[glyph]) for glyph in numbers
        ]
        size, height = np.median(np.array(sizes), axis=0).tolist()
        usual[name] = size, height
    return usual


def smoothed(stroke: Points, config: CharacterGlyphsConfig) -> Points:
    """A stroke without the stairs of a coarse tablet, in points at even distances."""
    way = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(stroke, axis=0).T))))
    length = float(way[-1])
    step = max(1.0, length / config.max_points)
    if length < step:
        return stroke[:1]
    places = np.linspace(0, length, 1 + round(length / step))
    points = np.stack([np.interp(places, way, side) for side in stroke.T], axis=1)
    deviation = config.smoothing / step  # in points
    reach = min(round(3 * deviation), (len(points) - 1) // 2)
    if not reach:
        return points.astype(np.float32)
    window = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    # Beyond its ends a stroke goes on as it came, turned about them: they stay where they are.
    before = 2 * points[0] - points[reach:0:-1]
    behind = 2 * points[-1] - points[-2 : -reach - 2 : -1]
    longer = np.concatenate((before, points, behind))
    sides = [np.convolve(side, window / window.sum(), "valid") for side in longer.T]
    return np.stack(sides, axis=1).astype(np.float32)


def _known(
    characters: Iterable[Character], names: set[str], config: CharacterGlyphsConfig
) -> Iterator[_Glyph]:
    """Those of our symbols, and of each writer only so many of one."""
    counts: dict[tuple[str, str], int] = {}
    for label, writer, strokes in characters:
        name = _SYMBOLS.get(label, label)
        count = counts.get((writer, name), 0)
        box = box_of(strokes)
        large = max(box.width, box.height) >= config.min_extent
        if name in names and count < config.per_symbol and large:
            counts[writer, name] = count + 1
            yield _Glyph(name, writer, [smoothed(stroke, config) for stroke in strokes])


def _placed(
    glyphs: Sequence[_Glyph], usual: dict[str, SizeAndHeight], config: CharacterGlyphsConfig
) -> list[_Glyph]:
    """All in em, about the axis of the line that they might have stood on."""
    diagonals = [
        max(float(np.hypot(box.width, box.height)), MIN_DIAGONAL)
        for box in (box_of(glyph.strokes) for glyph in glyphs)
    ]
    ems: dict[str, list[float]] = {}
    for glyph, diagonal in zip(glyphs, diagonals, strict=True):
        ems.setdefault(glyph.writer, []).append(diagonal / np.exp(usual[glyph.name][0]))
    em = {writer: float(np.median(sizes)) for writer, sizes in ems.items()}
    placed = []
    for glyph, diagonal in zip(glyphs, diagonals, strict=True):
        size, height = usual[glyph.name]
        common = float(np.exp(size))
        own = diagonal / em[glyph.writer] / common
        factor = min(max(own, 1 / config.max_ratio), config.max_ratio) * common / diagonal
        box = box_of(glyph.strokes)
        middle = np.array(((box.left + box.right) / 2, (box.top + box.bottom) / 2))
        placed.append(
            glyph._replace(
                strokes=[
                    _without_idle_points((stroke - middle) * factor + (0, height), config)
                    for stroke in glyph.strokes
                ]
            )
        )
    return placed


def _without_idle_points(stroke: NDArray[np.float64], config: CharacterGlyphsConfig) -> Points:
    points = stroke.astype(np.float32)[:, None]
    return np.asarray(cv2.approxPolyDP(points, config.tolerance, closed=False)[:, 0], np.float32)


def _readable(engine: Engine, glyph: _Glyph, config: ExtractionConfig) -> bool:
    return is_readable(engine, draw(Ink.of(glyph.strokes)), glyph.name, config)
