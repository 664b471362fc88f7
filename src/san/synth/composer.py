"""Composes expressions for training, with the box of every symbol.

    composer = Composer(Pack.load("packs/crohme-train.npz"), formulas)
    picture, tree, boxes = composer.sample(np.random.default_rng(7))

Design choices
- Six ways: written ink, written ink with symbols exchanged, two expressions joined, and whole
  formulas laid out anew, from text, grafted from written trees or invented. The shares and all
  ranges are one dataclass, `ComposerConfig`.
- The same seed gives the same expression; there is no other source of chance, and no state.
- A tree that nobody wrote is checked against the fingerprints of the tests' labels, which come with
  the formulas, and never composed if it is one of them. The bank keeps them, so
  that a second composer on it excludes them as well.
- Needs numpy and OpenCV alone: it runs where a network is trained.
"""

import re
from bisect import bisect
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from san.errors import SanError
from san.grammar import Expression, parse
from san.grammar.constructs import MATRIX
from san.grammar.grids import INKLESS, written_names
from san.grammar.productions import MARKS, unfold
from san.synth.config import ComposerConfig
from san.synth.formulas.decimal_commas import with_decimal_commas
from san.synth.formulas.invent import Inventor
from san.synth.formulas.invent_lines import LineInventor
from san.synth.formulas.text import is_excluded, split
from san.synth.glyphs.bank import GlyphBank, WrittenExpression
from san.synth.glyphs.blend import Blend, Blender
from san.synth.glyphs.build import build_bank
from san.synth.layout.place import Layout
from san.synth.layout.writer import ExpressionWriter
from san.synth.layout.writing_style import PhotoStyles, Style, WritingStyle
from san.synth.random_stream import RandomStream
from san.synth.samples import InkSample, InkSamples, SynthSample, boxes_of_steps
from san.synth.variation.distort import distort, draw_distorted
from san.synth.variation.exchange import (
    BranchPool,
    exchange_symbols,
    join_expressions,
    rename,
    similar_names,
)
from san.synth.variation.page import InkPage, copy_written, write_glyphs

MAX_ASKED_SYMBOLS = 150
"""Of a formula that is asked for. No knob: more may nest deeper than Python's stack."""
SYMBOL = re.compile(r"\\(?:[A-Za-z]+|.)|[^\s{}^_]")
"""In the text of a formula: to parse tens of thousands takes too long."""
_UNWRITTEN = INKLESS.union(MARKS)


class _Composed(NamedTuple):
    """An expression before it is distorted and drawn."""

    page: InkPage
    tree: Expression
    writing: Sequence[int]  # the step that each symbol of the page is; none where nobody knows


