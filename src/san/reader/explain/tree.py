"""The syntax tree as a drawing: a chain is a row of boxes, what hangs on a box stands under it.

Design choices
- Built from the steps, not from the expression: each symbol keeps its probability and attention.
- A picture has room for so much: symbols beyond a number and rows beyond `MAX_ROWS` are left out;
  the rows are few, so recursion may follow them.
- Rows have one height, so a drawing is known by how far it reaches left and right in each row;
  neighbours are pushed together until their outlines meet in some row.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from san.decoding.reading import Reading, ReadStep
from san.grammar.productions import EMPTY_STRING, EXTEND
from san.grammar.tree import Relation
from san.reader.explain.canvas import (
    DARK,
    EDGE,
    MUTED,
    PAPER,
    Canvas,
    Colour,
    colour_of,
    symbol_width,
    text_width,
    tint,
)

MAX_SYMBOLS = 48
MAX_ROWS = 8
MORE = "…"
"""Stands where something was left out."""
BOX, DROP = 38, 48
"""Pixels: a box's height and least width; from a box down to what hangs on it."""
GAP, BETWEEN = 7, 18
"""Pixels between boxes of a chain, and between what hangs on different boxes."""
TYPE, LABEL = 21, 12.5
UNSURE_COLOUR: Colour = (200, 40, 0)
UNSURE_BELOW = 0.75
"""A step that is less sure is marked."""


@dataclass
class Node:
    """A symbol of the drawing; `read` is None where scripts stand on nothing, or for `MORE`."""

    name: str
    read: ReadStep | None = None
    opens: ReadStep | None = None  # the step that says what hangs on it
    branches: list[tuple[Relation, list["Node"]]] = field(default_factory=list)
    number: int = -1  # its place in reading order: of those with ink

    def walk(self) -> Iterator["Node"]:
        yield self
        for _, chain in self.branches:
            for node in chain:
                yield from node.walk()


def nodes_of(reading: Reading, max_symbols: int = MAX_SYMBOLS) -> list[Node]:
    """The chain of the tree's first row; what is too much ends in `MORE`."""
    return _TreeBuilder(reading, max_symbols).chain(0, 1)


class _TreeBuilder:
    def __init__(self, reading: Reading, max_symbols: int) -> None:
        self.steps = reading.steps
        self.max_symbols = max_symbols
        self.written = 0
        self.after: list[dict[object, int]] = [{} for _ in self.steps]
        for index, read in enumerate(self.steps):
            if read.step.parent >= 0:
                self.after[read.step.parent][read.step.partner] = index

    def chain(self, start: int, row: int) -> list[Node]:
        """Recursion goes by rows, and there are at most `MAX_ROWS` of them."""
        nodes: list[Node] = []
        at: int | None = start
        while at is not None:
            read = self.steps[at]
            target = read.step.target
            if target == EMPTY_STRING:
                break
            if target != EXTEND:
                if self.written == self.max_symbols:
                    return [*nodes, Node(MORE)]
                nodes.append(Node(target, read, number=self.written))
                self.written += 1
                at = self.after[at].get(target)
                continue
            if not isinstance(read.step.partner, str) or not nodes:
                nodes.append(Node(""))
            self._open(nodes[-1], at, row)
            at = self.after[at].get(Relation.RIGHT)
        return nodes

    def _open(self, node: Node, at: int, row: int) -> None:
        node.opens = self.steps[at]
        for relation in self.steps[at].step.relations:
            child = self.after[at].get(relation)
            if relation is not Relation.RIGHT and child is not None:
                chain = self.chain(child, row + 1) if row < MAX_ROWS else [Node(MORE)]
                node.branches.append((relation, chain))


def is_unsure(node: Node) -> bool:
    return any(
        read is not None and read.step_probability < UNSURE_BELOW
        for read in (node.read, node.opens)
    )


@dataclass
class TreeLayout:
    """Boxes of one chain at their middles, with the chains under them."""

    boxes: list[tuple[Node, float, list[tuple[Relation, "TreeLayout"]]]] = field(
        default_factory=list
    )
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

    def moved(self, by: float) -> "TreeLayout":
        return TreeLayout(
            [(node, x + by, [(r, d.moved(by)) for r, d in under]) for node, x, under in self.boxes],
            [left + by for left in self.lefts],
            [right + by for right in self.rights],
        )

    def beside(self, other: "TreeLayout", gap: float) -> float:
        """How far the other must move to stand at the right of this one."""
        reach = zip(self.rights, other.lefts, strict=False)
        gaps = [right - left + (BETWEEN if row else gap) for row, (right, left) in enumerate(reach)]
        return max(gaps, default=0)

    def add(self, other: "TreeLayout") -> None:
        self.boxes += other.boxes
        # Rows that only one of the two reaches are its own.
        sides = list(zip_longest(self.lefts, other.lefts))
        self.lefts = [min(side for side in pair if side is not None) for pair in sides]
        sides = list(zip_longest(self.rights, other.rights))
        self.rights = [max(side for side in pair if side is not None) for pair in sides]

    def walk(self) -> Iterator[Node]:
        return (node for first, _, _ in self.boxes for node in first.walk())


def measure(chain: list[Node]) -> TreeLayout:
    """Where everything stands, the first box about x = 0."""
    row = TreeLayout()
    for node in chain:
        drawn = _measure_one(node)
        row.add(drawn.moved(row.beside(drawn, GAP)))
    return row


def _measure_one(node: Node) -> TreeLayout:
    """A box, centred over what hangs on it."""
    under: list[tuple[Relation, TreeLayout]] = []
    around = TreeLayout()
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
    return TreeLayout([(node, middle, under)], lefts, rights)


def _box_width(node: Node) -> float:
    return max(BOX, symbol_width(node.name, TYPE) + 16)


def draw_tree(canvas: Canvas, drawn: TreeLayout, x: float, y: float) -> None:
    """Draw it with its top left corner here."""
    _draw(canvas, drawn, x - min(drawn.lefts, default=0), y)


def _draw(canvas: Canvas, drawn: TreeLayout, x: float, y: float) -> None:
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
        if is_unsure(node):
            unsure_mark(canvas, right - 1, y + 1)


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


def unsure_mark(canvas: Canvas, x: float, y: float) -> None:
    """A question mark on a corner: a shape, for colour alone is not seen by all."""
    canvas.box((x - 9, y - 9, x + 9, y + 9), UNSURE_COLOUR, (255, 255, 255), 9, 1)
    canvas.text(x, y, "?", 13, (255, 255, 255), "mm")
