"""Pages as people hand them in, and as nobody should."""

import pickle
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from san.grammar import parse
from san.images.bitmap import NIB
from san.images.clean.components import BITMAP_MEAN_HEIGHT, find_components, mean_height
from san.images.view import View
from san.ink import Box, Ink, Pen, draw
from san.reader import Formula, Recognizer
from san.reader.pages.page import (
    FRAME,
    MAX_BLOCKS,
    PROSE,
    TOO_MANY,
    TOO_SMALL,
    Found,
    read_page,
)
from san.reader.pages.parts import parts_of_picture
from san.reader.pages.prepared_page import (
    ENLARGING_POWER,
    PreparedPage,
    page_of_image,
    page_of_ink,
)
from san.reader.pages.prose import is_prose
from san.reader.pages.segmentation import Block
from san.reader.prepared import OtherView
from san.synth.photo.paper import PaperPage, Ruling
from tests.images.photographs import grey_photograph
from tests.reader.pages.written import behind_brace, lines_of

LINES = ["x+1=2", "x=1", "2a-b"]


def scan(*lines: str, height: int = 28, max_side: int = 2200) -> NDArray[np.uint8]:
    """Black on white, with paper around it."""
    return np.pad(255 - draw(lines_of(*lines), Pen(height=height, max_side=max_side)), 40, "edge")


def sure(images: Sequence[Any]) -> list[Formula]:
    """A reader that is always sure, of always the same."""
    formula = cast(Formula, SimpleNamespace(confidence=0.9, expression=parse("x+1=2")))
    return [formula for _ in images]


@pytest.mark.slow
def test_ink_and_scans_give_each_line(reader: Recognizer) -> None:
    ink = lines_of(*LINES)
    for source in (ink, draw(ink), scan(*LINES)):
        page = reader.read_page(source)
        assert [formula.latex for formula in page] == LINES
        assert len(page) == 3
        width, height = page.size
        for box, below in zip(page.boxes, page.boxes[1:], strict=False):
            assert 0 <= box.left < box.right <= width + 1
            assert box.top < box.bottom < below.top < height
    symbols = reader.read_page(ink).formulas[2].symbols
    strokes = [number for symbol in symbols for number in symbol.strokes or ()]
    assert max(strokes) == len(ink.strokes) - 1  # counted as the sheet counts them


@pytest.mark.slow
def test_one_formula_is_read_as_it_was_before_there_were_pages(reader: Recognizer) -> None:
    for source in (lines_of(LINES[0]), scan(LINES[0])):
        alone, (on_page,) = reader.read(source), reader.read_page(source)
        assert on_page.confidence == alone.confidence
        assert (on_page.prepared.picture == alone.prepared.picture).all()


def test_letters_of_a_bitmap_are_brought_to_size_and_kept_as_they_were() -> None:
    ink = lines_of(*LINES)
    below = np.array((0, ink.box.bottom + 0.3 * ink.box.height), np.float32)
    small = [stroke * np.float32(0.5) + below for stroke in lines_of(LINES[0]).strokes]
    page = page_of_image(draw(Ink.of([*ink.strokes, *small])))
    images = [page.image_of(block) for block in page.blocks]
    assert len(images) == len(LINES) + 1
    scanned = page_of_image(scan(*LINES))
    assert not any(scanned.image_of(block).at_own_size for block in scanned.blocks)
    found = images[-1].at_own_size
    assert found is not None
    assert images[-1].picture.shape > found.picture.shape
    boxes = [one.to_source(Box(0, 0, *one.picture.shape[::-1])) for one in (images[-1], found)]
    assert boxes[0] == pytest.approx(boxes[1], abs=3)


def test_a_block_of_a_scan_can_be_cleaned_again_by_itself() -> None:
    blurred = cv2.GaussianBlur(scan(*LINES, height=50), (0, 0), 2.0)
    noise = np.random.default_rng(0).integers(0, 4, blurred.shape).astype(np.uint8)
    page = page_of_image(blurred - np.minimum(noise, blurred))
    flat = page_of_image(blurred)  # as if drawn: there is one way to clean it
    assert not any(flat.image_of(block).thinner for block in flat.blocks)
    assert len(page.blocks) == len(LINES)
    for block in page.blocks:
        image = page.image_of(block)
        assert image.thinner is not None
        thin = image.thinner()
        assert thin.thinner is None
        assert len(find_components(thin.picture).stats) == len(block.members)  # and no others'
        cut, again = (one.to_source(Box(0, 0, *one.picture.shape[::-1])) for one in (image, thin))
        assert again == pytest.approx(cut, abs=8)


