"""Tree <-> a string of LaTeX tokens: the language of string decoders (DWAP, BTTR).

A string is a chain of steps: each is given the token before it and writes the next one, and the
empty string ends it. So it has the steps of `san.grammar.productions`, without any E.
"""

from collections.abc import Sequence
from functools import cached_property

from san.grammar.errors import GrammarError
from san.grammar.latex import to_tokens
from san.grammar.parse import parse
from san.grammar.productions import EMPTY_STRING, START, Partner, Step
from san.grammar.tree import Expression
from san.grammar.vocabulary import Vocabulary

STRUCTURE = (
    "{", "}", "[", "]", "^", "_", r"\overset", r"\underset", r"\begin{matrix}", r"\end{matrix}"
)  # fmt: skip
"""Tokens that `to_tokens` writes beside the names of symbols."""


class TokenVocabulary(Vocabulary):
    """The tokens of strings: symbols, with the numbers that they have in trees, then structure."""

    @cached_property
    def targets(self) -> tuple[str, ...]:
        more = (token for token in STRUCTURE if token not in self.symbols)
        return (*super().targets, *more)


def string_steps(expression: Expression) -> list[Step]:
    """The steps by which a string decoder writes an expression."""
    tokens = [*to_tokens(expression), EMPTY_STRING]
    partners: list[Partner] = [START, *tokens[:-1]]
    return [
        Step(place - 1, partner, token, (), place)
        for place, (partner, token) in enumerate(zip(partners, tokens, strict=True))
    ]


def string_tree(tokens: Sequence[str]) -> Expression | None:
    """The expression of a string; None where it is no LaTeX."""
    try:
        return parse(" ".join(tokens))
    except GrammarError:
        return None
