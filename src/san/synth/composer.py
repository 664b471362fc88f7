"""One expression after the other for a network to learn from, with the place of every symbol.

    composer = Composer(Pack.load("packs/crohme-train.npz"), formulas)
    picture, tree, boxes = composer.sample(np.random.default_rng(7))

Design choices
- A mix: real ink, real ink with symbols exchanged, two expressions joined, and whole formulas laid
  out anew, be they from text, grafted from written trees or invented. The shares and all ranges are
  one dataclass, `Recipe`.
- The same seed gives the same expression; there is no other source of chance, and no state.
- A tree that is nobody's training label is checked against the fingerprints of the tests' labels,
  which come with the formulas, and never composed if it is one of them. The bank remembers them, so
  that a second composer on it keeps to them as well.
- Needs numpy and OpenCV alone: it runs where a network is trained.
"""

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np

from san.errors import SanError
from san.grammar import Expression, parse
from san.grammar.productions import MARKS, unfold
from san.synth.formulas.exchange import Branches, new_names, renamed
from san.synth.formulas.invent import Inventor
from san.synth.formulas.text import fingerprint, split
from san.synth.glyphs.bank import GlyphBank, WrittenExpression
from san.synth.glyphs.blend import Blend, Blender
from san.synth.glyphs.build import build_bank
from san.synth.layout.photo_style import School
from san.synth.layout.place import Layout
from san.synth.layout.writing_style import Manner, Ways
from san.synth.random_stream import RandomStream
from san.synth.sample import SynthSample, boxes_of_steps
from san.synth.sources import InkSamples
from san.synth.variation.distort import Range
from san.synth.variation.page import Page, copy, write
from san.synth.variation.picture import picture_of
from san.synth.variation.vary import Variation, joined, varied

__all__ = ["Composer", "Recipe", "SynthSample"]

EM = 40.0
"""Pixels: at which size an expression is laid out before it is brought to the field's scale."""
TRIES = 8
"""A new tree that is too long or barred is made anew so often; then real ink is taken."""

MOST = 150
"""Symbols of a formula that is asked for: more nest deeper than Python likes."""
CLASS = 10
"""Pupils of whom those write an expression who know most of its symbols: each wrote a line."""
MIXED = 4
"""Pupils in one expression at most."""
SHORTEST = 4
"""Symbols of an invented formula: short ones are written often enough."""
SYMBOL = re.compile(r"\\(?:[A-Za-z]+|.)|[^\s{}^_]")
"""In the text of a formula: to parse tens of thousands takes too long."""


@dataclass(frozen=True)
class Recipe:
    """What the mix is made of; shares need not add up to one."""

    real: float = 0.25  # real ink
    varied: float = 0.2  # real ink, some symbols exchanged for others written elsewhere
    joined: float = 0.1  # two real expressions, side by side
    formula: float = 0.3  # a formula from text, laid out anew
    grafted: float = 0.1  # a written tree with branches of others, laid out anew
    invented: float = 0.05  # a formula of rare symbols, laid out anew
    lengthen: float = 0.3  # real ink is chosen by the number of its symbols to this power
    longer: float = 0.0  # a formula from text is chosen by the number of its symbols to this power
    graft: float = 0.4  # how likely a branch is exchanged
    rename: float = 0.15  # how likely a name of a formula is exchanged for one of a like shape
    longest: int = 60  # steps of a new tree
    tight: float = 0.0  # by what share gaps may shrink in what is laid out anew
    harvested: float = 0.0  # of what is laid out anew: by pupils; if any, all is spaced as theirs
    blend: float = 0.0  # of what is not real ink as it is: how much has glyphs between hands
    variation: Variation = field(default_factory=Variation)
    range: Range = field(default_factory=Range)

    def __post_init__(self) -> None:
        shares = self.shares
        if min(shares) < 0 or not 0 < sum(shares) < np.inf:
            raise SanError("the shares of a recipe are numbers from 0 on, and not all 0")
        if not 0 <= self.tight <= 1:
            raise SanError("how tight a recipe is goes from 0 to 1")
        if not 0 <= self.harvested <= 1:
            raise SanError("how much of a recipe is harvested goes from 0 to 1")
        if not 0 <= self.longer <= 10:
            raise SanError("a recipe prefers long formulas by a power from 0 to 10")
        if not 0 <= self.blend <= 1:
            raise SanError("how much of a recipe is blended goes from 0 to 1")

    @property
    def shares(self) -> tuple[float, ...]:
        return (
            self.real, self.varied, self.joined, self.formula, self.grafted, self.invented
        )  # fmt: skip


