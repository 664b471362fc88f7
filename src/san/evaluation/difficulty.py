"""The paper's three degrees of difficulty, read off the label's own tokens (section 5.5)."""

from enum import StrEnum

from san.grammar.tokens import tokenize


class Difficulty(StrEnum):
    EASY = "easy"
    MODERATE = "moderate"
    HARD = "hard"


def difficulty(label: str) -> Difficulty:
    """By character length (tokens other than braces and script marks) and nesting of braces."""
    depth = deepest = length = 0
    for token in tokenize(label):
        if token.text == "{":
            depth += 1
            deepest = max(deepest, depth)
        elif token.text == "}":
            depth -= 1
        elif token.text not in ("^", "_"):
            length += 1
    if deepest > 1 or length >= 20:
        return Difficulty.HARD
    return Difficulty.EASY if length < 10 else Difficulty.MODERATE
