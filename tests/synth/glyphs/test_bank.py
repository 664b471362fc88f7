"""The glyph bank, and how it is built."""

from collections.abc import Sequence

import numpy as np
import pytest

from san.errors import SanError
from san.grammar import Expression, parse
from san.ink import Glyph, Ink
from san.ink.strokes import box_of
from san.synth.glyphs.bank import NO_SYMBOL, NO_WRITER
from san.synth.glyphs.build import build_bank, writer_of
from san.synth.glyphs.copybook import Copybook


@pytest.mark.parametrize(
    ("sample", "writer"),
    [
        ("formulaire012-equation034", "formulaire012"),
        ("200923-1254-302", "200923-1254"),
        ("TrainData2_13_sub_17", "TrainData2_13"),
        ("126_Fabricio", "Fabricio"),
        ("MfrDB0104", "MfrDB010"),
        ("mine", "mine"),
    ],
)
def test_the_id_tells_the_writer(sample: str, writer: str) -> None:
    assert writer_of(sample) == writer


class Pair:
    """Two samples: one that aligns but for a stray dot, and one that does not."""

    ids: Sequence[str] = ("a-1", "b-1")

    def __len__(self) -> int:
        return 2

    def tree(self, place: int) -> Expression:
        return parse(("x^{2}", "yy")[place])

    def ink(self, place: int) -> Ink:
        strokes = [[[0, 0], [20, 20]], [[20, 0], [0, 20]], [[25, -20], [35, -5]], [[90, 90]]]
        return Ink.of(strokes)

    def glyphs(self, place: int) -> tuple[Glyph, ...]:
        strokes = self.ink(place).strokes
        return tuple(
            Glyph(label, own, box_of(strokes[number] for number in own))
            for label, own in (("2", (2,)), ("x", (0, 1)))
        )


@pytest.mark.slow
def test_glyphs_stand_in_walk_order_and_unassigned_ink_behind_them() -> None:
    bank = build_bank(Pair())
    assert bank.names[:4] == ["x", "2", NO_SYMBOL, NO_SYMBOL]
    one, other = bank.expressions
    assert one.aligned
    assert not other.aligned
    assert (one.first, one.last, other.first, other.last) == (0, 3, 3, 4)
    assert one.steps == (0, 2)  # x, E, 2, empty
    assert one.length == 4
    points = bank.points[bank.point_ends[0] : bank.point_ends[1]]
    assert points.tolist() == [[0, 0], [20, 20], [20, 0], [0, 20]]
    assert bank.box[1] == (25, -20, 35, -5)
    assert sum(bank.stroke_lengths) == len(bank.points) == bank.point_ends[-1]
    assert bank.point_ends[4] == 14
    assert set(bank.by_name) - bank.derived.keys() <= {"x", "2"}


@pytest.mark.slow
def test_what_nobody_wrote_is_derived_and_stands_behind_all_that_was_written() -> None:
    bank = build_bank(Copybook())
    written = bank.expressions[-1].last
    derived = [glyph for groups in bank.derived.values() for group in groups for glyph in group]
    assert sorted(derived) == list(range(written, len(bank.names)))
    assert {bank.writer[glyph] for glyph in derived} == {NO_WRITER}
    for name, groups in bank.derived.items():
        assert bank.by_name[name] == [glyph for group in groups for glyph in group]
        assert name not in bank.names[:written]
    sizes = {
        len(own) for own in (bank.names, bank.writer, bank.em, bank.axis, bank.outlier, bank.box)
    }
    assert sizes == {len(bank.boxes)} == {len(bank.point_ends) - 1} == {len(bank.stroke_ends) - 1}
    for glyph in derived[::97]:
        points = bank.points[bank.point_ends[glyph] : bank.point_ends[glyph + 1]]
        assert bank.box[glyph] == (*points.min(axis=0), *points.max(axis=0))


@pytest.mark.slow
def test_knows_who_wrote_what() -> None:
    bank = build_bank(Copybook())
    writers = {written.writer for written in bank.expressions}
    assert len(writers) == 4
    for writer in writers:
        assert bank.count_known(writer, ("x", r"\sum", "no symbol")) == 2
    assert all(own.aligned for own in bank.expressions)
    em = np.array(bank.em)
    assert em.min() > 5
    assert em.max() < 200


def test_without_ink_there_is_no_bank() -> None:
    class Nothing(Pair):
        def __len__(self) -> int:
            return 0

    with pytest.raises(SanError, match="no ink"):
        build_bank(Nothing())
