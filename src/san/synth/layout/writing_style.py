"""Writing style: how far apart, how small and how high things are put, in ink and on photographs.

Design choices
- Nothing is reduced to a formula. What was measured on the page is kept, one example each, with all
  of its numbers together. A layout takes whole examples, so that what belongs together in a
  writer's style (small scripts that sit high) stays together.
- Examples of the same writer come first; where that writer has too few, those of all writers; and
  where there are none at all, those of what is most alike.
- A photograph has a few gaps of each kind at most. So others' serve as well, but of those who write
  about as tightly: all gaps of an expression are wide, or narrow, or touch.
- Symbols of photographs that touch have no mask: for neighbours `photo_observations` makes up for
  that, for fractions it is done here.
- Of what there are too few examples on photographs those of ink are taken, shifted by what the two
  differ in where both can be compared.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from math import log
from operator import add
from typing import Protocol, overload

import numpy as np

from san.grammar.tree import Relation
from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.config import PhotoWritingStyleConfig, WritingStyleConfig
from san.synth.layout.observations import (
    BAR,
    FENCE,
    GAP,
    PRIMES,
    PRIMES_AND_DEGREES,
    Example,
    Key,
    ObservedExpression,
)
from san.synth.layout.photo_observations import photo_examples
from san.synth.samples import LabelledPhotos

ALL_WRITERS = -1
"""In the place of a writer."""
WritersExample = tuple[int, Example]

_SUBSTITUTES: dict[Key, tuple[Key, ...]] = {
    ("sub",): (("sub", "tall", ""), ("sub", "small", "")),
    ("sup",): (("sup", "tall", ""), ("sup", "small", "")),
    ("above",): (("above", r"\sum", ""),),
    ("below",): (("below", r"\sum", ""), ("below", r"\lim", "")),
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

    def fence_class(self, height: float, /) -> str:
        """Which examples of fences are for contents of this height."""

    def examples(self, key: Key, writer: int, /) -> Sequence[Example]: ...


class WritingStyle:
    """Examples of ink, by what they are of and by writer."""

    distinct_superscripts = PRIMES

    def __init__(self, bank: GlyphBank, config: WritingStyleConfig) -> None:
        self.config = config
        self.subscript_depth, self.fence_class = config.subscript_depth, config.fence_class
        self.root_contents: dict[int, tuple[float, float, float]] = {}
        heights = (*range(1, config.max_fence_class + 1), 0)
        self._alike = {**_SUBSTITUTES, (FENCE,): tuple((FENCE, str(height)) for height in heights)}
        self._examples: dict[tuple[Key, int], Sequence[Example]] = {}
        self._substitutes: dict[Key, Sequence[Example]] = {}  # once they were asked for
        by_key: dict[Key, list[WritersExample]] = defaultdict(list)
        for written in bank.expressions:
            if not written.aligned:
                continue
            observed = ObservedExpression.of(bank, written, config)
            for key, example in observed.examples():
                by_key[key].append((written.writer, example))
            for place, parts in enumerate(observed.tree.parts):
                inside = parts.get(Relation.INSIDE)
                content = observed.chain_boxes[inside] if inside is not None else None
                if content:
                    em = observed.em[place]
                    size = (content.width / em, content.height / em)
                    self.root_contents[written.first + place] = (content.left, *size)
        for key, examples in by_key.items():
            self._keep(key, examples)

    def examples(self, key: Key, writer: int) -> Sequence[Example]:
        """Examples by one writer if there are enough, else by all; there is always at least one."""
        examples = self._examples.get((key, writer)) or self._examples.get((key, ALL_WRITERS))
        examples = examples or self._substitutes.get(key)
        if examples:
            return examples
        for alike in (key[:1], *self._alike.get(key[:1], ())):
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


class PhotoStyles:
    """Examples of photographs, by what they are of and by writer."""

    def __init__(
        self,
        bank: GlyphBank,
        photographs: LabelledPhotos,
        ink_style: WritingStyle,
        config: PhotoWritingStyleConfig,
    ) -> None:
        self.config, self.ink_style = config, ink_style
        by_key: dict[Key, list[WritersExample]] = defaultdict(list)
        for writer, key, example in photo_examples(bank, photographs, config, ink_style.config):
            by_key[key].append((writer, example))
        by_key = {key: without_slips(some, ink_style.config) for key, some in by_key.items()}
        by_key[BAR,] = _with_touching_bars(by_key.get((BAR,), []), config)
        self._width = _relative_widths(by_key, config)
        self._of_writer = _by_writer(by_key, config.min_examples)
        self._of_similar: dict[tuple[Key, int], Sequence[Example]] = {}  # once they were asked for
        self._of_all: dict[Key, list[Example]] = {}
        self._ranks: dict[Key, list[float]] = {}  # of gaps: how wide their writers' gaps are
        for key, examples in by_key.items():
            if len(examples) >= config.min_all_examples:
                ranked = sorted(examples, key=lambda example: self._width.get(example[0], 0.0))
                self._of_all[key] = [example for _, example in ranked]
                if key[0] == GAP:
                    self._ranks[key] = [self._width.get(writer, 0.0) for writer, _ in ranked]
        self._shifts = self._ink_shifts()

    def of_writer(self, writer: int) -> "PhotoStyle":
        return PhotoStyle(self, writer)

    def examples(self, key: Key, writer: int) -> Sequence[Example]:
        """Examples by a writer or by similar ones; there is always at least one."""
        if examples := self._of_writer.get((key, writer)):
            return examples
        if key in self._ranks:
            return self._similar_gaps(key, writer)
        if len(key) == 3 and key[2] in PRIMES_AND_DEGREES and key not in self._of_all:
            key = (key[0], "tall", key[2])  # a degree stands on a letter as it does on a digit
        return self._of_all.get(key) or self._of_ink(key)

    def _similar_gaps(self, key: Key, writer: int) -> Sequence[Example]:
        """Gaps of those who write about as tightly as a writer."""
        if (kept := self._of_similar.get((key, writer))) is None:
            config = self.config
            examples, ranks = self._of_all[key], self._ranks[key]
            count = max(config.min_all_examples, round(config.similar_share * len(examples)))
            place = bisect_left(ranks, self._width.get(writer, 0.0))
            start = min(max(place - count // 2, 0), len(examples) - count)
            kept = self._of_similar[key, writer] = examples[start : start + count]
        return kept

    def _of_ink(self, key: Key) -> Sequence[Example]:
        """Examples of ink, shifted."""
        examples = self.ink_style.examples(key, ALL_WRITERS)
        shift = self._shifts.get(key[0])
        return examples if shift is None else ShiftedExamples(examples, shift)

    def _ink_shifts(self) -> dict[str, Example]:
        """Of each kind of thing: by how much examples of photographs are more than those of ink."""
        by_kind: dict[str, list[tuple[int, Example]]] = defaultdict(list)
        for key, examples in self._of_all.items():
            ink = self.ink_style.known_examples(key)
            if len(key) > 1 and len(ink) >= self.config.min_all_examples:
                shift = np.median(np.array(examples), axis=0) - np.median(np.array(ink), axis=0)
                by_kind[key[0]].append((len(examples), tuple(shift.tolist())))
        shifts = {}
        for kind, rows in by_kind.items():
            counts, values = [row[0] for row in rows], np.array([row[1] for row in rows])
            shifts[kind] = tuple(np.average(values, axis=0, weights=counts).tolist())
        return shifts


class ShiftedExamples(Sequence[Example]):
    """Examples shifted when they are asked for: there are thousands, and one is wanted."""

    def __init__(self, examples: Sequence[Example], shift: Example) -> None:
        self.examples, self.shift = examples, shift

    def __len__(self) -> int:
        return len(self.examples)

    @overload
    def __getitem__(self, place: int) -> Example: ...
    @overload
    def __getitem__(self, place: slice) -> "ShiftedExamples": ...
    def __getitem__(self, place: int | slice) -> "Example | ShiftedExamples":
        if isinstance(place, slice):
            return ShiftedExamples(self.examples[place], self.shift)
        return tuple(map(add, self.examples[place], self.shift))


class PhotoStyle:
    """The style of one writer of a photograph; a `Style`."""

    distinct_superscripts = PRIMES_AND_DEGREES

    def __init__(self, styles: PhotoStyles, writer: int) -> None:
        self.root_contents = styles.ink_style.root_contents
        self.subscript_depth = styles.config.subscript_depth
        self.fence_class = styles.ink_style.fence_class
        self._styles, self._writer = styles, writer

    def examples(self, key: Key, _ink_writer: int) -> Sequence[Example]:
        """This writer's, whoever wrote the glyphs of ink in the expression."""
        return self._styles.examples(key, self._writer)