class Composer:
    """Composes expressions from the ink of a pack and from formulas, canonical LaTeX."""

    def __init__(
        self,
        ink: InkSamples | GlyphBank,
        formulas: Sequence[str] = (),
        recipe: Recipe | None = None,
        blender: Blender | None = None,
    ) -> None:
        """`ink` may be the bank of another composer, and `blender` its: both take seconds."""
        self.recipe = recipe or Recipe()
        self.bank = ink if isinstance(ink, GlyphBank) else build_bank(ink)
        self.blender = blender or Blender(self.bank)
        self.formulas, barred = split(formulas)
        self.bank.excluded |= barred
        self._inventor = Inventor(self.bank.names)
        weights = (max(len(own.steps), 1) ** self.recipe.lengthen for own in self.bank.expressions)
        self._weights = list(accumulate(weights))
        lengths = (_symbols(text) ** self.recipe.longer for text in self.formulas)
        self._lengths = list(accumulate(lengths))
        makers = (
            self._real,
            self._varied,
            self._joined,
            self._from_text,
            self._grafted,
            self._invented,
        )
        shares = list(self.recipe.shares)
        if not self.formulas:
            shares[3] = 0.0
        if not self._inventor.is_able:
            shares[5] = 0.0
        if not sum(shares):
            raise SanError("nothing to compose: the recipe wants formulas, and there are none")
        self._makers = [own for own, share in zip(makers, shares, strict=True) if share > 0]
        self._shares = list(accumulate(share for share in shares if share > 0))

    @cached_property
    def manner(self) -> Manner:
        """Made when the first formula is laid out: who varies ink alone does without."""
        return Manner(self.bank)

    @cached_property
    def school(self) -> School | None:
        """How pupils do it, where their photographs are at hand."""
        album = self.bank.photographs
        return School(self.bank, album, self.manner) if album and self.bank.photo_writers else None

    @cached_property
    def _branches(self) -> Branches:
        return Branches(own.tree for own in self.bank.expressions)

    def sample(self, rng: np.random.Generator) -> SynthSample:
        """One expression of the mix."""
        random = RandomStream(rng)
        maker = self._makers[_weighted(self._shares, random)]
        for _ in range(TRIES):
            if (made := maker(random)) is not None:
                return made
        return self._real(random)

    def compose(self, tree: Expression, rng: np.random.Generator) -> SynthSample:
        """Write this very formula; SanError where the bank lacks a symbol of it."""
        if not 0 < len(tree) <= MOST:
            raise SanError(f"a formula to compose has 1 to {MOST} symbols, not {len(tree)}")
        names = _names(tree)
        for name in sorted(names - self.bank.by_name.keys()):
            what = name or "a script on nothing"
            raise SanError(f"nobody wrote {what}: the ink at hand does not have it")
        return self._laid_out(tree, names, RandomStream(rng))

    def _real(self, random: RandomStream) -> SynthSample:
        written = self._written(random)
        return self._as_written(written, copy(self.bank, written), written.tree, random)

    def _varied(self, random: RandomStream) -> SynthSample | None:
        written = self._written(random)
        if not written.aligned:
            return None
        page, tree = varied(self.bank, written, self.recipe.variation, random, self._blend(random))
        if tree is not written.tree and self._is_barred(tree):
            return None
        return self._as_written(written, page, tree, random)

    def _joined(self, random: RandomStream) -> SynthSample | None:
        one, other = self._written(random), self._written(random)
        if not (one.aligned and other.aligned) or one.length + other.length > self.recipe.longest:
            return None
        page, tree = joined(
            self.bank, (one, other), self.recipe.variation, random, self._blend(random)
        )
        return None if self._is_barred(tree) else self._drawn(page, tree, random)

    def _from_text(self, random: RandomStream) -> SynthSample | None:
        tree = parse(self.text(random))
        names = _names(tree)
        if not names <= self.bank.by_name.keys():  # which do not have NOTHING, either
            return None
        if random.uniform() < 0.5 and (
            new := new_names(names, self.bank.by_name, random, self.recipe.rename)
        ):
            tree = renamed(tree, new)
            if self._is_barred(tree):
                return None
            names = _names(tree)
        return self._laid_out(tree, names, random)

    def text(self, random: RandomStream) -> str:
        """One of the formulas; long ones more often, where the recipe says so."""
        if not self.formulas:
            raise SanError("there are no formulas to choose from")
        return self.formulas[_weighted(self._lengths, random)]

    def _grafted(self, random: RandomStream) -> SynthSample | None:
        written = self._written(random).tree
        tree = self._branches.exchanged(written, random, self.recipe.graft)
        return None if tree == written else self._new(tree, random)

    def _invented(self, random: RandomStream) -> SynthSample | None:
        tree = self._inventor.invent(random)
        return None if len(tree) < SHORTEST else self._new(tree, random)

    def _new(self, tree: Expression, random: RandomStream) -> SynthSample | None:
        names = _names(tree)
        if len(unfold(tree)) > self.recipe.longest or not names <= self.bank.by_name.keys():
            return None
        return None if self._is_barred(tree) else self._laid_out(tree, names, random)

    def _laid_out(self, tree: Expression, names: set[str], random: RandomStream) -> SynthSample:
        hands = (
            random.choice(self.bank.expressions).writer,
            random.choice(self.bank.expressions).writer,
        )
        hand = max(hands, key=lambda own: self.bank.count_known(own, names))
        spread = 1 - random.between(0, self.recipe.tight) if self.recipe.tight else 1.0
        pupils = self._pupils(names, random)
        manner: Ways = self.manner
        if self.recipe.harvested and self.school:  # whose gaps need no tightening
            pupil = pupils[0] if pupils else random.choice(self.bank.photo_writers)
            manner, spread = self.school.pupil(pupil), 1.0
        placed = Layout(self.bank, manner, hand, random, spread, pupils).expression(tree, EM)
        return self._drawn(write(self.bank, placed, self._blend(random)), tree, random)

    def _blend(self, random: RandomStream) -> Blend | None:
        wanted = self.recipe.blend and random.uniform() < self.recipe.blend
        return self.blender.expression(random) if wanted else None

    def _pupils(self, names: set[str], random: RandomStream) -> list[int]:
        """A hand from a photograph, or none, and others that help out with what it lacks."""
        bank = self.bank
        if not (
            self.recipe.harvested
            and bank.photo_writers
            and random.uniform() < self.recipe.harvested
        ):
            return []
        some = [random.choice(bank.photo_writers) for _ in range(CLASS)]
        chosen: list[int] = []
        missing = names
        while missing and len(chosen) < MIXED:
            lacking = [
                {name for name in missing if (name, own) not in bank.by_writer} for own in some
            ]
            fewest = min(lacking, key=len)
            if len(fewest) == len(missing):
                break
            chosen.append(some[lacking.index(fewest)])
            missing = fewest
        return chosen

    def _drawn(self, page: Page, tree: Expression, random: RandomStream) -> SynthSample:
        picture, boxes = picture_of(page, self.recipe.range, random)
        steps = unfold(tree)
        places = [number for number, step in enumerate(steps) if step.target not in MARKS]
        return SynthSample(picture, tree, boxes_of_steps(boxes, places, len(steps)))

    def _as_written(
        self, written: WrittenExpression, page: Page, tree: Expression, random: RandomStream
    ) -> SynthSample:
        picture, boxes = picture_of(page, self.recipe.range, random)
        places = written.steps if written.aligned else ()
        return SynthSample(picture, tree, boxes_of_steps(boxes, places, written.length))

    def _written(self, random: RandomStream) -> WrittenExpression:
        return self.bank.expressions[_weighted(self._weights, random)]

    def _is_barred(self, tree: Expression) -> bool:
        return bool(self.bank.excluded) and fingerprint(tree) in self.bank.excluded


def _names(tree: Expression) -> set[str]:
    return {visit.symbol.name for visit in tree.walk()}


def _symbols(text: str) -> int:
    """About how many there are, and never none."""
    return max(len(SYMBOL.findall(text)), 1)


def _weighted(ends: Sequence[float], random: RandomStream) -> int:
    """A place, as likely as its part of the running sums is wide."""
    return min(bisect(ends, random.uniform() * ends[-1]), len(ends) - 1)
