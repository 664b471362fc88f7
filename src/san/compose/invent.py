"""Formulas that nobody wrote, but could have: rare symbols and deep structures on purpose.

A small grammar of mathematics: sums of terms, terms of factors, factors that carry scripts, or are
fractions, roots, brackets, functions, big operators. Symbols are drawn by the root of how often
they occur, so that a rare one is met more often than by chance.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from san.compose.dice import Dice
from san.compose.kinds import OPENERS
from san.grammar.normal import symbol_with
from san.grammar.tree import Expression, Relation, Symbol

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP, UPPER_LEFT = Relation.SUB, Relation.SUP, Relation.UPPER_LEFT

_DIGITS = "0 1 2 3 4 5 6 7 8 9".split()
_LETTERS = (
    r"a b c d e f g h i j k l m n o p q r s t u v w x y z A B C E F G H I L M N P R S T V X Y"
    r" \alpha \beta \gamma \theta \lambda \mu \phi \pi \sigma \Delta \infty".split()
)
_SIGNS = r"+ - \times \div \pm / \cdot ,".split()
_RELATIONS = r"= \leq \geq \neq < > \rightarrow \in".split()
_FUNCTIONS = r"\sin \cos \tan \log".split()
_PREFIXES = r"\forall \exists".split()


class Inventor:
    """Makes up formulas of the symbols that it is told of."""

    def __init__(self, names: Iterable[str]) -> None:
        counts = Counter(names)
        self._known = set(counts)
        self._pools = {
            kind: self._pool(members, counts)
            for kind, members in {
                "digit": _DIGITS,
                "letter": _LETTERS,
                "sign": _SIGNS,
                "relation": _RELATIONS,
                "function": _FUNCTIONS,
                "prefix": _PREFIXES,
                "open": list(OPENERS),
                "dots": [r"\ldots", r"\cdots"],
            }.items()
        }

    def _pool(self, members: Sequence[str], counts: Counter[str]) -> list[str]:
        """Each as often as the root of its count, so that a plain pick balances them."""
        known = [name for name in members if counts[name]]
        return [name for name in known for _ in range(max(1, round(counts[name] ** 0.5)))]

    @property
    def is_able(self) -> bool:
        """Whether it knows enough symbols to make anything of them."""
        return bool(self._pools["letter"] and self._pools["digit"])

    def invent(self, dice: Dice) -> Expression:
        """A formula, mostly of some ten symbols."""
        symbols = self._sum(dice, 0)
        if dice.roll() < 0.5 and self._pools["relation"]:
            symbols += [self._any("relation", dice), *self._sum(dice, 0)]
        if dice.roll() < 0.05 and self._pools["prefix"]:
            symbols.insert(0, self._any("prefix", dice))
        return Expression(tuple(symbols))

    def _any(self, kind: str, dice: Dice) -> Symbol:
        return Symbol(dice.pick(self._pools[kind]))

    def _sum(self, dice: Dice, depth: int) -> list[Symbol]:
        symbols = self._term(dice, depth)
        while dice.roll() < 0.45 / (1 + 0.5 * depth) and self._pools["sign"]:
            symbols += [self._any("sign", dice), *self._term(dice, depth)]
        if dice.roll() < 0.08:
            symbols.insert(0, Symbol("-"))
        return symbols

    def _term(self, dice: Dice, depth: int) -> list[Symbol]:
        symbols = self._factor(dice, depth)
        while dice.roll() < 0.3:
            symbols += self._factor(dice, depth)
        return symbols

    def _factor(self, dice: Dice, depth: int) -> list[Symbol]:
        roll = dice.roll() + 0.12 * depth  # the deeper, the plainer
        for limit, make, needs in self._FORMS:
            if roll < limit and needs <= self._known:
                return make(self, dice, depth)
        if roll < 0.55 or not self._pools["digit"]:
            return [self._scripted(self._any("letter", dice), dice, depth)]
        if dice.roll() < 0.5 and self._pools["letter"]:
            return [self._any("letter", dice)]
        return [self._any("digit", dice) for _ in range(1 + int(3 * dice.roll() ** 2))]

    def _fraction(self, dice: Dice, depth: int) -> list[Symbol]:
        parts = [(where, self._part(dice, depth)) for where in (ABOVE, BELOW)]
        return [symbol_with(r"\frac", parts)]

    def _root(self, dice: Dice, depth: int) -> list[Symbol]:
        parts = [(INSIDE, self._part(dice, depth))]
        if dice.roll() < 0.2:
            parts.append((UPPER_LEFT, Expression((self._small(dice),))))
        return [symbol_with(r"\sqrt", parts)]

    def _bracket(self, dice: Dice, depth: int) -> list[Symbol]:
        opener = self._any("open", dice)
        closer = OPENERS[opener.name]
        if closer not in self._known:
            return self._sum(dice, depth + 1)
        symbol = self._scripted(Symbol(closer), dice, depth + 2)
        return [opener, *self._sum(dice, depth + 1), symbol]

    def _function(self, dice: Dice, depth: int) -> list[Symbol]:
        name = self._any("function", dice)
        if name.name == r"\log":
            return [self._with(name, SUB, dice, depth, 0.5), self._any("letter", dice)]
        return [self._with(name, SUP, dice, depth, 0.2), self._any("letter", dice)]

    def _big_sum(self, dice: Dice, depth: int) -> list[Symbol]:
        parts = []
        if dice.roll() < 0.8:
            start = (self._any("letter", dice), Symbol("="), self._small(dice))
            parts.append((BELOW, Expression(start)))
            if dice.roll() < 0.8:
                parts.append((ABOVE, Expression((self._small(dice),))))
        return [symbol_with(r"\sum", parts), *self._term(dice, depth + 1)]

    def _integral(self, dice: Dice, depth: int) -> list[Symbol]:
        parts = []
        if dice.roll() < 0.7:
            parts.append((SUB, Expression((self._small(dice),))))
            parts.append((SUP, Expression((self._small(dice),))))
        last = (Symbol("d"), self._any("letter", dice))
        return [symbol_with(r"\int", parts), *self._term(dice, depth + 1), *last]

    def _limit(self, dice: Dice, depth: int) -> list[Symbol]:
        goes = (self._any("letter", dice), Symbol(r"\rightarrow"), self._small(dice))
        limit = symbol_with(r"\lim", [(BELOW, Expression(goes))])
        return [limit, *self._term(dice, depth + 1)]

    def _series(self, dice: Dice, depth: int) -> list[Symbol]:
        name = self._any("letter", dice).name
        first, last = (
            symbol_with(name, [(SUB, Expression((self._small(dice),)))]) for _ in range(2)
        )
        comma = Symbol(",")
        return [first, comma, self._any("dots", dice), comma, last]

    _FORMS: tuple[
        tuple[float, Callable[["Inventor", Dice, int], list[Symbol]], frozenset[str]],
        ...,
    ] = (
        (0.10, _fraction, frozenset((r"\frac",))),
        (0.15, _root, frozenset((r"\sqrt",))),
        (0.23, _bracket, frozenset(("(",))),
        (0.28, _function, frozenset((r"\sin", "x"))),
        (0.31, _big_sum, frozenset((r"\sum", "="))),
        (0.33, _integral, frozenset((r"\int", "d"))),
        (0.34, _limit, frozenset((r"\lim", r"\rightarrow"))),
        (0.35, _series, frozenset((r"\ldots", ","))),
    )

    def _part(self, dice: Dice, depth: int) -> Expression:
        return Expression(tuple(self._sum(dice, depth + 1)))

    def _small(self, dice: Dice) -> Symbol:
        kind = "digit" if dice.roll() < 0.5 and self._pools["digit"] else "letter"
        return self._any(kind, dice)

    def _scripted(self, symbol: Symbol, dice: Dice, depth: int) -> Symbol:
        symbol = self._with(symbol, SUP, dice, depth, 0.25)
        return self._with(symbol, SUB, dice, depth, 0.2)

    def _with(
        self, symbol: Symbol, relation: Relation, dice: Dice, depth: int, chance: float
    ) -> Symbol:
        if dice.roll() > chance / (1 + 0.3 * depth):
            return symbol
        if dice.roll() < 0.6:
            return symbol.grown(relation, Expression((self._small(dice),)))
        return symbol.grown(relation, self._part(dice, depth + 1))
