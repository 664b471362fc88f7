"""Tree -> an indented outline in plain text, for the terminal.

    \\sum  ∑
    ├─ above  n
    └─ below  i = 1
    a

Symbols stand one below the other, what hangs on each indented under its relation; symbols that
carry nothing share a line.
"""

from collections.abc import Iterator
from itertools import groupby

from san.grammar.characters import CHARACTERS
from san.grammar.tree import NOTHING, Expression, Symbol


def to_text(expression: Expression) -> str:
    """The lines of the drawing; an empty expression draws as nothing."""
    lines: list[str] = []
    # What is still to be drawn, the next one last: how its first line begins, how the others do.
    pending: list[tuple[str, str, Iterator[tuple[Symbol, ...]]]] = [("", "", _blocks(expression))]
    while pending:
        first, rest, blocks = pending.pop()
        head = next(blocks, ())
        if not head:
            continue
        lines.append(first + " ".join(_shown(symbol) for symbol in head))
        pending.append((rest, rest, blocks))
        branches = head[0].branches
        for place, (relation, branch) in reversed(list(enumerate(branches))):
            fork, trunk = ("└─ ", "   ") if place + 1 == len(branches) else ("├─ ", "│  ")
            label = f"{relation.value}  "
            pending.append((rest + fork + label, rest + trunk + " " * len(label), _blocks(branch)))
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
