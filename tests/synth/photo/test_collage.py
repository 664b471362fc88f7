"""New samples out of photographs."""

import numpy as np
import pytest

from san.errors import SanError
from san.grammar import parse, to_latex
from san.grammar.productions import MARKS, unfold
from san.synth.formulas.text import fingerprint
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.photo.collage import LONGEST, Collage
from san.synth.photo.collage_glyph import PLAINLY, Glyph, Hand
from san.synth.sample import SynthSample
from tests.synth.extraction.drawn import row
from tests.synth.photographs import Album, album, power
from tests.synth.pupils import Harvest

Pair = tuple[float, float]

ROWS = ("2 x + 2 = 3", "3 y = 2 x", "x y 2 3 + =")


@pytest.fixture(scope="module")
def bank() -> GlyphBank:
    return build_bank(Copybook(), photo_glyphs=Harvest(*ROWS))


@pytest.fixture(scope="module")
def collage(bank: GlyphBank) -> Collage:
    own = album()
    return Collage(own, own, bank)


def written(sample: SynthSample) -> list[tuple[str, np.ndarray]]:
    steps = unfold(sample.tree)
    assert sample.boxes.shape == (len(steps), 4)
    assert all(
        np.isnan(box).all()
        for step, box in zip(steps, sample.boxes, strict=True)
        if step.target in MARKS
    )
    return [
        (step.target, box)
        for step, box in zip(steps, sample.boxes, strict=True)
        if step.target not in MARKS
    ]


def test_tree_and_picture_agree(collage: Collage) -> None:
    lengths, trees = set(), set()
    for seed in range(60):
        sample = collage.sample(np.random.default_rng(seed))
        assert set(np.unique(sample.picture)) == {0, 255}
        assert parse(to_latex(sample.tree)) == sample.tree
        assert len(unfold(sample.tree)) <= LONGEST
        height, width = sample.picture.shape
        covered = np.zeros(sample.picture.shape, bool)
        middles = []
        for _, box in written(sample):
            left, top, right, bottom = np.rint(box).astype(int)
            assert 0 <= left < right <= width
            assert 0 <= top < bottom <= height
            assert sample.picture[top:bottom, left:right].any()
            covered[top - 2 : bottom + 2, left - 2 : right + 2] = True
            middles.append(left + right)
        # All of these have places: no ink is without a symbol, and they stand in reading order.
        assert not sample.picture[~covered].any()
        assert middles == sorted(middles)
        lengths.add(len(middles))
        trees.add(sample.tree)
    assert len(trees) > 45
    assert min(lengths) <= 3
    assert max(lengths) >= 14


def test_the_same_seed_gives_the_same(collage: Collage) -> None:
    for seed in range(8):
        one, other = (collage.sample(np.random.default_rng(seed)) for _ in range(2))
        assert np.array_equal(one.picture, other.picture)
        assert np.array_equal(one.boxes, other.boxes, equal_nan=True)
        assert one.tree == other.tree


def test_what_is_barred_is_never_made(bank: GlyphBank) -> None:
    own = Album(row("2 x = 3"))
    collage = Collage(own, own, bank)
    seeds = range(150)
    made = {collage.sample(np.random.default_rng(seed)).tree for seed in seeds}
    barred = sorted(made - {own.tree(0)}, key=to_latex)[::2]
    assert len(barred) > 5
    bank.excluded |= {fingerprint(tree) for tree in barred} | {fingerprint(own.tree(0))}
    try:
        again = {collage.sample(np.random.default_rng(seed)).tree for seed in seeds}
    finally:
        bank.excluded.clear()
    assert not again & set(barred)
    assert own.tree(0) in again  # its own label it may have


def test_where_nothing_is_known_a_photograph_comes_as_it_is(bank: GlyphBank) -> None:
    own = Album(row("2 x = 3"), row("y + 2"), without={0: (0, 1, 2, 3), 1: (0, 1, 2)})
    collage = Collage(own, own, bank)
    for seed in range(10):
        sample = collage.sample(np.random.default_rng(seed))
        assert any(np.array_equal(sample.picture, page.picture) for page in own.pages)
        assert np.isnan(sample.boxes).all()


def test_of_no_photographs_no_collage_is_made(bank: GlyphBank) -> None:
    with pytest.raises(SanError, match="no photographs"):
        Collage(Album(), Album(), bank)


@pytest.mark.parametrize("blend", [0.0, 1.0])
def test_glyphs_between_hands_look_otherwise(
    bank: GlyphBank, monkeypatch: pytest.MonkeyPatch, blend: float
) -> None:
    own = album()
    collage = Collage(own, own, bank, blend)
    plain, differ = collage.scribe.drawn, []

    def watched(
        glyph: int, factors: Pair, middle: Pair, turn: float, width: float, hand: Hand = PLAINLY
    ) -> Glyph:
        made = plain(glyph, factors, middle, turn, width, hand)
        other = plain(glyph, factors, middle, turn, width, hand._replace(blend=None))
        differ.append(not np.array_equal(made.pixels, other.pixels))
        return made

    monkeypatch.setattr(collage.scribe, "drawn", watched)
    for seed in range(30):
        collage.sample(np.random.default_rng(seed))
    assert len(differ) > 50
    assert any(differ) == bool(blend)


def test_a_photograph_has_the_boxes_of_its_places(bank: GlyphBank) -> None:
    own = Album(power(), without={0: (1,)})
    sample = Collage(own, own, bank).photograph(0)
    assert np.array_equal(sample.picture, own.image(0))
    (x, two, plus, three) = written(sample)
    assert np.isnan(two[1]).all()
    for (_, box), place in ((x, 0), (plus, 2), (three, 3)):
        assert np.abs(box - own.pages[0].boxes[place]).max() <= 1
