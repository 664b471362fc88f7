"""Glyphs from photographs in a bank, and expressions written with them."""

from collections.abc import Sequence

import numpy as np
import pytest

from san.config import build
from san.errors import SanError
from san.grammar import parse
from san.synth.composer import Composer
from san.synth.config import CompositionConfig
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.glyphs.photo_glyphs import calibrate_rows, rows_of
from san.synth.layout.config import LayoutConfig, WritingStyleConfig
from san.synth.layout.place import Layout
from san.synth.layout.writer import ExpressionWriter
from san.synth.layout.writing_style import WritingStyle
from san.synth.random_stream import RandomStream
from tests.synth.conftest import FORMULAS, composing
from tests.synth.glyph_rows import WIDE, GlyphRows

pytestmark = pytest.mark.slow  # its fixtures take seconds to make

ROWS = ("2 x + 2 D", "3 y = D", "x x x y y y 2 2 2 3 3 3")


@pytest.fixture(scope="module")
def bank() -> GlyphBank:
    return build_bank(Copybook(), photo_glyphs=GlyphRows(*ROWS))


def test_a_row_is_read_as_it_was_made() -> None:
    row = rows_of(GlyphRows("2 x + 2 D"))[0]
    assert row.names == "2 x + 2 D".split()
    for strokes in row.strokes:
        points = np.concatenate(strokes)
        assert np.ptp(points[:, 0]) / row.em == pytest.approx(WIDE, abs=1e-3)
        assert (points[:, 1].min() - row.axis) / row.em == pytest.approx(-0.4, abs=1e-3)


@pytest.mark.slow
def test_ink_that_is_no_row_is_one_line() -> None:
    with pytest.raises(SanError, match=r"copybook0-1: no row of extracted glyphs"):
        build_bank(Copybook(), photo_glyphs=Copybook())


@pytest.mark.slow
def test_the_ink_itself_stays_as_it_is(bank: GlyphBank) -> None:
    plain = build_bank(Copybook())
    count = len(plain.names)
    assert bank.names[:count] == plain.names
    assert bank.points[: len(plain.points)].tobytes() == plain.points.tobytes()
    assert (bank.em[:count], bank.axis[:count]) == (plain.em, plain.axis)
    assert bank.by_name["2"] == plain.by_name["2"]
    assert not plain.photo_writers
    # Who composes without photo glyphs gets the same, byte for byte.
    for seed in range(10):
        one, other = (
            Composer(own, FORMULAS, composing(invented=0)).sample(np.random.default_rng(seed))
            for own in (bank, plain)
        )
        assert one.picture.tobytes() == other.picture.tobytes()


def test_glyphs_are_known_by_writer_and_what_nobody_wrote_is_anybodys(bank: GlyphBank) -> None:
    assert len(bank.photo_writers) == len(ROWS)
    first = bank.photo_writers[0]
    assert [bank.names[own] for own in bank.by_writer["2", first]] == ["2", "2"]
    assert bank.count_known(first, {"2", "D", "y"}) == 2
    extracted = bank.by_writer["D", first]
    assert set(extracted) <= set(bank.by_name["D"])
    assert extracted in bank.derived["D"]


def test_an_em_is_that_of_the_ink(bank: GlyphBank) -> None:
    em, axis = calibrate_rows(bank, rows_of(GlyphRows(*["2 x 3 y"] * 5)))
    assert 0.5 < em < 2
    assert abs(axis) < 0.5

    def sizes(glyphs: list[int]) -> float:
        return float(np.median([bank.box[own].height / bank.em[own] for own in glyphs]))

    theirs = [own for hand in bank.photo_writers for own in bank.by_writer.get(("2", hand), [])]
    assert 0.5 < sizes(theirs) / sizes(bank.by_name["2"]) < 2


def laid_out_by(bank: GlyphBank, seed: int, photo_writers: Sequence[int]) -> Layout:
    style, random = (
        WritingStyle(bank, WritingStyleConfig()),
        RandomStream(np.random.default_rng(seed)),
    )
    return Layout(ExpressionWriter(bank, style, 0, random, LayoutConfig(), photo_writers))


def test_an_expression_takes_all_it_can_from_its_photo_writers(bank: GlyphBank) -> None:
    one, other, many = bank.photo_writers
    tree = parse("2x+3=7-D")

    def hands(*photo_writers: int) -> list[int]:
        layout = laid_out_by(bank, 0, photo_writers)
        return [bank.writer[own.glyph] for own in layout.expression(tree)]

    assert hands(one, other)[:5] == [one, one, one, other, other]
    assert hands(one, other)[7] == one
    assert not {*hands(one, other)[5:7]} & {*bank.photo_writers}
    assert hands(many, one)[:5] == [many, many, one, many, hands(many, one)[4]]
    assert not {*hands()} & {one, other, many} - {bank.writer[own] for own in bank.by_name["D"]}


def test_photo_writers_repeat_themselves_rather_than_borrow(bank: GlyphBank) -> None:
    one = bank.photo_writers[0]
    layout = laid_out_by(bank, 1, [one])
    placed = [own.glyph for own in layout.expression(parse("2+2+2+2"))]
    twos = placed[::2]
    assert {bank.writer[own] for own in twos} == {one}
    assert len({*twos[:2]}) == 2  # but not before they must


def test_a_share_of_expressions_has_photo_writers(
    bank: GlyphBank, asked_writers: list[Sequence[int]]
) -> None:
    tree = parse("22x3y")
    for share, low, high in ((0.0, 0, 0), (0.5, 5, 35), (1.0, 40, 40)):
        composer = Composer(bank, (), composing(photo_glyphs_share=share))
        asked_writers.clear()
        for seed in range(40):
            made = composer.compose(tree, np.random.default_rng(seed))
            assert np.isfinite(made.boxes).any(axis=1).sum() == 5
        assert low <= sum(map(bool, asked_writers)) <= high
    assert {*asked_writers[0]} <= {*bank.photo_writers}
    with pytest.raises(SanError, match="photo_glyphs_share"):
        build(CompositionConfig, {"photo_glyphs_share": 1.5})
