"""`san tree`: the syntax tree of a LaTeX formula."""

import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from san.errors import SanError
from san.grammar import Expression, parse, to_latex, to_tokens
from san.grammar.json import to_json
from san.grammar.labelgraph import to_labelgraph
from san.grammar.mathml import to_mathml
from san.grammar.productions import unfold
from san.grammar.text import to_text


class Format(StrEnum):
    tree = "tree"
    latex = "latex"
    tokens = "tokens"
    mathml = "mathml"
    json = "json"
    lg = "lg"
    steps = "steps"


def _steps(expression: Expression) -> str:
    """What the decoder does, a step a line."""
    rows = [("step", "parent", "depth", "partner", "target", "opens")]
    for number, step in enumerate(unfold(expression)):
        opens = " ".join(relation.value for relation in step.relations)
        parent = str(step.parent) if step.parent >= 0 else "-"
        partner = step.partner if isinstance(step.partner, str) else step.partner.value
        rows.append((str(number), parent, str(step.depth), partner, step.target, opens))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in padded)


WRITERS: dict[Format, Callable[[Expression], str]] = {
    Format.tree: to_text,
    Format.latex: to_latex,
    Format.tokens: lambda expression: " ".join(to_tokens(expression)),
    Format.mathml: to_mathml,
    Format.json: lambda expression: to_json(expression, indent=2),
    Format.lg: lambda expression: to_labelgraph(expression).rstrip("\n"),
    Format.steps: _steps,
}


def tree(
    latex: Annotated[str, typer.Argument(help="A formula, or `-` to read it from standard input.")],
    form: Annotated[Format, typer.Option("--format", help="How to write the tree.")] = Format.tree,
) -> None:
    """Show the syntax tree of a LaTeX formula, in any of san's formats."""
    if latex == "-":
        if sys.stdin is None:
            raise SanError("standard input is closed")
        try:
            latex = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError:
            raise SanError("standard input is not UTF-8 text") from None
    print(WRITERS[form](parse(latex)))
