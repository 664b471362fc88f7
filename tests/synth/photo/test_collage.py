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
from san.synth.photo.clippings import Clipping, CuttablePhoto
from san.synth.photo.collage import Collage, Level, em_of, joined, level_of
from san.synth.photo.config import CollageConfig
from san.synth.photo.glyph_exchange import AS_WRITTEN, DrawnGlyph, GlyphStyle, UsualSize
from san.synth.samples import SynthSample
from tests.synth.extraction.drawn import Drawn, row
from tests.synth.glyph_rows import GlyphRows
from tests.synth.photographs import WIDTH, PhotoSet, labels_of, photo_set, power

pytestmark = pytest.mark.slow  # its fixtures take seconds to make

Pair = tuple[float, float]

USUAL = {
    "2": UsualSize(1.0, 0.0),
    "3": UsualSize(1.0, 0.0),
    "x": UsualSize(1.0, 0.1),
    "y": UsualSize(1.0, 0.1),
}

ROWS = ("2 x + 2 = 3", "3 y = 2 x", "x y 2 3 + =")


@pytest.fixture(scope="module")
def bank() -> GlyphBank:
    return build_bank(Copybook(), photo_glyphs=GlyphRows(*ROWS))


@pytest.fixture(scope="module")
def collage(bank: GlyphBank) -> Collage:
    own = photo_set()
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


@pytest.mark.slow
def test_tree_and_picture_agree(collage: Collage) -> None:
    lengths, trees = set(), set()
    for seed in range(60):
        sample = collage.sample(np.random.default_rng(seed))
        assert set(np.unique(sample.picture)) == {0, 255}
        assert parse(to_latex(sample.tree)) == sample.tree
        assert len(unfold(sample.tree)) <= CollageConfig().max_steps
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


@pytest.mark.slow
def test_the_same_seed_gives_the_same(collage: Collage) -> None:
    for seed in range(8):
        one, other = (collage.sample(np.random.default_rng(seed)) for _ in range(2))
        assert np.array_equal(one.picture, other.picture)
        assert np.array_equal(one.boxes, other.boxes, equal_nan=True)
        assert one.tree == other.tree


@pytest.mark.slow
def test_what_is_excluded_is_never_made(bank: GlyphBank) -> None:
    own = PhotoSet(row("2 x = 3"))
    collage = Collage(own, own, bank)
    seeds = range(150)
    made = {collage.sample(np.random.default_rng(seed)).tree for seed in seeds}
    excluded = sorted(made - {own.tree(0)}, key=to_latex)[::2]
    assert len(excluded) > 5
    bank.excluded |= {fingerprint(tree) for tree in excluded} | {fingerprint(own.tree(0))}
    try:
        again = {collage.sample(np.random.default_rng(seed)).tree for seed in seeds}
    finally:
        bank.excluded.clear()
    assert not again & set(excluded)
    assert own.tree(0) in again  # its own label it may have


def test_where_nothing_is_known_a_photograph_comes_as_it_is(bank: GlyphBank) -> None:
    own = PhotoSet(row("2 x = 3"), row("y + 2"), without={0: (0, 1, 2, 3), 1: (0, 1, 2)})
    collage = Collage(own, own, bank)
    for seed in range(10):
        sample = collage.sample(np.random.default_rng(seed))
        assert any(np.array_equal(sample.picture, page.picture) for page in own.pages)
        assert np.isnan(sample.boxes).all()


def test_of_no_photographs_no_collage_is_made(bank: GlyphBank) -> None:
    with pytest.raises(SanError, match="no photographs"):
        Collage(PhotoSet(), PhotoSet(), bank)


@pytest.mark.parametrize("blend", [0.0, 1.0])
@pytest.mark.slow
def test_blended_glyphs_look_otherwise(
    bank: GlyphBank, monkeypatch: pytest.MonkeyPatch, blend: float
) -> None:
    own = photo_set()
    collage = Collage(own, own, bank, blend)
    plain, differ = collage.drawer.drawn, []

    def watched(
        glyph: int,
        factors: Pair,
        middle: Pair,
        turn: float,
        width: float,
        style: GlyphStyle = AS_WRITTEN,
    ) -> DrawnGlyph:
        made = plain(glyph, factors, middle, turn, width, style)
        other = plain(glyph, factors, middle, turn, width, style._replace(blend=None))
        differ.append(not np.array_equal(made.pixels, other.pixels))
        return made

    monkeypatch.setattr(collage.drawer, "drawn", watched)
    for seed in range(30):
        collage.sample(np.random.default_rng(seed))
    assert len(differ) > 50
    assert any(differ) == bool(blend)


def test_a_photograph_has_the_boxes_of_its_masks(bank: GlyphBank) -> None:
    own = PhotoSet(power(), without={0: (1,)})
    sample = Collage(own, own, bank).photograph(0)
    assert np.array_equal(sample.picture, own.image(0))
    (x, two, plus, three) = written(sample)
    assert np.isnan(two[1]).all()
    for (_, box), place in ((x, 0), (plus, 2), (three, 3)):
        assert np.abs(box - own.pages[0].boxes[place]).max() <= 1


def source(page: Drawn) -> CuttablePhoto:
    return CuttablePhoto(page.tree, (page.picture > 0).astype(np.uint8), labels_of(page), WIDTH)


def whole(page: Drawn) -> Clipping:
    return source(page).whole()


def test_a_line_tells_how_large_and_how_high_it_is() -> None:
    page = row("2 x 3 y")
    em = em_of(source(page), USUAL)
    assert em == pytest.approx(np.hypot(22, 30), rel=0.1)
    own = whole(page)
    assert level_of(own, USUAL, at_end=True) is None  # nobody said how large it is
    own.em = 40.0
    level = level_of(own, USUAL, at_end=True)
    assert level is not None
    middle = (page.boxes[0].top + page.boxes[0].bottom) / 2
    assert level.axis == pytest.approx(middle - 0.05 * 40, abs=2)


def test_a_line_that_contradicts_itself_tells_nothing() -> None:
    page = row("2 x 3 y")
    uneven = whole(page)
    uneven.em = 40.0
    uneven.boxes[3, 1::2] -= 60
    assert level_of(uneven, USUAL, at_end=True) is None
    unsteady = source(page)
    unsteady.boxes[:2, 2:] += 60
    assert em_of(unsteady, USUAL) is None
    assert em_of(source(page), {"2": UsualSize(1.0, 0.0)}) is None


def test_what_is_joined_agrees_in_size_and_line() -> None:
    left, right = whole(row("2 x")), whole(row("3 y"))
    one, other = Level(30.0, 27.0), Level(20.0, 30.0)
    made = joined(left, right, one, other, 0.5, 1.0)
    assert made is not None
    assert to_latex(made.tree) == "2x3y"
    tall = made.boxes[:, 3] - made.boxes[:, 1]
    assert tall[2] == pytest.approx(1.5 * tall[0], abs=2)
    gap = made.boxes[2, 0] - made.boxes[1, 2]
    assert gap == pytest.approx(15, abs=4)
    lines = [
        made.boxes[0, 1] + 27 - left.boxes[0, 1],
        made.boxes[2, 1] + 45 - 1.5 * right.boxes[0, 1],
    ]
    assert lines[0] == pytest.approx(lines[1], abs=2)
    assert joined(left, right, one, Level(60.0, 30.0), 0.5, 1.0) is None
