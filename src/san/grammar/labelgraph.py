"""Tree -> symbol label graph (`.lg`), the format that CROHME's evaluation tools compare.

An `O` line names an object: its id, its label, a weight, and what it is made of (here itself, since
a tree has no strokes). An `R` line names a relation between two objects. Commas part the fields, so
the comma itself is called COMMA. CROHME has no relation for the index of a root: it calls it Above.
"""

from collections import Counter

from san.grammar.tree import NOTHING, Expression, Relation

_RELATIONS = {
    Relation.RIGHT: "Right",
    Relation.ABOVE: "Above",
    Relation.BELOW: "Below",
    Relation.SUB: "Sub",
    Relation.SUP: "Sup",
    Relation.INSIDE: "Inside",
    Relation.UPPER_LEFT: "Above",
}
_LABELS = {",": "COMMA", NOTHING: "EMPTY"}


def to_labelgraph(expression: Expression) -> str:
    """The lines of an `.lg` file."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    objects: list[str] = []
    relations: list[str] = []
    for visit in expression.walk():
        label = _LABELS.get(visit.symbol.name, visit.symbol.name)
        seen[label] += 1
        names.append(f"{label}_{seen[label]}")
        objects.append(f"O, {names[-1]}, {label}, 1.0, {names[-1]}")
        if visit.relation is not None:
            kind = _RELATIONS[visit.relation]
            relations.append(f"R, {names[visit.parent]}, {names[-1]}, {kind}, 1.0")
    lines = [f"# Objects({len(objects)}):", *objects]
    return "\n".join([*lines, f"# Relations({len(relations)}):", *relations]) + "\n"
