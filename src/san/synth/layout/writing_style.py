"""Writing style: how far apart, how small and how high each writer of ink puts things.

Design choices
- Nothing is reduced to a formula. What was measured on the page is kept, one example each, with all
  of its numbers together. A layout takes whole examples, so that what belongs together in a
  writer's style (small scripts that sit high) stays together.
- Examples of the same writer come first; where that writer has too few, those of all writers; and
  where there are none at all, those of what is most alike.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from san.grammar.tree import Relation
from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.config import WritingStyleConfig
from san.synth.layout.observations import FENCE, PRIMES, Example, Key, ObservedExpression

ALL_WRITERS = -1
"""In the place of a writer."""
WritersExample = tuple[int, Example]

_SUBSTITUTES: dict[Key, tuple[Key, ...]] = {
    ("sub",): (("sub", "tall", ""), ("sub", "small", "")),
    ("sup",): (("sup", "tall", ""), ("sup", "small", "")),
    ("above",): (("above", r"\sum", ""),),
    ("below",): (("below", r"\sum", ""), ("below", r"\lim", "")),
    (FENCE,): tuple((FENCE, height) for height in "123450"),
}
"""Of what there are no examples: what is most alike."""


class Style(Protocol):
    """What a layout asks for: examples, and more about the glyphs of roots."""

    root_contents: dict[int, tuple[float, float, float]]
    """Of each root's glyph: where its content began, and the content's width and height."""

    @property
    def distinct_superscripts(self) -> frozenset[str]:
        """Superscripts that are placed unlike others."""

    @property
    def subscript_depth(self) -> tuple[float, float]:
        """Em below the axis at least: a subscript's middle and its foot."""

    def examples(self, key: Key, writer: int, /) -> Sequence[Example]: ...


class WritingStyle:
    """Examples of ink, by what they are of and by writer."""

    distinct_superscripts = PRIMES

    def __init__(self, bank: GlyphBank, config: WritingStyleConfig) -> None:
        self.config = config
        self.subscript_depth = config.subscript_depth
        self.root_contents: dict[int, tuple[float, float, float]] = {}
        self._examples: dict[tuple[Key, int], Sequence[Example]] = {}
        self._substitutes: dict[Key, Sequence[Example]] = {}  # once they were asked for
        found: dict[Key, list[WritersExample]] = defaultdict(list)
        for written in bank.expressions:
            if not written.aligned:
                continue
            observed = ObservedExpression.of(bank, written)
            for key, example in observed.examples():
                found[key].append((written.writer, example))
            for place, parts in enumerate(observed.tree.parts):
                inside = parts.get(Relation.INSIDE)
                content = observed.chain_boxes[inside] if inside is not None else None
                if content:
                    em = observed.em[place]
                    size = (content.width / em, content.height / em)
                    self.root_contents[written.first + place] = (content.left, *size)
        for key, examples in found.items():
            self._keep(key, examples)

    def examples(self, key: Key, writer: int) -> Sequence[Example]:
        """Examples by one writer if there are enough, else by all; there is always at least one."""
        examples = self._examples.get((key, writer)) or self._examples.get((key, ALL_WRITERS))
        examples = examples or self._substitutes.get(key)
        if examples:
            return examples
        for alike in (key[:1], *_SUBSTITUTES.get(key[:1], ())):
            if substitutes := self._examples.get((alike, ALL_WRITERS)):
                self._substitutes[key] = substitutes
                return substitutes
        default: Example = getattr(self.config.defaults, key[0])
        return (default,)

    def known_examples(self, key: Key) -> Sequence[Example]:
        """All examples of this very thing."""
        return self._examples.get((key, ALL_WRITERS), ())

    def _keep(self, key: Key, examples: list[WritersExample]) -> None:
        by_writer: dict[int, list[Example]] = defaultdict(list)
        for writer, example in without_slips(examples, self.config):
            by_writer[writer].append(example)
            by_writer[ALL_WRITERS].append(example)
        for writer, kept in by_writer.items():
            if writer == ALL_WRITERS or len(kept) >= self.config.min_examples:
                self._examples[key, writer] = kept


def without_slips(
    examples: list[WritersExample], config: WritingStyleConfig
) -> list[WritersExample]:
    """Less the extremes of each number: slips of the pen or of alignment."""
    if len(examples) < config.trim_from:
        return examples
    values = np.array([example for _, example in examples])
    low, high = np.quantile(values, (config.trimmed, 1 - config.trimmed), axis=0)
    sound = ((values >= low) & (values <= high)).all(axis=1)
    return [example for example, fine in zip(examples, sound.tolist(), strict=True) if fine]
