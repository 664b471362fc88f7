"""The formats that a formula is written in: one list for Python, the command line and HTTP."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import partial

from san.errors import SanError, brief
from san.grammar.json import to_json
from san.grammar.labelgraph import to_labelgraph
from san.grammar.latex import to_latex, to_tokens
from san.grammar.mathml import to_mathml
from san.grammar.text import to_text
from san.grammar.tree import Expression
from san.grammar.typst import to_typst


class Format(StrEnum):
    latex = "latex"
    stretchy = "stretchy"  # LaTeX with \left( and \right) around what is tall
    mathml = "mathml"
    typst = "typst"
    json = "json"
    tokens = "tokens"
    lg = "lg"  # a label graph, as CROHME's tools compare them
    tree = "tree"  # lines of text, indented


def find_formats(names: Iterable[str] | str) -> list[Format]:
    """Formats by their names; one alone may be given as it is."""
    return [find_format(name) for name in ([names] if isinstance(names, str) else names)]


def find_format(name: str) -> Format:
    """A format by its name; SanError, with the names that there are, for any other."""
    if name not in list(Format):
        raise SanError(f"{brief(str(name))!r} is no format; those are: {', '.join(Format)}")
    return Format(name)


WRITERS: dict[Format, Callable[[Expression], str]] = {
    Format.latex: to_latex,
    Format.stretchy: partial(to_latex, stretchy=True),
    Format.mathml: to_mathml,
    Format.typst: to_typst,
    Format.json: lambda expression: to_json(expression, indent=2),
    Format.tokens: lambda expression: " ".join(to_tokens(expression)),
    Format.lg: to_labelgraph,
    Format.tree: to_text,
}
MULTILINE = frozenset((Format.lg, Format.tree))
