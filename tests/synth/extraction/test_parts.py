"""What can be harvested."""

import pytest

from san.synth.extraction.parts import alike, is_shape, must_meet, pieces_of


def test_pieces_are_as_many_as_a_pen_leaves() -> None:
    assert pieces_of("=") == (2, 2)
    assert pieces_of(r"\div") == (3, 3)
    assert pieces_of("2") == (1, 1)
    assert not must_meet("=")
    assert must_meet("5")


@pytest.mark.parametrize(
    ("name", "can"),
    [("x", True), (r"\angle", True), (r"\frac", True), (r"\sqrt", False), (r"\overline", False),
     (r"\sin", False), (r"\lim", False), ("", False)],
)  # fmt: skip
def test_words_and_what_covers_others_stay_where_they_are(name: str, can: bool) -> None:
    assert is_shape(name) == can


def test_likeness_goes_both_ways() -> None:
    assert r"\times" in alike("x")
    assert "x" in alike(r"\times")
    assert alike("&") == {"&"}
