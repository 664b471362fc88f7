"""Decimal commas: half of the world writes them, and the text that is at hand has points."""

from san.grammar import Expression, Symbol

POINT, COMMA = Symbol("."), Symbol(",")
DIGITS = frozenset("0123456789")


def with_decimal_commas(tree: Expression) -> Expression:
    """The same with a comma for every point that stands between two digits."""
    symbols = [
        Symbol(
            symbol.name,
            tuple((relation, with_decimal_commas(inner)) for relation, inner in symbol.branches),
        )
        for symbol in tree.symbols
    ]
    for place in range(1, len(symbols) - 1):
        before, after = symbols[place - 1], symbols[place + 1]
        if symbols[place] == POINT and before.name in DIGITS and after.name in DIGITS:
            symbols[place] = COMMA
    return Expression(tuple(symbols))
