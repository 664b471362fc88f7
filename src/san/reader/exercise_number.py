"""Numbers of exercises: `1)`, `12)` or `a)` at the head of a line."""

from collections.abc import Callable, Sequence

from san.grammar.tree import Symbol

MAX_DIGITS = 2


def has_number(line: Sequence[Symbol]) -> bool:
    """Whether a line begins with the number, or the letter, of an exercise, and goes on."""
    return len(without_number(line)) < len(line)


def without_number(line: Sequence[Symbol]) -> Sequence[Symbol]:
    """What stands behind the number of an exercise; where there is none, the line."""
    digits = 0
    while digits < len(line) and _is_one(line[digits], str.isdigit):
        digits += 1
    if not digits and line and _is_one(line[0], str.isalpha):
        digits = 1
    behind = digits + 1
    numbered = (
        0 < digits <= MAX_DIGITS
        and behind < len(line)
        and line[digits].name == ")"
        and not line[digits].branches
    )
    return line[behind:] if numbered else line


def _is_one(symbol: Symbol, kind: Callable[[str], bool]) -> bool:
    return len(symbol.name) == 1 and kind(symbol.name) and not symbol.branches
