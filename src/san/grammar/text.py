"""Tree -> an indented outline in plain text, for the terminal.

    \\sum  ∑
    ├─ above  n
    └─ below  i = 1
    a

Symbols stand one below the other, what hangs on each indented under its relation; symbols that
carry nothing share a line. What lies deeper than any formula is left out: an outline grows with
the square of its depth.
"""

from collections.abc import Iterator
from itertools import groupby

from san.grammar.characters import CHARACTERS
from san.grammar.tree import NOTHING, Expression, Symbol

MAX_DEPTH = 100
"""Levels that are drawn."""
LEFT_OUT = "…"


def to_text(expression: Expression) -> str:
    """The lines of the drawing; an empty expression draws as nothing."""
    lines: list[str] = []
    # What is still to be drawn, the next one last: its level, how its first line begins, how the
    # others do.
    pending: list[tuple[int, str, str, Iterator[tuple[Symbol, ...]]]]
    pending = [(0, "", "", _blocks(expression))]
    while pending:
        level, first, rest, blocks = pending.pop()
        head = next(blocks, ())
        if not head:
            continue
        lines.append(first + " ".join(_shown(symbol) for symbol in head))
        pending.append((level, rest, rest, blocks))
        branches = head[0].branches
        if branches and level == MAX_DEPTH:
            lines.append(f"{rest}└─ {LEFT_OUT}")
            continue
        for place, (relation, branch) in reversed(list(enumerate(branches))):
            fork, trunk = ("└─ ", "   ") if place + 1 == len(branches) else ("├─ ", "│  ")
            label = f"{relation.value}  "
            beside = rest + trunk + " " * len(label)
            pending.append((level + 1, rest + fork + label, beside, _blocks(branch)))
    return "\n".join(lines)


def _blocks(expression: Expression) -> Iterator[tuple[Symbol, ...]]:
    """Runs of bare symbols; each symbol that carries something by itself."""
    for bare, run in groupby(expression.symbols, lambda symbol: not symbol.branches):
        if bare:
            yield tuple(run)
        else:
            yield from ((symbol,) for symbol in run)


def _shown(symbol: Symbol) -> str:
    name = symbol.name
    if name == NOTHING:
        return "(nothing)"
    shown_too = symbol.branches and name.startswith("\\") and name in CHARACTERS
    return f"{name}  {CHARACTERS[name]}" if shown_too else name
