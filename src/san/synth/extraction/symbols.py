"""Which symbols can become glyphs, of how many components each is written, and what looks like it.

Words (`\\sin`) are left out: a network attends to their first letter, and the rest is anybody's. So
is what has no shape of its own, but that of what it covers (a root); bars stretch.
"""

from san.grammar.constructs import construct_of
from san.grammar.tree import Relation
from san.synth.layout.symbol_classes import spacing_class

_APART = {
    **dict.fromkeys(r"= i j : ; ! ? \leqslant \geqslant".split(), (2, 2)),
    **dict.fromkeys(r"\% \div \therefore \because \cdots \ldots".split(), (3, 3)),
    **dict.fromkeys(r"\geq \leq \pm \approx \cong".split(), (1, 2)),
    **dict.fromkeys(r"\equiv \neq \Rightarrow \rightleftharpoons".split(), (1, 3)),
}
_BROKEN = {
    **dict.fromkeys(r"4 5 A B D I J K M P Q R T Z a k t x + \times".split(), (1, 2)),
    **dict.fromkeys(r"\pi \angle \in \Delta \Omega".split(), (1, 2)),
    **dict.fromkeys("E F H N f m".split(), (1, 3)),
}
_COUNTS: dict[str, tuple[int, int]] = {**_APART, **_BROKEN}


def component_counts(name: str) -> tuple[int, int]:
    """The least and the most components of a symbol that is whole and touches nothing."""
    return _COUNTS.get(name, (1, 1))


def is_connected(name: str) -> bool:
    """Whether components of a symbol only just miss one another: a pen was lifted, no more."""
    return name not in _APART


def has_fixed_shape(name: str) -> bool:
    """Whether a symbol looks alike whatever it is written with."""
    carried = {*construct_of(name).relations} - {Relation.SUB, Relation.SUP}
    return bool(name) and spacing_class(name) != "function" and (name == r"\frac" or not carried)


_LOOKALIKES = (
    r"0 O o \circ Q D", r"x \times X", r"( C c [ < \angle L l", r") > ,",
    r"1 l | / , \prime ( ) I 7", r"- \frac", r". \cdot , \prime", "u U v V", "w W", "z Z 2",
    "s S 5", "p P", "k K", "+ t",
    r"B 8 \beta", r"E \in \epsilon F", r"\Delta A \triangle", r"g 9 q y", r"D O P b",
    r"\uparrow T 1 \rightarrow", r"\downarrow \rightarrow \perp",
)  # fmt: skip


def lookalikes(name: str) -> set[str]:
    """What a symbol may be taken for, where nothing stands beside it."""
    return {name}.union(*(group for group in map(str.split, _LOOKALIKES) if name in group))
