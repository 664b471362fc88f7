"""The language of expressions. Pure Python: it knows no pixels and no networks."""

from san.grammar.errors import GrammarError
from san.grammar.latex import to_latex, to_tokens
from san.grammar.parse import parse
from san.grammar.tree import Expression, Relation, Symbol

__all__ = ["Expression", "GrammarError", "Relation", "Symbol", "parse", "to_latex", "to_tokens"]
