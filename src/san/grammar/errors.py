"""What the grammar says when an input is not in the language."""

from san.errors import SanError, brief


class GrammarError(SanError):
    """An input outside the language, with the reason and the place.

    `position` counts characters of the source text from 0; it is None where the input
    is no text (steps, JSON).
    """

    def __init__(self, reason: str, position: int | None = None, source: str = "") -> None:
        self.reason = reason
        self.position = position
        super().__init__(reason if position is None else f"{reason} {_place(position, source)}")


def _place(position: int, source: str) -> str:
    if not source[position:].strip():
        return "at the end"
    return f"at character {position + 1}, before {quoted(source[position : position + 24])}"


def quoted(text: str) -> str:
    """Text as its writer knows it: backslashes stay single, what can't be seen is spelled out."""
    text = brief(text)
    return f"'{text}'" if text.isprintable() else ascii(text)
