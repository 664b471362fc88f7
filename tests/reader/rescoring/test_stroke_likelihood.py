"""Strokes are divided by what they may be, and by what people said that they are."""

from dataclasses import replace
from pathlib import Path

import pytest

from san.models import STROKES
from san.reader import symbols
from san.reader.prepared import KnownSymbol, prepare_image
from san.reader.rescoring import stroke_likelihood as module
from san.reader.rescoring.stroke_likelihood import UNKNOWN, shipped_strokes, stroke_likelihood
from san.reader.rescoring.stroke_network import stroke_network
from san.reader.symbols import symbols_and_unread
from tests.reader.rescoring.test_stroke_terms import GAZES, LINE, NETWORK, SHEET, reading


def test_each_symbol_has_a_row_and_what_is_not_told_apart_is_likely_nowhere() -> None:
    found = stroke_likelihood(LINE, NETWORK)
    assert found is not None
    rows = found.of(["x", "2", r"\aleph"])
    x, two = (list(glyph.strokes) for glyph in (SHEET.glyphs[0], SHEET.glyphs[2]))
    assert rows.shape == (3, len(SHEET.ink.strokes))
    assert (rows[0, x] > 0.5).all()
    assert (rows[0, two] < 0.2).all()
    assert (rows[2] == UNKNOWN).all()


def test_what_people_said_is_certain() -> None:
    known = replace(LINE, known=(KnownSymbol("2", SHEET.glyphs[0].strokes),))
    found = stroke_likelihood(known, NETWORK)
    assert found is not None
    own = list(SHEET.glyphs[0].strokes)
    assert (found.of(["2"])[0, own] == 1).all()
    assert (found.of(["x"])[0, own] == 0).all()


def test_pictures_have_no_strokes() -> None:
    assert stroke_likelihood(prepare_image(LINE.picture), NETWORK) is None


@pytest.mark.parametrize("installed", [True, False])
def test_a_stroke_goes_to_the_symbol_that_it_is_likelier_of(
    installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The = gets less attention at its own strokes than the 2 beside it."""
    monkeypatch.setattr(symbols, "shipped_strokes", lambda: NETWORK if installed else None)
    attention = [GAZES[0], 0.3 * GAZES[1] + 0.7 * GAZES[2], 0.6 * GAZES[1] + 0.4 * GAZES[2]]
    found = symbols_and_unread(reading("x=2", attention), LINE)
    own = [glyph.strokes for glyph in SHEET.glyphs]
    assert ([symbol.strokes for symbol in found.symbols] == own) == installed


def test_an_installation_may_do_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped_strokes() is stroke_network(STROKES)
    monkeypatch.setattr(module, "STROKES", tmp_path / "none")
    assert shipped_strokes.__wrapped__() is None
