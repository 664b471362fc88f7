"""Sums: which equations between numbers come out, in a formula that was read.

What people write mostly does come out: of the equations between numbers in the labels of
photographed homework three in four, and of those with one symbol misread hardly any. So it tells
something of readings between which the ink leaves a doubt.

Design choices
- Only numbers: digits, decimals, mixed numbers, fractions, roots, powers, brackets, the four
  operations, percent, degrees, a unit in brackets behind them. A side with anything else in it has
  no value, and no equation with it is counted: nobody is told that `2x = 4` is wrong.
- The number of an exercise before a line is no part of its sum: else `c>` would be taken for `c)`,
  because what stands behind `>` comes out.
- Exact, in fractions; but a decimal number equals what it is the rounded value of.
- A comma is a decimal point as well: else sums would speak for points where people write commas.
  But it may also part thousands or a list, so nobody is told that a sum with commas is wrong.
- Bounded: short numbers, small exponents, shallow brackets, and no value of more than MAX_BITS.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import NamedTuple

from san.grammar import Expression
from san.grammar.constructs import MATRIX
from san.grammar.grids import RELATIONS, rows_of
from san.grammar.tree import Relation, Symbol
from san.reader.exercise_number import without_number

EQUALS, FRACTION, ROOT, PERCENT, POINT, COMMA = "=", r"\frac", r"\sqrt", r"\%", ".", ","
TIMES, BY = frozenset((r"\times", r"\cdot")), frozenset((r"\div", ":", "/"))
CLOSING = {"(": ")", "[": "]", r"\{": r"\}"}
ENDS = (RELATIONS - {EQUALS}) | frozenset((";", "、", "。", r"\therefore", r"\because"))
"""What lies beyond is another statement. A comma may stand within a number."""
DEGREES = (r"\circ",)
MAX_DIGITS, MAX_EXPONENT, MAX_DEPTH, MAX_BITS = 12, 9, 12, 4096


class Sums(NamedTuple):
    """How many equations between numbers come out, and how many do not."""

    right: int
    wrong: int


class _NoNumberError(Exception):
    """What stands there has no value, or none that is computed here."""


class _Value(NamedTuple):
    number: Fraction
    error: Fraction  # half of the last place, of a decimal number that stands alone
    unit: tuple[Symbol, ...]
    has_comma: bool

    def comes_out(self, other: "_Value") -> bool | None:
        """Whether both are equal; None where that cannot be told."""
        if self.unit and other.unit and self.unit != other.unit:
            return None
        equal = abs(self.number - other.number) <= max(self.error, other.error)
        return equal or (None if self.has_comma or other.has_comma else False)


def check_sums(tree: Expression) -> Sums:
    """Of a formula, or of all its lines."""
    chains = [tree.symbols]
    for symbol in tree.symbols:
        if symbol.name == MATRIX:
            rows = rows_of(symbol.branch(Relation.INSIDE))
            chains += [row[0] for row in rows if len(row) == 1]
    found = [outcome for chain in chains for outcome in _outcomes(chain)]
    return Sums(found.count(True), found.count(False))


def balance_of_sums(tree: Expression) -> int:
    """How many come out, less those that do not."""
    right, wrong = check_sums(tree)
    return right - wrong


def _outcomes(chain: Sequence[Symbol]) -> list[bool]:
    statements: list[list[list[Symbol]]] = [[[]]]  # each is sides with a sign of equality between
    for symbol in without_number(chain):
        if symbol.name in ENDS:
            statements.append([[]])
        elif symbol.name == EQUALS and not symbol.branches:
            statements[-1].append([])
        else:
            statements[-1][-1].append(symbol)
    outcomes = [
        left.comes_out(right)
        for sides in statements
        for left, right in pairwise(map(_value_of_side, sides))
        if left is not None and right is not None
    ]
    return [outcome for outcome in outcomes if outcome is not None]


def _value_of_side(side: list[Symbol]) -> _Value | None:
    terms, unit = _without_unit(side)
    try:
        number = _Calculator(terms, 0).value()
    except _NoNumberError:
        return None
    places = _decimal_places(terms)
    error = Fraction(1, 2 * 10**places) if places else Fraction(0)
    has_comma = any(symbol.name == COMMA for symbol in terms)
    return _Value(number, error, tuple(unit), has_comma)


def _without_unit(side: list[Symbol]) -> tuple[list[Symbol], list[Symbol]]:
    """Apart from what stands in brackets behind it, if that is no number: `336(dm^{2})`."""
    names = [symbol.name for symbol in side]
    if names and names[-1] == ")" and "(" in names[1:]:
        start = len(names) - 1 - names[::-1].index("(")
        if not any(map(_is_digit, names[start:])):
            return side[:start], side[start:]
    return side, []


def _decimal_places(side: Sequence[Symbol]) -> int:
    text = "".join(symbol.name for symbol in side).replace(COMMA, POINT)
    whole, point, places = text.partition(POINT)
    return len(places) if point and whole.isdigit() and places.isdigit() else 0


def _is_digit(name: str) -> bool:
    return len(name) == 1 and name in "0123456789"


class _Calculator:
    """The value of a chain, by recursive descent."""

    def __init__(self, symbols: Sequence[Symbol], depth: int) -> None:
        if depth > MAX_DEPTH:
            raise _NoNumberError
        self._symbols, self._depth, self._place = symbols, depth, 0

    def value(self) -> Fraction:
        value = self._sum()
        if self._place < len(self._symbols):
            raise _NoNumberError
        return value

    @property
    def _name(self) -> str | None:
        """Of the symbol that comes next."""
        return self._symbols[self._place].name if self._place < len(self._symbols) else None

    def _next(self) -> Symbol:
        if self._place == len(self._symbols):
            raise _NoNumberError
        self._place += 1
        return self._symbols[self._place - 1]

    def _operator(self) -> str:
        symbol = self._next()
        if symbol.branches:
            raise _NoNumberError
        return symbol.name

    def _sum(self) -> Fraction:
        sign = self._operator() if self._name in ("+", "-") else "+"
        total = self._product() if sign == "+" else -self._product()
        while self._name in ("+", "-"):
            sign = self._operator()
            term = self._product()
            total = _bounded(total + term if sign == "+" else total - term)
        return total

    def _product(self) -> Fraction:
        product = self._factor()
        while (name := self._name) is not None:
            if name in CLOSING:
                product = _bounded(product * self._factor())
            elif name in TIMES | BY:
                self._operator()
                factor = self._factor()
                product = (
                    _bounded(product * factor) if name in TIMES else _quotient(product, factor)
                )
            else:
                break
        return product

    def _factor(self) -> Fraction:
        name = self._name
        if name is not None and _is_digit(name):
            factor = self._number()
        elif name == FRACTION:
            factor = self._fraction()
        elif name == ROOT:
            factor = self._root()
        elif name in CLOSING:
            factor = self._bracket()
        else:
            raise _NoNumberError
        while self._name == PERCENT:
            self._operator()
            factor /= 100
        return factor

    def _number(self) -> Fraction:
        text, last = "", self._symbols[self._place]
        while (name := self._name) is not None and (_is_digit(name) or name in (POINT, COMMA)):
            last = self._next()
            text += name
            if last.branches:
                break
        whole, point, places = text.replace(COMMA, POINT).partition(POINT)
        zero_first = len(whole) > 1 and whole.startswith("0")
        if len(text) > MAX_DIGITS or POINT in places or zero_first or (point and not places):
            raise _NoNumberError
        number = _to_power(Fraction(f"{whole}.{places or 0}"), last, self._depth)
        if self._name == FRACTION and not point and not last.branches:  # a mixed number
            part = self._fraction()
            if not 0 < part < 1:
                raise _NoNumberError
            return number + part
        return number

    def _fraction(self) -> Fraction:
        parts = dict(self._next().branches)
        above, below = parts.pop(Relation.ABOVE, None), parts.pop(Relation.BELOW, None)
        if above is None or below is None or parts:
            raise _NoNumberError
        return _quotient(self._inner(above), self._inner(below))

    def _root(self) -> Fraction:
        parts = dict(self._next().branches)
        inside = parts.pop(Relation.INSIDE, None)
        if inside is None or parts:
            raise _NoNumberError
        square = self._inner(inside)
        root = Fraction(isqrt(max(square.numerator, 0)), isqrt(square.denominator))
        if root**2 != square:
            raise _NoNumberError
        return root

    def _bracket(self) -> Fraction:
        closing = CLOSING[self._operator()]
        if (depth := self._depth + 1) > MAX_DEPTH:
            raise _NoNumberError
        self._depth = depth
        value = self._sum()
        self._depth -= 1
        last = self._next()
        if last.name != closing:
            raise _NoNumberError
        return _to_power(value, last, self._depth)

    def _inner(self, expression: Expression) -> Fraction:
        return _Calculator(expression.symbols, self._depth + 1).value()


def _bounded(number: Fraction) -> Fraction:
    """Else powers of powers would grow until memory ends."""
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_BITS:
        raise _NoNumberError
    return number


def _quotient(number: Fraction, by: Fraction) -> Fraction:
    if not by:
        raise _NoNumberError
    return _bounded(number / by)


def _to_power(number: Fraction, symbol: Symbol, depth: int) -> Fraction:
    """To the power of the superscript of its last symbol; degrees are no power."""
    if not symbol.branches:
        return number
    ((relation, script), *others) = symbol.branches
    if relation is not Relation.SUP or others:
        raise _NoNumberError
    if tuple(one.name for one in script.symbols) == DEGREES:
        return number
    exponent = _Calculator(script.symbols, depth + 1).value()
    if exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT or (not number and exponent <= 0):
        raise _NoNumberError
    return _bounded(number ** int(exponent))  # of a bounded one: nothing grows beyond computing
