"""The bank of written symbols: every glyph of the training ink, by name and by hand.

Design choices
- One flat array holds all points; a glyph is a range of it. The glyphs of one expression lie
  together in the order of its tree's walk, so the expression itself is a range, too.
- A glyph knows its box, and the em and the axis of the chain that it was written in: written
  anew it keeps its size and its height above the line, as that hand gave them to it.
- Whose hand wrote an expression is read from its id, as CROHME's collectors made them.
- Symbols that nobody wrote are made (`widen`) and stand behind all others. They are there for
  layouts; no written expression has one, and what the ink has is never made.
- Behind those stands what was harvested from photographs (`pupils`), by hand alone: who asks for
  no pupil's hand gets the ink of the corpus. Only symbols that it lacks are anybody's. Where the
  photographs are at hand as well, they tell how pupils space and stack (`seen`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from san.errors import SanError
from san.grammar.productions import MARKS, unfold
from san.grammar.tree import NOTHING, Expression
from san.ink.strokes import Box, Glyph, Ink, Points
from san.synth.glyphs.align import align
from san.synth.glyphs.blend_shapes import Shapes
from san.synth.glyphs.drawn import Piece
from san.synth.glyphs.photo_glyphs import rows_of, ruled
from san.synth.glyphs.widen import paper_of, widened
from san.synth.layout.measure import Chains, link_chains, measure
from san.synth.layout.outline import Outline, outline
from san.synth.photo.album import Album


class Samples(Protocol):
    """What is asked of a corpus: a `Pack`, or a `Copybook`."""

    ids: Sequence[str]

    def __len__(self) -> int: ...

    def tree(self, place: int) -> Expression: ...

    def ink(self, place: int) -> Ink | None: ...

    def glyphs(self, place: int) -> tuple[Glyph, ...]: ...


Through = Callable[[range], Iterable[int]]
"""The places of all samples, one by one: whoever waits can be shown how far it got."""

STRAY = NOTHING
"""Name of ink that belongs to no symbol, or to symbols that could not be told apart."""
NOBODY = -1
"""The hand of glyphs that were made."""
UNIT = 4.0
"""Units of ink in one of the ruled paper that made glyphs stand on."""
_FORMS = (
    re.compile(r"(?P<hand>.+?)(?:_sub_|-equation|-)\d+"),  # KAIST, HAMEX, MathBrush
    re.compile(r"\d+_(?P<hand>\w+)"),  # ExpressMatch
    re.compile(r"(?P<hand>\w+\d)\d"),  # MfrDB: files of the same ten are mostly of one hand
)


def hand_of(sample_id: str) -> str:
    """Whose writing a sample is; the id itself where it does not tell."""
    for form in _FORMS:
        if found := form.fullmatch(sample_id):
            return found["hand"]
    return sample_id


@dataclass(frozen=True, slots=True)
class Written:
    """An expression that somebody wrote: its tree, and its range of the bank's glyphs."""

    tree: Expression
    first: int
    last: int
    hand: int
    aligned: bool
    outline: Outline
    steps: tuple[int, ...]  # which steps of its tree write a symbol
    length: int  # how many steps there are


