"""The number of an exercise at the head of a line."""

import pytest

from san.grammar import parse
from san.ink import Box
from san.reader.exercise_number import has_number
from san.reader.pages.derivations import find_derivations
from san.reader.rescoring.rescorer import unpaired_brackets


@pytest.mark.parametrize(
    ("latex", "numbered"),
    [
        (r"1)x=2", True),
        (r"12)x=2", True),
        (r"a)2x+3=11", True),
        (r"123)x", False),  # a number that somebody reckons with
        (r"1)", False),  # and nothing behind it
        (r"(1)x=2", False),
        (r"x+1)=2", False),
        (r"ab)x", False),
        (r"\alpha)x", False),
        (r"1)^{2}x", False),
        (r"x^{2})y", False),
        ("", False),
    ],
)
def test_a_line_begins_with_it_or_not(latex: str, numbered: bool) -> None:
    assert has_number(parse(latex).symbols) == numbered


@pytest.mark.parametrize(
    ("latex", "unpaired"),
    [(r"1)x=2", 0), (r"1)f(x)=2", 0), (r"1)f(x=2", 1), (r"x=2)", 1), (r"a)(x+1)=2)", 1)],
)
def test_its_bracket_has_no_partner_and_needs_none(latex: str, unpaired: int) -> None:
    assert unpaired_brackets(parse(latex)) == unpaired


def test_it_begins_another_derivation() -> None:
    boxes = [Box(0, 40 * line, 100, 40 * line + 30) for line in range(4)]
    lines = [parse(latex) for latex in (r"a)2x=4", r"x=2", r"b)3x=9", r"x=3")]
    assert find_derivations(boxes, lines) == [[0, 1], [2, 3]]
    assert find_derivations(boxes, [parse("x=2")] * 4) == [[0, 1, 2, 3]]
