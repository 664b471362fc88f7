r"""Formulas of several lines that nobody wrote: systems, cases, stacked lines, matrices.

A system has the same letters in all of its lines, a matrix entries of one kind: that is what makes
them systems and matrices to a reader. Single lines that need no such order are the inventor's of
single formulas (`invent`).
"""

from collections.abc import Callable, Iterable, Sequence

from san.grammar.constructs import CELL, MATRIX, ROW
from san.grammar.normal_form import chain, symbol_with
from san.grammar.tree import Expression, Relation, Symbol
from san.synth.formulas.config import InventConfig, InventLinesConfig
from san.synth.formulas.invent import Inventor
from san.synth.random_stream import RandomStream

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP = Relation.SUB, Relation.SUP

_UNKNOWNS = tuple(
    text.split()
    for text in ("x y", "x y", "x y", "x y z", "x y z", "a b", "a b c", "m n", "k b", "u v", "p q")
)
_POINTS = "A B C D E F G H M N O P".split()
_ENTRIES = tuple(r"a b c x y \lambda \alpha t".split())
_BRACKETS = {"round": ("(", ")"), "square": ("[", "]"), "bars": ("|", "|"), "none": ("", "")}

Cells = Sequence[Sequence[Sequence[Symbol]]]


class LineInventor:
    """Invents formulas of several lines, of the symbols with these names."""

    def __init__(
        self,
        names: Iterable[str],
        config: InventLinesConfig | None = None,
        single: InventConfig | None = None,
    ) -> None:
        names = list(names)
        self._config = config or InventLinesConfig()
        self._single = Inventor(names, single)
        self._known = frozenset(names)
        self._unknowns = [some for some in _UNKNOWNS if self._known.issuperset(some)]
        self._points = [name for name in _POINTS if name in self._known]
        self._entries = [name for name in _ENTRIES if name in self._known]
        self._digits = [name for name in "0123456789" if name in self._known]

    @property
    def is_able(self) -> bool:
        """Whether it knows enough symbols to make anything of them."""
        needed = self._known.issuperset(("=", "-", "+", r"\{", "(", ")"))
        return needed and bool(self._unknowns and len(self._digits) > 1) and self._single.is_able

    def invent(self, random: RandomStream) -> Expression:
        config = self._config
        kinds: tuple[tuple[float, Callable[[RandomStream], list[Symbol]]], ...] = (
            (config.system, self._system),
            (config.congruence, self._congruence),
            (config.cases, self._cases),
            (config.stacked, self._stacked),
            (config.matrix, self._matrices),
        )
        drawn = random.uniform() * sum(share for share, _ in kinds)
        for share, make in kinds:
            drawn -= share
            if drawn < 0:
                return chain(make(random))
        return chain(self._system(random))

    def _system(self, random: RandomStream) -> list[Symbol]:
        """Equations, or inequalities, in the same letters; or their solution."""
        config = self._config
        letters = [Symbol(name) for name in random.choice(self._unknowns)]
        if random.uniform() < config.subscripted:
            index = self._digit(random)
            letters = [letter.grown(SUB, Expression((index,))) for letter in letters]
        if random.uniform() < config.solution:
            lines = [[letter, Symbol("="), *self._value(random)] for letter in letters]
        else:
            count = len(letters) if random.uniform() < config.determined else self._rows(random)
            signs = self._signs(random)
            lines = [self._equation(letters, signs, random) for _ in range(count)]
        lines = self._ended(lines, random)
        return [*self._before(random), *_braced(lines)]

    def _equation(
        self, letters: Sequence[Symbol], signs: Sequence[str], random: RandomStream
    ) -> list[Symbol]:
        config = self._config
        used = [letter for letter in letters if random.uniform() > config.missing_letter]
        line: list[Symbol] = []
        for letter in used or letters[:1]:
            if line or random.uniform() < config.leading_minus:
                line.append(Symbol("-" if not line or random.uniform() < config.minus else "+"))
            term = letter
            if random.uniform() < config.squared and not letter.branches:
                term = letter.grown(SUP, Expression((Symbol("2"),)))
            if random.uniform() < config.coefficient:
                line += self._number(random)
            line.append(term)
            if random.uniform() < config.over and not term.branches:
                line[-1:] = [self._fraction([term], self._number(random))]
        line.append(Symbol(random.choice(signs)))
        return line + self._value(random)

    def _congruence(self, random: RandomStream) -> list[Symbol]:
        """Sides and angles that are equal, as in a proof."""
        if len(self._points) < 3 or r"\angle" not in self._known:
            return self._system(random)
        lines = []
        for _ in range(2 + int(2 * random.uniform())):
            corners = 3 if random.uniform() < self._config.angle else 2
            sides = [[Symbol(random.choice(self._points)) for _ in range(corners)] for _ in "ab"]
            first, second = ([Symbol(r"\angle"), *s] if corners == 3 else s for s in sides)
            lines.append([*first, Symbol("="), *second])
        return _braced(self._ended(lines, random))

    def _cases(self, random: RandomStream) -> list[Symbol]:
        """A function by cases: a value and its condition in each line."""
        letter = Symbol(random.choice(self._unknowns)[0])
        name = Symbol("f" if "f" in self._known else random.choice(self._unknowns)[-1])
        lines = []
        for _ in range(min(self._rows(random), 4)):
            line = self._short(random)
            if "," in self._known and random.uniform() < self._config.comma:
                line.append(Symbol(","))
            condition = [letter, Symbol(random.choice(self._signs(random))), *self._value(random)]
            if random.uniform() < self._config.bracketed_condition:
                condition = [Symbol("("), *condition, Symbol(")")]
            lines.append(line + condition)
        head = [name, Symbol("("), letter, Symbol(")"), Symbol("=")]
        return [*(head if random.uniform() < self._config.function_head else ()), *_braced(lines)]

    def _stacked(self, random: RandomStream) -> list[Symbol]:
        """Lines of a calculation, without a brace."""
        letters = [Symbol(name) for name in random.choice(self._unknowns)[:1]]
        lines = []
        for _ in range(self._rows(random)):
            free = random.uniform() < self._config.free_line
            line = self._short(random) if free else self._equation(letters, ("=",), random)
            if not free and random.uniform() < self._config.leading_relation:
                line = [Symbol("="), *self._value(random)]
            lines.append(line)
        return [_grid([[line] for line in lines])]

    def _matrices(self, random: RandomStream) -> list[Symbol]:
        config = self._config
        symbols: list[Symbol] = []
        if random.uniform() < config.matrix_head and self._points:
            symbols += [Symbol(random.choice(self._points)), Symbol("=")]
        brackets = self._brackets(random)
        symbols += self._matrix(brackets, self._side(random), random)
        if random.uniform() < config.matrix_power and brackets[1]:
            power = Symbol(
                "T" if "T" in self._known and random.uniform() < config.transpose else "2"
            )
            symbols[-1] = symbols[-1].grown(SUP, Expression((power,)))
        if random.uniform() < config.another_matrix:
            if random.uniform() < config.matrix_sign:
                symbols.append(Symbol(random.choice(("+", "-", "="))))
            symbols += self._matrix(brackets, 2, random)
        elif random.uniform() < config.matrix_value:
            symbols += [Symbol("="), *self._value(random)]
        return symbols

    def _matrix(self, brackets: tuple[str, str], side: int, random: RandomStream) -> list[Symbol]:
        config = self._config
        columns = side if random.uniform() < config.square else self._side(random)
        if random.uniform() < config.vector:
            columns = 1
        kind = random.uniform()
        letter = random.choice(self._entries or self._unknowns[0])
        rows = [
            [self._entry(kind, letter, (row, column), random) for column in range(columns)]
            for row in range(side)
        ]
        opener, closer = brackets
        before, after = ([Symbol(name)] if name else [] for name in (opener, closer))
        return [*before, _grid(rows), *after]

    def _entry(
        self, kind: float, letter: str, place: tuple[int, int], random: RandomStream
    ) -> list[Symbol]:
        """Of a matrix of numbers, of letters with two indices, or of anything short."""
        config = self._config
        if kind < config.indexed_entries and max(place) < len(self._digits) - 1:
            indices = tuple(Symbol(str(number + 1)) for number in place)
            return [symbol_with(letter, [(SUB, Expression(indices))])]
        if kind < config.indexed_entries + config.short_entries:
            return self._short(random, 4)
        minus = [Symbol("-")] if random.uniform() < config.negative_entry else []
        if random.uniform() < config.letter_entry:
            return [*minus, Symbol(random.choice(self._entries or [letter]))]
        if random.uniform() < config.fraction_entry:
            return [*minus, self._fraction([self._digit(random)], [self._digit(random)])]
        return [
            *minus,
            *(
                self._number(random)
                if random.uniform() < config.long_entry
                else [self._digit(random)]
            ),
        ]

    def _short(self, random: RandomStream, longest: int = 0) -> list[Symbol]:
        """A single formula that is short enough for a line."""
        longest = longest or self._config.longest_line
        for _ in range(20):
            line = self._single.invent(random)
            if 0 < len(line) <= longest:
                return list(line.symbols)
        return self._number(random)

    def _value(self, random: RandomStream) -> list[Symbol]:
        config = self._config
        minus = [Symbol("-")] if random.uniform() < config.negative_value else []
        if random.uniform() < config.fraction_value:
            return [*minus, self._fraction(self._number(random), [self._digit(random)])]
        if random.uniform() < config.root_value and r"\sqrt" in self._known:
            return [*minus, symbol_with(r"\sqrt", [(INSIDE, Expression((self._digit(random),)))])]
        return [*minus, *self._number(random)]

    def _fraction(self, over: Sequence[Symbol], under: Sequence[Symbol]) -> Symbol:
        if r"\frac" not in self._known:
            return over[0]
        return symbol_with(
            r"\frac", [(ABOVE, Expression(tuple(over))), (BELOW, Expression(tuple(under)))]
        )

    def _number(self, random: RandomStream) -> list[Symbol]:
        digits = 1 + int(3 * random.uniform() ** 2)
        return [self._digit(random) for _ in range(digits)]

    def _digit(self, random: RandomStream) -> Symbol:
        return Symbol(random.choice(self._digits))

    def _rows(self, random: RandomStream) -> int:
        return 2 + int((self._config.max_rows - 1) * random.uniform() ** self._config.rows_power)

    def _side(self, random: RandomStream) -> int:
        return 2 + int((self._config.max_side - 1) * random.uniform() ** self._config.side_power)

    def _signs(self, random: RandomStream) -> list[str]:
        if random.uniform() > self._config.inequality:
            return ["="]
        return [name for name in r"< > \leq \geq \neq".split() if name in self._known] or ["="]

    def _brackets(self, random: RandomStream) -> tuple[str, str]:
        config = self._config
        shares = (config.round, config.square_brackets, config.bars, config.no_brackets)
        drawn = random.uniform() * sum(shares)
        for share, brackets in zip(shares, _BRACKETS.values(), strict=True):
            drawn -= share
            if drawn < 0 and self._known.issuperset(filter(None, brackets)):
                return brackets
        return _BRACKETS["round"]

    def _before(self, random: RandomStream) -> list[Symbol]:
        if random.uniform() > self._config.leading_sign or r"\therefore" not in self._known:
            return []
        return [Symbol(r"\therefore")]

    def _ended(self, lines: list[list[Symbol]], random: RandomStream) -> list[list[Symbol]]:
        """Perhaps the numbers of the lines, in rings."""
        if random.uniform() > self._config.numbered or r"\textcircled" not in self._known:
            return lines
        return [
            [*line, symbol_with(r"\textcircled", [(INSIDE, Expression((Symbol(str(number)),)))])]
            for number, line in enumerate(lines, 1)
        ]


def _braced(lines: Sequence[Sequence[Symbol]]) -> list[Symbol]:
    return [Symbol(r"\{"), _grid([[line] for line in lines])]


def _grid(rows: Cells) -> Symbol:
    cells: list[Symbol] = []
    for number, row in enumerate(rows):
        cells += [Symbol(ROW)] if number else []
        for place, cell in enumerate(row):
            cells += [*([Symbol(CELL)] if place else []), *cell]
    return symbol_with(MATRIX, [(INSIDE, chain(cells))])
