"""What photographs show: gaps, scripts and bars as they were drawn, and who touches whom."""

import numpy as np
import pytest

from san.grammar import Relation
from san.ink.strokes import Box
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.config import PhotoWritingStyleConfig, WritingStyleConfig
from san.synth.layout.observations import BAR, GAP, Example, Key, script_key
from san.synth.layout.photo_observations import _columns, _shared_pieces, photo_examples
from san.synth.samples import LabelledPhotos
from tests.synth.extraction.drawn import Drawn, drawn, row
from tests.synth.glyph_rows import GlyphRows
from tests.synth.photographs import PhotoSet as Pages
from tests.synth.photographs import power

pytestmark = pytest.mark.slow  # its fixtures take seconds to make

CONFIG = PhotoWritingStyleConfig()
WORDS = ("2 3 = x", "3 y + 2 = x x", "x + y = 2 3", "2 3 = x y", "y = 3 2")


@pytest.fixture(scope="module")
def bank() -> GlyphBank:
    return build_bank(Copybook(), photo_glyphs=GlyphRows("2 x 3 y", "3 y 2 x"))


def shown(bank: GlyphBank, pages: Pages) -> dict[Key, list[tuple[int, Example]]]:
    found: dict[Key, list[tuple[int, Example]]] = {}
    for writer, key, example in photo_examples(
        bank, LabelledPhotos(pages, pages), CONFIG, WritingStyleConfig()
    ):
        found.setdefault(key, []).append((writer, example))
    return found


def middle(examples: list[tuple[int, Example]], number: int = 0) -> float:
    return float(np.median([example[number] for _, example in examples]))


@pytest.mark.slow
def test_gaps_are_those_that_were_drawn(bank: GlyphBank) -> None:
    near, far = (shown(bank, Pages(*(row(words, gap) for words in WORDS))) for gap in (6.0, 18.0))
    assert near.keys() == far.keys()
    digits = (GAP, "digit", "digit")
    # Twelve pixels more, where a digit of thirty is nearly as tall as an em.
    assert 0.25 < middle(far[digits]) - middle(near[digits]) < 0.6
    assert len(near[digits]) == sum(words.count("2 3") + words.count("3 2") for words in WORDS)


@pytest.mark.slow
def test_scripts_are_seen_where_they_stand(bank: GlyphBank) -> None:
    found = shown(bank, Pages(*[power()] * 3, *map(row, WORDS)))
    sizes = found[script_key(Relation.SUP, "x", "2")]
    assert len(sizes) == 3
    assert 0.4 < middle(sizes, 0) < 0.95
    assert 0 < middle(sizes, 1) < 0.4  # six pixels right of the letter
    assert middle(sizes, 2) > 0  # below its top
    assert (GAP, "scripted", "operator") in found


def half() -> Drawn:
    boxes = [Box(0, 30, 40, 31), Box(10, 0, 28, 24), Box(10, 40, 30, 64)]
    return drawn(r"\frac{2}{3}", list(zip((r"\frac", "2", "3"), boxes, strict=True)))


def test_a_bar_needs_all_that_it_parts(bank: GlyphBank) -> None:
    whole = shown(bank, Pages(half(), *map(row, WORDS)))
    ((_, bar),) = whole[BAR,]
    over, under = bar[1], bar[3]
    assert 0 < over < under
    assert bar[6] > 0  # wider than its parts
    without = shown(bank, Pages(half(), *map(row, WORDS), without={0: [2]}))
    assert (BAR,) not in without


def test_writers_are_known_by_their_photographs(bank: GlyphBank) -> None:
    pages = Pages(*map(row, WORDS[:3]))
    pages.ids = ["photo0", "photo1", "another"]
    writers = {writer for examples in shown(bank, pages).values() for writer, _ in examples}
    assert {*bank.photo_writers} < writers
    assert not writers - {*bank.photo_writers} & {*bank.writer}


def test_what_is_one_piece_touches(bank: GlyphBank) -> None:
    """Of three pages two neighbours have no places; they touch on one."""
    apart, close = row("2 3 = x"), row("2 3 = x", gap=-2.0)
    others = [row(words) for words in WORDS]
    tidy = shown(bank, Pages(*others, apart, without={len(WORDS): [0, 1]}))
    untidy = shown(bank, Pages(*others, close, without={len(WORDS): [0, 1]}))
    key = (GAP, "digit", "digit")
    assert len(untidy[key]) == len(tidy[key]) + 1
    gaps = {example[0] for _, example in untidy[key]} - {example[0] for _, example in tidy[key]}
    assert any(CONFIG.touching_gap[0] <= gap <= CONFIG.touching_gap[1] for gap in gaps)


@pytest.mark.parametrize(
    ("usual", "wide", "found"),
    [
        ([0.5, 0.5], [0.9], [(0, 2, -0.1)]),
        ([0.5, 0.5], [0.5, 0.5], []),
        ([0.5, 0.2, 0.6], [0.5, 0.75], [(1, 3, -0.05)]),
        ([0.5, 0.2, 0.6], [0.75, 0.6], [(0, 2, 0.0)]),  # one of them is wide
        ([0.5, 0.5], [3.0], []),  # that is something else
        ([0.5, 0.5], [], []),
    ],
)
def test_widths_tell_who_shares_a_piece(
    usual: list[float], wide: list[float], found: list[tuple[int, int, float]]
) -> None:
    assert [pytest.approx(own) for own in _shared_pieces(usual, wide, CONFIG)] == found


def test_pieces_above_one_another_are_one() -> None:
    assert _columns([(20, 30), (0, 10), (1, 9)]) == [(0, 10), (20, 30)]
    assert _columns([(0, 10), (8, 20)]) == [(0, 10), (8, 20)]


def test_no_photograph_shows_nothing(bank: GlyphBank) -> None:
    assert not shown(bank, Pages(row("2 x"), without={0: [0, 1]}))
    assert not shown(bank, Pages())
