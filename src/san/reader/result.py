"""The result of reading: a formula in every format, with its confidence, symbols and alternatives.

- Nothing is computed before it is asked for: whoever wants LaTeX pays for no boxes.
- Symbols are numbered as in the JSON: in reading order, `Expression.walk`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PIL import Image

from san.decoding.reading import Reading
from san.grammar import Expression, to_tokens
from san.grammar.formats import WRITERS, Format, find_format, find_formats
from san.images.view import Corners
from san.reader.explain.figure import explain
from san.reader.notebook import formula_html
from san.reader.prepared import Location, PreparedImage
from san.reader.serialise import SourceInfo, reading_fields, result_head
from san.reader.side_by_side import Gap, parting_gaps
from san.reader.symbols import Symbol, SymbolsAndUnread, symbols_and_unread
from san.reader.wording import (
    confidence_words,
    crossed_out_note,
    doubts,
    edge_note,
    limit_note,
    side_by_side_note,
    sums_note,
    unread_note,
    view_notes,
)


@dataclass(frozen=True, eq=False)
class Formula:
    """One source, read: `latex`, `stretchy`, `mathml`, `typst`, `json`, `tokens`, `lg` and `tree`
    write it.

    In a notebook it shows itself, with the picture and the boxes of its symbols.
    """

    reading: Reading
    prepared: PreparedImage  # the picture that it was read from
    confidence: float  # how probable it is that the whole formula is right
    name: str = ""  # of the source
    alternatives: tuple["Formula", ...] = ()  # other readings of the same source, best first
    rival: "Formula | None" = None  # the second-best reading where one is known, asked for or not
    located: SymbolsAndUnread | None = None  # its ink, where it was divided already
    whatever_sums: Expression | None = None  # what would be read if no sum were checked

    @property
    def expression(self) -> Expression:
        """The syntax tree."""
        return self.reading.expression

    @property
    def source(self) -> SourceInfo:
        """What was handed in: `kind`, `width` and `height`."""
        return SourceInfo.of(self.prepared)

    @property
    def turned(self) -> float:
        """Degrees clockwise by which the picture was turned before it was read; mostly 0."""
        return self.prepared.view.turned

    @property
    def outline(self) -> Corners | None:
        """The corners of the sheet that was found on the picture, in its pixels, if one was: those
        that are top left, top right, bottom right and bottom left when it is upright."""
        return self.prepared.view.outline

    def write(self, form: Format | str) -> str:
        """The formula in any of the formats, by name."""
        form = find_format(form)
        return self.json if form is Format.json else WRITERS[form](self.expression)

    @cached_property
    def latex(self) -> str:
        return self.write(Format.latex)

    @property
    def stretchy(self) -> str:
        """The LaTeX with `\\left(` and `\\right)` around fractions, scripts and sums."""
        return self.write(Format.stretchy)

    @property
    def mathml(self) -> str:
        return self.write(Format.mathml)

    @property
    def typst(self) -> str:
        return self.write(Format.typst)

    @property
    def tokens(self) -> list[str]:
        """The LaTeX, token by token."""
        return to_tokens(self.expression)

    @property
    def lg(self) -> str:
        """The label graph, as CROHME's tools compare them."""
        return self.write(Format.lg)

    @property
    def tree(self) -> str:
        """The syntax tree as lines of text."""
        return self.write(Format.tree)

    @property
    def json(self) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_dict(
        self, formats: Iterable[str] | str = (), boxes: bool = True, attention: bool = False
    ) -> dict[str, Any]:
        """What docs/formula.schema.json describes.

        Args:
            formats: Written formats to add beside LaTeX, by name.
            boxes: Say where each symbol stands.
            attention: Add the attention of each symbol of the best reading; most of the bytes.
        """
        forms = find_formats(formats)
        best, *others = (
            reading_fields(
                f.expression, f.confidence, f.symbols, forms, boxes, attention and f is self
            )
            for f in (self, *self.alternatives)
        )
        head = result_head(
            self.words,
            self.source,
            (self.turned, self.outline),
            (self.unread, self.unread_share),
            self.crossed_out,
            self.notes,
            self.doubts,
        )
        return {**head, **best, "alternatives": others}

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol, in reading order."""
        return self._ink.symbols

    @property
    def unread(self) -> tuple[Location, ...]:
        """The ink that no symbol accounts for: strokes, or connected parts of a picture."""
        return self._ink.unread

    @property
    def unread_share(self) -> float:
        """Which part of all ink that is."""
        return self._ink.unread_share

    @property
    def crossed_out(self) -> tuple[Location, ...]:
        """What was left out since it is crossed out, each with what crosses it out; where that is
        all of the ink, it was read without what crosses it out."""
        return self.prepared.crossed_out

    @cached_property
    def _ink(self) -> SymbolsAndUnread:
        return self.located or symbols_and_unread(self.reading, self.prepared)

    @property
    def words(self) -> str:
        """The confidence in words: sure, fairly sure, doubtful."""
        return confidence_words(self.confidence)

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said, a plain line each: how its picture was turned, what was not read
        and why, what is crossed out, what is read so that a sum comes out, which gaps are lost."""
        upright = self.prepared.box_to_picture
        unread = [upright(place.box) for place in self.unread]
        read = [upright(symbol.box) for symbol in self.symbols if symbol.box is not None]
        of_ink = self.prepared.ink is not None
        lines = (
            limit_note(self.reading.cut),
            unread_note(unread, read, of_ink),
            crossed_out_note(self.crossed_out, self.prepared.is_all_crossed_out),
            sums_note(self.expression, self.whatever_sums),
            side_by_side_note(self.parting_gaps),
            self._edge_note,
        )
        view = view_notes(self.turned, self.outline is not None, self.prepared.turned_by_few)
        return (*view, *filter(None, lines))

    @property
    def _edge_note(self) -> str:
        """Photographs are cut close by who takes them; what was drawn or printed has paper around
        it, and strokes end where they end."""
        if not self.prepared.flat_ground:
            return ""
        boxes = [symbol.box for symbol in self.symbols if symbol.box is not None]
        return edge_note(boxes, self.prepared.width, self.prepared.height)

    @property
    def parting_gaps(self) -> list[Gap]:
        """Gaps that may part formulas side by side, which were read as one."""
        upright = self.prepared.box_to_picture
        boxes = [symbol.box and upright(symbol.box) for symbol in self.symbols]
        return parting_gaps(self.expression, boxes)

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What is in doubt, where the formula is not sure: at least one thing then."""
        rival = None if self.rival is None else (self.rival.expression, self.rival.confidence)
        about = self.reading, self.confidence, self.symbols
        return doubts(*about, self.unread, self.prepared.by_camera, rival)

    def explain(self, title: str = "") -> Image.Image:
        """A picture of how it was read: attention, tree and every step, as `san read --explain`
        draws it. By default its title is the name of the source."""
        return explain(
            self.prepared.picture,
            self.reading,
            title or self.name,
            self.confidence,
            [self.prepared.box_to_picture(place.box) for place in self.unread],
            self.notes,
        )

    def __repr__(self) -> str:
        return f"Formula({self.latex!r}, confidence={self.confidence:.2f})"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"

    def _repr_html_(self) -> str:
        return formula_html(
            self.prepared,
            self.symbols,
            self.unread,
            (self.latex, self.mathml),
            f"{self.confidence:.0%} sure",
            self.notes,
        )
