"""The result of reading a page: its formulas in reading order, and what was left out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from math import hypot
from typing import Any, NamedTuple

from san.grammar import Expression
from san.grammar.formats import find_formats
from san.ink import Box
from san.reader.pages.derivations import find_derivations, stacked
from san.reader.pages.order import place_among
from san.reader.pages.parted_row import parted_rows
from san.reader.pages.prepared_page import PreparedPage
from san.reader.pages.prose import is_prose
from san.reader.pages.reading import Read, read_blocks
from san.reader.pages.segmentation import MIN_FRAME_SHARE, MIN_FRAMED
from san.reader.prepared import Location, PreparedImage
from san.reader.result import Formula
from san.reader.serialise import SourceInfo, plain_numbers
from san.reader.wording import hull, may_be_no_formula

FORMAT, VERSION = "san-page", 1
MAX_BLOCKS = 200
"""Of a page that are read: nobody writes as many."""
PROSE, TOO_MANY, TOO_SMALL = "prose", f"more than {MAX_BLOCKS} blocks", "too small or too faint"
FRAME = "a frame, or a sheet's edge"
"""Why blocks are left out."""
MAX_FRAME_PARTS = 4
"""Of a block that goes around others: a frame has four sides."""


class Found(NamedTuple):
    """A formula and where it stands."""

    formula: Formula
    box: Box  # pixels of the image, or units of the ink
    parts: int  # strokes, or connected parts of the picture

    def is_frame(self, boxes: Sequence[Box]) -> bool:
        """Whether it is some lines that go around others, read as symbols."""
        inner = [box for box in boxes if box != self.box and hull([box, self.box]) == self.box]
        page = hull(boxes)
        large = (
            self.box.width >= MIN_FRAME_SHARE * page.width
            and self.box.height >= MIN_FRAME_SHARE * page.height
        )
        return large and self.parts <= MAX_FRAME_PARTS and len(inner) >= MIN_FRAMED


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A block that is no formula."""

    box: Box  # pixels of the image, or units of the ink
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """One source with any number of formulas; iterates over them."""

    formulas: tuple[Formula, ...]  # in reading order
    boxes: tuple[Box, ...]  # of each formula: pixels of the image, or units of the ink
    left_out: tuple[LeftOut, ...]
    prepared: PreparedImage  # all of it, cleaned
    name: str = ""  # of the source

    @property
    def source(self) -> SourceInfo:
        """What was handed in: `kind`, `width` and `height`."""
        return SourceInfo.of(self.prepared)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the source."""
        return self.source.width, self.source.height

    @cached_property
    def derivations(self) -> list[list[int]]:
        """Numbers of formulas that stand right below one another, in reading order."""
        upright = [self.prepared.box_to_picture(box) for box in self.boxes]
        return find_derivations(upright, [formula.expression for formula in self.formulas])

    @property
    def aligned(self) -> list[Expression]:
        """The lines of each derivation as one expression, which LaTeX writes as `aligned`."""
        return [
            stacked([self.formulas[number].expression for number in numbers])
            for numbers in self.derivations
        ]

    @property
    def notes(self) -> list[str]:
        """What who only sees the formulas has to know of the page, a phrase each."""
        if not self.left_out:
            return []
        blocks = "1 block is" if len(self.left_out) == 1 else f"{len(self.left_out)} blocks are"
        nothing = "" if self.formulas else "no formula found; "
        reasons = " or ".join(dict.fromkeys(block.reason for block in self.left_out))
        return [f"{nothing}{blocks} left out ({reasons})"]

    def __iter__(self) -> Iterator[Formula]:
        return iter(self.formulas)

    def __len__(self) -> int:
        return len(self.formulas)

    def __repr__(self) -> str:
        return f"Page({[formula.latex for formula in self.formulas]})"

    def _repr_html_(self) -> str:
        """In a notebook: its formulas, one below the other."""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return "".join(formula._repr_html_() for formula in self.formulas) + notes

    def to_dict(
        self, formats: Iterable[str] | str = (), boxes: bool = True, attention: bool = False
    ) -> dict[str, Any]:
        """What docs/page.schema.json describes; arguments as of `Formula.to_dict`."""
        forms = find_formats(formats)
        return {
            "format": FORMAT,
            "version": VERSION,
            "source": self.source.fields(),
            "formulas": [
                {"box": plain_numbers(box), **formula.to_dict(forms, boxes, attention)}
                for formula, box in zip(self.formulas, self.boxes, strict=True)
            ],
            "derivations": self.derivations,
            "left_out": [
                {"box": plain_numbers(block.box), "reason": block.reason} for block in self.left_out
            ],
            "notes": self.notes,
        }


def read_page(page: PreparedPage, read: Read, name: str = "") -> Page:
    """The formulas of a page; `read` reads pictures of single ones."""
    read_ones, beyond = read_blocks(page, read, MAX_BLOCKS)
    found = [
        Found(formula, page.box_of(block), len(block.members))
        for block, formula in parted_rows(page, read_ones, read)
    ]
    left_out = [LeftOut(page.box_of(block), TOO_MANY) for block in beyond]
    left_out += [LeftOut(page.box_of(block), FRAME) for block in page.frames]
    upright = page.whole.box_to_picture  # a page may have been handed in upside down
    for one in page.apart:
        more, too_many = read_blocks(one, read, max(MAX_BLOCKS - len(found), 1))
        left_out += [LeftOut(one.box_of(block), TOO_MANY) for block in too_many]
        for block, formula in parted_rows(one, more, read):
            box = one.box_of(block)
            # It was found by its shape alone: what cannot be read need not be writing.
            if may_be_no_formula(formula.reading, formula.confidence):
                left_out.append(LeftOut(box, TOO_SMALL))
            else:
                place = place_among([upright(other.box) for other in found], upright(box))
                found.insert(place, Found(formula, box, len(block.members)))
    # A single one is read, whatever it is, as before there were pages.
    places = [one.box for one in found]
    kept = []
    for each in found:
        if page.whole.by_camera and each.is_frame(places):
            left_out.append(LeftOut(each.box, FRAME))
        elif len(found) > 1 and is_prose(each.formula.expression):
            left_out.append(LeftOut(each.box, PROSE))
        elif len(found) > 1 and not each.formula.expression:
            left_out.append(LeftOut(each.box, TOO_SMALL))
        else:
            kept.append(each)
    boxes = tuple(each.box for each in kept)
    formulas = [each.formula for each in kept]
    if page.whole.crossed_out and kept:
        formulas = _with_crossed_out(formulas, boxes, page.whole.crossed_out)
    return Page(tuple(formulas), boxes, tuple(left_out), page.kept, name)


def _with_crossed_out(
    formulas: Sequence[Formula], boxes: Sequence[Box], crossed_out: Sequence[Location]
) -> list[Formula]:
    """Each with what is crossed out nearest to it."""
    nearest = [
        min(range(len(boxes)), key=lambda number: _distance(boxes[number], place.box))
        for place in crossed_out
    ]
    told = []
    for number, formula in enumerate(formulas):
        own = tuple(
            place for place, near in zip(crossed_out, nearest, strict=True) if near == number
        )
        told.append(replace(formula, prepared=replace(formula.prepared, crossed_out=own)))
    return told


def _distance(one: Box, other: Box) -> float:
    """Between two boxes; less than nothing is nothing."""
    across = max(one.left - other.right, other.left - one.right, 0.0)
    down = max(one.top - other.bottom, other.top - one.bottom, 0.0)
    return hypot(across, down)
