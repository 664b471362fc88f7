"""Ink whose strokes are known, which the network of strokes learns from (`train_strokes.py`)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.grammar import Expression
from san.ink import Glyph, Ink
from san.reader.rescoring.stroke_network import even_points, in_units
from san.synth.glyphs.align import DRAWN_AS, align
from san.synth.layout.measure import outline
from san.synth.mixture import Mixture

MAX_STROKES = 80
"""Of ink that is learnt from."""
PLAIN = {r"\lt": "<", r"\gt": ">"}
"""The names in trees of what a segmentation calls otherwise."""
AMBIGUOUS = frozenset(DRAWN_AS.values()) - PLAIN.keys()
"""What several symbols are drawn as."""


class Written(NamedTuple):
    """Ink whose strokes are known."""

    points: Floats  # `even_points`
    symbols: tuple[str, ...]  # of each stroke, as it is drawn; empty where it is of none
    owners: NDArray[np.int64]  # which strokes are of one symbol


def written(
    ink: Ink, symbols: Sequence[str], owners: Sequence[int] | NDArray[np.int64]
) -> Written | None:
    """Ink to learn from; None where it has too many strokes."""
    if len(ink.strokes) > MAX_STROKES:
        return None
    return Written(even_points(ink.strokes), tuple(symbols), np.array(owners))


def segmented(ink: Ink, glyphs: Sequence[Glyph], tree: Expression) -> Written | None:
    """The same of ink that comes with its glyphs.

    A segmentation says what was drawn: a fraction's bar is a `-` there. Where the glyphs fit the
    tree, that says what they are; else what may be several symbols is none.
    """
    labels, boxes = [glyph.label for glyph in glyphs], [glyph.box for glyph in glyphs]
    shape = outline(tree)
    aligned = align(shape, labels, boxes)
    names = [PLAIN.get(label, label) for label in labels]
    if aligned is None:
        names = ["" if name in AMBIGUOUS else name for name in names]
    for name, numbers in zip(shape.names, aligned or (), strict=False):
        for number in numbers:
            names[number] = name
    symbols, owners = [""] * len(ink.strokes), [-1] * len(ink.strokes)
    for number, glyph in enumerate(glyphs):
        for stroke in glyph.strokes:
            symbols[stroke], owners[stroke] = names[number], number
    return written(ink, symbols, owners)


def composed(mixture: Mixture, count: int, varied_share: float, seed: int) -> Iterator[Written]:
    """So many composed pieces of ink, without those whose strokes are not all known: where the pen
    stayed on the paper between two symbols."""
    mixer, rng = mixture.open(), np.random.default_rng(seed)
    for _ in range(count):
        composer = mixer.varied if rng.random() < varied_share else mixer.composed
        ink, _, symbols, owners = composer.sample_ink(rng)
        if all(symbols) and (one := written(ink, symbols, owners)) is not None:
            yield one


def varied(points: Floats, rng: np.random.Generator) -> Floats:
    """The same, written otherwise."""
    angle, lean = rng.normal(0, 0.06), rng.normal(0, 0.2)
    wide = np.exp(rng.normal(0, 0.15))
    whole = [[np.cos(angle) * wide, lean - np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    points = points @ np.array(whole, np.float32).T
    count = len(points)
    middle = (points.min(axis=1) + points.max(axis=1)) / 2
    own = points - middle[:, None]
    angles = rng.normal(0, 0.05, count)
    cosine, sine = np.cos(angles), np.sin(angles)
    turn = np.stack([np.stack([cosine, -sine], 1), np.stack([sine, cosine], 1)], 1)
    own = np.einsum("nki,nji->nkj", own, turn) * np.exp(rng.normal(0, 0.05, (count, 1, 2)))
    size = np.maximum(np.ptp(own, axis=1).max(axis=1), 0.02)[:, None, None]
    own = own + size * rng.normal(0, 0.1, (count, 1, 2)) * (own[..., ::-1] / size) ** 2
    own = own + rng.normal(0, 0.01, own.shape)
    moved = middle + rng.normal(0, 0.04, middle.shape)
    return np.asarray((own + moved[:, None]) * np.exp(rng.normal(0, 0.1)), np.float32)


def part_of(ink: Written, rng: np.random.Generator) -> Written:
    """Half of the time some symbols in a row, in units of their own."""
    count = len(ink.points)
    if count < 4 or rng.random() < 0.5:
        return ink
    length = int(rng.integers(2, count + 1))
    first = int(rng.integers(0, count - length + 1))
    kept = np.flatnonzero(np.isin(ink.owners, ink.owners[first : first + length]))
    symbols = tuple(ink.symbols[place] for place in kept)
    return Written(in_units(ink.points[kept]), symbols, ink.owners[kept])
