"""Examples of writers' styles, in ink and on photographs, and what serves where there are none."""

from functools import cache

import numpy as np
import pytest

from san.grammar import Relation, parse
from san.synth.composer import Composer
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.config import PhotoWritingStyleConfig, WritingStyleConfig
from san.synth.layout.observations import (
    BAR,
    FENCE,
    GAP,
    INDEX,
    PRIMES_AND_DEGREES,
    ROOT,
    fence_pairs,
    script_key,
)
from san.synth.layout.writing_style import (
    ALL_WRITERS,
    PhotoStyles,
    ShiftedExamples,
    WritingStyle,
    _with_touching_bars,
)
from san.synth.samples import LabelledPhotos
from tests.synth.conftest import FORMULAS, composing
from tests.synth.extraction.drawn import row
from tests.synth.glyph_rows import GlyphRows
from tests.synth.photographs import PhotoSet as Pages

pytestmark = pytest.mark.slow  # its fixtures take seconds to make


@cache
def book() -> GlyphBank:
    return build_bank(Copybook())


@pytest.fixture(scope="module")
def style() -> WritingStyle:
    return WritingStyle(book(), WritingStyleConfig())


def test_examples_show_what_was_written(style: WritingStyle) -> None:
    hand = book().expressions[0].writer
    for numerator, gap, denominator, below, *_ in style.examples((BAR,), hand):
        assert 0.5 < numerator < 1
        assert 0.5 < denominator < 1
        assert 0 < gap < 1
        assert 0 < below < 1
    for size, left, top, right, _ in style.examples((ROOT,), hand):
        assert 0.5 < size < 1.1
        assert left > 0 < top
        assert right > 0
    for size, across, _ in style.examples((INDEX,), hand):
        assert size < 0.8
        assert across < 0
    assert len(style.examples((GAP, "digit", "digit"), hand)) > 2


@pytest.mark.parametrize(
    "key",
    [
        (GAP, "letter", "never seen"),
        script_key(Relation.SUP, "never seen", "2"),
        script_key(Relation.SUB, r"\prime", "2"),
        script_key(Relation.BELOW, r"\lim", "x"),
        script_key(Relation.ABOVE, "=", "x"),
        (FENCE, WritingStyleConfig().fence_class(9.0)),
    ],
)
def test_there_is_always_an_example(style: WritingStyle, key: tuple[str, ...]) -> None:
    usual = {GAP: 1, FENCE: 2}.get(key[0], 3)
    for hand in (0, 10_000):
        found = style.examples(key, hand)
        assert found
        assert {len(example) for example in found} == {usual}


def test_a_substitute_is_not_this_very_thing() -> None:
    style = WritingStyle(book(), WritingStyleConfig())
    key = script_key(Relation.SUP, "never seen", "2")
    assert not style.known_examples(key)
    assert style.examples(key, 0) is style.examples(key, 0)
    assert not style.known_examples(key)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("( a [ b ] )", [(2, 4), (0, 5)]),
        ("| a | + | b |", [(0, 2), (4, 6)]),
        ("[ 0 , 1 )", []),
        (") (", []),
    ],
)
def test_fences_find_their_partners(names: str, found: list[tuple[int, int]]) -> None:
    assert fence_pairs(names.split()) == found


COUNT = 30
CONFIG = PhotoWritingStyleConfig()
WORDS = "2 3 3 2 x = 3 y"
DIGITS = (GAP, "digit", "digit")


def pages() -> Pages:
    """Of each writer a photograph; the later, the wider their gaps."""
    found = Pages(*(row(WORDS, gap=4.0 + 0.8 * number) for number in range(COUNT)))
    found.ids = [f"photo{number}" for number in range(COUNT)]
    return found


@pytest.fixture(scope="module")
def bank() -> GlyphBank:
    album = pages()
    return build_bank(
        Copybook(),
        photo_glyphs=GlyphRows(*[WORDS] * COUNT),
        photographs=LabelledPhotos(album, album),
    )


def ink_style(bank: GlyphBank) -> WritingStyle:
    return WritingStyle(bank, WritingStyleConfig())


@pytest.fixture(scope="module")
def styles(bank: GlyphBank) -> PhotoStyles:
    assert bank.photographs
    return PhotoStyles(bank, bank.photographs, ink_style(bank), CONFIG)


@pytest.mark.slow
def test_others_serve_who_write_as_tightly(styles: PhotoStyles, bank: GlyphBank) -> None:
    key = (GAP, "letter", "relation")  # of which each left one
    writers = (bank.photo_writers[0], bank.photo_writers[-1])
    tight, wide = (styles.examples(key, writer) for writer in writers)
    assert len(tight) == len(wide) == CONFIG.min_all_examples
    assert max(tight) < min(wide)
    assert len(styles.examples(DIGITS, bank.photo_writers[0])) == 3  # their own


