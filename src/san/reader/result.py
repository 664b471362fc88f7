"""The result of reading: a formula in every format, with its confidence, symbols and alternatives.

- Nothing is computed before it is asked for: whoever wants LaTeX pays for no boxes.
- Symbols are numbered as in the JSON: in reading order, `Expression.walk`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from san.decoding.reading import Reading
from san.grammar import Expression, to_tokens
from san.grammar.formats import WRITERS, Format
from san.images.view import Corners
from san.reader.notebook import formula_html
from san.reader.prepared import PreparedImage
from san.reader.serialise import reading_fields, result_head
from san.reader.symbols import Symbol, symbols_of


@dataclass(frozen=True, eq=False)
class Formula:
    """One source, read: `latex`, `mathml`, `typst`, `json`, `tokens`, `lg` and `tree` write it.

    In a notebook it shows itself, with the picture and the boxes of its symbols.
    """

    reading: Reading
    prepared: PreparedImage  # the picture that it was read from
    confidence: float  # how probable it is that the whole formula is right
    name: str = ""  # of the source
    alternatives: tuple["Formula", ...] = ()  # other readings of the same source, best first

    @property
    def expression(self) -> Expression:
        """The syntax tree."""
        return self.reading.expression

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
        form = Format(form)
        return self.json if form is Format.json else WRITERS[form](self.expression)

    @cached_property
    def latex(self) -> str:
        return self.write(Format.latex)

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
        self, formats: Iterable[Format | str] = (), boxes: bool = True, attention: bool = False
    ) -> dict[str, Any]:
        """What docs/formula.schema.json describes.

        Args:
            formats: Written formats to add beside LaTeX.
            boxes: Say where each symbol stands.
            attention: Add the attention of each symbol of the best reading; most of the bytes.
        """
        forms = [Format(form) for form in formats]
        best, *others = (
            reading_fields(
                f.expression, f.confidence, f.symbols, forms, boxes, attention and f is self
            )
            for f in (self, *self.alternatives)
        )
        return {**result_head(self.confidence, self.prepared), **best, "alternatives": others}

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol, in reading order."""
        return symbols_of(self.reading, self.prepared)

    def __repr__(self) -> str:
        return f"Formula({self.latex!r}, confidence={self.confidence:.2f})"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"

    def _repr_html_(self) -> str:
        return formula_html(self.prepared, self.symbols, self.latex, self.mathml, self.confidence)
