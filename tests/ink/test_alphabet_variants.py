"""Letters and signs in several ways: each is a shape on the ruled paper, and no two are one."""

import numpy as np
import pytest

from san.grammar import parse
from san.ink.alphabet import SHAPES, VARIANTS, WORDS, curve, parse_shape
from san.ink.alphabet_letters import LETTER_VARIANTS
from san.ink.alphabet_signs import SIGN_VARIANTS


@pytest.mark.parametrize("name", VARIANTS)
def test_every_way_is_a_shape_on_the_ruled_paper(name: str) -> None:
    for way in VARIANTS[name]:
        points = np.concatenate([curve(outline) for outline in parse_shape(way)])
        assert np.isfinite(points).all()
        assert points[:, 0].min() > -1
        assert points[:, 0].max() < 21
        assert points[:, 1].min() > -1
        assert points[:, 1].max() < 29


@pytest.mark.parametrize("name", VARIANTS)
def test_ways_differ_and_the_symbol_is_one_that_the_grammar_knows(name: str) -> None:
    assert len(set(VARIANTS[name])) == len(VARIANTS[name])
    assert name in [visit.symbol.name for visit in parse(f"{name} {{x}}").walk()]


def test_nothing_is_written_twice() -> None:
    assert not LETTER_VARIANTS.keys() & SIGN_VARIANTS.keys()
    assert not VARIANTS.keys() & {*SHAPES, *WORDS}


def test_many_writings_of_a_stroke_are_drawn_as_one_by_one() -> None:
    (outline,) = parse_shape(LETTER_VARIANTS["O"][0])
    many = outline._replace(knots=np.stack([outline.knots, outline.knots + 1]))
    one, other = curve(many)
    assert np.allclose(one, curve(outline))
    assert np.allclose(other, curve(outline) + 1)
