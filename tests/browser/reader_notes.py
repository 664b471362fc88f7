"""Every line that the reader can say of a page or of a formula, made by its own functions."""

import inspect
import re
from itertools import product

from san.grammar import parse
from san.ink import Box
from san.reader import wording
from san.reader.pages import page as pages
from san.reader.prepared import Location
from san.reader.side_by_side import Gap
from tests.reader.test_wording import READ, reading, strokes, symbol

COUNTS = (1, 2, 3)
SIDES = ((-90.0, 0.0), (90.0, 0.0), (0.0, -90.0), (0.0, 90.0), (5.0, 0.0))  # top and left
CALLED = {
    "unread_note", "view_notes", "crossed_out_note", "sums_note", "limit_note", "edge_note",
    "side_by_side_note",
}  # fmt: skip


def note_functions() -> set[str]:
    """Those that there are; `doubt_note` is for the command line."""
    names = {name for name, _ in inspect.getmembers(wording, inspect.isfunction)}
    return {name for name in names if re.search("_notes?$", name)} - {"doubt_note"}


def page_notes() -> set[str]:
    """With each reason to leave a block out, alone and before each other one."""
    named = set(re.findall(r"LeftOut\(.+, ([A-Z_]+)\)", inspect.getsource(pages)))
    reasons = [str(getattr(pages, name)) for name in sorted(named)]
    assert len(reasons) > 3
    box = Box(0, 0, 9, 9)
    notes: set[str] = set()
    for pair in product(reasons, reasons):
        for count in COUNTS:
            left_out = tuple(pages.LeftOut(box, reason) for reason in pair[:count])
            for formulas in ((), (None,)):  # a page counts its formulas, no more
                notes.update(pages.Page(formulas, (), left_out, None).notes)  # type: ignore[arg-type]
    return notes


def formula_notes() -> set[str]:
    notes = {wording.limit_note(True), wording.edge_note([Box(9, 9, 99, 20)], 99, 30)}
    for count, of_ink in product(COUNTS, (True, False)):
        for top, left in SIDES:
            boxes = [place.box for place in strokes(count, top, left)]
            notes.add(wording.unread_note(boxes, READ, of_ink))
            notes.add(wording.unread_note(boxes, [], of_ink))
        number = (0,) if of_ink else None
        places = [Location(Box(0, 0, 9, 9), number and (each,)) for each in range(count)]
        notes.add(wording.crossed_out_note(places))
        notes.add(wording.crossed_out_note(places, all_of_it=True))
    for turned in (0.0, 90.0, -7.0, 180.0):
        notes.update(wording.view_notes(turned, True, by_few=True))
    for other in ("y+1", "x", "x+1+2", "1234567"):
        notes.add(wording.sums_note(parse("x+1"), parse(other)))
    for other in ("1+1=z", "1+1=20"):
        notes.add(wording.sums_note(parse("1+1=2"), parse(other)))
    gaps = [Gap("7", "9", 0.0, 9.0)] * 2
    notes.update(wording.side_by_side_note(gaps[:count]) for count in (1, 2))
    return notes


def doubts() -> set[str]:
    sure, unsure = symbol("x"), symbol("x", 0.6)
    found = [
        wording.doubts(reading("x"), 0.4, [unsure, symbol("", 0.6)], strokes(1, 60), True, None),
        wording.doubts(reading("x^2", 0.6), 0.4, [sure] * wording.LONG, [], False, None),
        wording.doubts(reading("x^{2^{2^2}}", 1e-3), 0.1, [sure], [], False, None),
        wording.doubts(reading("x"), 0.4, [sure], [], False, None),
        wording.doubts(reading("x"), 0.4, [], [], False, None),
    ]
    for other in ("y", "x+1", "1+2+3+4+5+6"):
        found.append(wording.doubts(reading("x"), 0.4, [sure], [], False, (parse(other), 0.3)))
    return {line for lines in found for line in lines}
