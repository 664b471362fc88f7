"""Classes of symbols that are spaced, scripted or shaped alike.

Gaps and scripts of a writer are learnt by class: `3` and `7` keep the same distance from a plus.
`SIMILAR_SHAPES` holds symbols that can stand in for one another where any of them makes sense.
"""

_DIGITS = "0 1 2 3 4 5 6 7 8 9".split()
_SMALL = (
    r"a c e m n o r s u v w x z \alpha \sigma \pi \infty \omega \epsilon \varepsilon \tau \circ"
).split()
_TALL = (
    r"b d f h k l t i \theta \lambda \Delta ! \forall \exists \delta \partial \angle \% ? \Omega"
    r" \Lambda \Gamma \Phi \Pi \uparrow \downarrow \square \bigcirc \triangle \surd"
).split()
_LOW = r"g j p q y \mu \gamma \phi \beta \rho \varphi \eta \xi \zeta \psi".split()
CAPITALS = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ADDING = r"+ - \times \div \pm \cdot / *".split()
_RELATING = (
    r"= < > \leq \geq \neq \rightarrow \in \approx \sim \cong \equiv \perp \parallel \geqslant"
    r" \leqslant \Rightarrow \Leftarrow \Leftrightarrow \leftarrow \rightleftharpoons \subset"
    r" \supset \cup \cap \xrightarrow \xlongequal \therefore \because"
).split()
_COVERING = (
    r"\overline \overrightarrow \widehat \widetilde \hat \bar \vec \tilde \dot \ddot \underline"
    r" \textcircled \boxed"
).split()
OPENERS = {"(": ")", "[": "]", r"\{": r"\}", "|": "|"}
CLOSERS = frozenset(OPENERS.values())
_FUNCTIONS = (r"\sin \cos \tan \log \lim \min \max \ln \lg \cot \arcsin \arccos \arctan").split()
_MARKS = r", . \ldots \cdots ; : 、 。".split()

_SPACING_CLASS = {
    **dict.fromkeys(_DIGITS, "digit"),
    **dict.fromkeys([*_SMALL, *_TALL, *_LOW, *CAPITALS, *_COVERING], "letter"),
    **dict.fromkeys(_ADDING, "operator"),
    **dict.fromkeys(_RELATING, "relation"),
    **dict.fromkeys(("(", "[", r"\{"), "open"),
    **dict.fromkeys((")", "]", r"\}"), "close"),
    **dict.fromkeys(_FUNCTIONS, "function"),
    **dict.fromkeys(_MARKS, "mark"),
}
_SCRIPT_CLASS = {
    **dict.fromkeys(_SMALL, "small"),
    **dict.fromkeys(_LOW, "low"),
    **dict.fromkeys([*_TALL, *CAPITALS, *_DIGITS, *_COVERING], "tall"),
    **dict.fromkeys((")", "]", r"\}"), "close"),
    **dict.fromkeys([name for name in _FUNCTIONS if name != r"\lim"], "function"),
}

SIMILAR_SHAPES: tuple[tuple[str, ...], ...] = (
    tuple(_DIGITS),
    tuple(r"a c e m n o r s u v w x z \alpha \sigma \pi".split()),
    tuple(r"b d f h k l t \theta \lambda".split()),
    tuple(r"g j p q y \mu \gamma \phi \beta".split()),
    tuple(r"A B C E F G H I L M N P R S T V X Y \Delta".split()),
    tuple(r"= \leq \geq \neq < > \rightarrow".split()),
    tuple(r"+ \times \div \pm".split()),
    tuple(r"\sin \cos \tan \log".split()),
)
SIMILAR_TO: dict[str, tuple[str, ...]] = {
    name: shapes for shapes in SIMILAR_SHAPES for name in shapes
}


def spacing_class(name: str) -> str:
    """How a symbol keeps its distance from neighbours; unusual ones are classes by themselves."""
    return _SPACING_CLASS.get(name, name)


def script_class(name: str) -> str:
    """How a symbol carries scripts."""
    return _SCRIPT_CLASS.get(name, name)
