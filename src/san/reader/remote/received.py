"""A service's JSON -> `Formula` and `Page`, checked field by field: the service may be anybody's.

- Every format is written here, from the tree: no text of a service is passed on as markup.
- The picture is that of the source that was sent, opened when somebody wants to see it.
"""

import json
from collections.abc import Callable
from functools import cached_property

import numpy as np
from PIL import Image

from san.decoding.engine import Floats
from san.decoding.reading import WholeReading
from san.errors import SanError
from san.grammar import Expression
from san.grammar.errors import GrammarError
from san.grammar.json import from_dict
from san.images.open import Grey
from san.images.view import Corners
from san.ink import Box, Ink
from san.reader import serialise
from san.reader.pages import page as pages
from san.reader.pages.page import LeftOut, Page
from san.reader.pages.prepared_page import page_of_image, page_of_ink
from san.reader.prepared import Location, PreparedImage, prepare_ink, shrunk_to_limit
from san.reader.remote.fields import AnswerError, Fields
from san.reader.result import Formula
from san.reader.serialise import SourceInfo
from san.reader.symbols import Symbol, SymbolsAndUnread
from san.reader.wording import crossed_out_note, doubts, view_notes

Load = Callable[[], Ink | Grey]
"""Opens what was sent."""


class ReceivedFormula(Formula):
    """A formula that a service read."""

    def __init__(
        self, result: Fields, name: str, load: Load, best: "ReceivedFormula | None" = None
    ) -> None:
        """`best`: where this is one of its alternatives, which has fewer fields."""
        expression = _expression(result.field("expression"))
        confidence = result.probability("confidence")
        symbols = _symbols(result.part("expression"), [v.symbol.name for v in expression.walk()])
        once = best._once if best is not None else _Once(result)
        unread = (once.unread, once.unread_share) if best is None else ((), 0.0)
        self.__dict__.update(  # it is frozen, and its picture is opened late
            reading=WholeReading(expression, confidence, ""),
            confidence=confidence,
            name=name,
            located=SymbolsAndUnread(symbols, *unread),
            alternatives=(),
            rival=None,
            _once=once,
            _is_best=best is None,
            _load=load,
            _box=result.box("box") if "box" in result else None,
        )
        if best is None:
            others = (
                ReceivedFormula(one, name, load, self) for one in result.parts("alternatives")
            )
            self.__dict__["alternatives"] = tuple(others)
            self.__dict__["rival"] = next(iter(self.alternatives), None)

    _once: "_Once"
    _is_best: bool
    _load: Load
    _box: Box | None  # of a page: where it stands

    @cached_property
    def prepared(self) -> PreparedImage:
        """What was sent, as it lies; the service looked at its own."""
        content = self._load()
        if isinstance(content, Ink):
            return prepare_ink(content)
        return shrunk_to_limit(_as_it_lies(content, self._box))

    @property
    def source(self) -> SourceInfo:
        return self._once.source

    @property
    def turned(self) -> float:
        return self._once.turned

    @property
    def outline(self) -> Corners | None:
        return self._once.outline

    @property
    def crossed_out(self) -> tuple[Location, ...]:
        return self._once.crossed_out

    @property
    def words(self) -> str:
        return self._once.words if self._is_best else super().words

    @property
    def notes(self) -> tuple[str, ...]:
        """Of an alternative those that are of the picture, whatever is read of it."""
        if self._is_best:
            return self._once.notes
        of_picture = {
            *view_notes(self.turned, self.outline is not None, by_few=True),
            *(crossed_out_note(self.crossed_out, all_of_it) for all_of_it in (False, True)),
        }
        return tuple(note for note in self._once.notes if note in of_picture)

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Of an alternative what its symbols and its confidence tell: no more is sent of it."""
        if self._is_best:
            return self._once.doubts
        sure_steps = WholeReading(self.expression, 1.0, "")
        return doubts(sure_steps, self.confidence, self.symbols, (), False, None)

    def explain(self, title: str = "") -> Image.Image:
        raise SanError("a service does not send the steps of a reading: read it here to explain it")


class ReceivedPage(Page):
    """A page that a service read."""

    def __init__(self, result: Fields, name: str, load: Load) -> None:
        found = result.parts("formulas")
        left_out = (LeftOut(one.box("box"), one.line("reason")) for one in result.parts("left_out"))
        self.__dict__.update(
            formulas=tuple(ReceivedFormula(one, name, load) for one in found),
            boxes=tuple(one.box("box") for one in found),
            left_out=tuple(left_out),
            name=name,
            derivations=[
                [_below(number, len(found)) for number in numbers]
                for numbers in result.lists("derivations")
            ],
            _source=_source(result.part("source")),
            _notes=list(result.lines("notes")),
            _load=load,
        )

    _source: SourceInfo
    _notes: list[str]
    _load: Load

    @cached_property
    def prepared(self) -> PreparedImage:
        """What was sent, cleaned here."""
        content = self._load()
        page = page_of_ink(content) if isinstance(content, Ink) else page_of_image(content)
        return page.kept

    @property
    def source(self) -> SourceInfo:
        return self._source

    @property
    def notes(self) -> list[str]:
        return self._notes


def received_formula(body: bytes, name: str, load: Load) -> ReceivedFormula:
    return ReceivedFormula(_document(body, serialise.FORMAT, serialise.VERSION), name, load)


def received_page(body: bytes, name: str, load: Load) -> ReceivedPage:
    return ReceivedPage(_document(body, pages.FORMAT, pages.VERSION), name, load)


class _Once:
    """The fields that a result has once, whatever its alternatives."""

    def __init__(self, result: Fields) -> None:
        self.source = _source(result.part("source"))
        self.words = result.line("words")
        self.notes, self.doubts = result.lines("notes"), result.lines("doubts")
        self.turned = result.number("turned") if "turned" in result else 0.0
        self.outline: Corners | None = None
        if "outline" in result:
            self.outline = result.points("outline")
            if len(self.outline) != 4:
                raise AnswerError("outline")
        self.unread = tuple(_location(one) for one in result.parts("unread"))
        # Services before this field was there do not say it.
        self.unread_share = result.probability("unread_share") if "unread_share" in result else 0.0
        self.crossed_out = tuple(_location(one) for one in result.parts("crossed_out"))


def _document(body: bytes, form: str, version: int) -> Fields:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise AnswerError("no JSON") from None
    result = Fields(content)
    if result.field("format") != form or result.field("version") != version:
        raise AnswerError(f"no {form} of version {version}")
    return result


def _expression(content: object) -> Expression:
    try:
        return from_dict(content)
    except GrammarError as error:
        raise AnswerError(str(error)) from None


def _source(fields: Fields) -> SourceInfo:
    kind = fields.line("kind")
    width, height = fields.number("width"), fields.number("height")
    return SourceInfo("ink" if kind == "ink" else "image", width, height)


def _location(fields: Fields) -> Location:
    strokes = fields.numbers("strokes") if "strokes" in fields else None
    return Location(fields.box("box"), strokes)


def _symbols(expression: Fields, names: list[str]) -> tuple[Symbol, ...]:
    entries = expression.parts("symbols")
    if [entry.field("symbol") for entry in entries] != names:
        raise AnswerError("its tree is in no normal form")
    return tuple(
        Symbol(
            name,
            entry.probability("probability"),
            entry.box("box") if entry.get("box") is not None else None,
            _attention(entry.part("attention")) if "attention" in entry else _UNSEEN,
            entry.choices("alternatives"),
            entry.numbers("strokes") if entry.get("strokes") is not None else None,
        )
        for name, entry in zip(names, entries, strict=True)
    )


_UNSEEN = np.zeros((0, 0), np.float32)


def _attention(fields: Fields) -> Floats:
    rows, columns = fields.count("rows"), fields.count("columns")
    values = np.array(fields.floats("values"), np.float32)
    if rows * columns != len(values):
        raise AnswerError("attention")
    return values.reshape(rows, columns)


def _below(number: object, count: int) -> int:
    if type(number) is not int or not 0 <= number < count:
        raise AnswerError("derivations")
    return number


def _as_it_lies(grey: Grey, box: Box | None) -> PreparedImage:
    """White ink on black, all of the image or a part of it."""
    height, width = grey.shape
    left, top, right, bottom = 0, 0, width, height
    if box is not None:
        left = min(max(int(box.left), 0), width - 1)
        top = min(max(int(box.top), 0), height - 1)
        right = min(max(int(box.right) + 1, left + 1), width)
        bottom = min(max(int(box.bottom) + 1, top + 1), height)
    crop = 255 - grey[top:bottom, left:right]
    return PreparedImage(crop, 1.0, left, top, None, width, height)
