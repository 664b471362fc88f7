r"""Formulas that nobody wrote: a random grammar that favours rare symbols and deep structures.

Sums of terms, terms of factors; a factor has scripts, or is a fraction, a root, a bracket, a
function, a big operator, a covered or ringed symbol, or a number with a unit.

Design choices
- Every symbol of a bank has a class, and every class a place in the grammar: a letter may have
  scripts, a relation stands between two sums, `\circ` is raised behind a number.
- Within its class a symbol is drawn by the root of how often it occurs, so that rare ones are met
  more often than they are written.
- A grammar that nests by chance nests seldom: so some formulas are built from the inside, a
  fraction, a root or a script around what is there, and something plain beside it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from san.grammar.constructs import LIMIT_OPERATORS, MATRIX, construct_of
from san.grammar.normal_form import symbol_with
from san.grammar.tree import NOTHING, Expression, Relation, Symbol
from san.synth.formulas.config import InventConfig
from san.synth.layout.symbol_classes import CAPITALS, CLOSERS, OPENERS, spacing_class
from san.synth.random_stream import RandomStream

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP, UPPER_LEFT = Relation.SUB, Relation.SUP, Relation.UPPER_LEFT

_BY_NAME = {
    name: symbol_class
    for symbol_class, names in {
        "sign": r"+ - \times \div \pm / \cdot * :",
        "separator": r", ; 、 \cup \cap",
        "relation": r"\vdots",
        "quantifier": r"\forall \exists",
        "leading sign": r"\because \therefore",
        "figure": r"\angle \triangle",
        "blank": r"\square ? \_ \bigcirc",
        "postfix": r'! \% \uparrow \downarrow \surd "',
        "degree": r"\circ",
        "prime": r"\prime",
        "point": ".",
        "end": "。",
        "dots": r"\ldots \cdots",
        "integral": r"\int",
        "root": r"\sqrt",
        "grid": MATRIX,  # has no ink of its own: nothing is made of it
    }.items()
    for name in names.split()
}
_ACCENTS = frozenset(r"\hat \bar \vec \tilde \dot \ddot".split())
_BY_SPACING_CLASS = {
    "digit": "digit", "letter": "letter", "relation": "relation", "operator": "sign",
    "function": "function", "open": "open", "close": "close",
}  # fmt: skip


class Inventor:
    """Invents formulas of the symbols with these names, each as often as it was written."""

    def __init__(self, names: Iterable[str], config: InventConfig | None = None) -> None:
        self._config = config = config or InventConfig()
        counts = Counter(names)
        del counts[NOTHING]
        self._known = frozenset(counts)
        classes: dict[str, list[str]] = {}
        for name in sorted(counts):
            classes.setdefault(grammar_class(name), []).append(name)
        classes["open"] = [name for name in classes.get("open", ()) if OPENERS[name] in counts]
        classes["capital"] = [name for name in classes.get("letter", ()) if name in CAPITALS]
        self._pools = {
            symbol_class: _pool(members, counts, config.frequency_power)
            for symbol_class, members in classes.items()
            if members
        }
        has = self._known | self._pools.keys()
        self._forms = []
        bound = 0.0
        for share, make, needs in self._FORMS:
            bound = round(bound + getattr(config.factors, share), 12)  # sums as they are written
            if needs <= has:  # what cannot be made leaves its share to the form after it
                self._forms.append((bound, make))
        self._scripted_bound = round(bound + config.factors.scripted_letter, 12)
        self._levels = [Inventor._over] * (config.deep_fraction * ("fraction" in has))
        self._levels += [Inventor._under_root] * (config.deep_root * ("root" in has))

    @property
    def is_able(self) -> bool:
        """Whether it knows enough symbols to make anything of them."""
        return "letter" in self._pools and "digit" in self._pools

    def invent(self, random: RandomStream) -> Expression:
        """A formula, mostly of some ten symbols."""
        if random.uniform() < self._config.deep_share and self._levels:
            symbols = self._deep(random)
            if random.uniform() < self._config.relation and "relation" in self._pools:
                symbols += [self._relation(random), *self._plain(random)]
        else:
            symbols = self._sum(random, 0)
            short = len(symbols) < self._config.relation_below
            if (short or random.uniform() < self._config.relation) and "relation" in self._pools:
                symbols += [self._relation(random), *self._sum(random, 0)]
        return Expression((*self._leading(random), *symbols, *self._end(random)))

    def _leading(self, random: RandomStream) -> list[Symbol]:
        """What a line may begin with: a number in a ring, a therefore, for all x."""
        config = self._config
        ring = config.leading_ring
        sign = ring + config.leading_sign
        drawn = random.uniform()
        if drawn < ring and "ring" in self._pools:
            return self._ring(random, 0)
        if drawn < sign and "leading sign" in self._pools:
            return [self._any("leading sign", random)]
        if drawn < sign + config.leading_quantifier and "quantifier" in self._pools:
            return [self._any("quantifier", random), self._any("letter", random)]
        return []

    def _end(self, random: RandomStream) -> list[Symbol]:
        ended = random.uniform() < self._config.full_stop and "end" in self._pools
        return [self._any("end", random)] if ended else []

    def _any(self, symbol_class: str, random: RandomStream) -> Symbol:
        return Symbol(random.choice(self._pools[symbol_class]))

    def _relation(self, random: RandomStream) -> Symbol:
        if random.uniform() < self._config.relation_text and "text relation" in self._pools:
            text = [(ABOVE, Expression(tuple(self._plain(random))))]
            if random.uniform() < self._config.relation_text_below:
                text.append((BELOW, Expression((self._small(random),))))
            return symbol_with(self._any("text relation", random).name, text)
        return self._any("relation", random)

    def _deep(self, random: RandomStream) -> list[Symbol]:
        """Built from the inside: several levels, one of the innermost perhaps a script."""
        config = self._config
        symbols = self._plain(random)
        scripted = False
        for level in range(config.deep_levels + (random.uniform() < config.another_level)):
            # Small print within small print nobody reads.
            may_be = level < config.deep_script_levels and not scripted
            scripted = may_be and random.uniform() < config.deep_script
            make = Inventor._power if scripted else random.choice(self._levels)
            symbols = make(self, random, symbols)
            if random.uniform() < config.deep_neighbour and "sign" in self._pools:
                sign, other = self._any("sign", random), self._small(random)
                behind = random.uniform() < config.neighbour_behind
                symbols = [*symbols, sign, other] if behind else [other, sign, *symbols]
        return symbols

    def _plain(self, random: RandomStream) -> list[Symbol]:
        """Next to nothing: a letter, a number, or two with a sign between them."""
        symbols = [self._small(random)]
        if random.uniform() < self._config.plain_sum and "sign" in self._pools:
            symbols += [self._any("sign", random), self._small(random)]
        return symbols

    def _power(self, random: RandomStream, inner: Sequence[Symbol]) -> list[Symbol]:
        short = len(inner) <= self._config.max_deep_subscript
        below = short and random.uniform() < self._config.deep_subscript
        where = SUB if below else SUP
        return [self._any("letter", random).grown(where, Expression(tuple(inner)))]

    def _over(self, random: RandomStream, inner: Sequence[Symbol]) -> list[Symbol]:
        parts = [Expression(tuple(inner)), Expression(tuple(self._plain(random)))]
        if random.uniform() < self._config.deep_denominator:
            parts.reverse()
        name = self._any("fraction", random).name
        return [symbol_with(name, zip((ABOVE, BELOW), parts, strict=True))]

    def _under_root(self, random: RandomStream, inner: Sequence[Symbol]) -> list[Symbol]:
        return [symbol_with(r"\sqrt", self._rooted(random, Expression(tuple(inner))))]

    def _sum(self, random: RandomStream, depth: int) -> list[Symbol]:
        config = self._config
        symbols = self._term(random, depth)
        another = config.another_term / (1 + config.another_term_depth * depth)
        while random.uniform() < another and "sign" in self._pools:
            between = "sign"
            if depth == 0 and random.uniform() < config.separator and "separator" in self._pools:
                between = "separator"
            symbols += [self._any(between, random), *self._term(random, depth)]
        if random.uniform() < config.leading_minus and "-" in self._known:
            symbols.insert(0, Symbol("-"))
        return symbols

    def _term(self, random: RandomStream, depth: int) -> list[Symbol]:
        symbols = self._factor(random, depth)
        while random.uniform() < self._config.another_factor:
            symbols += self._factor(random, depth)
        return symbols

    def _factor(self, random: RandomStream, depth: int) -> list[Symbol]:
        drawn = random.uniform() + self._config.plainer_a_level * depth
        for bound, make in self._forms:
            if drawn < bound:
                return make(self, random, depth)
        if drawn < self._scripted_bound:
            return [self._scripted(self._any("letter", random), random, depth)]
        if random.uniform() < self._config.letter:
            return [self._any("letter", random)]
        return self._number(random)

    def _number(self, random: RandomStream) -> list[Symbol]:
        digits = 1 + int(self._config.max_digits * random.uniform() ** self._config.digits_power)
        return [self._any("digit", random) for _ in range(digits)]

    def _fraction(self, random: RandomStream, depth: int) -> list[Symbol]:
        parts = [(where, self._part(random, depth)) for where in (ABOVE, BELOW)]
        return [symbol_with(self._any("fraction", random).name, parts)]

    def _root(self, random: RandomStream, depth: int) -> list[Symbol]:
        return [symbol_with(r"\sqrt", self._rooted(random, self._part(random, depth)))]

    def _rooted(self, random: RandomStream, inner: Expression) -> list[tuple[Relation, Expression]]:
        parts = [(INSIDE, inner)]
        if random.uniform() < self._config.root_index:
            parts.append((UPPER_LEFT, Expression((self._small(random),))))
        return parts

    def _bracket(self, random: RandomStream, depth: int) -> list[Symbol]:
        opener = self._any("open", random)
        rarer = depth + self._config.bracket_script_depth
        symbol = self._scripted(Symbol(OPENERS[opener.name]), random, rarer)
        inner = self._sum(random, depth + 1)
        if random.uniform() < self._config.bracket_pair and "separator" in self._pools:
            inner += [self._any("separator", random), self._small(random)]
        return [opener, *inner, symbol]

    def _function(self, random: RandomStream, depth: int) -> list[Symbol]:
        name = self._any("function", random)
        if name.name == r"\log":
            function = self._with(name, SUB, random, depth, self._config.log_base)
        else:
            function = self._with(name, SUP, random, depth, self._config.function_power)
        return [function, self._any("letter", random)]

    def _big_operator(self, random: RandomStream, depth: int) -> list[Symbol]:
        parts = []
        if random.uniform() < self._config.operator_limits:
            start = (self._any("letter", random), Symbol("="), self._small(random))
            parts.append((BELOW, Expression(start)))
            if random.uniform() < self._config.operator_upper:
                parts.append((ABOVE, Expression((self._small(random),))))
        big = symbol_with(self._any("big operator", random).name, parts)
        return [big, *self._term(random, depth + 1)]

    def _integral(self, random: RandomStream, depth: int) -> list[Symbol]:
        parts = []
        if random.uniform() < self._config.integral_limits:
            parts.append((SUB, Expression((self._small(random),))))
            parts.append((SUP, Expression((self._small(random),))))
        last = (Symbol("d"), self._any("letter", random))
        return [symbol_with(r"\int", parts), *self._term(random, depth + 1), *last]

    def _limit(self, random: RandomStream, depth: int) -> list[Symbol]:
        """Of a limit, whither; of a maximum, over what."""
        name = self._any("limit", random).name
        goes = r"\rightarrow" if name == r"\lim" else r"\in"
        parts = []
        if goes in self._known and (
            name == r"\lim" or random.uniform() < self._config.maximum_range
        ):
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
        corners = 3 if random.uniform() < self._config.figure_corners else 1
        return [
            self._any("figure", random),
            *(self._any("capital", random) for _ in range(corners)),
        ]

    def _cover(self, random: RandomStream, depth: int) -> list[Symbol]:
        """A side by its ends, or a few digits."""
        if random.uniform() < self._config.cover_side and "capital" in self._pools:
            inner = [self._any("capital", random), self._any("capital", random)]
        else:
            inner = self._plain(random)
        name = self._any("cover", random).name
        return [symbol_with(name, [(construct_of(name).arguments[0], Expression(tuple(inner)))])]

    def _accent(self, random: RandomStream, depth: int) -> list[Symbol]:
        name = self._any("accent", random).name
        accented = symbol_with(name, [(BELOW, Expression((self._small(random),)))])
        return [self._with(accented, SUB, random, depth, self._config.accent_subscript)]

    def _ring(self, random: RandomStream, depth: int) -> list[Symbol]:
        numbered = random.uniform() < self._config.ring_number
        number = self._number(random) if numbered else [self._small(random)]
        inner = number[: self._config.max_ring_digits]
        return [symbol_with(self._any("ring", random).name, [(INSIDE, Expression(tuple(inner)))])]

    def _decimal(self, random: RandomStream, depth: int) -> list[Symbol]:
        return [*self._number(random), Symbol("."), *self._number(random)]

    def _degree(self, random: RandomStream, depth: int) -> list[Symbol]:
        """So many degrees."""
        degree = Expression((self._any("degree", random),))
        return [*self._number(random)[:-1], self._any("digit", random).grown(SUP, degree)]

    def _prime(self, random: RandomStream, depth: int) -> list[Symbol]:
        prime = Expression((self._any("prime", random),))
        return [self._any("letter", random).grown(SUP, prime)]

    def _postfix(self, random: RandomStream, depth: int) -> list[Symbol]:
        """A factorial, so many per cent, a gas that rises."""
        numbered = random.uniform() < self._config.postfix_number
        before = self._number(random) if numbered else [self._any("letter", random)]
        return [*before, self._any("postfix", random)]

    def _blank(self, random: RandomStream, depth: int) -> list[Symbol]:
        return [self._any("blank", random)]

    _FORMS: tuple[
        tuple[str, Callable[["Inventor", RandomStream, int], list[Symbol]], frozenset[str]],
        ...,
    ] = (
        ("fraction", _fraction, frozenset(("fraction",))),
        ("root", _root, frozenset(("root",))),
        ("bracket", _bracket, frozenset(("open",))),
        ("function", _function, frozenset(("function",))),
        ("big_operator", _big_operator, frozenset(("big operator", "="))),
        ("integral", _integral, frozenset(("integral", "d"))),
        ("limit", _limit, frozenset(("limit",))),
        ("series", _series, frozenset(("dots", ","))),
        ("figure", _figure, frozenset(("figure", "capital"))),
        ("cover", _cover, frozenset(("cover",))),
        ("accent", _accent, frozenset(("accent",))),
        ("ring", _ring, frozenset(("ring",))),
        ("decimal", _decimal, frozenset((".",))),
        ("degree", _degree, frozenset(("degree",))),
        ("prime", _prime, frozenset(("prime",))),
        ("postfix", _postfix, frozenset(("postfix",))),
        ("blank", _blank, frozenset(("blank",))),
    )

    def _part(self, random: RandomStream, depth: int) -> Expression:
        return Expression(tuple(self._sum(random, depth + 1)))

    def _small(self, random: RandomStream) -> Symbol:
        return self._any("digit" if random.uniform() < self._config.digit else "letter", random)

    def _scripted(self, symbol: Symbol, random: RandomStream, depth: int) -> Symbol:
        symbol = self._with(symbol, SUP, random, depth, self._config.superscript)
        return self._with(symbol, SUB, random, depth, self._config.subscript)

    def _with(
        self, symbol: Symbol, relation: Relation, random: RandomStream, depth: int, chance: float
    ) -> Symbol:
        if random.uniform() > chance / (1 + self._config.script_depth * depth):
            return symbol
        if random.uniform() < self._config.short_script:
            return symbol.grown(relation, Expression((self._small(random),)))
        return symbol.grown(relation, self._part(random, depth + 1))


def _pool(members: Sequence[str], counts: Counter[str], power: float) -> list[str]:
    """Each as often as its count to a power, so that a plain choice balances them."""
    return [name for name in members for _ in range(max(1, round(counts[name] ** power)))]


def grammar_class(name: str) -> str:
    """Where a symbol belongs in the grammar; a symbol that is not known is a blank to fill in."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in OPENERS or name in CLOSERS:
        return "open" if name in OPENERS else "close"
    construct = construct_of(name)
    if name in LIMIT_OPERATORS:
        return "limit" if spacing_class(name) == "function" else "big operator"
    if construct.option is Relation.BELOW:
        return "text relation"
    if construct.arguments == (Relation.INSIDE,):
        return "ring"
    if len(construct.arguments) > 1:
        return "fraction"
    if construct.arguments:
        return "accent" if name in _ACCENTS else "cover"
    return _BY_SPACING_CLASS.get(spacing_class(name), "blank")
