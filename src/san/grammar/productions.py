"""Tree <-> the decoder's steps: the paper's two production rules, in one place.

    S -> sigma S | E | empty        E -> one S for each of its relations

A step expands one S. Its target says how: a symbol's name (and an S to its right follows), `EXTEND`
(an E, with the relations that it opens), or `EMPTY_STRING`. After an E the chain goes on only
through the relation `right`; without it, it ends there and no empty string is written.

What a step is given comes from its parent alone, never from a sibling's subtree. So all steps of
one depth can run at once, over a whole batch: `by_level` orders them so, `unfold` gives them depth
first, as the paper's stack meets them, and `fold` takes either.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from san.grammar.constructs import relations_of
from san.grammar.errors import GrammarError
from san.grammar.normal import chain, symbol_with
from san.grammar.symbols import is_symbol
from san.grammar.tree import NOTHING, SLOT, Expression, Relation, Symbol

START = "<start>"
EXTEND = "<extend>"
EMPTY_STRING = "<empty>"
MARKS = (EMPTY_STRING, EXTEND, START)

Partner = str | Relation


class Step(NamedTuple):
    """One expansion of an S."""

    parent: int  # index of the step that this one follows from; -1 for the first
    partner: Partner  # what was last written: the symbol to the left, the relation, or START
    target: str  # a symbol's name, EXTEND or EMPTY_STRING
    relations: tuple[Relation, ...]  # which ones an E opens, in slot order; else none
    depth: int  # number of steps before it on its path


def unfold(expression: Expression) -> list[Step]:
    """The steps of a tree, depth first."""
    steps: list[Step] = []
    # Chains still to be written, the next one last: (symbols, place, parent step, partner).
    pending: list[tuple[tuple[Symbol, ...], int, int, Partner]] = [
        (expression.symbols, 0, -1, START)
    ]

    def write(parent: int, partner: Partner, target: str, opens: tuple[Relation, ...] = ()) -> int:
        depth = steps[parent].depth + 1 if parent >= 0 else 0
        steps.append(Step(parent, partner, target, opens, depth))
        return len(steps) - 1

    while pending:
        symbols, place, parent, partner = pending.pop()
        while place < len(symbols):
            symbol = symbols[place]
            place += 1
            if symbol.name != NOTHING:
                parent = write(parent, partner, symbol.name)
                partner = symbol.name
            if symbol.branches:
                goes_on = place < len(symbols)
                opens = tuple(relation for relation, _ in symbol.branches)
                opens += (Relation.RIGHT,) if goes_on else ()
                parent = write(parent, partner, EXTEND, opens)
                if goes_on:
                    pending.append((symbols, place, parent, Relation.RIGHT))
                for relation, branch in reversed(symbol.branches):
                    pending.append((branch.symbols, 0, parent, relation))
                break
        else:
            write(parent, partner, EMPTY_STRING)
    return steps


def by_level(steps: Sequence[Step]) -> list[Step]:
    """The same steps, level by level; within a level in the order they came."""
    order = sorted(range(len(steps)), key=lambda index: steps[index].depth)
    place = {old: new for new, old in enumerate(order)}
    return [steps[old]._replace(parent=place.get(steps[old].parent, -1)) for old in order]


def opened_by(target: str, partner: Partner) -> tuple[Relation, ...]:
    """The relations that an E may open: what its symbol can carry, and `right`.

    An E that follows no symbol stands on nothing: its partner is a relation or the start.
    """
    if target != EXTEND:
        return ()
    return (*relations_of(_owner(partner)), Relation.RIGHT)


def fold(steps: Sequence[Step]) -> Expression:
    """The tree of some steps, in any order in which parents come first.

    GrammarError if the rules do not allow them, or if some S is left without its step.
    """
    children = _children(steps)
    # From the last step back, so that what follows from a step is done before it. Each chain is
    # kept reversed: a symbol comes before those that are already there.
    chains: list[list[Symbol]] = [[] for _ in steps]
    for index in range(len(steps) - 1, -1, -1):
        step, below = steps[index], children[index]
        if step.target == EXTEND:
            chains[index] = chains[below[Relation.RIGHT]] if Relation.RIGHT in below else []
            branches = (
                (relation, chain(reversed(chains[below[relation]])))
                for relation in step.relations
                if relation is not Relation.RIGHT
            )
            chains[index].append(symbol_with(_owner(step.partner), branches))
        elif step.target != EMPTY_STRING:
            following = below[step.target]
            chains[index] = chains[following]
            if steps[following].target != EXTEND:  # an E has already written its symbol
                chains[index].append(Symbol(step.target))
    return chain(reversed(chains[0]))


def _owner(partner: Partner) -> str:
    """The symbol that an E hangs on."""
    return NOTHING if isinstance(partner, Relation) or partner == START else partner


def _children(steps: Sequence[Step]) -> list[dict[Partner, int]]:
    """For each step the steps that follow from it, by their partners; checks the rules."""
    if not steps:
        raise GrammarError("there are no steps: even nothing is written by one")
    children: list[dict[Partner, int]] = []
    for index, step in enumerate(steps):
        _check_target(index, step)
        children.append({})
        if step.parent == -1 and index == 0:
            expected: Iterable[Partner] = (START,)
            depth = 0
        elif 0 <= step.parent < index:
            parent = steps[step.parent]
            expected = _awaits(parent)
            depth = parent.depth + 1
            if step.partner in children[step.parent]:
                raise GrammarError(f"step {index}: {step.partner!r} is followed twice")
            children[step.parent][step.partner] = index
        else:
            raise GrammarError(f"step {index}: its parent, step {step.parent}, is not before it")
        if step.partner not in expected:
            raise GrammarError(f"step {index}: {step.partner!r} does not follow from its parent")
        if step.depth != depth:
            raise GrammarError(f"step {index}: its depth is {depth}, not {step.depth}")
    for index, step in enumerate(steps):
        for partner in _awaits(step):
            if partner not in children[index]:
                raise GrammarError(f"step {index}: nothing follows {partner!r}")
    return children


def _awaits(step: Step) -> tuple[Partner, ...]:
    """The partners of the steps that must follow from this one."""
    if step.target == EXTEND:
        return step.relations
    return () if step.target == EMPTY_STRING else (step.target,)


def _check_target(index: int, step: Step) -> None:
    if step.target not in (EXTEND, EMPTY_STRING) and not is_symbol(step.target):
        raise GrammarError(f"step {index}: {step.target!r} is no target")
    slots = [SLOT[relation] for relation in step.relations]
    if slots != sorted(set(slots)):
        raise GrammarError(f"step {index}: its relations are not in slot order")
    allowed = opened_by(step.target, step.partner)
    for relation in step.relations:
        if relation not in allowed:
            owner = _owner(step.partner) or "nothing"
            raise GrammarError(f"step {index}: {relation.value} cannot be opened on {owner}")
