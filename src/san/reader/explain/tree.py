"""The syntax tree as a drawing: a chain is a row of boxes, what hangs on a box stands under it.

Design choices
- Rows have one height, so a drawing is known by how far it reaches left and right in each row;
  neighbours are pushed together until their outlines meet in some row.
- The rows are few (`explain_paths.MAX_ROWS`), so recursion may follow them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from san.grammar.tree import Relation
from san.reader.explain.canvas import DARK, EDGE, MUTED, PAPER, Canvas, symbol_width, text_width
from san.reader.explain.heatmap import Colour, colour_of, tint
from san.reader.explain.paths import Node

BOX, DROP = 38, 48
"""Pixels: a box's height and least width; from a box down to what hangs on it."""
GAP, BETWEEN = 7, 18
"""Pixels between boxes of a chain, and between what hangs on different boxes."""
TYPE, LABEL = 21, 12.5
DOUBT: Colour = (200, 40, 0)
DOUBTFUL = 0.75
"""A step that is less sure is marked."""


def is_doubtful(node: Node) -> bool:
    return any(read is not None and read.surety < DOUBTFUL for read in (node.read, node.opens))


@dataclass
class Drawn:
    """Boxes of one chain at their middles, with the chains under them."""

    boxes: list[tuple[Node, float, list[tuple[Relation, "Drawn"]]]] = field(default_factory=list)
    lefts: list[float] = field(default_factory=list)  # by rows
    rights: list[float] = field(default_factory=list)

    @property
    def width(self) -> float:
        return max(self.rights, default=0) - min(self.lefts, default=0)

    @property
    def height(self) -> float:
        return max(len(self.rights) * (BOX + DROP) - DROP, 0)

    @property
    def middle(self) -> float:
        return (self.lefts[0] + self.rights[0]) / 2

    def moved(self, by: float) -> "Drawn":
        return Drawn(
            [(node, x + by, [(r, d.moved(by)) for r, d in under]) for node, x, under in self.boxes],
            [left + by for left in self.lefts],
            [right + by for right in self.rights],
        )

    def beside(self, other: "Drawn", gap: float) -> float:
        """How far the other must move to stand at the right of this one."""
        reach = zip(self.rights, other.lefts, strict=False)
        gaps = [right - left + (BETWEEN if row else gap) for row, (right, left) in enumerate(reach)]
        return max(gaps, default=0)

    def add(self, other: "Drawn") -> None:
        self.boxes += other.boxes
        # Rows that only one of the two reaches are its own.
        sides = list(zip_longest(self.lefts, other.lefts))
        self.lefts = [min(side for side in pair if side is not None) for pair in sides]
        sides = list(zip_longest(self.rights, other.rights))
        self.rights = [max(side for side in pair if side is not None) for pair in sides]

    def walk(self) -> Iterator[Node]:
        return (node for first, _, _ in self.boxes for node in first.walk())


def measure(chain: list[Node]) -> Drawn:
    """Where everything stands, the first box about x = 0."""
    row = Drawn()
    for node in chain:
        drawn = _measure_one(node)
        row.add(drawn.moved(row.beside(drawn, GAP)))
    return row


def _measure_one(node: Node) -> Drawn:
    """A box, centred over what hangs on it."""
    under: list[tuple[Relation, Drawn]] = []
    around = Drawn()
    for relation, chain in node.branches:
        branch = measure(chain)
        half = text_width(relation.value, LABEL) / 2 + 8
        branch.lefts[0] = min(branch.lefts[0], branch.middle - half)
        branch.rights[0] = max(branch.rights[0], branch.lefts[0] + 2 * half)
        branch = branch.moved(around.beside(branch, BETWEEN))
        under.append((relation, branch))
        around.add(branch)
    middle = (under[0][1].middle + under[-1][1].middle) / 2 if under else 0.0
    half = _box_width(node) / 2
    lefts, rights = [middle - half, *around.lefts], [middle + half, *around.rights]
    return Drawn([(node, middle, under)], lefts, rights)


def _box_width(node: Node) -> float:
    return max(BOX, symbol_width(node.name, TYPE) + 16)


def draw_tree(canvas: Canvas, drawn: Drawn, x: float, y: float) -> None:
    """Draw it with its top left corner here."""
    _draw(canvas, drawn, x - min(drawn.lefts, default=0), y)


def _draw(canvas: Canvas, drawn: Drawn, x: float, y: float) -> None:
    end = None
    for node, middle, under in drawn.boxes:
        half = _box_width(node) / 2
        left, right = x + middle - half, x + middle + half
        if end is not None and left - end > GAP + 1:
            canvas.line([(end + 4, y + BOX / 2), (left - 4, y + BOX / 2)], EDGE, 2)
        end = right
        colour = colour_of(node.number) if node.number >= 0 else MUTED
        for relation, branch in under:
            _edge(canvas, x + middle, x + branch.middle, y + BOX, relation, colour)
            _draw(canvas, branch, x, y + BOX + DROP)
        canvas.box((left, y, right, y + BOX), tint(colour, 0.22), tint(colour, 0.9), 7, 1.2)
        canvas.symbol((left + right) / 2, y + BOX / 2, node.name or "·", TYPE, DARK)
        if is_doubtful(node):
            doubt_mark(canvas, right - 1, y + 1)


def _edge(
    canvas: Canvas, start: float, end: float, y: float, relation: Relation, colour: Colour
) -> None:
    """A soft bend from a box to what hangs on it, with the relation's name before its end."""
    bend = DROP - 22
    points = []
    for part in range(17):
        t = part / 16
        points.append((start + (end - start) * t * t * (3 - 2 * t), y + bend * t))
    points.append((end, y + DROP - 3))
    canvas.line(points, tint(colour, 0.75), 1.5)
    half = text_width(relation.value, LABEL) / 2 + 6
    at = y + DROP - 16
    canvas.box((end - half, at - 9, end + half, at + 9), PAPER, EDGE, 9, 0.5)
    canvas.text(end, at, relation.value, LABEL, MUTED, "mm")


def doubt_mark(canvas: Canvas, x: float, y: float) -> None:
    """A question mark on a corner: a shape, for colour alone is not seen by all."""
    canvas.box((x - 9, y - 9, x + 9, y + 9), DOUBT, (255, 255, 255), 9, 1)
    canvas.text(x, y, "?", 13, (255, 255, 255), "mm")
