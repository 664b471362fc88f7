"""Where each symbol belongs in the grammar that formulas are made up by."""

from san.grammar.constructs import LIMIT_OPERATORS, MATRIX, construct_of
from san.grammar.tree import Relation
from san.synth.layout.symbol_classes import CLOSERS, OPENERS, spacing_class

_BY_NAME = {
    name: kind
    for kind, names in {
        "sign": r"+ - \times \div \pm / \cdot * :",
        "between": r", ; 、 \cup \cap",
        "relation": r"\vdots",
        "quantor": r"\forall \exists",
        "lead": r"\because \therefore",
        "figure": r"\angle \triangle",
        "blank": r"\square ? \_ \bigcirc",
        "behind": r'! \% \uparrow \downarrow \surd "',
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
_NARROW = frozenset(r"\hat \bar \vec \tilde \dot \ddot".split())
_LIKE_SPACING = {
    "digit": "digit", "letter": "letter", "relation": "relation", "operator": "sign",
    "function": "function", "open": "open", "close": "close",
}  # fmt: skip


def kind_of(name: str) -> str:
    """Where a symbol belongs in the grammar; what nobody told it of is a blank to be filled in."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in OPENERS or name in CLOSERS:
        return "open" if name in OPENERS else "close"
    own = construct_of(name)
    if name in LIMIT_OPERATORS:
        return "limit" if spacing_class(name) == "function" else "big"
    if own.option is Relation.BELOW:
        return "texted"
    if own.arguments == (Relation.INSIDE,):
        return "ring"
    if len(own.arguments) > 1:
        return "fraction"
    if own.arguments:
        return "narrow" if name in _NARROW else "cover"
    return _LIKE_SPACING.get(spacing_class(name), "blank")
