"""The manner of pupils: how far apart, how small and how high those of photographs put things.

Design choices
- Their own examples (`seen`), where there are enough of a kind; a pupil's own before all others',
  as for hands of ink (`manner`).
- A photograph has a few gaps of each kind at most. So others' serve as well, but of those who write
  about as tightly: all gaps of an expression are wide, or narrow, or touch.
- Symbols that touch have no places: for neighbours `seen` makes up for that, for fractions it is
  done here.
- What pupils hardly wrote is taken from tablets' ink, moved by what the two differ in where both
  can be compared.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from math import log
from operator import add
from typing import overload

import numpy as np

from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.observe import BAR, GAP, RINGS, Example, Key
from san.synth.layout.photo_observe import seen
from san.synth.layout.writing_style import ALL, ENOUGH, Manner, trimmed
from san.synth.sources import LabelledPhotos

PLENTY = 12
"""Examples of a kind that stand for all pupils'."""
NEAR = 0.3
"""Of all examples of a gap: those by hands that write as tightly."""
ROOM = 0.25
"""Em, added to a gap before it is compared with another: gaps may be less than nothing."""
DOUBT = 3
"""Gaps that a pupil's are as likely usual as they seem: fewer tell of chance."""
OVER, UNDER = 4, 10
"""To so many numerators, or denominators, that keep off their bar one more touches it than comes to
by chance. What touches has no place, and a bar and its parts only make an example together."""


class School:
    """Examples by what they are of and by pupil."""

    def __init__(self, bank: GlyphBank, album: LabelledPhotos, manner: Manner) -> None:
        self.manner = manner
        seen_by: dict[Key, list[tuple[int, Example]]] = defaultdict(list)
        for hand, key, example in seen(bank, album):
            seen_by[key].append((hand, example))
        found = {key: trimmed(own) for key, own in seen_by.items()}
        found[BAR,] = _on_bars(found.get((BAR,), []))
        self._level = _levels(found)
        self._asked: dict[tuple[Key, int], Sequence[Example]] = {}
        self._own = _by_hand(found)
        self._all: dict[Key, list[Example]] = {}
        self._ranks: dict[Key, list[float]] = {}  # of gaps: how tightly their writers write
        for key, examples in found.items():
            if len(examples) >= PLENTY:
                ranked = sorted(examples, key=lambda own: self._level.get(own[0], 0.0))
                self._all[key] = [example for _, example in ranked]
                if key[0] == GAP:
                    self._ranks[key] = [self._level.get(hand, 0.0) for hand, _ in ranked]
        self._moved = self._differences()

    def pupil(self, hand: int) -> "Pupil":
        return Pupil(self, hand)

    def of(self, key: Key, hand: int) -> Sequence[Example]:
        """Examples of a thing by a pupil or by his like; there is always at least one."""
        if own := self._own.get((key, hand)):
            return own
        if key in self._ranks:
            return self._alike(key, hand)
        if len(key) == 3 and key[2] in RINGS and key not in self._all:
            key = (key[0], "tall", key[2])  # a ring stands on a letter as it does on a digit
        return self._all.get(key) or self._others(key)

    def _alike(self, key: Key, hand: int) -> Sequence[Example]:
        """Gaps of those who write about as tightly as a pupil."""
        if (kept := self._asked.get((key, hand))) is None:
            examples, ranks = self._all[key], self._ranks[key]
            count = max(PLENTY, round(NEAR * len(examples)))
            place = bisect_left(ranks, self._level.get(hand, 0.0))
            start = min(max(place - count // 2, 0), len(examples) - count)
            kept = self._asked[key, hand] = examples[start : start + count]
        return kept

    def _others(self, key: Key) -> Sequence[Example]:
        """What tablets' ink has, moved."""
        theirs = self.manner.of(key, ALL)
        return Moved(theirs, self._moved[key[0]]) if key[0] in self._moved else theirs

    def _differences(self) -> dict[str, Example]:
        """Of each kind of thing: by how much pupils' examples are more than tablets'."""
        found: dict[str, list[tuple[int, Example]]] = defaultdict(list)
        for key, examples in self._all.items():
            theirs = self.manner.known(key)
            if len(key) > 1 and len(theirs) >= PLENTY:
                moved = np.median(np.array(examples), axis=0) - np.median(np.array(theirs), axis=0)
                found[key[0]].append((len(examples), tuple(moved.tolist())))
        moves = {}
        for kind, rows in found.items():
            counts, values = [row[0] for row in rows], np.array([row[1] for row in rows])
            moves[kind] = tuple(np.average(values, axis=0, weights=counts).tolist())
        return moves


class Moved(Sequence[Example]):
    """Examples that are moved when they are asked for: there are thousands, and one is wanted."""

    def __init__(self, examples: Sequence[Example], by: Example) -> None:
        self.examples, self.by = examples, by

    def __len__(self) -> int:
        return len(self.examples)

    @overload
    def __getitem__(self, place: int) -> Example: ...
    @overload
    def __getitem__(self, place: slice) -> "Moved": ...
    def __getitem__(self, place: int | slice) -> "Example | Moved":
        if isinstance(place, slice):
            return Moved(self.examples[place], self.by)
        return tuple(map(add, self.examples[place], self.by))


class Pupil:
    """How one of them does it; asked as a `Manner` is."""

    apart = RINGS
    low = (0.1, 0.33)  # as all but a few in a hundred of photographs'

    def __init__(self, school: School, hand: int) -> None:
        self.roots = school.manner.roots
        self._school, self._hand = school, hand

    def of(self, key: Key, _hand: int) -> Sequence[Example]:
        """Whatever hand of ink helps out."""
        return self._school.of(key, self._hand)


def _by_hand(
    found: dict[Key, list[tuple[int, Example]]],
) -> dict[tuple[Key, int], list[Example]]:
    """What a pupil did often enough."""
    own: dict[tuple[Key, int], list[Example]] = defaultdict(list)
    for key, examples in found.items():
        for hand, example in examples:
            own[key, hand].append(example)
    return {asked: examples for asked, examples in own.items() if len(examples) >= ENOUGH}


def _on_bars(found: list[tuple[int, Example]]) -> list[tuple[int, Example]]:
    """With some numerators and denominators that touch their bar."""
    touching = []
    for every, gap in ((OVER, 1), (UNDER, 3)):
        for hand, example in found[::every]:
            touching.append((hand, (*example[:gap], 0.0, *example[gap + 1 :])))
    return found + touching


def _levels(found: dict[Key, list[tuple[int, Example]]]) -> dict[int, float]:
    """Of each pupil: how wide gaps are beside what is usual for their kinds, as a logarithm."""
    rest: dict[int, list[float]] = defaultdict(list)
    for key, examples in found.items():
        if key[0] == GAP and len(key) > 1:
            usual = _wide(float(np.median([example[0] for _, example in examples])))
            for hand, (gap,) in examples:
                rest[hand].append(_wide(gap) - usual)
    return {hand: sum(own) / (len(own) + DOUBT) for hand, own in rest.items()}


def _wide(gap: float) -> float:
    return log(max(gap + ROOM, ROOM / 5))