@pytest.mark.slow
def test_what_photographs_hardly_have_is_that_of_ink_and_shifted(bank: GlyphBank) -> None:
    album = pages()
    style = ink_style(bank)
    many = Pages(*(row("2 3 2 3 2 3", gap=30.0) for _ in range(CONFIG.min_all_examples)))
    shifted = PhotoStyles(bank, LabelledPhotos(many, many), style, CONFIG)
    few = PhotoStyles(bank, LabelledPhotos(album, album), style, CONFIG)
    theirs = np.median(style.examples((GAP, "letter", "open"), ALL_WRITERS))
    # Digits stand an em apart, so others' gaps are taken to be wider as well.
    assert np.median(shifted.examples((GAP, "letter", "open"), 0)) > theirs + 0.3
    assert few.examples((ROOT,), 0) == style.examples((ROOT,), ALL_WRITERS)


def test_examples_are_shifted_one_by_one_or_some_at_a_time() -> None:
    shifted = ShiftedExamples([(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)], (0.5, -1.0))
    assert len(shifted) == 3
    assert shifted[-1] == (5.5, 5.0)
    assert list(shifted[:2]) == [(1.5, 1.0), (3.5, 3.0)]


@pytest.mark.parametrize(
    "key",
    [
        DIGITS,
        (GAP, "letter", "never seen"),
        (BAR,),
        (ROOT,),
        (INDEX,),
        (FENCE, WritingStyleConfig().fence_class(1.0)),
        script_key(Relation.SUP, "2", r"\circ", PRIMES_AND_DEGREES),
        script_key(Relation.SUB, "never seen", "2", PRIMES_AND_DEGREES),
        script_key(Relation.BELOW, r"\lim", "x", PRIMES_AND_DEGREES),
    ],
)
def test_there_is_always_an_example_of_photographs(
    styles: PhotoStyles, bank: GlyphBank, key: tuple[str, ...]
) -> None:
    count = {GAP: 1, FENCE: 2, BAR: 7, ROOT: 5}.get(key[0], 3)
    for writer in (bank.photo_writers[0], 10_000):
        found = styles.examples(key, writer)
        assert found
        assert {len(example) for example in found} == {count}


def test_some_parts_of_fractions_touch_their_bar() -> None:
    bars = [(0, (0.7, 0.3, 0.7, 0.3, 0.0, 0.0, 0.2))] * 40
    found = [example for _, example in _with_touching_bars(bars, CONFIG)]
    over, under = (sum(example[gap] == 0 for example in found) for gap in (1, 3))
    assert 0 < under < over < len(found) / 3
    assert not any(example[1] == example[3] == 0 for example in found)


@pytest.mark.slow
def test_formulas_are_spaced_as_on_photographs(bank: GlyphBank) -> None:
    """With glyphs of photographs or without; and not where no share is asked for."""

    def width(own: GlyphBank, share: float) -> float:
        composer = Composer(own, FORMULAS, composing(photo_glyphs_share=share))
        made = (composer.compose(parse("333333"), np.random.default_rng(n)) for n in range(30))
        return float(np.median([own.picture.shape[1] / own.picture.shape[0] for own in made]))

    far = Pages(*(row(WORDS, gap=60.0) for _ in range(COUNT)))
    far.ids = [f"photo{number}" for number in range(COUNT)]
    apart = build_bank(
        Copybook(), photo_glyphs=GlyphRows(*[WORDS] * COUNT), photographs=LabelledPhotos(far, far)
    )
    for share in (1e-9, 1.0):
        assert width(apart, share) > 1.5 * width(bank, share)
    plain = build_bank(Copybook())
    for seed in range(10):
        one, other = (
            Composer(own, FORMULAS, composing(invented=0)).sample(np.random.default_rng(seed))
            for own in (apart, plain)
        )
        assert one.picture.tobytes() == other.picture.tobytes()
        assert one.boxes.tobytes() == other.boxes.tobytes()


def test_the_same_seed_gives_the_same_expression(bank: GlyphBank) -> None:
    tree = parse(r"\frac{2}{3}x=3^{\circ}y")
    one, other = (
        Composer(bank, (), composing(photo_glyphs_share=0.5)).compose(
            tree, np.random.default_rng(3)
        )
        for _ in range(2)
    )
    assert one.picture.tobytes() == other.picture.tobytes()
