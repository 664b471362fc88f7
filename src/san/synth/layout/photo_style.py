"""Writing style of photographs: how far apart, how small and how high their writers put things.

Design choices
- A writer's own examples (`photo_observations`) come first, where there are enough of a kind, then
  those of all writers of photographs.
- A photograph has a few gaps of each kind at most. So others' serve as well, but of those who write
  about as tightly: all gaps of an expression are wide, or narrow, or touch.
- Symbols that touch have no mask: for neighbours `photo_observations` makes up for that, for
  fractions it is done here.
- Of what there are too few examples on photographs those of ink are taken, shifted by what the two
  differ in where both can be compared.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from math import log
from operator import add
from typing import overload

import numpy as np

from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.config import PhotoWritingStyleConfig
from san.synth.layout.observations import BAR, GAP, PRIMES_AND_DEGREES, Example, Key
from san.synth.layout.photo_observations import photo_examples
from san.synth.layout.writing_style import (
    ALL_WRITERS,
    WritersExample,
    WritingStyle,
    without_slips,
)
from san.synth.sources import LabelledPhotos


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
        for writer, key, example in photo_examples(bank, photographs, config):
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
        found: dict[str, list[tuple[int, Example]]] = defaultdict(list)
        for key, examples in self._of_all.items():
            ink = self.ink_style.known_examples(key)
            if len(key) > 1 and len(ink) >= self.config.min_all_examples:
                shift = np.median(np.array(examples), axis=0) - np.median(np.array(ink), axis=0)
                found[key[0]].append((len(examples), tuple(shift.tolist())))
        shifts = {}
        for kind, rows in found.items():
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
        return log(max(gap + offset, offset / 5))

    excess: dict[int, list[float]] = defaultdict(list)
    for key, examples in by_key.items():
        if key[0] == GAP and len(key) > 1:
            usual = log_width(float(np.median([example[0] for _, example in examples])))
            for writer, (gap,) in examples:
                excess[writer].append(log_width(gap) - usual)
    return {
        writer: sum(widths) / (len(widths) + config.prior_gaps) for writer, widths in excess.items()
    }
