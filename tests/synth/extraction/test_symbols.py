"""What can become a glyph."""

import pytest

from san.synth.extraction.symbols import (
    component_counts,
    has_fixed_shape,
    is_connected,
    lookalikes,
)


def test_pieces_are_as_many_as_a_pen_leaves() -> None:
    assert component_counts("=") == (2, 2)
    assert component_counts(r"\div") == (3, 3)
    assert component_counts("2") == (1, 1)
    assert not is_connected("=")
    assert is_connected("5")


@pytest.mark.parametrize(
    ("name", "can"),
    [("x", True), (r"\angle", True), (r"\frac", True), (r"\sqrt", False), (r"\overline", False),
     (r"\sin", False), (r"\lim", False), ("", False)],
)  # fmt: skip
def test_words_and_what_covers_others_stay_where_they_are(name: str, can: bool) -> None:
    assert has_fixed_shape(name) == can


def test_likeness_goes_both_ways() -> None:
    assert r"\times" in lookalikes("x")
    assert "x" in lookalikes(r"\times")
    assert lookalikes("&") == {"&"}
