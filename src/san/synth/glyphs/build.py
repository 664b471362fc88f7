"""A glyph bank from a corpus of ink: aligned, measured, indexed; then glyphs from elsewhere.

Design choices
- Who wrote an expression is read from its id, as CROHME's collectors made them.
- Symbols that the ink lacks are derived (`derived`). They are there for layouts; no written
  expression has one, and what the ink has is never derived.
- Glyphs from photographs (`photo_glyphs`) and of handwriting fonts are found by writer alone: who
  asks for no such writer gets the ink of the corpus. Only symbols that the ink lacks are found by
  name, too.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from san.errors import SanError
from san.grammar.productions import MARKS, unfold
from san.ink.strokes import Points
from san.synth.glyphs.align import align
from san.synth.glyphs.bank import NO_SYMBOL, NO_WRITER, FlatInk, GlyphBank, WrittenExpression
from san.synth.glyphs.config import BankConfig, DerivedConfig
from san.synth.glyphs.derived import derive, ruled_paper_of
from san.synth.glyphs.photo_glyphs import calibrate_rows, rows_of
from san.synth.layout.config import MeasureConfig
from san.synth.layout.measure import Chains, link_chains, measure, outline
from san.synth.samples import InkSamples, LabelledPhotos

Progress = Callable[[range], Iterable[int]]
"""Passes the places of all samples on, one by one, and may show how far it got."""

_ID_FORMS = (
    re.compile(r"(?P<writer>.+?)(?:_sub_|-equation|-)\d+"),  # KAIST, HAMEX, MathBrush
    re.compile(r"\d+_(?P<writer>\w+)"),  # ExpressMatch
    re.compile(r"(?P<writer>\w+\d)\d"),  # MfrDB: files of the same ten are mostly by one writer
)


def build_bank(
    samples: InkSamples,
    photo_glyphs: InkSamples | None = None,
    photographs: LabelledPhotos | None = None,
    progress: Progress = lambda places: places,
    derived: DerivedConfig = DerivedConfig(),
    config: BankConfig = BankConfig(),
    hands: Sequence[InkSamples] = (),
) -> GlyphBank:
    """All glyphs of a corpus, derived ones, and those that were extracted elsewhere.

    Args:
        samples: the corpus.
        photo_glyphs: rows of glyphs that were extracted from photographs.
        photographs: those photographs, with the masks of their symbols.
        progress: shows how far it got.
        derived: how symbols that the corpus lacks are made.
        config: which glyphs are trusted, and how they are measured.
        hands: rows of glyphs by further writers.
    """
    bank = GlyphBank(config)
    bank.photographs = photographs
    writers = _append_written(bank, samples, progress)
    _append_derived(bank, derived)
    if photo_glyphs is not None:
        bank.photo_writers = _append_rows(bank, photo_glyphs, first_writer=writers)
        bank.photo_writer_of = dict(zip(photo_glyphs.ids, bank.photo_writers, strict=True))
    writers += len(bank.photo_writers)
    for rows in hands:
        bank.hands += _append_rows(bank, rows, first_writer=writers + len(bank.hands))
    return bank


def writer_of(sample_id: str) -> str:
    """Who wrote a sample; the id itself where it does not tell."""
    for form in _ID_FORMS:
        if match := form.fullmatch(sample_id):
            return match["writer"]
    return sample_id


def _append_written(bank: GlyphBank, samples: InkSamples, progress: Progress) -> int:
    """The glyphs of a corpus, indexed; returns the number of its writers."""
    names: list[str] = []
    glyph_writers: list[int] = []
    strokes: list[Points] = []
    stroke_counts: list[int] = []
    writers: dict[str, int] = {}

    def put(name: str, writer: int, glyph_strokes: list[Points]) -> None:
        names.append(name)
        glyph_writers.append(writer)
        strokes.extend(glyph_strokes)
        stroke_counts.append(len(glyph_strokes))

    for place in progress(range(len(samples))):
        ink = samples.ink(place)
        if ink is None:
            continue
        tree, glyphs = samples.tree(place), samples.glyphs(place)
        writer = writers.setdefault(writer_of(samples.ids[place]), len(writers))
        shape = outline(tree)
        labels, boxes = [glyph.label for glyph in glyphs], [glyph.box for glyph in glyphs]
        aligned = align(shape, labels, boxes, bank.config)
        first = len(names)
        used: set[int] = set()
        for name, numbers in zip(shape.names, aligned, strict=True) if aligned else ():
            symbol_strokes = [stroke for number in numbers for stroke in glyphs[number].strokes]
            used.update(symbol_strokes)
            put(name, writer, [ink.strokes[stroke] for stroke in symbol_strokes])
        rest = [stroke for number, stroke in enumerate(ink.strokes) if number not in used]
        if rest:
            put(NO_SYMBOL, writer, rest)
        steps = unfold(tree)
        writing = tuple(number for number, step in enumerate(steps) if step.target not in MARKS)
        bank.expressions.append(
            WrittenExpression(
                tree, first, len(names), writer, aligned is not None, shape, writing, len(steps)
            )
        )
    if not strokes:
        raise SanError("there is no ink to compose from")
    lengths = [len(stroke) for stroke in strokes]
    flat = FlatInk(np.concatenate(strokes), lengths, stroke_counts)
    sizes = _fitted_sizes(bank.expressions, flat, bank.config.measure)
    bank.append(names, glyph_writers, *sizes, flat)
    for number, (name, writer) in enumerate(zip(names, glyph_writers, strict=True)):
        if name != NO_SYMBOL and not bank.outlier[number]:
            bank.by_name.setdefault(name, []).append(number)
            bank.by_writer.setdefault((name, writer), []).append(number)
    return len(writers)


def _fitted_sizes(
    expressions: list[WrittenExpression], ink: FlatInk, config: MeasureConfig
) -> tuple[list[float], list[float], list[bool]]:
    """Em, axis and whether it is an outlier of each glyph; fitted over all chains (`measure`)."""
    known = [expression for expression in expressions if expression.aligned]
    index = np.array(
        [written.first + place for written in known for place in range(len(written.outline))],
        np.intp,
    )
    name, of_chain, parent, relation = link_chains(written.outline for written in known)
    fitted = measure(Chains(name, of_chain, ink.boxes[index], parent, relation), config)
    em = np.ones(len(ink.boxes))
    axis = ink.boxes[:, 1::2].mean(axis=1)
    outlier = np.ones(len(ink.boxes), bool)
    em[index], axis[index], outlier[index] = fitted.em[of_chain], fitted.axis, fitted.outlier
    return em.tolist(), axis.tolist(), outlier.tolist()


def _append_derived(bank: GlyphBank, config: DerivedConfig) -> None:
    paper = ruled_paper_of(bank, config)
    names: list[str] = []
    points, stroke_lengths, stroke_counts = [], [], []
    first = len(bank.names)
    for name, groups in derive(bank, paper, config).items():
        bank.derived[name] = []
        for group in groups:
            start = first + len(names)
            for glyph_points, lengths in group:
                points.append(glyph_points * np.float32(config.ink_unit))
                stroke_lengths += lengths
                stroke_counts.append(len(lengths))
            bank.derived[name].append(list(range(start, start + len(group))))
            names += [name] * len(group)
        bank.by_name[name] = [glyph for group in bank.derived[name] for glyph in group]
    if names:
        count = len(names)
        em, axis = ([side * config.ink_unit] * count for side in paper)
        flat = FlatInk(np.concatenate(points), stroke_lengths, stroke_counts)
        bank.append(names, [NO_WRITER] * count, em, axis, [False] * count, flat)


def _append_rows(bank: GlyphBank, samples: InkSamples, first_writer: int) -> list[int]:
    """The glyphs of rows, each by a writer of its own; returns the writers."""
    rows = rows_of(samples)
    scale = calibrate_rows(bank, rows)
    names: list[str] = []
    writers: list[int] = []
    em: list[float] = []
    axis: list[float] = []
    strokes: list[Points] = []
    stroke_counts: list[int] = []
    first = len(bank.names)
    row_writers = list(range(first_writer, first_writer + len(rows)))
    for writer, row in zip(row_writers, rows, strict=True):
        glyphs: dict[str, list[int]] = {}
        for name, glyph_strokes in zip(row.names, row.strokes, strict=True):
            glyphs.setdefault(name, []).append(first + len(names))
            names.append(name)
            strokes += glyph_strokes
            stroke_counts.append(len(glyph_strokes))
        writers += [writer] * len(row.names)
        em += [row.em * scale.em] * len(row.names)
        axis += [row.axis + row.em * scale.axis] * len(row.names)
        for name, numbers in glyphs.items():
            bank.by_writer[name, writer] = numbers
            if name in bank.derived or name not in bank.by_name:
                bank.derived.setdefault(name, []).append(numbers)
                bank.by_name.setdefault(name, []).extend(numbers)
    if names:
        lengths = [len(stroke) for stroke in strokes]
        flat = FlatInk(np.concatenate(strokes), lengths, stroke_counts)
        bank.append(names, writers, em, axis, [False] * len(names), flat)
    return row_writers
