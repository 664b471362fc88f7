"""Every language writes every tree, and reads it back."""

import pytest

from san.grammar import Expression, parse, to_tokens
from san.grammar.languages import Kind, vocabulary_for, write
from san.grammar.productions import EMPTY_STRING, EXTEND, Step, fold
from san.grammar.strings import string_steps, string_tree
from san.grammar.tree import Relation
from san.grammar.triples import triple_steps, triple_tree
from san.grammar.vocabulary import Vocabulary

LABELS = (
    "",
    "x",
    r"x + 1",
    r"\frac { a ^ { 2 } } { b } = c",
    r"\sqrt [ 3 ] { x _ { i } ^ { 2 } } - 1",
    r"\sum _ { i = 1 } ^ { n } x _ { i }",
    r"{ } ^ { 14 } C",
    r"\overset { a } { x } + [ y ]",
    r"\begin{matrix} a & b \\ c & d \end{matrix}",
    r"x ^ { y ^ { z } } _ { k }",
)


def from_triples(steps: list[Step]) -> Expression | None:
    *body, end = steps
    assert end.target == EMPTY_STRING
    relations = [
        step.partner if isinstance(step.partner, Relation) else Relation.RIGHT for step in body
    ]
    return triple_tree([s.target for s in body], [s.parent for s in body], relations)


@pytest.mark.parametrize("label", LABELS)
def test_every_language_gives_the_tree_back(label: str) -> None:
    tree = parse(label)
    assert fold(write("san", tree)) == fold(write("san-gs", tree)) == tree
    tokens = [step.target for step in write("dwap", tree)]
    assert tokens == [*to_tokens(tree), EMPTY_STRING]
    assert string_tree(tokens[:-1]) == tree
    assert write("bttr", tree) == write("dwap", tree)
    assert from_triples(write("dwap-td", tree)) == tree


KINDS: tuple[Kind, ...] = ("san", "san-gs", "dwap", "bttr", "dwap-td")


@pytest.mark.parametrize("kind", KINDS)
def test_vocabularies_number_every_step(kind: Kind) -> None:
    trees = [parse(label) for label in LABELS]
    symbols = Vocabulary.gather(trees)
    vocabulary = vocabulary_for(kind, symbols)
    for tree in trees:
        for step in write(kind, tree):
            assert 0 <= vocabulary.number(step.target) < len(vocabulary.targets)
            assert vocabulary.partners[vocabulary.number(step.partner)] == step.partner
    # Symbols have the same numbers in all languages, and a language is made once.
    assert vocabulary.targets[: len(symbols.targets)] == symbols.targets
    assert vocabulary_for(kind, vocabulary) == vocabulary


def test_steps_come_after_their_parents_and_end_once() -> None:
    for steps in (string_steps(parse(LABELS[4])), triple_steps(parse(LABELS[4]))):
        assert all(step.parent < index for index, step in enumerate(steps))
        assert all(s.depth == steps[s.parent].depth + 1 for s in steps[1:])
        assert [step.target for step in steps].count(EMPTY_STRING) == 1


@pytest.mark.parametrize("string", [r"\frac { a }", "x ^", "{ x", "x }", r"\begin{matrix} a"])
def test_a_string_that_is_no_latex_has_no_tree(string: str) -> None:
    assert string_tree(string.split()) is None


RIGHT, SUP, INSIDE = Relation.RIGHT, Relation.SUP, Relation.INSIDE


@pytest.mark.parametrize(
    ("targets", "parents", "relations"),
    [
        (["x", "y", "z"], [-1, 0, 0], [RIGHT, RIGHT, RIGHT]),  # two on the same place
        (["x", "y"], [-1, 1], [RIGHT, RIGHT]),  # its own parent
        (["x", "y"], [-1, 5], [RIGHT, SUP]),  # one that is not there
        (["x", "y"], [-1, 0], [RIGHT, INSIDE]),  # nothing stands inside an x
        ([EXTEND, "y"], [-1, 0], [RIGHT, INSIDE]),
    ],
)
def test_triples_that_nobody_draws_have_no_tree(
    targets: list[str], parents: list[int], relations: list[Relation]
) -> None:
    assert triple_tree(targets, parents, relations) is None


def test_no_triples_are_the_empty_expression() -> None:
    assert triple_tree([], [], []) == parse("")
