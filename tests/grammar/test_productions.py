import pytest
from hypothesis import given
from hypothesis import strategies as st

from san.grammar import Expression, GrammarError, Relation, parse, to_latex
from san.grammar.productions import (
    EMPTY_STRING,
    EXTEND,
    START,
    Partner,
    Step,
    by_level,
    fold,
    fold_columns,
    opened_by,
    unfold,
)
from tests.grammar.trees import NAMES, expressions

RIGHT, ABOVE, BELOW = Relation.RIGHT, Relation.ABOVE, Relation.BELOW
SUB, SUP = Relation.SUB, Relation.SUP


def test_the_papers_example() -> None:
    """The sum of figure 3: its limits first, then on to the right through the E."""
    assert unfold(parse(r"\sum_i^n a")) == [
        Step(-1, START, r"\sum", (), 0),
        Step(0, r"\sum", EXTEND, (ABOVE, BELOW, RIGHT), 1),
        Step(1, ABOVE, "n", (), 2),
        Step(2, "n", EMPTY_STRING, (), 3),
        Step(1, BELOW, "i", (), 2),
        Step(4, "i", EMPTY_STRING, (), 3),
        Step(1, RIGHT, "a", (), 2),
        Step(6, "a", EMPTY_STRING, (), 3),
    ]


def test_a_chain_that_ends_in_an_e_writes_no_empty_string() -> None:
    steps = unfold(parse("x^2"))
    assert [step.target for step in steps] == ["x", EXTEND, "2", EMPTY_STRING]
    assert steps[1].relations == (SUP,)


def test_scripts_on_nothing_are_an_e_without_a_symbol() -> None:
    steps = unfold(parse("{}^{2}C"))
    assert (steps[0].partner, steps[0].target) == (START, EXTEND)
    assert steps[0].relations == (SUP, RIGHT)


def test_levels_keep_parents_before_children() -> None:
    levels = by_level(unfold(parse(r"\frac{a+b}{c}+\sqrt[3]{x_1^2}")))
    assert [step.depth for step in levels] == sorted(step.depth for step in levels)
    for index, step in enumerate(levels[1:], 1):
        assert step.parent < index
        assert levels[step.parent].depth == step.depth - 1


@st.composite
def _derivations(draw: st.DrawFn) -> list[Step]:
    """Any use of the two rules, however odd: an E that opens nothing, an S that stays empty."""
    steps: list[Step] = []
    waiting: list[tuple[int, Partner, int]] = [(-1, START, 0)]
    while waiting:
        place = draw(st.integers(0, len(waiting) - 1))  # neither depth first nor by level
        parent, partner, depth = waiting.pop(place)
        choices = [EMPTY_STRING] if len(steps) > 14 else [EMPTY_STRING, EXTEND, *NAMES[1:]]
        target = draw(st.sampled_from(choices))
        opens: tuple[Relation, ...] = ()
        if target == EXTEND:
            chosen = draw(st.sets(st.sampled_from(opened_by(EXTEND, partner))))
            opens = tuple(relation for relation in Relation if relation in chosen)
            waiting += [(len(steps), relation, depth + 1) for relation in opens]
        elif target != EMPTY_STRING:
            waiting.append((len(steps), target, depth + 1))
        steps.append(Step(parent, partner, target, opens, depth))
    return steps


@pytest.mark.slow
@given(_derivations())
def test_whatever_the_rules_allow_builds_a_tree(steps: list[Step]) -> None:
    tree = fold(steps)
    assert fold_columns(*zip(*steps, strict=True)) == tree
    assert fold(by_level(steps)) == tree
    assert fold(unfold(tree)) == tree
    assert parse(to_latex(tree)) == tree


@given(expressions(), st.data())
@pytest.mark.slow
def test_a_step_taken_away_is_missed(tree: Expression, data: st.DataObject) -> None:
    steps = unfold(tree)
    lost = data.draw(st.integers(0, len(steps) - 1))
    with pytest.raises(GrammarError):
        fold(steps[:lost] + steps[lost + 1 :])


WRONG = [
    ([], "no steps"),
    ([Step(0, START, "x", (), 0)], "not before it"),
    ([Step(-1, "x", EMPTY_STRING, (), 0)], "does not follow"),
    ([Step(-1, START, START, (), 0)], "is no target"),
    ([Step(-1, START, "", (), 0)], "is no target"),
    ([Step(-1, START, "^", (), 0)], "is no target"),
    ([Step(-1, START, r"\foo", (), 0)], "is no target"),
    ([Step(-1, START, r"\le", (), 0)], "is no target"),
    ([Step(-1, START, "x", (), 0)], "nothing follows 'x'"),
    ([Step(-1, START, EMPTY_STRING, (), 1)], "its depth is 0"),
    ([Step(-1, START, "x", (SUP,), 0)], "cannot be opened"),
    ([Step(-1, START, EXTEND, (Relation.INSIDE,), 0)], "inside cannot be opened on nothing"),
    ([Step(-1, START, EXTEND, (SUP, SUB), 0)], "slot order"),
    ([Step(-1, START, EXTEND, (SUP,), 0)], "nothing follows"),
    (
        [Step(-1, START, EMPTY_STRING, (), 0), Step(0, EMPTY_STRING, "x", (), 1)],
        "does not follow",
    ),
    (
        [
            Step(-1, START, "x", (), 0),
            Step(0, "x", EMPTY_STRING, (), 1),
            Step(0, "x", EMPTY_STRING, (), 1),
        ],
        "followed twice",
    ),
    (
        [Step(-1, START, "x", (), 0), Step(0, "x", EXTEND, (Relation.INSIDE,), 1)],
        "inside cannot be opened on x",
    ),
    ([Step(-1, START, EMPTY_STRING, (), 0), Step(-1, START, "x", (), 0)], "not before it"),
]


@pytest.mark.parametrize(("steps", "reason"), WRONG)
def test_what_the_rules_forbid_is_refused(steps: list[Step], reason: str) -> None:
    for _ in range(2):  # what was judged before is judged alike
        with pytest.raises(GrammarError, match=reason):
            fold(steps)
