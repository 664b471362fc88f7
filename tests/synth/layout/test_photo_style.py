"""Pupils' manner: their own, that of their like, and tablets' where they show nothing."""

import numpy as np
import pytest

from san.grammar import Relation, parse
from san.synth.composer import Composer, Recipe
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.observe import BAR, FENCE, GAP, INDEX, RINGS, ROOT, script_key, tallness
from san.synth.layout.photo_style import PLENTY, Moved, School, _on_bars
from san.synth.layout.writing_style import ALL, Manner
from san.synth.sources import LabelledPhotos
from tests.synth.conftest import FORMULAS
from tests.synth.extraction.drawn import row
from tests.synth.photographs import Album as Pages
from tests.synth.pupils import Harvest

COUNT = 30
WORDS = "2 3 3 2 x = 3 y"
DIGITS = (GAP, "digit", "digit")


def pages() -> Pages:
    """Of each pupil a photograph; the later, the wider their gaps."""
    found = Pages(*(row(WORDS, gap=4.0 + 0.8 * number) for number in range(COUNT)))
    found.ids = [f"photo{number}" for number in range(COUNT)]
    return found


@pytest.fixture(scope="module")
def bank() -> GlyphBank:
    album = pages()
    return build_bank(
        Copybook(), photo_glyphs=Harvest(*[WORDS] * COUNT), photographs=LabelledPhotos(album, album)
    )


@pytest.fixture(scope="module")
def school(bank: GlyphBank) -> School:
    assert bank.photographs
    return School(bank, bank.photographs, Manner(bank))


def test_others_serve_who_write_as_tightly(school: School, bank: GlyphBank) -> None:
    key = (GAP, "letter", "relation")  # of which each left one
    tight, wide = (school.of(key, hand) for hand in (bank.photo_writers[0], bank.photo_writers[-1]))
    assert len(tight) == len(wide) == PLENTY
    assert max(tight) < min(wide)
    assert len(school.of(DIGITS, bank.photo_writers[0])) == 3  # his own


def test_what_pupils_hardly_wrote_is_tablets_and_moved(bank: GlyphBank) -> None:
    album = pages()
    manner = Manner(bank)
    many = Pages(*(row("2 3 2 3 2 3", gap=30.0) for _ in range(PLENTY)))
    moved = School(bank, LabelledPhotos(many, many), manner)
    few = School(bank, LabelledPhotos(album, album), manner)
    theirs = np.median(manner.of((GAP, "letter", "open"), ALL))
    # Digits stand an em apart, so others' gaps are taken to be wider as well.
    assert np.median(moved.of((GAP, "letter", "open"), 0)) > theirs + 0.3
    assert few.of((ROOT,), 0) == manner.of((ROOT,), ALL)


def test_examples_are_moved_one_by_one_or_some_at_a_time() -> None:
    moved = Moved([(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)], (0.5, -1.0))
    assert len(moved) == 3
    assert moved[-1] == (5.5, 5.0)
    assert list(moved[:2]) == [(1.5, 1.0), (3.5, 3.0)]


@pytest.mark.parametrize(
    "key",
    [
        DIGITS,
        (GAP, "letter", "never seen"),
        (BAR,),
        (ROOT,),
        (INDEX,),
        (FENCE, tallness(1.0)),
        script_key(Relation.SUP, "2", r"\circ", RINGS),
        script_key(Relation.SUB, "never seen", "2", RINGS),
        script_key(Relation.BELOW, r"\lim", "x", RINGS),
    ],
)
def test_there_is_always_an_example(school: School, bank: GlyphBank, key: tuple[str, ...]) -> None:
    count = {GAP: 1, FENCE: 2, BAR: 7, ROOT: 5}.get(key[0], 3)
    for hand in (bank.photo_writers[0], 10_000):
        found = school.of(key, hand)
        assert found
        assert {len(example) for example in found} == {count}


def test_some_parts_of_fractions_touch_their_bar() -> None:
    bars = [(0, (0.7, 0.3, 0.7, 0.3, 0.0, 0.0, 0.2))] * 40
    found = [example for _, example in _on_bars(bars)]
    over, under = (sum(example[gap] == 0 for example in found) for gap in (1, 3))
    assert 0 < under < over < len(found) / 3
    assert not any(example[1] == example[3] == 0 for example in found)


def test_formulas_are_spaced_as_on_photographs(bank: GlyphBank) -> None:
    """With a pupil's glyphs or without; and by nobody who asks for none of it."""

    def width(own: GlyphBank, harvested: float) -> float:
        composer = Composer(own, FORMULAS, Recipe(harvested=harvested))
        made = (composer.compose(parse("333333"), np.random.default_rng(n)) for n in range(30))
        return float(np.median([own.picture.shape[1] / own.picture.shape[0] for own in made]))

    far = Pages(*(row(WORDS, gap=60.0) for _ in range(COUNT)))
    far.ids = [f"photo{number}" for number in range(COUNT)]
    apart = build_bank(
        Copybook(), photo_glyphs=Harvest(*[WORDS] * COUNT), photographs=LabelledPhotos(far, far)
    )
    for share in (1e-9, 1.0):
        assert width(apart, share) > 1.5 * width(bank, share)
    plain = build_bank(Copybook())
    for seed in range(10):
        one, other = (
            Composer(own, FORMULAS, Recipe(invented=0)).sample(np.random.default_rng(seed))
            for own in (apart, plain)
        )
        assert one.picture.tobytes() == other.picture.tobytes()
        assert one.boxes.tobytes() == other.boxes.tobytes()


def test_the_same_seed_gives_the_same_expression(bank: GlyphBank) -> None:
    tree = parse(r"\frac{2}{3}x=3^{\circ}y")
    one, other = (
        Composer(bank, (), Recipe(harvested=0.5)).compose(tree, np.random.default_rng(3))
        for _ in range(2)
    )
    assert one.picture.tobytes() == other.picture.tobytes()
