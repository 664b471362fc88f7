"""Space between neighbours in print: by the classes of TeX."""

from collections.abc import Sequence

from san.grammar.constructs import LIMIT_OPERATORS
from san.grammar.grids import RELATIONS
from san.grammar.symbols import WORDS
from san.synth.layout.symbol_classes import spacing_class

THIN, MEDIUM, THICK = 3 / 18, 4 / 18, 5 / 18
"""Em, as in TeX."""
_BINARY = frozenset(r"\mp \cup \cap \wedge \vee \oplus \otimes \setminus \bullet \odot".split())
_PUNCTUATION = frozenset(", ;".split())
_BEFORE_SIGN = frozenset(("operator", "relation", "open", "mark", "function"))
"""Behind these a plus or minus is a sign of what follows."""


def gaps(names: Sequence[str], factor: float, is_script: bool, word_gap: float) -> list[float]:
    """Em between each symbol of a chain and the next; `factor`: times TeX's."""
    classes: list[str] = []
    for name in names:
        kind = _class_of(name)
        if kind == "operator" and (not classes or classes[-1] in _BEFORE_SIGN or name == "/"):
            kind = "letter"
        classes.append(kind)
    found = []
    for place in range(len(names) - 1):
        first, second = classes[place : place + 2]
        if first == "function":
            gap = 0.0 if second in ("open", "mark") else word_gap
        elif second == "function" and first in ("letter", "digit", "close"):
            gap = word_gap
        elif names[place] in _PUNCTUATION:
            gap = THIN * factor
        elif is_script or first == second == "relation":
            gap = 0.0
        elif "relation" in (first, second):
            gap = THICK * factor
        else:
            gap = MEDIUM * factor if "operator" in (first, second) else 0.0
        found.append(gap)
    return found


def _class_of(name: str) -> str:
    if name in RELATIONS or name.startswith(r"\x"):
        return "relation"
    if name in _BINARY:
        return "operator"
    if name in WORDS or name in LIMIT_OPERATORS:
        return "function"
    return spacing_class(name)