@pytest.mark.slow
def test_prose_around_a_formula_is_left_out_and_said_to_be(reader: Recognizer) -> None:
    text = Image.new("L", (900, 150), 255)
    pen, font = ImageDraw.Draw(text), ImageFont.load_default(34)
    pen.text((40, 10), "every bounded sequence has a limit", fill=0, font=font)
    pen.text((40, 80), "and therefore we must conclude that", fill=0, font=font)
    formula = scan("x+1=2")
    formula = np.pad(formula, ((0, 0), (0, 900 - formula.shape[1])), constant_values=255)
    page = reader.read_page(np.concatenate([np.asarray(text), formula]))
    assert [one.latex for one in page] == ["x+1=2"]
    assert [block.reason for block in page.left_out] == [PROSE, PROSE]
    assert page.left_out[0].box.bottom < page.left_out[1].box.top < 150
    shown = page._repr_html_()  # in a notebook
    assert shown.count("<figure>") == 1
    assert "2 blocks are left out (prose)" in shown


@pytest.mark.slow
def test_a_page_of_prose_has_no_formula_and_says_so(reader: Recognizer) -> None:
    text = Image.new("L", (520, 150), 255)
    pen, font = ImageDraw.Draw(text), ImageFont.load_default(34)
    pen.text((40, 10), "every bounded sequence", fill=0, font=font)
    pen.text((40, 80), "has a limit somewhere", fill=0, font=font)
    page = reader.read_page(np.asarray(text))
    assert len(page) == 0
    assert page.notes == ["no formula found; 2 blocks are left out (prose)"]
    assert page.to_dict()["notes"] == page.notes


@pytest.mark.parametrize("formula", [r"\sin x+\cos y", "a+b+c+d+e+f+g+h", "CH_{2}=CHCH_{2}CH_{3}"])
def test_formulas_are_no_prose(formula: str) -> None:
    assert not is_prose(parse(formula))
    assert is_prose(parse("thequickbrownfox"))


@pytest.mark.slow
def test_a_hundred_formulas_on_one_page() -> None:
    column = lines_of(*["x+1=2"] * 25, gap=1.2)
    step = np.array([column.box.width + 400, 0], np.float32)
    ink = Ink.of([stroke + number * step for number in range(4) for stroke in column.strokes])
    for prepared in (page_of_ink(ink), page_of_image(draw(ink))):
        page = read_page(prepared, sure)
        assert (len(page), page.left_out) == (100, ())
        assert page.boxes[24].top > page.boxes[25].top  # the next column


@pytest.mark.slow
def test_more_blocks_than_anybody_writes_are_left_out() -> None:
    ink = lines_of(*["x"] * (MAX_BLOCKS + 5), gap=1.2)
    page = read_page(page_of_ink(ink), sure)
    assert len(page) == MAX_BLOCKS
    assert {block.reason for block in page.left_out} == {TOO_MANY}
    assert len(page.left_out) == 5


@pytest.mark.slow
def test_small_letters_are_cleaned_from_the_image_once_more() -> None:
    page = page_of_image(scan(*["x+1=2", "2a-b"] * 20, height=45, max_side=6000))
    assert page.whole.scale < 0.7
    block = page.blocks[21]
    image = page.image_of(block)
    letter = mean_height(find_components((image.picture > 127).astype(np.uint8)).stats, 3)
    assert 25 < letter < 35
    height, width = image.picture.shape
    around = image.to_source(type(block.box)(12, 12, width - 12, height - 12))
    assert np.allclose(around, page.box_of(block), atol=6)


