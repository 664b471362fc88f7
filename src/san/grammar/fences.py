"""Brackets in pairs, and which of them enclose something taller than a letter."""

from collections.abc import Sequence
from itertools import accumulate

from san.grammar.constructs import LIMIT_OPERATORS, MATRIX, construct_of
from san.grammar.grids import find_grids, is_parting, is_scripted_at_most
from san.grammar.tree import Expression, Relation, Symbol

FENCES = {"(": ")", "[": "]", r"\{": r"\}", r"\langle": r"\rangle", r"\lfloor": r"\rfloor"}
FENCES |= {r"\lceil": r"\rceil"}
_HALF_OPEN = {("(", "]"), ("[", ")")}
_PRIMES = frozenset((r"\prime",))


def tall_pairs(symbols: Sequence[Symbol]) -> list[tuple[int, int]]:
    """Those of the pairs below that have to grow."""
    tall = list(accumulate(map(_is_tall, symbols), initial=0))  # how many before each place
    return [(first, last) for first, last in fence_pairs(symbols) if tall[last] > tall[first + 1]]


def fence_pairs(symbols: Sequence[Symbol]) -> list[tuple[int, int]]:
    """Places of the brackets of a chain, each opening one with its closing one, inner pairs first.

    Both stand in the same cell of a grid; brackets that an environment draws are none of them.
    """
    pairs: list[tuple[int, int]] = []
    open_places: list[int] = []
    named = {
        place
        for grid in find_grids(symbols)
        if grid.first < grid.last
        for place in (grid.first, grid.last)
        if place != grid.place
    }
    for place, symbol in enumerate(symbols):
        if is_parting(symbol):
            open_places.clear()
        elif place in named:
            continue
        elif symbol.name in FENCES and not symbol.branches:
            open_places.append(place)
        elif open_places and _match(symbols[open_places[-1]].name, symbol.name):
            first = open_places.pop()
            if is_scripted_at_most(symbol):
                pairs.append((first, place))
        elif symbol.name in FENCES.values():
            open_places.clear()
    return pairs


def _match(opening: str, closing: str) -> bool:
    return FENCES[opening] == closing or (opening, closing) in _HALF_OPEN


def _is_tall(symbol: Symbol) -> bool:
    """Fractions, grids, sums and whatever carries something; primes alone are no taller."""
    if (
        symbol.name in LIMIT_OPERATORS
        or symbol.name == MATRIX
        or construct_of(symbol.name).arguments
    ):
        return True
    return any(not _is_prime(relation, branch) for relation, branch in symbol.branches)


def _is_prime(relation: Relation, branch: Expression) -> bool:
    return relation is Relation.SUP and {symbol.name for symbol in branch.symbols} <= _PRIMES
