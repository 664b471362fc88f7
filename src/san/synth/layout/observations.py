"""Observations of a written expression: how far apart, how small and how high its parts stand.

Each observation is an example, a tuple of numbers measured together, with a key that says what it
is an example of; beside each kind of key stands what its numbers are. Lengths are in em of the
chain that things hang on; y goes down. Of an expression that is known in part (a photograph) only
those are observed whose boxes are all known.
"""

from collections.abc import Iterator, Sequence

from san.grammar.tree import Relation
from san.ink.strokes import Box
from san.synth.glyphs.bank import GlyphBank, WrittenExpression
from san.synth.layout.config import WritingStyleConfig
from san.synth.layout.measure import Outline
from san.synth.layout.symbol_classes import CLOSERS, OPENERS, script_class, spacing_class

Key = tuple[str, ...]
Example = tuple[float, ...]
KeyedExamples = Iterator[tuple[Key, Example]]

ABOVE, BELOW, INSIDE = Relation.ABOVE, Relation.BELOW, Relation.INSIDE
SUB, SUP, UPPER_LEFT = Relation.SUB, Relation.SUP, Relation.UPPER_LEFT
FRACTION = r"\frac"

GAP = "gap"
"""Then the classes of two neighbours; or nothing, for all of them. Example: how far apart."""
SCRIPTED = "scripted"
"""The class of a left neighbour that something hangs on, whatever it is."""
BAR = "bar"
"""Numerator: size and distance; denominator: size and distance; how far each stands to the right of
the bar's middle, in widths of the bar; by how much the bar is wider than the wider of them."""
ROOT = "root"
"""Size of the content; how far the root reaches beyond it: left, up, right, down."""
INDEX = "index"
"""Size; how far its right edge is right of the content's left; how far its bottom is below the top
of the root, in heights of the root."""
FENCE = "fence"
"""Then the class of its content's height. Example: how far below that its top and bottom are."""
PRIMES = frozenset((r"\prime",))
"""Superscripts that are placed unlike others, as far as ink has them."""
PRIMES_AND_DEGREES = PRIMES | {r"\circ"}
"""The same on photographs, where degrees are written."""


