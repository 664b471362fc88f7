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
from san.synth.formulas.invent_kinds import kind_of
from san.synth.layout.symbol_classes import CAPITALS, OPENERS
from san.synth.random_stream import RandomStream

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

    def invent(self, random: RandomStream) -> Expression:
        """A formula, mostly of some ten symbols."""
        if random.uniform() < DEEP and self._levels:
            symbols = self._deep(random)
            if random.uniform() < 0.4 and "relation" in self._pools:
                symbols += [self._relation(random), *self._plain(random)]
        else:
            symbols = self._sum(random, 0)
            if (len(symbols) < 3 or random.uniform() < 0.4) and "relation" in self._pools:
                symbols += [self._relation(random), *self._sum(random, 0)]
        return Expression((*self._before(random), *symbols, *self._end(random)))

    def _before(self, random: RandomStream) -> list[Symbol]:
        """What a line may begin with: a number in a ring, a therefore, for all x."""
        roll = random.uniform()
        if roll < 0.02 and "ring" in self._pools:
            return self._ring(random, 9)
        if roll < 0.05 and "lead" in self._pools:
            return [self._any("lead", random)]
        if roll < 0.08 and "quantor" in self._pools:
            return [self._any("quantor", random), self._any("letter", random)]
        return []

    def _end(self, random: RandomStream) -> list[Symbol]:
        return (
            [self._any("end", random)] if random.uniform() < 0.02 and "end" in self._pools else []
        )

    def _any(self, kind: str, random: RandomStream) -> Symbol:
        return Symbol(random.choice(self._pools[kind]))

    def _relation(self, random: RandomStream) -> Symbol:
        if random.uniform() < 0.06 and "texted" in self._pools:
            text = [(ABOVE, Expression(tuple(self._plain(random))))]
            if random.uniform() < 0.2:
                text.append((BELOW, Expression((self._small(random),))))
            return symbol_with(self._any("texted", random).name, text)
        return self._any("relation", random)

    def _deep(self, random: RandomStream) -> list[Symbol]:
        """Built from the inside: at least three levels, one of the innermost perhaps a script."""
        symbols = self._plain(random)
        scripted = False
        for level in range(3 + (random.uniform() < DEEPER)):
            # Small print within small print nobody reads.
            scripted = level < 2 and not scripted and random.uniform() < SCRIPTED
            make = Inventor._power if scripted else random.choice(self._levels)
            symbols = make(self, random, symbols)
            if random.uniform() < 0.5 and "sign" in self._pools:
                sign, other = self._any("sign", random), self._small(random)
                symbols = (
                    [*symbols, sign, other] if random.uniform() < 0.5 else [other, sign, *symbols]
                )
        return symbols

    def _plain(self, random: RandomStream) -> list[Symbol]:
        """Next to nothing: a letter, a number, or two with a sign between them."""
        symbols = [self._small(random)]
        if random.uniform() < 0.4 and "sign" in self._pools:
            symbols += [self._any("sign", random), self._small(random)]
        return symbols

    def _power(self, random: RandomStream, inner: Sequence[Symbol]) -> list[Symbol]:
        where = SUB if len(inner) < 4 and random.uniform() < 0.2 else SUP
        return [self._any("letter", random).grown(where, Expression(tuple(inner)))]

    def _over(self, random: RandomStream, inner: Sequence[Symbol]) -> list[Symbol]:
        parts = [Expression(tuple(inner)), Expression(tuple(self._plain(random)))]
        if random.uniform() < 0.5:
            parts.reverse()
        name = self._any("fraction", random).name
        return [symbol_with(name, zip((ABOVE, BELOW), parts, strict=True))]

    def _under_root(self, random: RandomStream, inner: Sequence[Symbol]) -> list[Symbol]:
        return [symbol_with(r"\sqrt", self._rooted(random, Expression(tuple(inner))))]

    _LEVELS: tuple[
        tuple[Callable[["Inventor", RandomStream, Sequence[Symbol]], list[Symbol]], frozenset[str]],
        ...,
    ] = (
        (_over, frozenset(("fraction",))),
        (_over, frozenset(("fraction",))),
        (_under_root, frozenset(("root",))),
    )

    def _sum(self, random: RandomStream, depth: int) -> list[Symbol]:
        symbols = self._term(random, depth)
        while random.uniform() < 0.45 / (1 + 0.5 * depth) and "sign" in self._pools:
            kind = "sign"
            if depth == 0 and random.uniform() < 0.2 and "between" in self._pools:
                kind = "between"
            symbols += [self._any(kind, random), *self._term(random, depth)]
        if random.uniform() < 0.08 and "-" in self._known:
            symbols.insert(0, Symbol("-"))
        return symbols

    def _term(self, random: RandomStream, depth: int) -> list[Symbol]:
        symbols = self._factor(random, depth)
        while random.uniform() < 0.25:
            symbols += self._factor(random, depth)
        return symbols

    def _factor(self, random: RandomStream, depth: int) -> list[Symbol]:
        roll = random.uniform() + 0.12 * depth  # the deeper, the plainer
        for limit, make in self._forms:
            if roll < limit:
                return make(self, random, depth)
        if roll < 0.65:
            return [self._scripted(self._any("letter", random), random, depth)]
        if random.uniform() < 0.5:
            return [self._any("letter", random)]
        return self._number(random)

    def _number(self, random: RandomStream) -> list[Symbol]:
        return [self._any("digit", random) for _ in range(1 + int(3 * random.uniform() ** 2))]

    def _fraction(self, random: RandomStream, depth: int) -> list[Symbol]:
        parts = [(where, self._part(random, depth)) for where in (ABOVE, BELOW)]
        return [symbol_with(self._any("fraction", random).name, parts)]

    def _root(self, random: RandomStream, depth: int) -> list[Symbol]:
        return [symbol_with(r"\sqrt", self._rooted(random, self._part(random, depth)))]

    def _rooted(self, random: RandomStream, inner: Expression) -> list[tuple[Relation, Expression]]:
        parts = [(INSIDE, inner)]
        if random.uniform() < 0.2:
            parts.append((UPPER_LEFT, Expression((self._small(random),))))
        return parts

    def _bracket(self, random: RandomStream, depth: int) -> list[Symbol]:
        opener = self._any("open", random)
        symbol = self._scripted(Symbol(OPENERS[opener.name]), random, depth + 2)
        inner = self._sum(random, depth + 1)
        if random.uniform() < 0.2 and "between" in self._pools:
            inner += [self._any("between", random), self._small(random)]
        return [opener, *inner, symbol]

    def _function(self, random: RandomStream, depth: int) -> list[Symbol]:
        name = self._any("function", random)
        if name.name == r"\log":
            return [self._with(name, SUB, random, depth, 0.5), self._any("letter", random)]
        return [self._with(name, SUP, random, depth, 0.2), self._any("letter", random)]

    def _big(self, random: RandomStream, depth: int) -> list[Symbol]:
        parts = []
        if random.uniform() < 0.8:
            start = (self._any("letter", random), Symbol("="), self._small(random))
            parts.append((BELOW, Expression(start)))
            if random.uniform() < 0.8:
                parts.append((ABOVE, Expression((self._small(random),))))
        big = symbol_with(self._any("big", random).name, parts)
        return [big, *self._term(random, depth + 1)]

    def _integral(self, random: RandomStream, depth: int) -> list[Symbol]:
        parts = []
        if random.uniform() < 0.7:
            parts.append((SUB, Expression((self._small(random),))))
            parts.append((SUP, Expression((self._small(random),))))
        last = (Symbol("d"), self._any("letter", random))
        return [symbol_with(r"\int", parts), *self._term(random, depth + 1), *last]

    def _limit(self, random: RandomStream, depth: int) -> list[Symbol]:
        """Of a limit, whither; of a maximum, over what."""
        name = self._any("limit", random).name
        goes = r"\rightarrow" if name == r"\lim" else r"\in"
        parts = []
        if goes in self._known and (name == r"\lim" or random.uniform() < 0.4):
            where = (self._any("letter", random), Symbol(goes), self._small(random))
            parts.append((BELOW, Expression(where)))
        return [symbol_with(name, parts), *self._term(random, depth + 1)]

    def _series(self, random: RandomStream, depth: int) -> list[Symbol]:
        name = self._any("letter", random).name
        first, last = (
            symbol_with(name, [(SUB, Expression((self._small(random),)))]) for _ in range(2)
        )
        comma = Symbol(",")
        return [first, comma, self._any("dots", random), comma, last]

    def _figure(self, random: RandomStream, depth: int) -> list[Symbol]:
        """An angle or a triangle, by its corners."""
        corners = 3 if random.uniform() < 0.6 else 1
        return [
            self._any("figure", random),
            *(self._any("capital", random) for _ in range(corners)),
        ]

    def _covered(self, random: RandomStream, depth: int) -> list[Symbol]:
        """A side by its ends, or a few digits."""
        if random.uniform() < 0.5 and "capital" in self._pools:
            inner = [self._any("capital", random), self._any("capital", random)]
        else:
            inner = self._plain(random)
        name = self._any("cover", random).name
        return [symbol_with(name, [(construct_of(name).arguments[0], Expression(tuple(inner)))])]

    def _accented(self, random: RandomStream, depth: int) -> list[Symbol]:
        name = self._any("narrow", random).name
        accented = symbol_with(name, [(BELOW, Expression((self._small(random),)))])
        return [self._with(accented, SUB, random, depth, 0.2)]

    def _ring(self, random: RandomStream, depth: int) -> list[Symbol]:
        inner = self._number(random)[:2] if random.uniform() < 0.7 else [self._small(random)]
        return [symbol_with(self._any("ring", random).name, [(INSIDE, Expression(tuple(inner)))])]

    def _decimal(self, random: RandomStream, depth: int) -> list[Symbol]:
        return [*self._number(random), Symbol("."), *self._number(random)]

    def _measured(self, random: RandomStream, depth: int) -> list[Symbol]:
        """So many degrees."""
        degree = Expression((self._any("degree", random),))
        return [*self._number(random)[:-1], self._any("digit", random).grown(SUP, degree)]

    def _primed(self, random: RandomStream, depth: int) -> list[Symbol]:
        prime = Expression((self._any("prime", random),))
        return [self._any("letter", random).grown(SUP, prime)]

    def _followed(self, random: RandomStream, depth: int) -> list[Symbol]:
        """A faculty, so many per cent, a gas that rises."""
        before = self._number(random) if random.uniform() < 0.5 else [self._any("letter", random)]
        return [*before, self._any("behind", random)]

    def _blank(self, random: RandomStream, depth: int) -> list[Symbol]:
        return [self._any("blank", random)]

    _FORMS: tuple[
        tuple[float, Callable[["Inventor", RandomStream, int], list[Symbol]], frozenset[str]],
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

    def _part(self, random: RandomStream, depth: int) -> Expression:
        return Expression(tuple(self._sum(random, depth + 1)))

    def _small(self, random: RandomStream) -> Symbol:
        return self._any("digit" if random.uniform() < 0.5 else "letter", random)

    def _scripted(self, symbol: Symbol, random: RandomStream, depth: int) -> Symbol:
        symbol = self._with(symbol, SUP, random, depth, 0.25)
        return self._with(symbol, SUB, random, depth, 0.2)

    def _with(
        self, symbol: Symbol, relation: Relation, random: RandomStream, depth: int, chance: float
    ) -> Symbol:
        if random.uniform() > chance / (1 + 0.3 * depth):
            return symbol
        if random.uniform() < 0.6:
            return symbol.grown(relation, Expression((self._small(random),)))
        return symbol.grown(relation, self._part(random, depth + 1))


def _pool(members: Sequence[str], counts: Counter[str]) -> list[str]:
    """Each as often as the root of its count, so that a plain pick balances them."""
    return [name for name in members for _ in range(max(1, round(counts[name] ** 0.5)))]
