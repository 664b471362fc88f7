"""Formulas side by side that are read as one: the gap that is lost is told."""

import pytest

from san.grammar import parse
from san.ink import Box
from san.reader.side_by_side import Gap, parting_gaps, possible_gaps
from san.reader.wording import side_by_side_note


def boxes_of(text: str) -> list[Box | None]:
    """A letter of the text is 20 wide and 30 high, a space a gap of 10."""
    places: list[Box | None] = []
    left = 0.0
    for letter in text:
        if letter == " ":
            left += 10
            continue
        places.append(Box(left, 0, left + 20, 30))
        left += 24
    return places


@pytest.mark.parametrize(
    ("text", "gaps"),
    [
        ("3+4=7      9-5=4", [("7", "9")]),
        ("3+4=7      9-5=4      2+2=4", [("7", "9"), ("4", "2")]),
        ("3+4=7 9-5=4", []),  # no wider than others
        ("x=7      =9-2", []),  # a chain that goes on
        ("x=7+      9=y", []),  # a sign stands beside the gap
        ("xy      a=b", []),  # the first has no relation
        ("a=b      xy", []),  # nor has the second
        ("x=3、      y=4", []),  # a list
        ("a=b      c      d=e", [("b", "c")]),  # each has one
    ],
)
def test_a_gap_parts_two_formulas_that_have_a_relation_each(
    text: str, gaps: list[tuple[str, str]]
) -> None:
    found = parting_gaps(parse(text.replace(" ", "")), boxes_of(text))
    assert [(gap.before, gap.after) for gap in found] == gaps


@pytest.mark.parametrize(
    ("rows", "parted"),
    [
        (["3+4=7  9-5=4", "x=2       y=3", "a+b=c  x=9"], True),  # a column begins there in all
        (["3+4=7  9-5=4", "x=2       y=3"], False),  # in one other row alone
        (["3+4=7  9-5=4", "x=2       y=3", "a=b=c+y=3"], False),
        (["3+4=7 9-5=4", "x=2       y=3", "a+b=c x=9"], False),  # no gap is wider than others
    ],
)
def test_rows_with_gaps_at_one_place_have_columns(rows: list[str], parted: bool) -> None:
    trees = [parse(row.replace(" ", "")) for row in rows]
    boxes = [boxes_of(row) for row in rows]
    first, *others = (possible_gaps(*row) for row in zip(trees, boxes, strict=True))
    elsewhere = [gap for gaps in others for gap in gaps]
    assert parting_gaps(trees[0], boxes[0]) == []
    assert parting_gaps(trees[0], boxes[0], elsewhere) == (first if parted else [])


def test_what_hangs_on_a_symbol_belongs_to_it() -> None:
    expression = parse(r"a=b^{2}c=d")
    boxes = boxes_of("a=b2      c=d")
    assert parting_gaps(expression, boxes) == [Gap("b", "c", 92.0, 156.0)]
    far = [*boxes[:3], Box(130, 0, 150, 20), *boxes[4:]]  # the 2 reaches into the gap
    assert parting_gaps(expression, far) == []
    assert parting_gaps(expression, [None] * 7) == []


def test_it_is_told_in_one_line() -> None:
    assert side_by_side_note([]) == ""
    gaps = [Gap("7", "9", 0.0, 9.0), Gap("4", "2", 0.0, 9.0)]
    end = "between 7 and 9: perhaps several formulas side by side"
    assert side_by_side_note(gaps[:1]) == f"a wide gap {end}"
    assert side_by_side_note(gaps) == f"2 wide gaps, the first {end}"