class ObservedExpression:
    """One expression with the boxes of its symbols; None: not known."""

    def __init__(
        self,
        tree: Outline,
        em: Sequence[float],
        boxes: Sequence[Box | None],
        config: WritingStyleConfig,
        distinct_superscripts: frozenset[str] = PRIMES,
    ) -> None:
        self.tree, self.em, self.boxes, self.config = tree, em, boxes, config
        self.distinct_superscripts = distinct_superscripts
        self.subtree_boxes = list(boxes)  # of each symbol with all that hangs on it
        self.chain_boxes = list(boxes)  # and with the rest of its chain
        for place in range(len(tree) - 1, -1, -1):
            subtree = self.subtree_boxes[place]
            for part in tree.parts[place].values():
                subtree = _union_if_known(subtree, self.chain_boxes[part])
            self.subtree_boxes[place] = subtree
            after = tree.following[place]
            rest = self.chain_boxes[after] if after >= 0 else subtree
            self.chain_boxes[place] = _union_if_known(subtree, rest)

    @classmethod
    def of(
        cls, bank: GlyphBank, written: WrittenExpression, config: WritingStyleConfig
    ) -> "ObservedExpression":
        """An aligned expression of a bank."""
        end = written.first + len(written.outline)
        em, boxes = bank.em[written.first : end], bank.box[written.first : end]
        return cls(written.outline, em, boxes, config)

    def examples(self) -> KeyedExamples:
        tree = self.tree
        for place, name in enumerate(tree.names):
            parts = tree.parts[place]
            if tree.following[place] >= 0:
                yield from self._gap(place, tree.following[place])
            if name == FRACTION and ABOVE in parts and BELOW in parts:
                yield from self._bar(place)
            if INSIDE in parts:
                yield from self._root(place)
            if INSIDE in parts and UPPER_LEFT in parts:
                yield from self._index(place)
            for relation, part in parts.items():
                if relation in (SUB, SUP) or (relation in (ABOVE, BELOW) and name != FRACTION):
                    yield from self._script(relation, place, part)
            if tree.relations[place] is not Relation.RIGHT:
                yield from self._fences(tree.chain(place))

    def _gap(self, place: int, after: int) -> KeyedExamples:
        left, right = self.subtree_boxes[place], self.subtree_boxes[after]
        if left and right:
            gap = (right.left - left.right) / self.em[place]
            yield gap_key(self.tree, place, after), (gap,)
            yield (GAP,), (gap,)

    def _bar(self, place: int) -> KeyedExamples:
        parts, em = self.tree.parts[place], self.em[place]
        bar, over, under = (
            self.boxes[place],
            self.chain_boxes[parts[ABOVE]],
            self.chain_boxes[parts[BELOW]],
        )
        if not (bar and over and under):
            return
        middle = (bar.top + bar.bottom) / 2
        wide = max(bar.width, em)
        yield (
            (BAR,),
            (
                self.em[parts[ABOVE]] / em,
                (middle - over.bottom) / em,
                self.em[parts[BELOW]] / em,
                (under.top - middle) / em,
                (middle_x(over) - middle_x(bar)) / wide,
                (middle_x(under) - middle_x(bar)) / wide,
                (bar.width - max(over.width, under.width)) / em,
            ),
        )

    def _root(self, place: int) -> KeyedExamples:
        part, em = self.tree.parts[place][INSIDE], self.em[place]
        root, content = self.boxes[place], self.chain_boxes[part]
        if not (root and content):
            return
        yield (
            (ROOT,),
            (
                self.em[part] / em,
                (content.left - root.left) / em,
                (content.top - root.top) / em,
                (root.right - content.right) / em,
                (root.bottom - content.bottom) / em,
            ),
        )

    def _index(self, place: int) -> KeyedExamples:
        parts, em = self.tree.parts[place], self.em[place]
        root, index = self.boxes[place], self.chain_boxes[parts[UPPER_LEFT]]
        content = self.chain_boxes[parts[INSIDE]]
        if not (root and index and content):
            return
        yield (
            (INDEX,),
            (
                self.em[parts[UPPER_LEFT]] / em,
                (index.right - content.left) / em,
                (index.bottom - root.top) / max(root.height, 1.0),
            ),
        )

    def _script(self, relation: Relation, place: int, part: int) -> KeyedExamples:
        names, em = self.tree.names, self.em[place]
        name = names[place]
        base = self.subtree_boxes[place] if name == FRACTION else self.boxes[place]
        box = self.chain_boxes[part]
        if not (base and box):
            return
        beside = relation in (SUB, SUP)
        yield (
            script_key(relation, name, names[part], self.distinct_superscripts),
            (
                self.em[part] / em,
                (box.left - base.right if beside else middle_x(box) - middle_x(base)) / em,
                (box.bottom - base.top if relation in (SUP, ABOVE) else box.top - base.bottom) / em,
            ),
        )

    def _fences(self, chain: Sequence[int]) -> KeyedExamples:
        em = self.em[chain[0]]
        for start, end in fence_pairs([self.tree.names[place] for place in chain]):
            inside = chain[start + 1 : end]
            inner = [box for place in inside if (box := self.subtree_boxes[place])]
            if not inner or len(inner) < len(inside):
                continue
            top, bottom = min(box.top for box in inner), max(box.bottom for box in inner)
            key = (FENCE, self.config.fence_class((bottom - top) / em))
            for fence in (self.boxes[chain[start]], self.boxes[chain[end]]):
                if fence:
                    yield key, ((fence.top - top) / em, (fence.bottom - bottom) / em)


def gap_key(tree: Outline, place: int, after: int) -> Key:
    """What the gap between two neighbours is an example of."""
    left = SCRIPTED if tree.parts[place] else spacing_class(tree.names[place])
    return (GAP, left, spacing_class(tree.names[after]))


def script_key(
    relation: Relation, parent: str, first: str, distinct_superscripts: frozenset[str] = PRIMES
) -> Key:
    """What a script is an example of; those that begin with a distinct superscript by themselves.

    Example: size; how far right of its symbol's right edge it begins (above and below: of its
    middle); how far below the symbol's top its bottom is (sub, below: its top, below the bottom).
    """
    return (relation.value, script_class(parent), first if first in distinct_superscripts else "")


def fence_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Which fences of a chain belong together, inner ones first."""
    pairs: list[tuple[int, int]] = []
    unclosed: list[int] = []
    for place, name in enumerate(names):
        if name in CLOSERS and unclosed and OPENERS[names[unclosed[-1]]] == name:
            pairs.append((unclosed.pop(), place))
        elif name in OPENERS:
            unclosed.append(place)
        elif name in CLOSERS:
            unclosed.clear()  # `[0, 1)` and the like: nothing is certain
    return pairs


def union(first: Box, second: Box) -> Box:
    return Box(
        min(first[0], second[0]),
        min(first[1], second[1]),
        max(first[2], second[2]),
        max(first[3], second[3]),
    )


def _union_if_known(first: Box | None, second: Box | None) -> Box | None:
    return union(first, second) if first and second else None


def middle_x(box: Box) -> float:
    return (box.left + box.right) / 2
