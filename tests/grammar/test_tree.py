import pytest
from hypothesis import given

from san.grammar import GrammarError, parse
from san.grammar.tree import EMPTY, Expression, Relation, Symbol
from tests.grammar.trees import expressions, structure

A, B = Expression((Symbol("a"),)), Expression((Symbol("b"),))


def test_branches_stand_in_slot_order_however_they_grew() -> None:
    one = Symbol("x").grown(Relation.SUP, A).grown(Relation.SUB, B)
    other = Symbol("x").grown(Relation.SUB, B).grown(Relation.SUP, A)
    assert one == other
    assert [relation for relation, _ in one.branches] == [Relation.SUB, Relation.SUP]


def test_an_empty_branch_is_no_branch() -> None:
    assert Symbol("x").grown(Relation.SUP, EMPTY) == Symbol("x")


@pytest.mark.parametrize(
    "branches",
    [
        ((Relation.SUP, A), (Relation.SUB, B)),
        ((Relation.SUP, A), (Relation.SUP, B)),
        ((Relation.RIGHT, A),),
        ((Relation.SUP, EMPTY),),
    ],
)
def test_what_is_not_in_normal_form_is_refused(
    branches: tuple[tuple[Relation, Expression], ...],
) -> None:
    with pytest.raises(GrammarError, match="normal form"):
        Symbol("x", branches)


def test_walk_is_in_reading_order_and_names_what_each_symbol_stands_by() -> None:
    visits = list(parse(r"\frac{a}{b}^2+c").walk())
    seen = [(v.symbol.name, v.parent, v.relation.value if v.relation else None) for v in visits]
    assert seen == [
        (r"\frac", -1, None),
        ("a", 0, "above"),
        ("b", 0, "below"),
        ("2", 0, "sup"),
        ("+", 0, "right"),
        ("c", 4, "right"),
    ]


def test_length_counts_ink_only() -> None:
    assert len(parse(r"{}^{14}C")) == 3
    assert len(EMPTY) == 0
    assert not EMPTY


def test_the_same_symbols_in_other_places_are_another_tree() -> None:
    texts = [
        "x^2]",
        "x^{2]}",
        "x^2",
        "x_2",
        "x2",
        r"\frac{x}{2}",
        r"\frac{2}{x}",
        r"x^{2^2}",
        r"x^{22}",
        r"{x^2}^2",
    ]
    trees = {parse(text) for text in texts}
    assert len(trees) == len(texts)


@given(expressions(), expressions())
@pytest.mark.slow
def test_equality_is_equality_of_structure(one: Expression, other: Expression) -> None:
    assert (one == other) == (structure(one) == structure(other))
    if one == other:
        assert hash(one) == hash(other)
    assert one != "no tree"
