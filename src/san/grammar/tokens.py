"""LaTeX text -> tokens.

A token is a command (`\\frac`), a brace, or one character. Two things are longer because they are
one thing on paper: an environment's delimiter (`\\begin{matrix}`) and a letter in a drawn alphabet
(`\\mathbb{R}`). Spaces only separate.
"""

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      \\(?:begin|end)\s*\{\s*[A-Za-z]+\*?\s*\}
    | \\math(?:bb|cal|frak|scr)\s*(?:\{\s*[A-Za-z]\s*\}|(?<=\s)[A-Za-z])
    | \\cal\s+[A-Za-z]
    | \\[A-Za-z]+
    | \\.
    | \S
    """,
    re.VERBOSE | re.DOTALL,
)
_LONG = re.compile(r"\\(?:begin|end|math(?:bb|cal|frak|scr)|cal)(?![A-Za-z])")

_SPACED = re.compile(
    r"(\\(?:begin|end|math(?:bb|cal|frak|scr)|cal))\s*(?:\{\s*(\w+\*?)\s*\}|\s(\w))"
)


class Token(NamedTuple):
    text: str
    position: int


def tokenize(text: str) -> list[Token]:
    """Splits LaTeX text; never fails, since any character is a token."""
    tokens = [Token(match.group(), match.start()) for match in _TOKEN.finditer(text)]
    if _LONG.search(text):
        tokens = [Token(_tidy(token.text), token.position) for token in tokens]
    return tokens


def _tidy(token: str) -> str:
    """`\\mathbb {R}` and `\\mathbb R` are `\\mathbb{R}`; `\\cal L` is `\\mathcal{L}`."""
    match = _SPACED.fullmatch(token)
    if match is None:
        return token
    command = r"\mathcal" if match[1] == r"\cal" else match[1]
    return f"{command}{{{match[2] or match[3]}}}"
