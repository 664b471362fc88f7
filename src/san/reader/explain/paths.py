"""The steps of a reading as the tree that they grew: which step wrote which symbol.

Design choices
- Built from the steps, not from the expression: each symbol keeps its probability and its look.
- A picture has room for so much: symbols beyond `most` and rows beyond `MAX_ROWS` are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from san.decoding.reading import Reading, ReadStep
from san.grammar.productions import EMPTY_STRING, EXTEND
from san.grammar.tree import Relation

MAX_SYMBOLS = 48
MAX_ROWS = 8
MORE = "…"
"""Stands where something was left out."""


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


def tree_of(reading: Reading, most: int = MAX_SYMBOLS) -> list[Node]:
    """The chain of the tree's first row; what is too much ends in `MORE`."""
    return _Growing(reading, most).chain(0, 1)


class _Growing:
    def __init__(self, reading: Reading, most: int) -> None:
        self.steps = reading.steps
        self.most = most
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
                if self.written == self.most:
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
