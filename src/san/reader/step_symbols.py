"""Which step of a reading wrote which symbol of its tree.

A tree is brought into normal form while it is put together (`san.grammar.normal_form`): scripts on
nothing go over to the bare symbol before them, a limit operator takes them as its limits, above
before below, and what has rows or cells outside of a grid becomes one, whose symbol no step wrote.
So the order of steps is not quite the order of symbols; here it is followed.
"""

from collections.abc import Sequence

from san.grammar.constructs import CELL, MATRIX, ROW, construct_of
from san.grammar.productions import EMPTY_STRING, EXTEND, START, Partner, Step
from san.grammar.tree import SLOT, Relation


def symbol_steps(steps: Sequence[Step]) -> list[int]:
    """For each symbol of the tree, in the order of `Expression.walk`, the step that wrote it.

    The symbol without ink is written by the step that hangs scripts on it, and a grid that nobody
    opened by the one that first parts its cells or rows.
    """
    following: list[dict[Partner, int]] = [{} for _ in steps]
    for index, step in enumerate(steps[1:], 1):
        following[step.parent][step.partner] = index
    empty = _writes_nothing(steps, following)
    parting = _first_parting(steps, following)
    writing: list[int] = []
    # Where chains go on, the next one last: a step, the bare symbol before it, if one is, and
    # whether a chain begins there that is not what stands in a grid.
    pending: list[tuple[int, str, bool]] = [(0, "", True)]
    while pending:
        index, bare, begins = pending.pop()
        step = steps[index]
        if begins and parting[index] >= 0:
            writing.append(parting[index])
        if step.target == EMPTY_STRING:
            continue
        if step.target != EXTEND:
            writing.append(index)
            pending.append((following[index][step.target], step.target, False))
            continue
        branches = [r for r in step.relations if r is not Relation.RIGHT]
        branches = [r for r in branches if not empty[following[index][r]]]
        on_nothing = isinstance(step.partner, Relation) or step.partner == START
        if on_nothing and branches:
            if bare:
                branches.sort(key=lambda relation: SLOT[_relation_on(bare, relation)])
            else:
                writing.append(index)
        if Relation.RIGHT in step.relations:
            pending.append((following[index][Relation.RIGHT], "" if branches else bare, False))
        for relation in reversed(branches):
            in_grid = step.partner == MATRIX and relation is Relation.INSIDE
            pending.append((following[index][relation], "", not in_grid))
    return writing


def _first_parting(steps: Sequence[Step], following: Sequence[dict[Partner, int]]) -> list[int]:
    """Of each step, the first from it on in its chain that parts cells or rows; -1: none."""
    first = [-1] * len(steps)
    for index in range(len(steps) - 1, -1, -1):
        target = steps[index].target
        goes_on = following[index].get(Relation.RIGHT if target == EXTEND else target)
        if target in (CELL, ROW):
            first[index] = index
        elif goes_on is not None:
            first[index] = first[goes_on]
    return first


def _writes_nothing(steps: Sequence[Step], following: Sequence[dict[Partner, int]]) -> list[bool]:
    """Whether nothing is written from a step on."""
    empty = [True] * len(steps)
    for index in range(len(steps) - 1, -1, -1):
        writes = steps[index].target not in (EXTEND, EMPTY_STRING)
        empty[index] = not writes and all(empty[after] for after in following[index].values())
    return empty


def _relation_on(name: str, relation: Relation) -> Relation:
    construct = construct_of(name)
    return {Relation.SUB: construct.sub, Relation.SUP: construct.sup}[relation]