class Bank:
    """All glyphs; those of one expression in walk order, stray ink behind them."""

    def __init__(
        self,
        samples: Samples,
        through: Through = lambda places: places,
        harvest: Samples | None = None,
        album: Album | None = None,
    ) -> None:
        """`album`: the photographs that the harvest is from, and the places of their symbols."""
        self.album = album
        self.names: list[str] = []
        self.hand: list[int] = []
        self.written: list[Written] = []
        self.barred: set[str] = set()
        """Fingerprints of trees that no composer of this bank may make, whoever told it of them."""
        self._hands: dict[str, int] = {}
        self._strokes: list[Points] = []
        self._counts: list[int] = []  # strokes of each glyph
        for place in through(range(len(samples))):
            self._add(samples, place)
        if not self._strokes:
            raise SanError("there is no ink to compose from")
        self._flatten()
        self._size()
        self._index()
        self.made: dict[str, list[list[int]]] = {}
        """Of each symbol that nobody wrote: its glyphs, by who might have written them."""
        self._widen()
        self.pupils: list[int] = []
        """The hands of photographs."""
        self.pupil_of: dict[str, int] = {}
        """The same by the photograph's id."""
        if harvest is not None:
            self._take_in(harvest)

    def knows(self, hand: int, names: Iterable[str]) -> int:
        """How many of these symbols a hand wrote."""
        return sum((name, hand) in self.of_hand for name in names)

    def by_one_hand(self, name: str, glyph: int) -> list[int]:
        """What the hand of this glyph wrote of its name: who writes it twice writes it alike."""
        return self.of_hand.get((name, self.hand[glyph])) or [glyph]

    @cached_property
    def shapes(self) -> Shapes:
        """For blending; made when somebody first blends."""
        return Shapes(self)

    def _add(self, samples: Samples, place: int) -> None:
        ink = samples.ink(place)
        if ink is None:
            return
        tree = samples.tree(place)
        glyphs = samples.glyphs(place)
        hand = self._hands.setdefault(hand_of(samples.ids[place]), len(self._hands))
        shape = outline(tree)
        found = align(shape, [own.label for own in glyphs], [own.box for own in glyphs])
        first = len(self.names)
        used: set[int] = set()
        for name, numbers in zip(shape.names, found, strict=True) if found else ():
            strokes = [stroke for number in numbers for stroke in glyphs[number].strokes]
            used.update(strokes)
            self._put(name, hand, [ink.strokes[stroke] for stroke in strokes])
        rest = [own for number, own in enumerate(ink.strokes) if number not in used]
        if rest:
            self._put(STRAY, hand, rest)
        steps = unfold(tree)
        self.written.append(
            Written(
                tree,
                first,
                len(self.names),
                hand,
                found is not None,
                shape,
                tuple(number for number, step in enumerate(steps) if step.target not in MARKS),
                len(steps),
            )
        )

    def _put(self, name: str, hand: int, strokes: list[Points]) -> None:
        self.names.append(name)
        self.hand.append(hand)
        self._strokes += strokes
        self._counts.append(len(strokes))

    def _flatten(self) -> None:
        lengths = np.array([len(stroke) for stroke in self._strokes])
        self.points = np.concatenate(self._strokes)
        ends = np.concatenate(([0], np.cumsum(lengths)))
        stroke_ends = np.concatenate(([0], np.cumsum(self._counts)))
        self.lengths = lengths
        self.stroke_ends: list[int] = stroke_ends.tolist()
        self.ends: list[int] = ends[stroke_ends].tolist()
        # Of each glyph: left, top, right, bottom; once for all at a time, once for one by one.
        self.boxes = _boxes(self.points, ends[stroke_ends[:-1]])
        self.box = [Box(*row) for row in self.boxes.tolist()]
        del self._strokes

    def _size(self) -> None:
        """Fit em and axis of all chains, see `measure`."""
        known = [own for own in self.written if own.aligned]
        index = np.array(
            [own.first + place for own in known for place in range(len(own.outline))], np.intp
        )
        name, of_chain, parent, relation = link_chains(own.outline for own in known)
        fitted = measure(Chains(name, of_chain, self.boxes[index], parent, relation))
        em = np.ones(len(self.names))
        axis = self.boxes[:, 1::2].mean(axis=1)
        strange = np.ones(len(self.names), bool)
        em[index], axis[index], strange[index] = fitted.em[of_chain], fitted.axis, fitted.outlier
        self.em: list[float] = em.tolist()
        self.axis: list[float] = axis.tolist()
        self.strange: list[bool] = strange.tolist()

    def _index(self) -> None:
        self.of_name: dict[str, list[int]] = {}
        self.of_hand: dict[tuple[str, int], list[int]] = {}
        for number, (name, hand) in enumerate(zip(self.names, self.hand, strict=True)):
            if name != STRAY and not self.strange[number]:
                self.of_name.setdefault(name, []).append(number)
                self.of_hand.setdefault((name, hand), []).append(number)

    def _widen(self) -> None:
        """Put what can be made behind what was written."""
        paper = paper_of(self)
        glyphs: list[Piece] = []
        first = len(self.names)
        for name, groups in widened(self, paper).items():
            self.made[name] = []
            for group in groups:
                start = first + len(glyphs)
                glyphs += [(piece * np.float32(UNIT), strokes) for piece, strokes in group]
                self.made[name].append(list(range(start, start + len(group))))
                self.names += [name] * len(group)
            self.of_name[name] = [glyph for group in self.made[name] for glyph in group]
        self.hand += [NOBODY] * len(glyphs)
        self.em += [paper.em * UNIT] * len(glyphs)
        self.axis += [paper.axis * UNIT] * len(glyphs)
        self._behind(glyphs)

    def _take_in(self, harvest: Samples) -> None:
        """Put what was harvested behind all that."""
        rows = rows_of(harvest)
        paper = ruled(self, rows)
        glyphs: list[Piece] = []
        for photograph, row in zip(harvest.ids, rows, strict=True):
            hand = len(self._hands) + len(self.pupils)
            self.pupils.append(hand)
            self.pupil_of[photograph] = hand
            own: dict[str, list[int]] = {}
            for name, strokes in zip(row.names, row.strokes, strict=True):
                own.setdefault(name, []).append(len(self.names))
                self.names.append(name)
                glyphs.append((np.concatenate(strokes), [len(stroke) for stroke in strokes]))
            count = len(row.names)
            self.hand += [hand] * count
            self.em += [row.em * paper.em] * count
            self.axis += [row.axis + row.em * paper.axis] * count
            for name, found in own.items():
                self.of_hand[name, hand] = found
                if name in self.made or name not in self.of_name:
                    self.made.setdefault(name, []).append(found)
                    self.of_name.setdefault(name, []).extend(found)
        self._behind(glyphs)

    def _behind(self, glyphs: list[Piece]) -> None:
        """The ink of more glyphs; their names, hands and sizes are there already."""
        if not glyphs:
            return
        sizes = np.array([len(points) for points, _ in glyphs])
        ends = np.cumsum(sizes)
        together = np.concatenate([points for points, _ in glyphs])
        boxes = _boxes(together, ends - sizes)
        counts = [len(strokes) for _, strokes in glyphs]
        self.ends += (ends + len(self.points)).tolist()
        self.stroke_ends += (np.cumsum(counts) + len(self.lengths)).tolist()
        self.points = np.concatenate((self.points, together))
        lengths = [length for _, strokes in glyphs for length in strokes]
        self.lengths = np.concatenate((self.lengths, lengths))
        self.boxes = np.concatenate((self.boxes, boxes))
        self.box += [Box(*row) for row in boxes.tolist()]
        self.strange += [False] * len(glyphs)


def _boxes(points: Points, starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """The boxes of glyphs that begin at these places among the points."""
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    return np.concatenate((low, high), axis=1).astype(np.float64)
