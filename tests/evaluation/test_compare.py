from math import inf

import pytest
from hypothesis import given

from san.evaluation.compare import compare, skeleton
from san.grammar import Expression, parse, to_latex
from tests.grammar.trees import expressions


@pytest.mark.parametrize(
    ("label", "prediction", "edits", "structure"),
    [
        ("x _ { 1 } ^ { 2 }", "x^2_1", 0, True),
        (r"\sum \limits _ { i } ^ { n } i", r"\sum_i^n i", 0, True),
        ("x ^ { 2 }", "x^{3}", 1, True),
        ("x ^ { 2 }", "x_{2}", 1, False),
        ("x ^ { 2 }", "x2", 3, False),
        (r"\frac { a } { b }", r"\frac{c}{d}", 2, True),
        ("a + b", "a + b + c", 2, False),
        ("a", "", inf, False),
        ("a", "{ }", inf, False),
        (r"\foo", "", inf, False),
        ("", "", 0, True),
        ("", "a", 1, False),
        ("a", None, inf, False),
        ("a b c", r"\frac{a", inf, False),
        ("", None, inf, False),
    ],
)
def test_edits_and_structure(
    label: str, prediction: str | None, edits: int, structure: bool
) -> None:
    pair = compare(label, prediction)
    assert (pair.edits, pair.structure) == (edits, structure)
    assert pair.exact == (edits == 0)


def test_a_label_that_is_no_formula_can_be_met_to_the_letter() -> None:
    assert compare(r"\frac { a", r"\frac{a").exact
    assert not compare(r"\frac { a", r"\frac{a}{b}").exact
    assert not compare(r"\frac { a", None).exact


def test_structure_is_blind_to_symbols_but_not_to_relations() -> None:
    assert skeleton(parse(r"\frac{a}{b}")) == skeleton(parse(r"\binom{1}{2}"))
    assert skeleton(parse("x^2")) != skeleton(parse("x_2"))
    assert skeleton(parse("x^{2}3")) != skeleton(parse("x^{23}"))


@given(expressions(), expressions())
@pytest.mark.slow
def test_no_edits_means_equal_trees(one: Expression, other: Expression) -> None:
    assert compare(to_latex(one), to_latex(one)).exact
    assert compare(to_latex(one), to_latex(other)).exact == (one == other)
