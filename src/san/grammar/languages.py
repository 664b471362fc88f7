"""What the networks of the paper's tables write: steps of SAN, strings of tokens, or triples.

A kind of network is a language and a decoder. Whatever the language, an expression becomes a list
of steps, and a vocabulary gives them numbers.
"""

from typing import Literal

from san.grammar.productions import Step, unfold
from san.grammar.strings import TokenVocabulary, string_steps
from san.grammar.tree import Expression
from san.grammar.triples import triple_steps
from san.grammar.vocabulary import Vocabulary

Kind = Literal["san", "san-gs", "dwap", "bttr", "dwap-td"]

STRING_KINDS: tuple[Kind, ...] = ("dwap", "bttr")


def write(kind: Kind, expression: Expression) -> list[Step]:
    """The steps by which a network of this kind writes an expression, parents first."""
    if kind in STRING_KINDS:
        return string_steps(expression)
    return triple_steps(expression) if kind == "dwap-td" else unfold(expression)


def vocabulary_for(kind: Kind, vocabulary: Vocabulary) -> Vocabulary:
    """The numbers of a network of this kind that knows these symbols."""
    return TokenVocabulary(vocabulary.symbols) if kind in STRING_KINDS else vocabulary
