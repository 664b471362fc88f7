"""Tree <-> the decoder's steps: the paper's two production rules, in one place.

    S -> sigma S | E | empty        E -> one S for each of its relations

A step expands one S. Its target says how: a symbol's name (and an S to its right follows), `EXTEND`
(an E, with the relations that it opens), or `EMPTY_STRING`. After an E the chain goes on only
through the relation `right`; without it, it ends there and no empty string is written.

What a step is given comes from its parent alone, never from a sibling's subtree. So all steps of
one depth can run at once, over a whole batch: `by_level` orders them so, `unfold` gives them depth
first, as the paper's stack meets them, and `fold` takes either.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from san.grammar.constructs import relations_of
from san.grammar.errors import GrammarError
from san.grammar.normal_form import chain, outside_grids, symbol_with
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
    if not steps:
        raise GrammarError("there are no steps: even nothing is written by one")
    return fold_columns(*zip(*steps, strict=True))


def fold_columns(
    parents: Sequence[int],
    partners: Sequence[Partner],
    targets: Sequence[str],
    relations: Sequence[tuple[Relation, ...]],
    depths: Sequence[int],
) -> Expression:
    """The tree of at least one step; each field of all steps by itself, as a decoder has them."""
    after = _followers(parents, partners, targets, relations, depths)
    # From the last step back, so that what follows from a step is done before it. Each chain is
    # kept reversed: a symbol comes before those that are already there.
    chains: list[list[Symbol]] = [[] for _ in targets]
    for index in range(len(targets) - 1, -1, -1):
        target = targets[index]
        if target == EXTEND:
            opens = relations[index]
            if Relation.RIGHT in opens:
                chains[index] = chains[after[index, Relation.RIGHT]]
            branches = (
                (relation, chain(reversed(chains[after[index, relation]])))
                for relation in opens
                if relation is not Relation.RIGHT
            )
            chains[index].append(symbol_with(_owner(partners[index]), branches))
        elif target != EMPTY_STRING:
            following = after[index, target]
            symbols = chains[index] = chains[following]
            if targets[following] != EXTEND:  # an E has already written its symbol
                symbols.append(_bare(target))
    return outside_grids(chain(reversed(chains[0])))


@lru_cache(maxsize=1 << 12)
def _bare(name: str) -> Symbol:
    """A symbol that carries nothing; most do, and one object can stand for all of them."""
    return Symbol(name)


def _owner(partner: Partner) -> str:
    """The symbol that an E hangs on."""
    return NOTHING if isinstance(partner, Relation) or partner == START else partner


def _followers(
    parents: Sequence[int],
    partners: Sequence[Partner],
    targets: Sequence[str],
    relations: Sequence[tuple[Relation, ...]],
    depths: Sequence[int],
) -> dict[tuple[int, Partner], int]:
    """The steps that follow from others, by their parents and partners; checks the rules."""
    after: dict[tuple[int, Partner], int] = {}
    awaited = []
    index = 0
    try:
        for index, partner in enumerate(partners):
            awaited.append(_awaits(partner, targets[index], relations[index]))
            parent = parents[index]
            if 0 <= parent < index:
                if (parent, partner) in after:
                    raise GrammarError(f"{partner!r} is followed twice")
                after[parent, partner] = index
                expected, depth = awaited[parent], depths[parent] + 1
            elif parent == -1 and index == 0:
                expected, depth = (START,), 0
            else:
                raise GrammarError(f"its parent, step {parent}, is not before it")
            if partner not in expected:
                raise GrammarError(f"{partner!r} does not follow from its parent")
            if depths[index] != depth:
                raise GrammarError(f"its depth is {depth}, not {depths[index]}")
        if len(after) < sum(map(len, awaited)):
            index, partner = next(
                (index, partner)
                for index, partners in enumerate(awaited)
                for partner in partners
                if (index, partner) not in after
            )
            raise GrammarError(f"nothing follows {partner!r}")
    except GrammarError as error:
        raise GrammarError(f"step {index}: {error}") from None
    return after


@lru_cache(maxsize=1 << 12)
def _awaits(partner: Partner, target: str, relations: tuple[Relation, ...]) -> tuple[Partner, ...]:
    """The partners of the steps that must follow from such a one; GrammarError if there is none.

    Few kinds of steps make up all trees, so each is judged once.
    """
    if target not in (EXTEND, EMPTY_STRING) and not is_symbol(target):
        raise GrammarError(f"{target!r} is no target")
    slots = [SLOT[relation] for relation in relations]
    if slots != sorted(set(slots)):
        raise GrammarError("its relations are not in slot order")
    allowed = opened_by(target, partner)
    for relation in relations:
        if relation not in allowed:
            owner = _owner(partner) or "nothing"
            raise GrammarError(f"{relation.value} cannot be opened on {owner}")
    if target == EXTEND:
        return relations
    return () if target == EMPTY_STRING else (target,)
