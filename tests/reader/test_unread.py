"""Ink that was not read: a result knows it, and every form of it says so."""

import json
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from san.images.bitmap import FAR_MARGIN, MARGIN
from san.images.view import ViewedImage
from san.ink import Box, Ink
from san.reader import Recognizer
from san.reader.explain.figure import explain
from san.reader.explain.tree import UNSURE_COLOUR
from san.reader.prepared import prepare_image
from tests.ink.formulas import fraction, quadratic
from tests.ink.test_crossed_out import zigzag
from tests.reader.lost_line import lost_line, whole_line
from tests.reader.other_line import LARGE, with_other_line

NOTE = "4 strokes were not read: another line below?"


def test_a_formula_knows_what_was_not_read() -> None:
    formula = lost_line()
    assert formula.latex == "x=2"
    assert formula.notes == (NOTE,)
    assert [place.strokes for place in formula.unread] == [(5,), (6,), (7,), (8,)]
    assert all(place.box.top >= 149 for place in formula.unread)
    assert formula.unread_share > 0.3
    pictured = lost_line(pictured=True)
    assert len(pictured.unread) == 4
    assert "4 parts of the picture were not read" in pictured.notes[0]


def test_what_is_read_leaves_nothing(reader: Recognizer) -> None:
    read = (fraction(), quadratic(), "samples/quadratic.inkml")  # where the bar of ± stands apart
    for formula in (whole_line(), *map(reader.read, read)):
        assert formula.unread == ()
        assert formula.notes == ()
        assert formula.unread_share == 0


def test_json_says_it() -> None:
    document = json.loads(lost_line().json)
    assert document["notes"] == [NOTE]
    assert [place["strokes"] for place in document["unread"]] == [[5], [6], [7], [8]]
    assert all(len(place["box"]) == 4 for place in document["unread"])
    whole = json.loads(whole_line().json)
    assert all(whole[field] == [] for field in ("unread", "crossed_out", "notes", "doubts"))


def test_a_notebook_marks_it() -> None:
    page = lost_line()._repr_html_()
    assert NOTE in page
    content = page.partition("base64,")[2].partition('"')[0]
    picture = np.asarray(Image.open(BytesIO(b64decode(content))).convert("RGB"))
    marked = (picture == UNSURE_COLOUR).all(axis=-1)
    assert marked.any()
    assert not marked[: picture.shape[0] // 2].any()


def test_what_is_in_doubt_is_said_where_it_is_not_sure() -> None:
    assert whole_line().doubts == ()
    doubtful = lost_line(sure=0.4)
    assert doubtful.words == "doubtful"
    assert "ink was not read" in doubtful.doubts
    assert json.loads(doubtful.json)["doubts"] == list(doubtful.doubts)


def test_the_picture_of_the_reading_marks_it() -> None:
    formula = lost_line()
    boxes = [formula.prepared.box_to_picture(place.box) for place in formula.unread]
    plain = explain(formula.prepared.picture, formula.reading, "a", 0.9)
    marked = explain(formula.prepared.picture, formula.reading, "a", 0.9, boxes, formula.notes)
    assert marked.size[1] > plain.size[1]

    def doubtful(picture: Image.Image) -> int:
        away = np.abs(np.asarray(picture, int) - UNSURE_COLOUR).max(axis=-1)
        return int((away < 60).sum())

    assert doubtful(marked) > doubtful(plain) + 100


def test_unread_ink_lowers_the_confidence(reader: Recognizer) -> None:
    """Scribbles far to the right of a formula are no part of it."""
    sheet = fraction()
    alone = reader.read(sheet)
    right = sheet.ink.box.right
    mess = [
        np.array([[right + 300 + x + 8 * (n % 2), 10 * n] for n in range(9)], np.float32)
        for x in (0, 60, 120)
    ]
    formula = reader.read(Ink((*sheet.ink.strokes, *mess)))
    if formula.expression == alone.expression:  # or it was read as something else: unlikely too
        assert formula.unread
    assert formula.confidence < 0.5 * alone.confidence


@pytest.mark.parametrize("faint", [False, True], ids=["small", "faint"])
def test_writing_that_is_not_in_the_picture_is_unread(reader: Recognizer, faint: bool) -> None:
    page = with_other_line(faint)
    noise = np.random.default_rng(0).normal(0, 3, page.shape)
    for grey in (page, np.clip(0.9 * page + noise, 0, 255).astype(np.uint8)):
        formula = reader.read(grey)
        assert formula.latex == LARGE
        assert len(formula.unread) == 6
        assert formula.unread_share > 0.3
        assert formula.confidence < 0.5
        where = "not read: another line below?" if faint else "not read, to the right"
        assert where in formula.notes[0]
        written = page.copy()
        written[:400] = 255
        for left, top, right, bottom in (map(round, place.box) for place in formula.unread):
            assert (written[top:bottom, left:right] < 220).any()
            written[top - 4 : bottom + 4, left - 4 : right + 4] = 255
        assert (written > 200).all()  # nothing else is there


def test_writing_that_is_not_in_the_picture_turns_with_it() -> None:
    page = with_other_line()
    upright = prepare_image(page)
    turned = upright.half_turned(ViewedImage(page).quarter_turned(2))
    (one,), (other,) = upright.apart, turned.apart
    rows, columns = one.picture.shape
    assert other.picture.shape == one.picture.shape
    around = Box(MARGIN, MARGIN, columns - FAR_MARGIN, rows - FAR_MARGIN)
    assert other.to_source(around) == pytest.approx(one.to_source(around), abs=0.01)


def test_what_lies_beside_the_picture_is_not_marked_on_it() -> None:
    formula = lost_line()
    beside = [Box(-90, 0, -50, 30), Box(0, 2000, 40, 2030)]
    plain = explain(formula.prepared.picture, formula.reading, "a", 0.9)
    assert explain(formula.prepared.picture, formula.reading, "a", 0.9, beside) == plain


def test_what_is_crossed_out_is_left_out_and_told(reader: Recognizer) -> None:
    """The 2 of a half is."""
    sheet = fraction()
    two = sheet.glyphs[-1]
    ink = Ink((*sheet.ink.strokes, zigzag(two.box)))
    formula = reader.read(ink)
    (place,) = formula.crossed_out
    assert place.strokes == (*two.strokes, len(sheet.ink.strokes))
    assert "2 strokes are crossed out, and left out" in formula.notes
    document = json.loads(formula.json)
    assert document["crossed_out"][0]["strokes"] == list(place.strokes)
    named = {number for symbol in formula.symbols for number in symbol.strokes or ()}
    assert not named & set(place.strokes)
