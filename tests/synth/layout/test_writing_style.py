"""Examples of a hand's manner, and where to look when it left none."""

import pytest

from san.grammar import Relation
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.observe import BAR, FENCE, GAP, INDEX, ROOT, pairs, script_key, tallness
from san.synth.layout.writing_style import Manner

BOOK = build_bank(Copybook())


@pytest.fixture(scope="module")
def manner() -> Manner:
    return Manner(BOOK)


def test_examples_show_what_was_written(manner: Manner) -> None:
    hand = BOOK.expressions[0].writer
    for numerator, gap, denominator, below, *_ in manner.of((BAR,), hand):
        assert 0.5 < numerator < 1
        assert 0.5 < denominator < 1
        assert 0 < gap < 1
        assert 0 < below < 1
    for size, left, top, right, _ in manner.of((ROOT,), hand):
        assert 0.5 < size < 1.1
        assert left > 0 < top
        assert right > 0
    for size, across, _ in manner.of((INDEX,), hand):
        assert size < 0.8
        assert across < 0
    assert len(manner.of((GAP, "digit", "digit"), hand)) > 2


@pytest.mark.parametrize(
    "key",
    [
        (GAP, "letter", "never seen"),
        script_key(Relation.SUP, "never seen", "2"),
        script_key(Relation.SUB, r"\prime", "2"),
        script_key(Relation.BELOW, r"\lim", "x"),
        script_key(Relation.ABOVE, "=", "x"),
        (FENCE, tallness(9.0)),
    ],
)
def test_there_is_always_an_example(manner: Manner, key: tuple[str, ...]) -> None:
    usual = {GAP: 1, FENCE: 2}.get(key[0], 3)
    for hand in (0, 10_000):
        found = manner.of(key, hand)
        assert found
        assert {len(example) for example in found} == {usual}


def test_what_comes_near_is_not_this_very_thing() -> None:
    manner = Manner(BOOK)
    key = script_key(Relation.SUP, "never seen", "2")
    assert not manner.known(key)
    assert manner.of(key, 0) is manner.of(key, 0)
    assert not manner.known(key)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("( a [ b ] )", [(2, 4), (0, 5)]),
        ("| a | + | b |", [(0, 2), (4, 6)]),
        ("[ 0 , 1 )", []),
        (") (", []),
    ],
)
def test_fences_find_their_partners(names: str, found: list[tuple[int, int]]) -> None:
    assert pairs(names.split()) == found
