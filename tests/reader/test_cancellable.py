"""What a service asks of the reader: opening first, several at once, an end when it wants one."""

import numpy as np
import pytest

from san.errors import SanError
from san.grammar import parse
from san.ink import draw
from san.reader import Recognizer
from tests.ink.formulas import fraction, quadratic

SHEETS = [fraction(), quadratic()]


@pytest.mark.parametrize(("beam", "n_best"), [(1, 1), (2, 2)])
@pytest.mark.slow
def test_pages_are_read_together_as_alone(reader: Recognizer, beam: int, n_best: int) -> None:
    asked = reader.with_beam(beam, n_best)
    for sheet, found in zip(SHEETS, asked.read_prepared([*map(reader.open, SHEETS)]), strict=True):
        assert found.expression == parse(sheet.truth or "")
        alone = asked.read(sheet)
        assert [one.latex for one in found.alternatives] == [
            one.latex for one in alone.alternatives
        ]
        assert found.confidence == pytest.approx(alone.confidence, abs=1e-4)
        for symbol, same in zip(found.symbols, alone.symbols, strict=True):
            assert symbol.box == pytest.approx(same.box)
            assert symbol.strokes == same.strokes


def test_a_watch_ends_a_reading(reader: Recognizer) -> None:
    prepared, asked = reader.open(SHEETS[0]), 0

    def watch() -> None:
        nonlocal asked
        asked += 1
        if asked == 3:
            raise TimeoutError

    for beam in (1, 3):
        asked = 0
        with pytest.raises(TimeoutError):
            reader.with_beam(beam, 1).read_prepared([prepared], watch)
        assert asked == 3


def test_a_beam_is_checked(reader: Recognizer) -> None:
    with pytest.raises(SanError):
        reader.with_beam(0, 1)
    assert reader.with_beam(2, 4).beam == 4
    assert reader.beam == 1


def test_strokes_know_their_symbols(reader: Recognizer) -> None:
    for sheet in SHEETS:
        owned = sorted(glyph.strokes for glyph in sheet.glyphs)
        assert sorted(symbol.strokes or () for symbol in reader.read(sheet).symbols) == owned
    assert all(symbol.strokes is None for symbol in reader.read(draw(SHEETS[0].ink)).symbols)


def test_a_page_knows_the_size_of_its_source(reader: Recognizer) -> None:
    prepared = reader.open(np.pad(255 - draw(SHEETS[0].ink), 100, constant_values=255))
    rows, columns = draw(SHEETS[0].ink).shape
    assert (prepared.height, prepared.width) == (rows + 200, columns + 200)
    prepared = reader.open(SHEETS[0])
    assert (prepared.width, prepared.height) == (SHEETS[0].ink.box.width, SHEETS[0].ink.box.height)
