"""Formulas are typeset: every symbol at its place, scripts smaller, brackets as tall as content."""

from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from san.grammar import parse
from san.grammar.tree import Expression
from san.synth.printed.config import TypesetConfig
from san.synth.printed.printed import symbol_boxes
from san.synth.printed.spacing import gaps
from san.synth.printed.typeset import Typesetter, UnprintableError
from san.synth.random_stream import RandomStream
from tests.synth.printed.drawn_face import drawn_face

FACE = drawn_face()
DISPLAYED = TypesetConfig(display_share=1.0, grown_fences_share=1.0, upright_letters_share=0.0)


def boxes_of(latex: str, config: TypesetConfig = DISPLAYED, seed: int = 0) -> NDArray[np.float32]:
    """Left, top, right, bottom in em, of each symbol of the walk."""
    tree = parse(latex)
    block = Typesetter(FACE, config, RandomStream(np.random.default_rng(seed))).expression(tree)
    count = sum(1 for _ in tree.walk())
    return symbol_boxes(block, count, np.eye(2, dtype=np.float32), np.zeros(2, np.float32))


@pytest.mark.parametrize("seed", range(5))
def test_a_fraction_has_its_parts_over_and_under_its_bar(seed: int) -> None:
    bar, over, under = boxes_of(r"\frac{a}{b}", seed=seed)
    assert over[3] < bar[1] < bar[3] < under[1]
    for part in (over, under):
        assert bar[0] <= part[0]
        assert part[2] <= bar[2]


@pytest.mark.parametrize("seed", range(5))
def test_scripts_are_small_and_stand_beside(seed: int) -> None:
    base, sub, sup, after = boxes_of("a_{i}^{2}b", seed=seed)
    height = base[3] - base[1]
    for script in (sub, sup):
        assert base[2] < script[0] + 0.05
        assert script[3] - script[1] < 0.8 * height
        assert script[2] < after[0] + 0.1
    assert sup[3] < sub[1]
    assert sub[3] > base[3]
    assert sup[1] < base[1]


def test_a_root_covers_its_content_and_has_its_index() -> None:
    root, index, inside = boxes_of(r"\sqrt[3]{x}")
    assert root[0] < inside[0]
    assert inside[2] <= root[2]
    assert root[1] < inside[1]
    assert root[3] >= inside[3]
    assert index[2] < inside[0]


def test_limits_stand_over_and_under_a_sum_or_beside_it() -> None:
    total, above, below = boxes_of(r"\sum_{i}^{n}")[:3]
    assert above[3] < total[1]
    assert below[1] > total[3]
    beside = TypesetConfig(display_share=0.0, limits_beside_share=1.0)
    total, above, below = boxes_of(r"\sum_{i}^{n}", beside)[:3]
    assert min(above[0], below[0]) > (total[0] + total[2]) / 2


def test_brackets_grow_with_their_content_if_they_do() -> None:
    tall, *_, closing = boxes_of(r"(\frac{\frac{a}{b}}{c})")
    assert tall[3] - tall[1] > 1.5
    assert closing[1] == tall[1]
    small = TypesetConfig(grown_fences_share=0.0)
    assert boxes_of(r"(\frac{\frac{a}{b}}{c})", small)[0][3] < 0.1


def test_lines_stand_below_one_another_behind_a_brace() -> None:
    brace, grid, a, equals, one, parting, b, *_ = boxes_of(
        r"\begin{cases}a=1\\b=2\end{cases}", TypesetConfig(centred_lines_share=0.0)
    )
    assert np.isnan(grid).all()
    assert np.isnan(parting).all()
    assert brace[1] < a[3] < b[1] < brace[3]
    assert brace[2] < a[0] < equals[0] < one[0]
    assert abs(a[0] - b[0]) < 0.1


def test_a_matrix_has_columns() -> None:
    boxes = boxes_of(r"\begin{pmatrix}a&b\\c&d\end{pmatrix}")
    _, _, a, _, b, _, c, _, d, _ = boxes
    assert a[2] < b[0]
    assert c[2] < d[0]
    assert a[3] < c[1]
    assert b[3] < d[1]


@pytest.mark.parametrize("mark", [r"\hat", r"\bar", r"\overrightarrow", r"\overline"])
def test_a_mark_stands_over_its_content_once(mark: str) -> None:
    over, content = boxes_of(mark + "{a}")
    assert over[3] < content[1]
    assert abs(over[0] + over[2] - content[0] - content[2]) < 0.2


def test_a_box_and_a_ring_stand_around_their_content() -> None:
    for name in (r"\boxed", r"\textcircled"):
        around, content = boxes_of(name + "{1}")
        assert (around[:2] < content[:2]).all()
        assert (around[2:] > content[2:]).all()


def test_text_stands_on_an_arrow() -> None:
    before, arrow, text, after = boxes_of(r"a\xrightarrow{b}c")
    assert before[2] < arrow[0] < text[0] < text[2] < arrow[2] < after[0]
    assert text[3] < arrow[1]


def test_operators_have_space_and_signs_have_none() -> None:
    space = partial(gaps, factor=1.0, is_script=False, word_gap=0.1)
    assert space(["a", "+", "b"]) == pytest.approx([4 / 18, 4 / 18])
    assert space(["=", "-", "b"]) == pytest.approx([5 / 18, 0])
    assert space(["(", "-", "b"]) == [0, 0]
    assert space([r"\sin", "x"]) == [0.1]
    assert gaps(["a", "+", "b"], 1.0, True, 0.1) == [0, 0]


def test_what_the_typeface_lacks_is_said() -> None:
    with pytest.raises(UnprintableError, match="has no ℵ"):
        boxes_of(r"\aleph")


def test_every_symbol_has_one_box_in_its_order() -> None:
    tree: Expression = parse(r"\frac{a_{1}+\sqrt{b}}{\sin c}=\int_{0}^{1}x^{2}")
    names = [visit.symbol.name for visit in tree.walk()]
    boxes = boxes_of(r"\frac{a_{1}+\sqrt{b}}{\sin c}=\int_{0}^{1}x^{2}")
    assert len(boxes) == len(names)
    assert np.isfinite(boxes).all()
