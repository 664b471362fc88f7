"""The symbols that a model knows, and their numbers.

Targets: 0 is the empty string, 1 an E, and the symbols follow. Partners have the same numbers for
symbols; behind them come the start and the seven relations. A vocabulary is saved as JSON inside
the weights that were trained with it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from san.grammar.errors import GrammarError
from san.grammar.productions import EMPTY_STRING, EXTEND, START, Partner
from san.grammar.symbols import is_symbol
from san.grammar.tree import NOTHING, Expression, Relation


@dataclass(frozen=True)
class Vocabulary:
    """An ordered set of symbol names."""

    symbols: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.symbols)) != len(self.symbols):
            raise GrammarError("a vocabulary names each symbol once")
        for name in self.symbols:
            if not is_symbol(name):
                raise GrammarError(f"{name!r} is no symbol")

    @classmethod
    def gather(cls, expressions: Iterable[Expression], at_least: int = 1) -> Self:
        """All symbols of some expressions that occur `at_least` so often, sorted by name."""
        counts = Counter(visit.symbol.name for tree in expressions for visit in tree.walk())
        del counts[NOTHING]
        return cls(tuple(sorted(name for name, count in counts.items() if count >= at_least)))

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """What a step can be decided to write, by number."""
        return (EMPTY_STRING, EXTEND, *self.symbols)

    @cached_property
    def partners(self) -> tuple[Partner, ...]:
        """What a step can be given as last written, by number."""
        return (*self.targets, START, *Relation)

    @cached_property
    def _numbers(self) -> dict[Partner, int]:
        return {partner: number for number, partner in enumerate(self.partners)}

    def number(self, name: Partner) -> int:
        """The number of a target or partner."""
        try:
            return self._numbers[name]
        except KeyError:
            raise GrammarError(f"the vocabulary does not know {name!r}") from None

    def knows(self, expression: Expression) -> bool:
        """Whether every symbol of an expression can be written with this vocabulary."""
        return all(
            visit.symbol.name == NOTHING or visit.symbol.name in self._numbers
            for visit in expression.walk()
        )

    def to_json(self) -> str:
        return json.dumps(list(self.symbols), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            symbols: Sequence[object] = json.loads(text)
        except (ValueError, RecursionError):
            symbols = (None,)
        if not isinstance(symbols, list) or not all(isinstance(name, str) for name in symbols):
            raise GrammarError("a vocabulary is a JSON list of symbol names")
        return cls(tuple(map(str, symbols)))
