"""A formula in every format, in one JSON shape, and as a notebook shows it."""

import json
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from san.errors import SanError
from san.grammar import parse, to_tokens
from san.grammar.formats import Format
from san.grammar.json import from_json
from san.ink import draw
from san.reader import Formula, Recognizer
from san.reader.explain.canvas import colour_of
from san.reader.notebook import MAX_WIDTH, formula_html
from tests.ink.formulas import quadratic
from tests.reader.test_boxes import grown, overlap

SHEET = quadratic()


@pytest.fixture(scope="module")
def formula(reader: Recognizer) -> Formula:
    return reader.read(SHEET)


def test_every_form_says_the_same(formula: Formula) -> None:
    assert SHEET.truth is not None
    tree = parse(SHEET.truth)
    document = json.dumps(json.loads(formula.json)["expression"])
    assert formula.expression == parse(formula.latex) == from_json(document) == tree
    assert formula.tokens == to_tokens(tree)
    assert ElementTree.fromstring(formula.mathml).tag.endswith("math")
    assert "R, b_2, 2_1, Sup, 1.0" in formula.lg.splitlines()
    assert formula.write("tokens").split() == formula.tokens
    for form in Format:
        attribute = getattr(formula, form)
        assert formula.write(form) == (attribute if form != "tokens" else " ".join(attribute))
    assert repr(formula).startswith("Formula('x=")


def test_another_format_is_one_line_with_those_that_there_are(formula: Formula) -> None:
    said = (
        r"^'pdf' is no format; those are: latex, stretchy, mathml, typst, json, tokens, lg, tree$"
    )
    with pytest.raises(SanError, match=said):
        formula.write("pdf")
    with pytest.raises(SanError, match=said):
        formula.to_dict(["pdf"])
    with pytest.raises(SanError, match=said):
        formula.to_dict("pdf")  # not its letters, one by one


def test_one_format_may_be_named_by_itself(formula: Formula) -> None:
    assert formula.to_dict("mathml") == formula.to_dict(["mathml"])
    assert "mathml" in formula.to_dict("mathml")


def test_a_picture_tells_how_it_was_read(formula: Formula) -> None:
    picture = formula.explain("some title")
    assert picture.width >= 1280
    assert picture.tobytes() != formula.explain("another").tobytes()


def test_json_has_room_for_what_is_known_of_a_symbol(formula: Formula) -> None:
    document = json.loads(formula.json)
    assert document["confidence"] == round(formula.confidence, 4)
    assert [entry["symbol"] for entry in document["expression"]["symbols"]] == [
        s.name for s in formula.symbols
    ]
    for entry, symbol in zip(document["expression"]["symbols"], formula.symbols, strict=True):
        assert entry["probability"] == pytest.approx(symbol.probability, abs=1e-4)
        assert entry["box"] == pytest.approx(symbol.box, abs=0.01)


def test_only_photographs_are_said_to_be_photographs(formula: Formula) -> None:
    photo = replace(formula.prepared, photographed=True)
    drawing = replace(photo, flat_ground=True)
    said = "photographs are misread more often than ink"
    unsure = replace(formula, confidence=0.6)
    assert said in replace(unsure, prepared=photo).doubts
    assert said not in replace(unsure, prepared=drawing).doubts


def test_boxes_stand_on_the_symbols(formula: Formula, reader: Recognizer) -> None:
    """The true segmentation is known: in units of the ink, and in pixels of its drawing."""
    truth = [(glyph.label, glyph.box) for glyph in SHEET.glyphs]
    drawn = reader.read(draw(SHEET.ink))
    prepared = formula.prepared
    for read in (formula, drawn):
        assert [symbol.name for symbol in read.symbols] == [label for label, _ in truth]
        for symbol, (label, box) in zip(read.symbols, truth, strict=True):
            if read is drawn:
                corners = prepared.to_picture(np.array([box[:2], box[2:]], np.float32))
                box = type(box)(*corners.ravel().tolist())
            assert symbol.box is not None
            if read is formula:  # a bar has no area
                assert overlap(grown(symbol.box, 0.5), box, nib=1) > 0.5, label
            else:
                assert overlap(symbol.box, box, nib=3) > 0.5, label


def test_symbols_tell_how_sure_and_where(formula: Formula) -> None:
    rows, columns = (-(-side // 16) for side in formula.prepared.picture.shape)
    for symbol in formula.symbols:
        assert 0.5 < symbol.probability <= 1
        assert symbol.attention.shape == (rows, columns)
        assert symbol.attention.sum() == pytest.approx(1, abs=1e-3)
        assert symbol.name not in [name for name, _ in symbol.alternatives]
    assert 0 <= formula.confidence <= 1


def test_a_notebook_shows_the_formula_and_its_picture(formula: Formula, reader: Recognizer) -> None:
    assert formula._repr_latex_() == f"$\\displaystyle {formula.latex}$"
    page = formula._repr_html_()
    figure = ElementTree.fromstring(page.replace("&nbsp;", " "))
    image = figure.find("img")
    assert image is not None
    assert image.attrib["alt"] == formula.latex
    under = figure.find("figcaption/div")  # as wide as it is, and so below its picture
    assert under is not None
    assert "fit-content" in under.attrib["style"]
    assert under[0].tag.endswith("math")
    kind, _, content = image.attrib["src"].partition(",")
    assert kind == "data:image/png;base64"
    picture = Image.open(BytesIO(b64decode(content)))
    colours = {colour for _, colour in picture.getcolors(1 << 20)}
    assert {colour_of(number) for number in range(7)} <= colours


def test_what_a_notebook_shows_is_bounded_and_escaped(formula: Formula) -> None:
    wide = replace(formula.prepared, picture=np.zeros((200, 5000), np.uint8))
    page = formula_html(wide, [], [], ('<script>"&', "<math/>"), "50% sure", ["<b>&"])
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;" in page
    content = page.partition("base64,")[2].partition('"')[0]
    assert Image.open(BytesIO(b64decode(content))).size[0] <= MAX_WIDTH