class Composer:
    """Composes expressions from ink and from formulas.

    Args:
        ink: samples, or the glyph bank of another composer: building one takes seconds.
        formulas: canonical LaTeX; lines that begin with # are fingerprints of excluded trees.
        config: shares and ranges.
        blender: of another composer of the same bank, if there is one.
        inventor: invents formulas; by default single ones, of the bank's symbols.
    """

    def __init__(
        self,
        ink: InkSamples | GlyphBank,
        formulas: Sequence[str] = (),
        config: ComposerConfig | None = None,
        blender: Blender | None = None,
        inventor: LineInventor | None = None,
    ) -> None:
        self.config = config = config or ComposerConfig()
        self.composition = composition = config.composition
        self.bank = ink if isinstance(ink, GlyphBank) else build_bank(ink)
        self.blender = blender or Blender(self.bank, config.blend)
        self.formulas, excluded = split(formulas)
        self.bank.excluded |= excluded
        self._inventor: Inventor | LineInventor = inventor or Inventor(
            self.bank.names, config.invent
        )
        power = composition.ink_length_power
        weights = (max(len(written.steps), 1) ** power for written in self.bank.expressions)
        self._ink_weights = list(accumulate(weights))
        power = composition.formula_length_power
        self._formula_weights = list(
            accumulate(_count_symbols(text) ** power for text in self.formulas)
        )
        shares = {
            self._real: composition.real,
            self._varied: composition.varied,
            self._joined: composition.joined,
            self._from_text: composition.formula if self.formulas else 0.0,
            self._grafted: composition.grafted,
            self._invented: composition.invented if self._inventor.is_able else 0.0,
        }
        self._ways = [way for way, share in shares.items() if share > 0]
        if not self._ways:
            raise SanError("nothing to compose: formulas are wanted, and there are none")
        self._way_weights = list(accumulate(shares[way] for way in self._ways))

    @cached_property
    def style(self) -> WritingStyle:
        """Of the ink; made when the first formula is laid out."""
        return WritingStyle(self.bank, self.config.writing_style)

    @cached_property
    def photo_styles(self) -> PhotoStyles | None:
        """Of the writers of photographs, where the bank has those."""
        bank = self.bank
        if not (bank.photographs and bank.photo_writers):
            return None
        return PhotoStyles(bank, bank.photographs, self.style, self.config.photo_writing_style)

    @cached_property
    def _branches(self) -> BranchPool:
        return BranchPool(written.tree for written in self.bank.expressions)

    def sample(self, rng: np.random.Generator) -> SynthSample:
        """One expression, in one of the ways by their shares."""
        random = RandomStream(rng)
        return self._drawn(self._composed(random), random)

    def sample_ink(self, rng: np.random.Generator) -> InkSample:
        """The same as ink, with the symbol that each stroke is of."""
        random = RandomStream(rng)
        page, tree, writing = self._composed(random)
        page = distort(page, self.config.distortion, random)
        steps = unfold(tree)
        names = [steps[number].target for number in writing]
        owners = page.symbols_of_strokes().tolist()
        symbols = tuple(names[one] if 0 <= one < len(names) else "" for one in owners)
        return InkSample(page.ink(), tree, symbols, tuple(owners))

    def compose(self, tree: Expression, rng: np.random.Generator) -> SynthSample:
        """Write this very formula; SanError where the bank lacks a symbol of it."""
        if not 0 < len(tree) <= MAX_ASKED_SYMBOLS:
            raise SanError(
                f"a formula to compose has 1 to {MAX_ASKED_SYMBOLS} symbols, not {len(tree)}"
            )
        names = _names(tree)
        if not names:
            raise SanError("a formula to compose has symbols that are written: this one has none")
        for name in sorted(names - self.bank.by_name.keys()):
            what = name or "a script on nothing"
            raise SanError(f"nobody wrote {what}: the ink at hand does not have it")
        random = RandomStream(rng)
        return self._drawn(self._laid_out(tree, names, random), random)

    def random_formula(self, random: RandomStream) -> str:
        """One of the formulas; long ones more often, as configured."""
        if not self.formulas:
            raise SanError("there are no formulas to choose from")
        return self.formulas[_weighted(self._formula_weights, random)]

    def _composed(self, random: RandomStream) -> _Composed:
        compose = self._ways[_weighted(self._way_weights, random)]
        for _ in range(self.composition.attempts):
            if (composed := compose(random)) is not None:
                return composed
        return self._real(random)

    def _real(self, random: RandomStream) -> _Composed:
        written = self._written(random)
        return self._as_written(written, copy_written(self.bank, written), written.tree)

    def _varied(self, random: RandomStream) -> _Composed | None:
        written = self._written(random)
        if not written.aligned:
            return None
        page, tree = exchange_symbols(
            self.bank, written, self.config.exchange, random, self._blend(random)
        )
        if tree is not written.tree and self._is_excluded(tree):
            return None
        return self._as_written(written, page, tree)

    def _joined(self, random: RandomStream) -> _Composed | None:
        left, right = self._written(random), self._written(random)
        if not (left.aligned and right.aligned):
            return None
        if left.length + right.length > self.composition.max_steps:
            return None
        page, tree = join_expressions(
            self.bank, (left, right), self.config.exchange, random, self._blend(random)
        )
        return None if self._is_excluded(tree) else self._written_anew(page, tree)

    def _from_text(self, random: RandomStream) -> _Composed | None:
        composition = self.composition
        tree = parse(self.random_formula(random))
        if self._is_excluded(tree):  # files of formulas leave them out, and anybody may write one
            return None
        if composition.decimal_commas and random.uniform() < composition.decimal_commas:
            tree = with_decimal_commas(tree)
            if self._is_excluded(tree):
                return None
        names = _names(tree)
        if not names <= self.bank.by_name.keys():  # which do not have NOTHING, either
            return None
        if random.uniform() < composition.rename_share and (
            new := similar_names(names, self.bank.by_name, random, composition.rename_chance)
        ):
            tree = rename(tree, new)
            if self._is_excluded(tree):
                return None
            names = _names(tree)
        return self._laid_out(tree, names, random)

    def _grafted(self, random: RandomStream) -> _Composed | None:
        written = self._written(random).tree
        tree = self._branches.graft(written, random, self.composition.graft_chance)
        return None if tree == written else self._new(tree, random)

    def _invented(self, random: RandomStream) -> _Composed | None:
        tree = self._inventor.invent(random)
        short = len(tree) < self.composition.min_invented_symbols
        return None if short else self._new(tree, random)

    def _new(self, tree: Expression, random: RandomStream) -> _Composed | None:
        names = _names(tree)
        if len(unfold(tree)) > self.composition.max_steps or not names <= self.bank.by_name.keys():
            return None
        return None if self._is_excluded(tree) else self._laid_out(tree, names, random)

    def _laid_out(self, tree: Expression, names: set[str], random: RandomStream) -> _Composed:
        bank, composition = self.bank, self.composition
        writers = [random.choice(bank.expressions).writer for _ in range(2)]
        writer = max(writers, key=lambda candidate: bank.count_known(candidate, names))
        tightening = composition.tightening
        spread = 1 - random.between(0, tightening) if tightening else 1.0
        hand = self._further_hand(random)
        photo_writers = [] if hand else self._photo_writers(names, random)
        style: Style = self.style
        if composition.photo_glyphs_share and self.photo_styles:  # whose gaps need no tightening
            photo_writer = photo_writers[0] if photo_writers else random.choice(bank.photo_writers)
            style, spread = self.photo_styles.of_writer(photo_writer), 1.0
        first_writers = hand or photo_writers
        by = ExpressionWriter(bank, style, writer, random, self.config.layout, first_writers)
        placed = Layout(by, spread).expression(tree)
        return self._written_anew(write_glyphs(bank, placed, self._blend(random)), tree)

    def _blend(self, random: RandomStream) -> Blend | None:
        share = self.config.blend_share
        return self.blender.expression(random) if share and random.uniform() < share else None

    def _further_hand(self, random: RandomStream) -> list[int]:
        """One of the further hands, that writes an expression as far as it can, or none."""
        bank, share = self.bank, self.composition.hands_share
        if share and bank.hands and random.uniform() < share:
            return [random.choice(bank.hands)]
        return []

    def _photo_writers(self, names: set[str], random: RandomStream) -> list[int]:
        """Who of the photographs' writers writes an expression, the first as far as they can.

        Each wrote a line, so of several those are taken who know most of the symbols.
        """
        bank, composition = self.bank, self.composition
        share = composition.photo_glyphs_share
        if not (share and bank.photo_writers and random.uniform() < share):
            return []
        candidates = [
            random.choice(bank.photo_writers) for _ in range(composition.photo_writer_candidates)
        ]
        chosen: list[int] = []
        missing = names
        while missing and len(chosen) < composition.max_photo_writers:
            lacking = [
                {name for name in missing if (name, writer) not in bank.by_writer}
                for writer in candidates
            ]
            fewest = min(lacking, key=len)
            if len(fewest) == len(missing):
                break
            chosen.append(candidates[lacking.index(fewest)])
            missing = fewest
        return chosen

    def _drawn(self, composed: _Composed, random: RandomStream) -> SynthSample:
        page, tree, writing = composed
        picture, boxes = draw_distorted(page, self.config.distortion, random)
        return SynthSample(picture, tree, boxes_of_steps(boxes, writing, len(unfold(tree))))

    def _written_anew(self, page: InkPage, tree: Expression) -> _Composed:
        steps = enumerate(unfold(tree))
        return _Composed(page, tree, [n for n, step in steps if step.target not in _UNWRITTEN])

    def _as_written(self, written: WrittenExpression, page: InkPage, tree: Expression) -> _Composed:
        return _Composed(page, tree, written.steps if written.aligned else ())

    def _written(self, random: RandomStream) -> WrittenExpression:
        return self.bank.expressions[_weighted(self._ink_weights, random)]

    def _is_excluded(self, tree: Expression) -> bool:
        return is_excluded(tree, self.bank.excluded)


def _names(tree: Expression) -> set[str]:
    names = {visit.symbol.name for visit in tree.walk()}
    return written_names(tree) if MATRIX in names else names


def _count_symbols(text: str) -> int:
    """About how many there are, and never none."""
    return max(len(SYMBOL.findall(text)), 1)


def _weighted(running_sums: Sequence[float], random: RandomStream) -> int:
    """A place, as likely as its part of the running sums is wide."""
    drawn = random.uniform() * running_sums[-1]
    return min(bisect(running_sums, drawn), len(running_sums) - 1)