def test_small_letters_of_a_bitmap_are_enlarged_part_of_the_way() -> None:
    large, small = lines_of("x+1=2"), lines_of("2a-b=x")
    below = np.array([0, 1.6 * large.box.height], np.float32)
    ink = Ink.of([*large.strokes, *(0.4 * stroke + below for stroke in small.strokes)])
    page = page_of_image(draw(ink))
    assert page.part_of is not None
    block = page.blocks[1]
    images = [page._cut_out(block, page.part_of), page.image_of(block)]
    heights = [mean_height(find_components(one.picture // 255).stats, NIB) for one in images]
    assert heights[0] < 0.75 * BITMAP_MEAN_HEIGHT
    assert 1.15 * heights[0] < heights[1] < 0.95 * BITMAP_MEAN_HEIGHT
    assert images[1].scale == pytest.approx((BITMAP_MEAN_HEIGHT / heights[0]) ** ENLARGING_POWER)


@pytest.mark.slow
def test_lines_that_touch_are_told_of(reader: Recognizer) -> None:
    """Nothing parts them: so both are in one reading, or it is doubtful or says what is left."""
    ink = lines_of("x+1=2", "3a-b=c")
    box = ink.box
    across = [(box.right / 2, 20), (box.right / 2 + 5, box.bottom - 20)]
    page = reader.read_page(Ink.of([*ink.strokes, across]))
    for formula in page:
        both = "x+1" in formula.latex and "3a-b" in formula.latex
        assert both or len(page) > 1 or formula.confidence < 0.5 or formula.notes


@pytest.mark.slow
@pytest.mark.parametrize("lines", [("x+y=5", "x-y=1"), ("x=1", "y=2", "z=3")])
def test_a_system_behind_a_brace_is_one_formula(reader: Recognizer, lines: Sequence[str]) -> None:
    (formula,) = reader.read_page(behind_brace(lines_of(*lines)))
    assert formula.latex == r"\begin{cases}" + r"\\".join(lines) + r"\end{cases}"
    assert formula.confidence > 0.5
    assert not formula.unread


@pytest.mark.slow
@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_turned_page_is_set_upright(reader: Recognizer, quarters: int) -> None:
    page = reader.read_page(np.ascontiguousarray(np.rot90(scan("x+1=2", "3a-5b=7"), -quarters)))
    assert [formula.latex for formula in page] == ["x+1=2", "3a-5b=7"]
    assert page.formulas[0].turned == (360 - 90 * quarters) % 360 or page.formulas[0].turned < 0


@pytest.mark.slow
def test_a_page_that_lies_otherwise_than_it_seemed_is_parted_as_it_lies(reader: Recognizer) -> None:
    """Where all of it seemed one block, on its side: it is read, and shows to be two lines."""
    upright = page_of_image(scan("x+1=2", "3a-5b=7")).whole
    view = View(turned=-90.0)
    picture = np.ascontiguousarray(np.rot90(upright.picture))
    ways = (OtherView(3.0, lambda: upright),)
    whole = replace(upright, picture=picture, view=view, others=ways)
    page = PreparedPage(whole, *parts_of_picture(picture))
    page.__dict__["blocks"] = [Block(page.parts, np.arange(len(page.parts)))]
    assert [one.latex for one in reader.read_prepared_page(page)] == ["x+1=2", "3a-5b=7"]


@pytest.mark.slow
def test_a_page_in_doubt_has_no_ways_but_those_of_the_page(reader: Recognizer) -> None:
    """It is looked at as one block, which brings the ways of all of it along."""
    page = page_of_image(scan("x+1=2", "3a-5b=7"))
    again = OtherView(5.0, lambda: replace(page.whole, picture=page.whole.picture.copy()))
    whole = replace(page.whole, others=(again,))
    in_doubt = PreparedPage(whole, page.parts, page.part_of, page.grey)
    first, second = page.blocks
    in_doubt.__dict__["blocks"] = [first, replace(second, boundary=0.5)]
    assert [one.latex for one in reader.read_prepared_page(in_doubt)] == ["x+1=2", "3a-5b=7"]


@pytest.mark.parametrize(("boundary", "joined"), [(0.5, True), (1.0, False)])
def test_how_a_page_lies_is_told_by_all_that_may_be_one_formula(
    boundary: float, joined: bool
) -> None:
    """Half a fraction may read as well upside down."""
    page = page_of_image(scan("x+1=2", "3a-5b=7"))
    first, second = page.blocks
    page.__dict__["blocks"] = [first, Block(second.parts, second.members, boundary)]
    assert (page.largest.picture.shape == page.whole.picture.shape) == joined


@pytest.mark.slow
def test_a_page_that_is_looked_at_otherwise_can_be_given_up(reader: Recognizer) -> None:
    class GivenUpError(Exception):
        pass

    def check() -> None:
        raise GivenUpError

    page = page_of_image(scan("x+1=2", "3a-5b=7"))
    ways = (OtherView(3.0, lambda: page.whole),)
    doubtful = replace(page, whole=replace(page.whole, others=ways))
    with pytest.raises(GivenUpError):
        reader._upright_page(doubtful, check)


def test_squares_too_narrow_for_rulings_are_told_in_the_enlarged_photograph() -> None:
    lines = ("x+1=2", "3a-5b=7", "2a-b=1", "b=4", "x^2-4x+4=0", "y=3x-5")
    ink = draw(lines_of(*lines, gap=2), Pen(height=34, max_side=3000))
    plain = PaperPage(zoom=1.3, ink=(110, 110, 120), uneven=0.3, shadow=0.3, tilt=-1.5)
    squared = replace(plain, ruling=Ruling.SQUARED, spacing=36)
    small, large = (grey_photograph(ink, paper, seed=2) for paper in (squared, plain))
    small = np.asarray(cv2.resize(small, None, fx=0.33, fy=0.33, interpolation=cv2.INTER_AREA))
    page, expected = page_of_image(small), page_of_image(large)
    assert len(page.blocks) == len(expected.blocks) == len(lines)
    assert (page.whole.width, page.whole.height) == small.shape[::-1]
    for one, other in zip(page.blocks, expected.blocks, strict=True):
        sides = [0.33 * side for side in expected.box_of(other)]
        assert page.box_of(one) == pytest.approx(sides, abs=2)


def framed(*lines: str) -> PreparedPage:
    """Lines with a corner around them, as if photographed."""
    ink = lines_of(*lines, gap=2)
    left, top, right, bottom = ink.box
    corner = [(left - 60, top - 40), (left - 60, bottom + 60), (right + 80, bottom + 60)]
    drawn = page_of_ink(Ink.of([*ink.strokes, np.array(corner)]))
    assert not drawn.frames  # a sheet's edge is in photographs alone
    seen = replace(drawn.whole, photographed=True)
    return PreparedPage(seen, drawn.parts, drawn.part_of, drawn.grey)


def test_a_page_that_was_read_keeps_no_image_and_can_be_sent_to_another_process() -> None:
    """A list of pages would hold every photograph; and who reads in processes sends pages back."""
    ink = draw(lines_of("x+1=2", "3a-5b=7", "2a-b=1", "b=4", gap=2))
    seen = page_of_image(np.asarray(cv2.resize(255 - ink, (2400, 1800))))
    ways = (OtherView(-3.0, lambda: seen.whole),)
    read = read_page(replace(seen, whole=replace(seen.whole, others=ways)), sure)
    content = pickle.dumps(read)
    assert seen.grey is not None
    assert len(content) < min(seen.grey.nbytes, read.prepared.picture.nbytes + 20_000)
    again = pickle.loads(content)
    assert again.size == read.size == (2400, 1800)
    assert again.derivations == read.derivations


def test_a_block_of_which_nothing_is_read_is_no_formula() -> None:
    def read(images: Sequence[Any]) -> list[Formula]:
        formulas = sure(images)
        if len(images) > 1:
            formulas[1] = cast(Formula, SimpleNamespace(confidence=0.2, expression=parse("")))
        return formulas

    page = read_page(page_of_ink(lines_of("x+1=2", "3a-5b=7", "2a-b=1", "b=4", gap=2)), read)
    assert len(page) == 3
    assert [block.reason for block in page.left_out] == [TOO_SMALL]


def test_a_frame_around_formulas_is_left_out_and_said_to_be() -> None:
    read = read_page(framed("x+1=2", "3a-5b=7", "2a-b=1", "b=4"), sure)
    assert len(read) == 4
    assert [block.reason for block in read.left_out] == [FRAME]
    assert read.notes == ["1 block is left out (a frame, or a sheet's edge)"]


def test_a_frame_that_was_cleaned_by_itself_is_none_of_the_formulas() -> None:
    """Writing in it was small beside it, and is cleaned apart."""
    inner = [Box(100, top, 300, top + 30) for top in (100, 160, 220)]
    frame = Found(sure([0])[0], Box(50, 50, 400, 300), 1)
    assert frame.is_frame([frame.box, *inner])
    assert not frame.is_frame([frame.box, *inner[:2]])  # a root over a fraction
    assert not frame._replace(parts=12).is_frame([frame.box, *inner])
    assert not frame.is_frame([frame.box, *inner, Box(50, 400, 900, 900)])
