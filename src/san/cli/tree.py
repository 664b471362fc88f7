"""`san tree`: the syntax tree of a LaTeX formula."""

import sys
from typing import Annotated

import typer

from san.errors import SanError
from san.grammar import Expression, parse
from san.grammar.formats import WRITERS, Format
from san.grammar.productions import unfold

STEPS = "steps"
"""A format of this command alone: what the decoder does."""
FORMATS = (*(form.value for form in Format), STEPS)


def _format(name: str) -> str:
    if name not in FORMATS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(FORMATS)}")
    return name


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


def tree(
    latex: Annotated[str, typer.Argument(help="A formula, or `-` to read it from standard input.")],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            parser=_format,
            autocompletion=lambda: list(FORMATS),
            metavar="|".join(FORMATS),
            help="How to write the tree.",
        ),
    ] = Format.tree.value,
) -> None:
    """Show the syntax tree of a LaTeX formula, in any of san's formats."""
    if latex == "-":
        if sys.stdin is None:
            raise SanError("standard input is closed")
        try:
            latex = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError:
            raise SanError("standard input is not UTF-8 text") from None
    expression = parse(latex)
    print(_steps(expression) if form == STEPS else WRITERS[Format(form)](expression).rstrip("\n"))
