"""Plain lines: ink that was not read, and doubt that is about something."""

import numpy as np
import pytest

from san.decoding.reading import Reading, ReadStep
from san.grammar import parse
from san.grammar.productions import EXTEND, unfold
from san.grammar.tree import Relation
from san.ink import Box
from san.reader.prepared import Location
from san.reader.symbols import Symbol
from san.reader.wording import (
    confidence_words,
    crossed_out_note,
    doubt_note,
    doubts,
    edge_note,
    side_of,
    unread_note,
    view_notes,
)

READ = [Box(0, 0, 20, 30), Box(30, 0, 50, 30)]
NO_ATTENTION = np.zeros((1, 1), np.float32)


def symbol(name: str, probability: float = 0.99, left: float = 0.0) -> Symbol:
    others = (("Z", 1 - probability),)
    return Symbol(name, probability, Box(left, 0, left + 20, 30), NO_ATTENTION, others)


def strokes(count: int, top: float, left: float = 0.0) -> list[Location]:
    return [
        Location(Box(left + 10 * n, top, left + 10 * n + 8, top + 20), (n,)) for n in range(count)
    ]


def reading(latex: str, layout: float = 0.99) -> Reading:
    """Sure of each symbol; of what an E opens, so sure."""
    return Reading(
        tuple(
            ReadStep(
                step,
                0.99 if step.target != EXTEND else layout,
                tuple(float(relation in step.relations) for relation in Relation),
                NO_ATTENTION,
            )
            for step in unfold(parse(latex))
        )
    )


@pytest.mark.parametrize(
    ("count", "top", "left", "note"),
    [
        (3, 60, 0, "3 strokes were not read: another line below?"),
        (4, -50, 0, "4 strokes were not read: another line above?"),
        (1, 60, 0, "1 stroke was not read, below"),
        (2, 0, 100, "2 strokes were not read, to the right"),
        (2, 0, -90, "2 strokes were not read, to the left"),
        (2, 5, 0, "2 strokes were not read, among the symbols"),
    ],
)
def test_what_was_not_read_is_counted_and_placed(
    count: int, top: float, left: float, note: str
) -> None:
    boxes = [place.box for place in strokes(count, top, left)]
    assert unread_note(boxes, READ, True) == note


def test_parts_of_a_picture_are_no_strokes() -> None:
    parts = [place.box for place in strokes(3, 60)]
    assert unread_note(parts, READ, False).startswith("3 parts of the picture were not read")
    assert unread_note(parts, [], False) == "nothing was read of 3 parts of the picture"
    assert unread_note([], READ, False) == ""


def test_what_is_crossed_out_is_left_out_or_all_there_is() -> None:
    place = Location(Box(0, 0, 9, 9), (0, 1, 2))
    assert crossed_out_note([]) == ""
    assert crossed_out_note([place]) == "3 strokes are crossed out, and left out"
    assert crossed_out_note([place], all_of_it=True).startswith("all of it is crossed out")


def test_what_a_few_symbols_tell_is_said_to_be_little() -> None:
    assert view_notes(180.0, False) == ["turned upside down"]
    said = view_notes(180.0, False, by_few=True)
    assert said == ["turned upside down", "so few symbols hardly tell how the picture lies"]


def test_a_formula_at_the_edge_may_go_on() -> None:
    note = "it reaches the edge of the picture: perhaps it goes on beyond"
    box = Box(20, 20, 99, 60)
    assert edge_note([box], 100, 80) == edge_note([Box(0, 20, 50, 60), box], 100, 80) == note
    for width, height in ((120, 80), (99, 60)):  # with paper around
        assert edge_note([Box(20, 20, 80, 40)], width, height) == ""
    assert edge_note([Box(0, 0, 100, 80)], 100, 80) == ""  # cut close around it
    assert edge_note([], 100, 80) == ""


def test_a_side_is_the_farthest() -> None:
    assert side_of(Box(100, 40, 110, 50), Box(0, 0, 50, 30)) == "right"
    assert side_of(Box(10, 5, 20, 15), Box(0, 0, 50, 30)) == ""


def test_what_is_sure_has_no_doubts() -> None:
    assert confidence_words(0.9) == "sure"
    assert doubts(reading("x"), 0.9, [symbol("x")], [], True, None) == ()
    assert doubt_note(0.6, ["Y may be y"]) == ""


@pytest.mark.parametrize(
    ("latex", "layout", "symbols", "unread", "photographed", "rival", "about"),
    [
        ("x", 0.99, [symbol("x", 0.6)], 0, False, None, "x may be Z"),
        ("x", 0.99, [symbol("x")], 2, False, None, "ink was not read"),
        ("x^2", 0.6, [symbol("x"), symbol("2")], 0, False, None, "the layout around x"),
        ("Y+1", 0.99, [symbol("Y")], 0, False, ("y+1", 0.3), "Y may be y"),
        ("x", 0.99, [symbol("x")], 0, False, ("x+1", 0.3), "perhaps with + 1"),
        ("x+1", 0.99, [symbol("x")], 0, False, ("x", 0.3), "perhaps without + 1"),
        ("x", 0.99, [symbol("x")], 0, True, None, "photographs are misread more often than ink"),
        ("x", 0.99, [symbol("x")] * 25, 0, False, None, "a long formula, 25 symbols"),
        ("x", 0.99, [symbol("x")], 0, False, ("y", 0.01), "several small doubts"),
        ("x", 0.99, [], 0, False, None, "nothing was read"),
    ],
)
def test_doubt_is_about_something(
    latex: str,
    layout: float,
    symbols: list[Symbol],
    unread: int,
    photographed: bool,
    rival: tuple[str, float] | None,
    about: str,
) -> None:
    """ "Doubtful" and "no symbol is in doubt" never stand together without a reason."""
    second = rival and (parse(rival[0]), rival[1])
    found = doubts(reading(latex, layout), 0.4, symbols, strokes(unread, 60), photographed, second)
    assert len(found) == 1
    assert found[0].startswith(about)
    assert doubt_note(0.4, found) == f"doubtful, 40% sure: {found[0]}"


def test_what_is_hardly_read_may_be_no_formula() -> None:
    found = doubts(reading("x^{2^{2^2}}", 1e-3), 0.1, [symbol("x", 0.6)], [], False, None)
    assert found[:2] == ("this may be no formula", "x may be Z")


def test_readings_that_differ_all_over_are_not_set_side_by_side() -> None:
    far = parse("a+b+c+d+e+f+g")
    (found,) = doubts(reading("1234567"), 0.4, [symbol("1")], [], False, (far, 0.3))
    assert found == "another reading is nearly as likely"
