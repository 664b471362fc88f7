"""One prediction against its label.

Trees are compared, not strings: both sides are parsed by the same grammar, so the order of scripts,
redundant braces and `\\limits` play no part. Token edits are counted between the two canonical
token strings, as the field does for its "at most one error" rate. The structure is right when the
trees are equal with every symbol replaced by one placeholder.
"""

from dataclasses import dataclass
from math import inf

from rapidfuzz.distance import Levenshtein

from san.grammar import Expression, GrammarError, parse, to_tokens
from san.grammar.tokens import tokenize
from san.grammar.tree import NOTHING, Relation


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a prediction got right. Without a tree on either side, `truth` or `guess` is None."""

    truth: Expression | None
    guess: Expression | None
    edits: float  # token edits between the canonical strings; infinite where nothing was read
    structure: bool  # equal but for the symbols
    silent: bool = False  # there is no prediction, or it reads nothing where something is written

    @property
    def exact(self) -> bool:
        return self.edits == 0


def compare(label: str, prediction: str | None) -> Comparison:
    """Compares two LaTeX texts. No prediction, or one that does not parse, is wrong."""
    truth = _tree(label)
    guess = None if prediction is None else _tree(prediction)
    if prediction is None or (_is_empty(guess) and not _is_empty(truth)):
        # Else whoever reads nothing would be within one error of every label of one symbol.
        return Comparison(truth, None, inf, False, silent=True)
    if truth is None:
        # A label that is no formula can still be met to the letter.
        edits = Levenshtein.distance(_letters(label), _letters(prediction))
        return Comparison(None, guess, edits, not edits)
    if guess is None:
        return Comparison(truth, guess, inf, False)
    edits = Levenshtein.distance(to_tokens(truth), to_tokens(guess))
    return Comparison(truth, guess, edits, edits == 0 or skeleton(truth) == skeleton(guess))


def skeleton(expression: Expression) -> tuple[tuple[int, Relation | None, bool], ...]:
    """The structure of a tree, whatever its symbols are."""
    return tuple(
        (visit.parent, visit.relation, visit.symbol.name == NOTHING) for visit in expression.walk()
    )


def _is_empty(tree: Expression | None) -> bool:
    return tree is not None and not tree


def _tree(latex: str) -> Expression | None:
    try:
        return parse(latex)
    except GrammarError:
        return None


def _letters(latex: str) -> list[str]:
    return [token.text for token in tokenize(latex) if token.text != r"\limits"]
