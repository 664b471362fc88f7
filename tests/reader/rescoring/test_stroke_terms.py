"""What strokes say of readings: each is to be explained, and each symbol to be written."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from san import models
from san.decoding.engine import Floats
from san.decoding.reading import Reading, ReadStep
from san.errors import SanError
from san.grammar import parse
from san.grammar.productions import EMPTY_STRING, EXTEND, unfold
from san.ink import Ink, Sheet
from san.ink.alphabet import compose
from san.models import RESCORING, STROKES
from san.reader import Recognizer
from san.reader.prepared import KnownSymbol, PreparedImage, prepare_image, prepare_ink
from san.reader.rescoring import second_pass
from san.reader.rescoring.rescorer import InkWeights, Rescorer, RescoringWeights
from san.reader.rescoring.second_pass import rescored, resized
from san.reader.rescoring.stroke_network import StrokeNetwork
from san.reader.rescoring.stroke_terms import MIN_CLAIM, MIN_STROKE, stroke_terms, strokes_for
from san.reader.step_symbols import symbol_steps
from tests.reader.lost_line import LOST, READ, gazes
from tests.reader.small_rescorer import likes

SHEET = compose(READ)
LINE = prepare_ink(SHEET.ink)
GAZES = gazes(LINE, LINE, SHEET)  # at x, = and 2


class Told:
    """A network that holds each glyph of a sheet for what it is, as surely as it is told."""

    def __init__(self, names: Sequence[str], sure: float = 0.9) -> None:
        self.symbols, self.names, self.sure = sorted({*names, "z"}), names, sure

    def column(self, name: str) -> int | None:
        return self.symbols.index(name) if name in self.symbols else None

    def log_probabilities(self, ink: Ink) -> Floats:
        found = np.full((len(ink.strokes), len(self.symbols)), 1 - self.sure, np.float32)
        for stroke, name in enumerate(self.names):
            found[stroke, self.symbols.index(name)] = self.sure
        return np.log(found / found.sum(axis=1, keepdims=True))


def told(sheet: Sheet) -> StrokeNetwork:
    names = [glyph.label for glyph in sheet.glyphs for _ in glyph.strokes]
    return cast(StrokeNetwork, Told(names))


NETWORK = told(SHEET)


def reading(latex: str, attention: Sequence[Floats], probability: float = 0.9) -> Reading:
    steps = unfold(parse(latex))
    own = dict(zip(symbol_steps(steps), attention, strict=True))
    nowhere = np.zeros_like(attention[0]) if len(attention) else np.zeros((1, 1), np.float32)
    read = [
        ReadStep(
            step,
            1.0 if step.target in (EMPTY_STRING, EXTEND) else probability ** (1 / len(own)),
            (0.0,) * 7,
            own.get(number, nowhere),
            (),
        )
        for number, step in enumerate(steps)
    ]
    return Reading(tuple(read))


def terms(latex: str, attention: Sequence[Floats]) -> tuple[float, float, float]:
    found = stroke_terms([(LINE, reading(latex, attention))], NETWORK)
    assert found is not None
    worst, unread, claimed = found[0].tolist()
    return worst, unread, claimed


def test_a_right_reading_explains_every_stroke() -> None:
    worst, unread, claimed = terms("x=2", GAZES)
    assert worst > np.log(0.5)
    assert unread == 0
    assert claimed > 3 * np.log(0.9)


def test_one_stroke_that_cannot_be_what_is_read_is_enough() -> None:
    right, wrong = terms("x=2", GAZES)[0], terms("x=z", GAZES)[0]
    assert wrong < right - 1.0
    assert wrong >= MIN_STROKE


@pytest.mark.parametrize("first", [0, 7])
def test_what_people_said_of_a_stroke_is_not_doubted(first: int) -> None:
    numbers = tuple(range(first, first + len(SHEET.ink.strokes)))  # as the source counts them
    strokes = tuple(first + stroke for stroke in SHEET.glyphs[2].strokes)
    corrected = replace(LINE, known=(KnownSymbol("z", strokes),), stroke_numbers=numbers)
    read = [(corrected, reading(latex, GAZES)) for latex in ("x=z", "z=z")]
    found = stroke_terms(read, NETWORK)
    assert found is not None
    assert found[0] == pytest.approx(terms("x=2", GAZES), abs=0.3)
    assert found[1, 0] < found[0, 0] - 1.0  # and other strokes have a say


def test_strokes_that_nobody_looks_at_are_counted() -> None:
    sheet = compose([*READ, *LOST])
    image = prepare_ink(sheet.ink)
    attention = gazes(image, image, sheet)
    network = told(sheet)
    lost = sum(len(glyph.strokes) for glyph in sheet.glyphs[3:])
    found = stroke_terms([(image, reading("x=2", attention[:3]))], network)
    assert found is not None
    assert found[0, 1] == lost


def test_a_symbol_without_strokes_of_its_own_was_made_up() -> None:
    made_up = terms("x==2", [GAZES[0], GAZES[1], GAZES[1], GAZES[2]])  # each = claims half
    other = terms("x=22", [GAZES[0], GAZES[1], GAZES[1], GAZES[2]])  # the first 2 looks at the =
    right = terms("x=2", GAZES)
    assert made_up[2] < right[2] - 1.0
    assert other[2] < right[2] - 1.0
    assert other[2] >= 4 * MIN_CLAIM


def test_readings_of_a_smaller_copy_count_as_well() -> None:
    copy = resized(LINE, 0.85)
    of_copy = gazes(copy, LINE, SHEET)
    found = stroke_terms([(LINE, reading("x=2", GAZES)), (copy, reading("x=2", of_copy))], NETWORK)
    assert found is not None
    assert found[1] == pytest.approx(found[0], abs=0.5)


def test_of_pictures_nothing_is_said() -> None:
    picture = prepare_image(LINE.picture)
    assert stroke_terms([(picture, reading("x=2", GAZES))], NETWORK) is None


def test_nor_where_nobody_knows_where_a_reading_looked() -> None:
    nowhere = [np.zeros((0, 0), np.float32)] * 3
    assert stroke_terms([(LINE, reading("x=2", nowhere))], NETWORK) is None


def test_a_reading_of_nothing_leaves_all_strokes() -> None:
    found = stroke_terms([(LINE, reading("x=2", GAZES)), (LINE, reading("", []))], NETWORK)
    assert found is not None
    assert found[1].tolist() == [0.0, len(SHEET.ink.strokes), 0.0]


@pytest.mark.parametrize("weight", [0.0, 2.0])
def test_strokes_have_a_say_where_they_have_a_weight(weight: float) -> None:
    content = likes({}, RescoringWeights(), ink_weights=InkWeights(worst_stroke=weight))
    passes: list[tuple[PreparedImage, list[Reading]]] = [
        (LINE, [reading("x=z", GAZES, 0.5), reading("x=2", GAZES, 0.4)])
    ]
    best, other = rescored(passes, Rescorer(content), NETWORK)
    assert best.reading.expression == parse("x=2" if weight else "x=z")
    assert best.confidence > other.confidence
    alone, _ = rescored(passes, Rescorer(content))  # nobody asks about strokes
    assert alone.reading.expression == parse("x=z")


def test_the_reader_asks_of_ink_in_doubt_and_of_nothing_else(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []  # whether there was an answer

    def counted(*given: Any) -> Any:
        found = stroke_terms(*given)
        asked.append(found is not None)
        return found

    monkeypatch.setattr(second_pass, "stroke_terms", counted)
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 0.0)
    reader.read(SHEET)
    assert asked == []
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 1.1)
    monkeypatch.setattr(second_pass, "MAX_OPINION_PIXELS", 0)
    reader.read(LINE.picture)
    reader.read(SHEET)
    assert asked == [False, True]


def test_an_installation_may_do_without_and_a_damaged_file_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, rescorer = tmp_path / STROKES.name, Rescorer()
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    monkeypatch.setattr("san.reader.rescoring.stroke_terms.STROKES", file)
    beside = tmp_path / "mine" / RESCORING.name
    assert strokes_for(beside, rescorer) is None
    file.write_bytes(STROKES.read_bytes()[:-1])
    with pytest.raises(SanError, match=r"damaged \(not as SHA256SUMS"):
        strokes_for(beside, rescorer)
