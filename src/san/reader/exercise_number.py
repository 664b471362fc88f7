"""Numbers of exercises: `1)`, `12)` or `a)` at the head of a line."""

from collections.abc import Callable, Sequence

from san.grammar.tree import Symbol

MAX_DIGITS = 2


def has_number(line: Sequence[Symbol]) -> bool:
    """Whether a line begins with the number, or the letter, of an exercise, and goes on."""
    digits = 0
    while digits < len(line) and _is_one(line[digits], str.isdigit):
        digits += 1
    if not digits and line and _is_one(line[0], str.isalpha):
        digits = 1
    behind = digits + 1
    return (
        0 < digits <= MAX_DIGITS
        and behind < len(line)
        and line[digits].name == ")"
        and not line[digits].branches
    )


def _is_one(symbol: Symbol, kind: Callable[[str], bool]) -> bool:
    return len(symbol.name) == 1 and kind(symbol.name) and not symbol.branches
