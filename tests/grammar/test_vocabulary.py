import pytest

from san.grammar import GrammarError, Relation, parse
from san.grammar.productions import EMPTY_STRING, EXTEND, START, unfold
from san.grammar.vocabulary import Vocabulary

TREES = [parse(r"\frac{a}{b}+a"), parse("{}^2a")]


def test_gathers_each_symbol_once_without_nothing() -> None:
    assert Vocabulary.gather(TREES).symbols == ("+", "2", r"\frac", "a", "b")
    assert Vocabulary.gather(TREES, at_least=3).symbols == ("a",)


def test_numbers_of_targets_are_numbers_of_partners() -> None:
    words = Vocabulary.gather(TREES)
    assert words.number(EMPTY_STRING) == 0
    assert words.number(EXTEND) == 1
    assert [words.number(name) for name in words.symbols] == [2, 3, 4, 5, 6]
    assert words.number(START) == len(words.targets)
    assert words.partners[words.number(Relation.RIGHT)] is Relation.RIGHT
    assert len(words.partners) == len(words.targets) + 8


def test_every_step_of_a_known_tree_has_numbers() -> None:
    words = Vocabulary.gather(TREES)
    for tree in TREES:
        assert words.knows(tree)
        for step in unfold(tree):
            assert words.targets[words.number(step.target)] == step.target
            assert words.partners[words.number(step.partner)] == step.partner


def test_an_unknown_symbol_is_named() -> None:
    words = Vocabulary.gather(TREES)
    assert not words.knows(parse("a+q"))
    with pytest.raises(GrammarError, match="'q'"):
        words.number("q")


def test_json_round_trip() -> None:
    words = Vocabulary(("种", r"\frac", '"'))
    assert Vocabulary.from_json(words.to_json()) == words


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '["a", "a"]', '["<extend>"]', '["^"]', '[""]', "[" * 100_000]
)
def test_bad_json_is_refused(text: str) -> None:
    with pytest.raises(GrammarError):
        Vocabulary.from_json(text)
