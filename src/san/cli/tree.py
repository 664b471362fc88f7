"""`san tree`: the syntax tree of a LaTeX formula."""

import sys
from typing import Annotated

import typer

from san.cli.console import standard_output
from san.errors import SanError
from san.grammar import Expression, parse
from san.grammar.formats import WRITERS, Format
from san.grammar.productions import unfold

STEPS = "steps"
"""A format of this command alone: what the decoder does."""
MAX_BYTES = 1_000_000
"""Of a formula on standard input: a book of a thousand pages has twice as many."""
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
        content = sys.stdin.buffer.read(MAX_BYTES + 1)  # it may have no end
        if len(content) > MAX_BYTES:
            raise SanError(f"standard input is larger than {MAX_BYTES:,} bytes: no formula is")
        try:
            latex = content.decode()
        except UnicodeDecodeError:
            raise SanError("standard input is not UTF-8 text") from None
    expression = parse(latex)
    if not expression:
        raise SanError("the formula is empty: there is no tree of it")
    text = _steps(expression) if form == STEPS else WRITERS[Format(form)](expression)
    print(text.rstrip("\n"), file=standard_output())
