"""Examples of a writer's style, and what is taken where there are none."""

import pytest

from san.grammar import Relation
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.config import WritingStyleConfig
from san.synth.layout.observations import (
    BAR,
    FENCE,
    GAP,
    INDEX,
    ROOT,
    fence_pairs,
    height_class,
    script_key,
)
from san.synth.layout.writing_style import WritingStyle

BOOK = build_bank(Copybook())


@pytest.fixture(scope="module")
def style() -> WritingStyle:
    return WritingStyle(BOOK, WritingStyleConfig())


def test_examples_show_what_was_written(style: WritingStyle) -> None:
    hand = BOOK.expressions[0].writer
    for numerator, gap, denominator, below, *_ in style.examples((BAR,), hand):
        assert 0.5 < numerator < 1
        assert 0.5 < denominator < 1
        assert 0 < gap < 1
        assert 0 < below < 1
    for size, left, top, right, _ in style.examples((ROOT,), hand):
        assert 0.5 < size < 1.1
        assert left > 0 < top
        assert right > 0
    for size, across, _ in style.examples((INDEX,), hand):
        assert size < 0.8
        assert across < 0
    assert len(style.examples((GAP, "digit", "digit"), hand)) > 2


@pytest.mark.parametrize(
    "key",
    [
        (GAP, "letter", "never seen"),
        script_key(Relation.SUP, "never seen", "2"),
        script_key(Relation.SUB, r"\prime", "2"),
        script_key(Relation.BELOW, r"\lim", "x"),
        script_key(Relation.ABOVE, "=", "x"),
        (FENCE, height_class(9.0)),
    ],
)
def test_there_is_always_an_example(style: WritingStyle, key: tuple[str, ...]) -> None:
    usual = {GAP: 1, FENCE: 2}.get(key[0], 3)
    for hand in (0, 10_000):
        found = style.examples(key, hand)
        assert found
        assert {len(example) for example in found} == {usual}


def test_a_substitute_is_not_this_very_thing() -> None:
    style = WritingStyle(BOOK, WritingStyleConfig())
    key = script_key(Relation.SUP, "never seen", "2")
    assert not style.known_examples(key)
    assert style.examples(key, 0) is style.examples(key, 0)
    assert not style.known_examples(key)


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
    assert fence_pairs(names.split()) == found
