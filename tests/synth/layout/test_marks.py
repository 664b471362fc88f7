"""Marks fit: over what they cover, around it, under what stands on them."""

import numpy as np
import pytest

from san.grammar import parse
from san.ink import Box
from san.synth.composer import Composer
from san.synth.layout.measure import outline
from tests.synth.layout.test_place import boxes, placed

SEEDS = range(12)


def laid_out(composer: Composer, latex: str, seed: int) -> list[Box]:
    """Boxes of all symbols, in the order of the walk."""
    tree = parse(latex)
    glyphs = placed(composer, tree, seed)
    assert [composer.bank.names[own.glyph] for own in glyphs] == outline(tree).names
    return boxes(composer.bank, glyphs)


@pytest.mark.parametrize("name", [r"\overline", r"\overrightarrow", r"\widehat", r"\vec", r"\bar"])
@pytest.mark.slow
def test_accents_lie_above_all_that_they_cover(composer: Composer, name: str) -> None:
    for seed in SEEDS:
        mark, *letters = laid_out(composer, rf"{name}{{A+B}}", seed)
        assert mark.bottom < min(box.top for box in letters)
        wide = letters[-1].right - letters[0].left
        assert 0.7 * wide < mark.width < 1.3 * wide
        assert mark.left < letters[0].right
        assert mark.right > letters[-1].left


def test_a_line_under_something_lies_below_it(composer: Composer) -> None:
    for seed in SEEDS:
        mark, *letters = laid_out(composer, r"\underline{A+B}", seed)
        assert mark.top > max(box.bottom for box in letters)


def test_dots_stay_dots(composer: Composer) -> None:
    for seed in SEEDS:
        dot, digit = laid_out(composer, r"\dot{3}", seed)
        assert dot.bottom < digit.top
        assert max(dot.width, dot.height) < digit.height / 3
        assert digit.left - 5 < (dot.left + dot.right) / 2 < digit.right + 5


@pytest.mark.parametrize("inside", ["1", "12", "x+1", ">"])
@pytest.mark.parametrize("name", [r"\textcircled", r"\boxed"])
def test_rings_enclose_what_is_in_them(composer: Composer, name: str, inside: str) -> None:
    for seed in SEEDS:
        ring, *content = laid_out(composer, rf"{name}{{{inside}}}", seed)
        for box in content:
            assert ring.left < box.left < box.right < ring.right
            assert ring.top < box.top < box.bottom < ring.bottom


def test_a_ring_keeps_off_its_neighbours(composer: Composer) -> None:
    for seed in SEEDS:
        before, ring, digit, after = laid_out(composer, r"0\textcircled{4}x", seed)
        assert before.right < ring.left + 3
        assert ring.right < after.left + 3
        assert ring.left < digit.left


def test_text_stands_on_long_signs(composer: Composer) -> None:
    for name in (r"\xrightarrow", r"\xlongequal"):
        for seed in SEEDS:
            sign, over, _, under = laid_out(composer, rf"{name}[a]{{xy}}", seed)
            assert over.bottom < sign.top
            assert under.top > sign.bottom
            assert sign.width > 38  # an em


def test_the_head_of_an_arrow_does_not_grow_with_its_shaft(composer: Composer) -> None:
    def usual(words: str) -> tuple[float, float]:
        arrows = [laid_out(composer, rf"\overrightarrow{{{words}}}", seed)[0] for seed in range(40)]
        return np.median([box.width for box in arrows]), np.median([box.height for box in arrows])

    (short, low), (long, high) = usual("AB"), usual("ABCABCAB")
    assert long > 3 * short
    assert high < 1.5 * low


def test_a_script_hangs_on_the_mark_and_its_content(composer: Composer) -> None:
    for seed in SEEDS:
        _, letter, power = laid_out(composer, r"\overrightarrow{B}^{2}", seed)
        assert power.left > (letter.left + letter.right) / 2
        assert power.top < letter.top


def test_marks_around_nothing_can_be_written(composer: Composer) -> None:
    for latex in (r"\textcircled{}", r"\overline{}", r"\xrightarrow{}"):
        made = composer.compose(parse(latex), np.random.default_rng(0))
        assert (made.picture > 0).any()
