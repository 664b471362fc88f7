r"""Formulas that nobody wrote, but could have: rare symbols and deep structures on purpose.

A small grammar of mathematics: sums of terms, terms of factors, factors that carry scripts, or are
fractions, roots, brackets, functions, big operators, covered, ringed or measured.

Design choices
- Every symbol of a bank has a kind, and every kind a place in the grammar: a letter is scripted, a
  relation stands between two sums, `\circ` is raised behind a number. Nothing is left out.
- Within its kind a symbol is drawn by the root of how often it occurs, so that a rare one is met
  more often than by chance.
- A grammar that nests by chance nests seldom: so some formulas are built from the inside, level by
  level, a script, a fraction or a root around what is there, and something plain beside it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from san.grammar.constructs import construct_of
from san.grammar.normal import symbol_with
from san.grammar.tree import NOTHING, Expression, Relation, Symbol
from san.synth.dice import Dice
from san.synth.formulas.invent_kinds import kind_of
from san.synth.layout.kinds import CAPITALS, OPENERS

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP, UPPER_LEFT = Relation.SUB, Relation.SUP, Relation.UPPER_LEFT

DEEP = 0.2
"""Of the formulas, how many are built from the inside, three levels or more."""
DEEPER = 0.25
"""And of those, how many have a fourth."""
SCRIPTED = 0.4
"""How likely one of the two innermost levels is a script."""


class Inventor:
    """Makes up formulas of the symbols that it is told of."""

    def __init__(self, names: Iterable[str]) -> None:
        counts = Counter(names)
        del counts[NOTHING]
        self._known = frozenset(counts)
        kinds: dict[str, list[str]] = {}
        for name in sorted(counts):
            kinds.setdefault(kind_of(name), []).append(name)
        kinds["open"] = [own for own in kinds.get("open", ()) if OPENERS[own] in counts]
        kinds["capital"] = [own for own in kinds.get("letter", ()) if own in CAPITALS]
        self._pools = {kind: _pool(members, counts) for kind, members in kinds.items() if members}
        has = self._known | self._pools.keys()
        self._forms = [(limit, make) for limit, make, needs in self._FORMS if needs <= has]
        self._levels = [make for make, needs in self._LEVELS if needs <= has]

    @property
    def is_able(self) -> bool:
        """Whether it knows enough symbols to make anything of them."""
        return "letter" in self._pools and "digit" in self._pools

    def invent(self, dice: Dice) -> Expression:
        """A formula, mostly of some ten symbols."""
        if dice.roll() < DEEP and self._levels:
            symbols = self._deep(dice)
            if dice.roll() < 0.4 and "relation" in self._pools:
                symbols += [self._relation(dice), *self._plain(dice)]
        else:
            symbols = self._sum(dice, 0)
            if (len(symbols) < 3 or dice.roll() < 0.4) and "relation" in self._pools:
                symbols += [self._relation(dice), *self._sum(dice, 0)]
        return Expression((*self._before(dice), *symbols, *self._end(dice)))

    def _before(self, dice: Dice) -> list[Symbol]:
        """What a line may begin with: a number in a ring, a therefore, for all x."""
        roll = dice.roll()
        if roll < 0.02 and "ring" in self._pools:
            return self._ring(dice, 9)
        if roll < 0.05 and "lead" in self._pools:
            return [self._any("lead", dice)]
        if roll < 0.08 and "quantor" in self._pools:
            return [self._any("quantor", dice), self._any("letter", dice)]
        return []

    def _end(self, dice: Dice) -> list[Symbol]:
        return [self._any("end", dice)] if dice.roll() < 0.02 and "end" in self._pools else []

    def _any(self, kind: str, dice: Dice) -> Symbol:
        return Symbol(dice.pick(self._pools[kind]))

    def _relation(self, dice: Dice) -> Symbol:
        if dice.roll() < 0.06 and "texted" in self._pools:
            text = [(ABOVE, Expression(tuple(self._plain(dice))))]
            if dice.roll() < 0.2:
                text.append((BELOW, Expression((self._small(dice),))))
            return symbol_with(self._any("texted", dice).name, text)
        return self._any("relation", dice)

    def _deep(self, dice: Dice) -> list[Symbol]:
        """Built from the inside: at least three levels, one of the innermost perhaps a script."""
        symbols = self._plain(dice)
        scripted = False
        for level in range(3 + (dice.roll() < DEEPER)):
            # Small print within small print nobody reads.
            scripted = level < 2 and not scripted and dice.roll() < SCRIPTED
            make = Inventor._power if scripted else dice.pick(self._levels)
            symbols = make(self, dice, symbols)
            if dice.roll() < 0.5 and "sign" in self._pools:
                sign, other = self._any("sign", dice), self._small(dice)
                symbols = [*symbols, sign, other] if dice.roll() < 0.5 else [other, sign, *symbols]
        return symbols

    def _plain(self, dice: Dice) -> list[Symbol]:
        """Next to nothing: a letter, a number, or two with a sign between them."""
        symbols = [self._small(dice)]
        if dice.roll() < 0.4 and "sign" in self._pools:
            symbols += [self._any("sign", dice), self._small(dice)]
        return symbols

    def _power(self, dice: Dice, inner: Sequence[Symbol]) -> list[Symbol]:
        where = SUB if len(inner) < 4 and dice.roll() < 0.2 else SUP
        return [self._any("letter", dice).grown(where, Expression(tuple(inner)))]

    def _over(self, dice: Dice, inner: Sequence[Symbol]) -> list[Symbol]:
        parts = [Expression(tuple(inner)), Expression(tuple(self._plain(dice)))]
        if dice.roll() < 0.5:
            parts.reverse()
        name = self._any("fraction", dice).name
        return [symbol_with(name, zip((ABOVE, BELOW), parts, strict=True))]

    def _under_root(self, dice: Dice, inner: Sequence[Symbol]) -> list[Symbol]:
        return [symbol_with(r"\sqrt", self._rooted(dice, Expression(tuple(inner))))]

    _LEVELS: tuple[
        tuple[Callable[["Inventor", Dice, Sequence[Symbol]], list[Symbol]], frozenset[str]], ...
    ] = (
        (_over, frozenset(("fraction",))),
        (_over, frozenset(("fraction",))),
        (_under_root, frozenset(("root",))),
    )

    def _sum(self, dice: Dice, depth: int) -> list[Symbol]:
        symbols = self._term(dice, depth)
        while dice.roll() < 0.45 / (1 + 0.5 * depth) and "sign" in self._pools:
            kind = "sign"
            if depth == 0 and dice.roll() < 0.2 and "between" in self._pools:
                kind = "between"
            symbols += [self._any(kind, dice), *self._term(dice, depth)]
        if dice.roll() < 0.08 and "-" in self._known:
            symbols.insert(0, Symbol("-"))
        return symbols

    def _term(self, dice: Dice, depth: int) -> list[Symbol]:
        symbols = self._factor(dice, depth)
        while dice.roll() < 0.25:
            symbols += self._factor(dice, depth)
        return symbols

    def _factor(self, dice: Dice, depth: int) -> list[Symbol]:
        roll = dice.roll() + 0.12 * depth  # the deeper, the plainer
        for limit, make in self._forms:
            if roll < limit:
                return make(self, dice, depth)
        if roll < 0.65:
            return [self._scripted(self._any("letter", dice), dice, depth)]
        if dice.roll() < 0.5:
            return [self._any("letter", dice)]
        return self._number(dice)

    def _number(self, dice: Dice) -> list[Symbol]:
        return [self._any("digit", dice) for _ in range(1 + int(3 * dice.roll() ** 2))]

    def _fraction(self, dice: Dice, depth: int) -> list[Symbol]:
        parts = [(where, self._part(dice, depth)) for where in (ABOVE, BELOW)]
        return [symbol_with(self._any("fraction", dice).name, parts)]

    def _root(self, dice: Dice, depth: int) -> list[Symbol]:
        return [symbol_with(r"\sqrt", self._rooted(dice, self._part(dice, depth)))]

    def _rooted(self, dice: Dice, inner: Expression) -> list[tuple[Relation, Expression]]:
        parts = [(INSIDE, inner)]
        if dice.roll() < 0.2:
            parts.append((UPPER_LEFT, Expression((self._small(dice),))))
        return parts

    def _bracket(self, dice: Dice, depth: int) -> list[Symbol]:
        opener = self._any("open", dice)
        symbol = self._scripted(Symbol(OPENERS[opener.name]), dice, depth + 2)
        inner = self._sum(dice, depth + 1)
        if dice.roll() < 0.2 and "between" in self._pools:
            inner += [self._any("between", dice), self._small(dice)]
        return [opener, *inner, symbol]

    def _function(self, dice: Dice, depth: int) -> list[Symbol]:
        name = self._any("function", dice)
        if name.name == r"\log":
            return [self._with(name, SUB, dice, depth, 0.5), self._any("letter", dice)]
        return [self._with(name, SUP, dice, depth, 0.2), self._any("letter", dice)]

    def _big(self, dice: Dice, depth: int) -> list[Symbol]:
        parts = []
        if dice.roll() < 0.8:
            start = (self._any("letter", dice), Symbol("="), self._small(dice))
            parts.append((BELOW, Expression(start)))
            if dice.roll() < 0.8:
                parts.append((ABOVE, Expression((self._small(dice),))))
        big = symbol_with(self._any("big", dice).name, parts)
        return [big, *self._term(dice, depth + 1)]

    def _integral(self, dice: Dice, depth: int) -> list[Symbol]:
        parts = []
        if dice.roll() < 0.7:
            parts.append((SUB, Expression((self._small(dice),))))
            parts.append((SUP, Expression((self._small(dice),))))
        last = (Symbol("d"), self._any("letter", dice))
        return [symbol_with(r"\int", parts), *self._term(dice, depth + 1), *last]

    def _limit(self, dice: Dice, depth: int) -> list[Symbol]:
        """Of a limit, whither; of a maximum, over what."""
        name = self._any("limit", dice).name
        goes = r"\rightarrow" if name == r"\lim" else r"\in"
        parts = []
        if goes in self._known and (name == r"\lim" or dice.roll() < 0.4):
            where = (self._any("letter", dice), Symbol(goes), self._small(dice))
            parts.append((BELOW, Expression(where)))
        return [symbol_with(name, parts), *self._term(dice, depth + 1)]

    def _series(self, dice: Dice, depth: int) -> list[Symbol]:
        name = self._any("letter", dice).name
        first, last = (
            symbol_with(name, [(SUB, Expression((self._small(dice),)))]) for _ in range(2)
        )
        comma = Symbol(",")
        return [first, comma, self._any("dots", dice), comma, last]

    def _figure(self, dice: Dice, depth: int) -> list[Symbol]:
        """An angle or a triangle, by its corners."""
        corners = 3 if dice.roll() < 0.6 else 1
        return [self._any("figure", dice), *(self._any("capital", dice) for _ in range(corners))]

    def _covered(self, dice: Dice, depth: int) -> list[Symbol]:
        """A side by its ends, or a few digits."""
        if dice.roll() < 0.5 and "capital" in self._pools:
            inner = [self._any("capital", dice), self._any("capital", dice)]
        else:
            inner = self._plain(dice)
        name = self._any("cover", dice).name
        return [symbol_with(name, [(construct_of(name).arguments[0], Expression(tuple(inner)))])]

    def _accented(self, dice: Dice, depth: int) -> list[Symbol]:
        name = self._any("narrow", dice).name
        accented = symbol_with(name, [(BELOW, Expression((self._small(dice),)))])
        return [self._with(accented, SUB, dice, depth, 0.2)]

    def _ring(self, dice: Dice, depth: int) -> list[Symbol]:
        inner = self._number(dice)[:2] if dice.roll() < 0.7 else [self._small(dice)]
        return [symbol_with(self._any("ring", dice).name, [(INSIDE, Expression(tuple(inner)))])]

    def _decimal(self, dice: Dice, depth: int) -> list[Symbol]:
        return [*self._number(dice), Symbol("."), *self._number(dice)]

    def _measured(self, dice: Dice, depth: int) -> list[Symbol]:
        """So many degrees."""
        degree = Expression((self._any("degree", dice),))
        return [*self._number(dice)[:-1], self._any("digit", dice).grown(SUP, degree)]

    def _primed(self, dice: Dice, depth: int) -> list[Symbol]:
        prime = Expression((self._any("prime", dice),))
        return [self._any("letter", dice).grown(SUP, prime)]

    def _followed(self, dice: Dice, depth: int) -> list[Symbol]:
        """A faculty, so many per cent, a gas that rises."""
        before = self._number(dice) if dice.roll() < 0.5 else [self._any("letter", dice)]
        return [*before, self._any("behind", dice)]

    def _blank(self, dice: Dice, depth: int) -> list[Symbol]:
        return [self._any("blank", dice)]

    _FORMS: tuple[
        tuple[float, Callable[["Inventor", Dice, int], list[Symbol]], frozenset[str]],
        ...,
    ] = (
        (0.08, _fraction, frozenset(("fraction",))),
        (0.12, _root, frozenset(("root",))),
        (0.19, _bracket, frozenset(("open",))),
        (0.24, _function, frozenset(("function",))),
        (0.265, _big, frozenset(("big", "="))),
        (0.28, _integral, frozenset(("integral", "d"))),
        (0.295, _limit, frozenset(("limit",))),
        (0.305, _series, frozenset(("dots", ","))),
        (0.335, _figure, frozenset(("figure", "capital"))),
        (0.355, _covered, frozenset(("cover",))),
        (0.375, _accented, frozenset(("narrow",))),
        (0.385, _ring, frozenset(("ring",))),
        (0.395, _decimal, frozenset((".",))),
        (0.405, _measured, frozenset(("degree",))),
        (0.415, _primed, frozenset(("prime",))),
        (0.435, _followed, frozenset(("behind",))),
        (0.45, _blank, frozenset(("blank",))),
    )

    def _part(self, dice: Dice, depth: int) -> Expression:
        return Expression(tuple(self._sum(dice, depth + 1)))

    def _small(self, dice: Dice) -> Symbol:
        return self._any("digit" if dice.roll() < 0.5 else "letter", dice)

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


def _pool(members: Sequence[str], counts: Counter[str]) -> list[str]:
    """Each as often as the root of its count, so that a plain pick balances them."""
    return [name for name in members for _ in range(max(1, round(counts[name] ** 0.5)))]
