"""One prediction against its label: edits, structure, difficulty, and which symbols differ.

Trees are compared, not strings: both sides are parsed by the same grammar, so the order of scripts,
redundant braces and `\\limits` play no part. Token edits are counted between the two canonical
token strings, as the field does for its "at most one error" rate. The structure is right when the
trees are equal with every symbol replaced by one placeholder.

Errors by symbol and by relation come from aligning label and reading symbol by symbol in reading
order, with as few edits as possible. Only what was read counts there: a missing prediction says
nothing about symbols.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Any

from san.extras import missing_package
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
        edits = _levenshtein().distance(_letters(label), _letters(prediction))
        return Comparison(None, guess, edits, not edits)
    if guess is None:
        return Comparison(truth, guess, inf, False)
    edits = _levenshtein().distance(to_tokens(truth), to_tokens(guess))
    return Comparison(truth, guess, edits, edits == 0 or skeleton(truth) == skeleton(guess))


def _levenshtein() -> Any:
    """rapidfuzz's edit distance: imported here because reading does without it."""
    try:
        from rapidfuzz.distance import Levenshtein
    except ModuleNotFoundError as error:
        raise missing_package(error, "score") from None
    return Levenshtein


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


def differing(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[set[int], set[int]]:
    """The places of each that have no equal in the other."""
    here: set[int] = set()
    there: set[int] = set()
    for edit in _levenshtein().opcodes(first, second):
        if edit.tag != "equal":
            here.update(range(edit.src_start, edit.src_end))
            there.update(range(edit.dest_start, edit.dest_end))
    return here, there


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


START = "start"


@dataclass(slots=True)
class RelationErrors:
    """Symbols of the labels that stand in one relation to their neighbour."""

    total: int = 0
    wrong: int = 0  # read as another symbol, or not at all
    misplaced: int = 0  # read rightly, in another relation


@dataclass(slots=True)
class ErrorCounts:
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)  # (truth, read as)
    by_relation: dict[str, RelationErrors] = field(default_factory=dict)
    added: Counter[str] = field(default_factory=Counter)  # read where nothing is written

    def count(self, truth: Expression, guess: Expression) -> None:
        """Adds one expression and its reading."""
        wanted, got = _sequence(truth), _sequence(guess)
        met: dict[int, int] = {}  # place in the truth -> place in the prediction
        for edit in _levenshtein().opcodes([name for name, _ in wanted], [name for name, _ in got]):
            written = range(edit.src_start, edit.src_end)
            read_at = range(edit.dest_start, edit.dest_end)
            if edit.tag in ("equal", "replace"):
                met.update(zip(written, read_at, strict=True))
            elif edit.tag == "insert":
                self.added.update(got[place][0] for place in read_at)
        for place, (name, relation) in enumerate(wanted):
            row = self.by_relation.setdefault(relation, RelationErrors())
            row.total += 1
            read, read_relation = got[met[place]] if place in met else (NOTHING, "")
            if read != name:
                row.wrong += 1
                self.confusions[name, read] += 1
            elif read_relation != relation:
                row.misplaced += 1


def _sequence(expression: Expression) -> list[tuple[str, str]]:
    return [
        (visit.symbol.name, visit.relation.value if visit.relation else START)
        for visit in expression.walk()
        if visit.symbol.name != NOTHING
    ]