def _by_writer(
    by_key: dict[Key, list[WritersExample]], min_examples: int
) -> dict[tuple[Key, int], list[Example]]:
    """What a writer did often enough."""
    by_writer: dict[tuple[Key, int], list[Example]] = defaultdict(list)
    for key, examples in by_key.items():
        for writer, example in examples:
            by_writer[key, writer].append(example)
    return {key: examples for key, examples in by_writer.items() if len(examples) >= min_examples}


def _with_touching_bars(
    bars: list[WritersExample], config: PhotoWritingStyleConfig
) -> list[WritersExample]:
    """With some numerators and denominators that touch their bar.

    What touches has no mask, and a bar and its parts only make an example together; so more touch
    than chance would give.
    """
    touching = []
    for every, gap in ((config.numerator_touch_every, 1), (config.denominator_touch_every, 3)):
        for writer, example in bars[::every]:
            touching.append((writer, (*example[:gap], 0.0, *example[gap + 1 :])))
    return bars + touching


def _relative_widths(
    by_key: dict[Key, list[WritersExample]], config: PhotoWritingStyleConfig
) -> dict[int, float]:
    """Of each writer: how wide gaps are beside what is usual for their kinds, as a logarithm."""
    offset = config.gap_offset  # gaps may be less than nothing

    def log_width(gap: float) -> float:
        return log(max(gap + offset, config.min_offset_gap * offset))

    excess: dict[int, list[float]] = defaultdict(list)
    for key, examples in by_key.items():
        if key[0] == GAP and len(key) > 1:
            usual = log_width(float(np.median([example[0] for _, example in examples])))
            for writer, (gap,) in examples:
                excess[writer].append(log_width(gap) - usual)
    return {
        writer: sum(widths) / (len(widths) + config.prior_gaps) for writer, widths in excess.items()
    }
