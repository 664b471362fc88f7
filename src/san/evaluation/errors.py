"""What went wrong where: symbols taken for others, and errors by the relation they stand in.

Label and reading are aligned symbol by symbol in reading order, with as few edits as possible. Only
what was read counts here: a missing prediction says nothing about symbols.
"""

from collections import Counter
from dataclasses import dataclass, field

from rapidfuzz.distance import Levenshtein

from san.grammar import Expression
from san.grammar.tree import NOTHING

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
        for edit in Levenshtein.opcodes([name for name, _ in wanted], [name for name, _ in got]):
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
