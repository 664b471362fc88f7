"""The manner of writing: how far apart, how small and how high each hand puts things.

Design choices
- Nothing is reduced to a formula. What was measured on the page is kept, one example each, with all
  of its numbers together, and sorted by what it is an example of. A layout takes whole examples, so
  that what belongs together in a hand (small scripts that sit high) stays together.
- Examples of the same hand come first; where that hand never wrote such a thing, all hands' serve;
  and where nobody ever did, what comes nearest.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from san.grammar.tree import Relation
from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.observe import BAR, FENCE, GAP, INDEX, PRIMES, ROOT, Example, Key, Observation

ALL = -1
"""In the place of a hand: all of them."""
ENOUGH = 3
"""So many examples show a hand's own manner."""
TRIM = 0.02
"""At both ends of each number, so many examples are taken for slips of the pen or of alignment."""
FEW = 20
"""Of fewer examples none is dropped."""

_NEAR: dict[Key, tuple[Key, ...]] = {
    ("sub",): (("sub", "tall", ""), ("sub", "small", "")),
    ("sup",): (("sup", "tall", ""), ("sup", "small", "")),
    ("above",): (("above", r"\sum", ""),),
    ("below",): (("below", r"\sum", ""), ("below", r"\lim", "")),
    (FENCE,): tuple((FENCE, height) for height in "123450"),
}
"""Where to look where nobody ever wrote such a thing."""
_PLAIN: dict[str, Example] = {
    GAP: (0.3,),
    BAR: (0.8, 0.25, 0.8, 0.25, 0.0, 0.0, 0.3),
    ROOT: (0.85, 0.8, 0.4, 0.2, 0.05),
    INDEX: (0.5, -0.5, 0.4),
    FENCE: (-0.15, 0.15),
    "sub": (0.6, 0.1, -0.25),
    "sup": (0.6, 0.1, 0.1),
    "above": (0.6, 0.0, -0.2),
    "below": (0.6, 0.0, 0.2),
}
"""What CROHME's hands do in the middle: for ink that shows nothing of the kind at all."""


class Ways(Protocol):
    """What a layout asks for: examples of a hand's, and more about the glyphs of roots."""

    roots: dict[int, tuple[float, float, float]]
    """Of each root's glyph: where its content began, and the content's width and height."""

    @property
    def apart(self) -> frozenset[str]:
        """Superscripts that are put unlike others."""

    @property
    def low(self) -> tuple[float, float]:
        """Em below the axis that a subscript's middle and its foot keep."""

    def of(self, key: Key, hand: int, /) -> Sequence[Example]: ...


class Manner:
    """Examples by what they are of and by hand."""

    apart = PRIMES
    low = (0.12, 0.36)  # as all but a few in a hundred of CROHME's

    def __init__(self, bank: GlyphBank) -> None:
        self.roots: dict[int, tuple[float, float, float]] = {}
        self._examples: dict[tuple[Key, int], Sequence[Example]] = {}
        self._nearest: dict[Key, Sequence[Example]] = {}  # of what nobody wrote, once asked for
        found: dict[Key, list[tuple[int, Example]]] = defaultdict(list)
        for written in bank.expressions:
            if not written.aligned:
                continue
            seen = Observation.of(bank, written)
            for key, example in seen.all():
                found[key].append((written.writer, example))
            for place, parts in enumerate(seen.tree.parts):
                content = seen.reach[parts[Relation.INSIDE]] if Relation.INSIDE in parts else None
                if content:
                    em = seen.em[place]
                    size = (content.width / em, content.height / em)
                    self.roots[written.first + place] = (content.left, *size)
        for key, examples in found.items():
            self._keep(key, examples)

    def of(self, key: Key, hand: int) -> Sequence[Example]:
        """Examples of a thing by one hand if it left any; there is always at least one."""
        own = self._examples.get((key, hand)) or self._examples.get((key, ALL))
        own = own or self._nearest.get(key)
        if own:
            return own
        for near in (key[:1], *_NEAR.get(key[:1], ())):
            if found := self._examples.get((near, ALL)):
                self._nearest[key] = found
                return found
        return (_PLAIN[key[0]],)

    def known(self, key: Key) -> Sequence[Example]:
        """All examples of this very thing."""
        return self._examples.get((key, ALL), ())

    def _keep(self, key: Key, found: list[tuple[int, Example]]) -> None:
        by_hand: dict[int, list[Example]] = defaultdict(list)
        for hand, example in trimmed(found):
            by_hand[hand].append(example)
            by_hand[ALL].append(example)
        for hand, examples in by_hand.items():
            if hand == ALL or len(examples) >= ENOUGH:
                self._examples[key, hand] = examples


def trimmed(found: list[tuple[int, Example]]) -> list[tuple[int, Example]]:
    """Less slips of the pen or of alignment."""
    if len(found) < FEW:
        return found
    values = np.array([example for _, example in found])
    low, high = np.quantile(values, (TRIM, 1 - TRIM), axis=0)
    sound = ((values >= low) & (values <= high)).all(axis=1)
    return [own for own, fine in zip(found, sound.tolist(), strict=True) if fine]
