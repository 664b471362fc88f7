"""Boxes: where the symbols of a drawing stand, from where a network might have looked."""

from functools import reduce

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from san.images.view import ViewedImage
from san.ink import Box, Ink
from san.ink.alphabet import compose
from san.reader.boxes import box_around, locate
from san.reader.pages.parts import parts_of_picture
from san.reader.pages.prepared_page import PreparedPage
from san.reader.pages.segmentation import Block
from san.reader.pieces import MAX_PIECES, components_of, strokes_of
from san.reader.prepared import PreparedImage, prepare_image, prepare_ink
from san.reader.wording import hull
from tests.ink.formulas import fraction
from tests.reader.lost_line import CELL, LOST, READ, attention_on, gazes


def boxes(prepared: PreparedImage, attention: np.ndarray, cell: int) -> list[Box]:
    return [location.box for location in locate(prepared, attention, cell).symbols]


def overlap(one: Box, other: Box, nib: float = 0.0) -> float:
    """Of their union; the other is a pen's way, and its line is `nib` wide."""
    other = grown(other, nib / 2)
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    both = max(width, 0.0) * max(height, 0.0)
    return both / (one.width * one.height + other.width * other.height - both)


def grown(box: Box, by: float) -> Box:
    return Box(box.left - by, box.top - by, box.right + by, box.bottom + by)


def test_strokes_are_found_to_the_point() -> None:
    sheet = fraction()
    prepared = prepare_ink(sheet.ink)
    for glyph, box in zip(
        sheet.glyphs, boxes(prepared, gazes(prepared, prepared, sheet), CELL), strict=True
    ):
        assert np.allclose(box, glyph.box, atol=0.05), glyph.label


def test_pictures_are_found_to_the_pixel_in_pixels_of_the_source() -> None:
    sheet = fraction()
    ink = prepare_ink(sheet.ink)
    large = np.kron(255 - ink.picture, np.ones((3, 3), np.uint8))  # dark on light, and larger
    for source, factor in ((ink.picture, 1), (np.pad(large, 90, constant_values=255), 3)):
        prepared = prepare_image(source)
        shift = 0 if factor == 1 else 90
        seen = np.stack([attention_on(prepared, Box(*_on(prepared, ink, glyph.box, factor, shift)))
                         for glyph in sheet.glyphs])  # fmt: skip
        for glyph, box in zip(sheet.glyphs, boxes(prepared, seen, CELL), strict=True):
            corners = ink.to_picture(np.array([glyph.box[:2], glyph.box[2:]], np.float32))
            truth = Box(*(corners * factor + shift).ravel().tolist())
            assert overlap(box, truth, nib=3 * factor) > 0.6, (glyph.label, factor)


def _on(
    prepared: PreparedImage, ink: PreparedImage, box: Box, factor: int, shift: int
) -> list[float]:
    """A box of the ink in the picture's own pixels, by way of the source's."""
    corners = ink.to_picture(np.array([box[:2], box[2:]], np.float32)) * factor + shift
    return prepared.to_picture(corners.astype(np.float32)).ravel().tolist()


def test_two_symbols_in_one_stroke_part_it() -> None:
    picture = np.zeros((64, 160), np.uint8)
    picture[30:33, 12:149] = 255  # one line, and two symbols that look at its ends
    prepared = PreparedImage(picture, 1.0, 0.0, 0.0)
    attention = np.stack([attention_on(prepared, Box(x, 20, x + 40, 40)) for x in (12, 109)])
    left, right = boxes(prepared, attention, CELL)
    assert (left.left, right.right) == (12, 149)
    assert abs(left.right - right.left) <= 1
    assert 60 < left.right < 100


def test_a_stem_belongs_to_its_dot_though_a_neighbour_glances_at_it() -> None:
    picture = np.zeros((80, 64), np.uint8)
    picture[6:10, 22:26] = 255  # the dot, by which a j is told
    picture[18:78, 22:26] = 255  # its stem, through four cells
    picture[36:44, 36:60] = 255  # the neighbour
    attention = np.zeros((2, 5, 4), np.float32)
    attention[0, 0, 1] = 0.92
    attention[0, 1:, 1] = 0.02  # little on each cell of the stem: 0.08 in all
    attention[1, 2, 2:], attention[1, 2, 1] = 0.45, 0.1  # more than that, but on one of them alone
    prepared = PreparedImage(picture, 1.0, 0.0, 0.0)
    assert boxes(prepared, attention, CELL) == [Box(22, 6, 26, 78), Box(36, 36, 60, 44)]


def test_a_stroke_goes_with_those_that_it_crosses() -> None:
    """The upright of a 4 beside an a, at which the step of the a looks more."""
    upright = [(30, 20), (30, 60)]
    angle = [(26, 5), (5, 40), (45, 40)]
    beside = [(70, 30), (55, 45), (70, 60), (72, 30)]
    ink = Ink((*(np.array(own, np.float32) for own in (angle, upright, beside)),))
    prepared = prepare_ink(ink)
    attention = [
        np.zeros(tuple(-(-side // CELL) for side in prepared.picture.shape), np.float32)
    ] * 2
    four, a = (own.copy() for own in attention)
    pieces = strokes_of(prepared)
    for cells, weights in ((four, (1.0, 0.2, 0.0)), (a, (0.0, 0.8, 1.0))):
        for number, weight in enumerate(weights):
            x, y = (pieces.points[pieces.piece == number] // CELL).astype(int).T
            np.add.at(cells, (y, x), np.float32(weight / len(x)))
        cells /= cells.sum()
    assert [place.strokes for place in locate(prepared, np.stack([four, a]), CELL).symbols] == [
        (0, 1),
        (2,),
    ]


def test_a_speck_far_away_belongs_to_nobody() -> None:
    picture = np.zeros((64, 320), np.uint8)
    picture[20:44, 20:44] = 255
    picture[30:32, 300:302] = 255
    prepared = PreparedImage(picture, 1.0, 0.0, 0.0)
    assert boxes(prepared, attention_on(prepared, Box(20, 20, 44, 44))[None], CELL) == [
        Box(20, 20, 44, 44)
    ]


def test_noise_and_nothing_have_boxes_too() -> None:
    noise: NDArray[np.uint8] = np.zeros((400, 400), np.uint8)
    noise[::3, ::3] = 255
    prepared = PreparedImage(noise, 1.0, 0.0, 0.0)
    assert components_of(prepared).piece.max() < MAX_PIECES
    even = np.full((2, 25, 25), 1 / 625, np.float32)
    for box in boxes(prepared, even, CELL):
        assert 0 <= box.left < box.right <= 400
    blank = PreparedImage(np.zeros((40, 50), np.uint8), 2.0, 0.0, 0.0)
    assert boxes(blank, even[:, :3, :4], CELL) == [Box(0, 0, 25, 20)] * 2
    assert boxes(blank, even[:0], CELL) == []


def test_ink_that_nobody_attends_to_is_left() -> None:
    """Strokes in units of the ink, connected parts in pixels."""
    sheet = compose([*READ, *LOST])
    ink = prepare_ink(sheet.ink)
    lost = sheet.glyphs[len(READ) :]
    for page in (ink, prepare_image(ink.picture)):
        found = locate(page, gazes(page, ink, sheet)[: len(READ)], CELL)
        assert 0.3 < found.unread_share < 0.7
        if page is ink:
            numbers = [place.strokes for place in found.unread]
            assert numbers == [(number,) for glyph in lost for number in glyph.strokes]
        left = hull([place.box for place in found.unread])
        true = hull([glyph.box for glyph in lost])
        if page is not ink:
            corners = np.array([true[:2], true[2:]], np.float32)
            true = Box(*ink.to_picture(corners).ravel().tolist())
        assert overlap(left, true, nib=0 if page is ink else 3) > 0.9
    everything = locate(ink, gazes(ink, ink, sheet), CELL)
    assert not everything.unread
    assert everything.unread_share == 0


def test_a_symbol_of_two_parts_takes_the_one_that_nobody_attends_to() -> None:
    """A plus with a bar below it; and a second bar, of which nothing is known."""
    lines = [[(40, 20), (40, 60)], [(20, 40), (60, 40)], [(20, 68), (60, 68)], [(20, 84), (60, 84)]]
    page = prepare_ink(Ink.of(lines))
    x, y = (page.to_picture(np.array([[40, 40]], np.float32))[0] // CELL).astype(int).tolist()
    attention = np.zeros((1, *(-(-side // CELL) for side in page.picture.shape)), np.float32)
    attention[0, y, x] = 1  # on the crossing alone
    assert len(locate(page, attention, CELL, parts=[1]).unread) == 2
    found = locate(page, attention, CELL, parts=[2])
    assert [place.strokes for place in found.symbols] == [(0, 1, 2)]
    assert [place.strokes for place in found.unread] == [(3,)]


def test_specks_are_not_said_to_be_unread() -> None:
    sheet = fraction()
    specks = [np.array([[20 + 3 * n, 90], [21 + 3 * n, 91]], np.float32) for n in range(5)]
    page = prepare_ink(Ink((*sheet.ink.strokes, *specks)))
    assert not locate(page, gazes(page, page, sheet), CELL).unread


def test_small_letters_that_stand_together_are_unread_all_the_same() -> None:
    picture = np.zeros((160, 200), np.uint8)
    picture[20:60, 20:24] = picture[56:60, 20:50] = 255  # what is read
    letter = np.zeros((9, 7), np.uint8)
    letter[:, :3] = letter[6:] = 255
    attention = attention_on(PreparedImage(picture, 1.0, 0.0, 0.0), Box(20, 20, 50, 60))[None]
    for count, unread in ((2, 0), (3, 3), (6, 6)):
        page = picture.copy()
        for number in range(count):
            page[120:129, 40 + 12 * number : 47 + 12 * number] = letter
        locations = locate(PreparedImage(page, 1.0, 0.0, 0.0), attention, CELL)
        assert len(locations.unread) == unread
        assert (locations.unread_share > 0) == (unread > 0)
    specks = picture.copy()
    specks[120:124, 20:180:12] = 255
    assert locate(PreparedImage(specks, 1.0, 0.0, 0.0), attention, CELL).unread == []


def test_where_nothing_is_read_all_ink_is_left() -> None:
    page = prepare_ink(fraction().ink)
    found = locate(page, np.zeros((0, 8, 12), np.float32), CELL)
    assert not found.symbols
    assert len(found.unread) == len(fraction().ink.strokes)
    assert found.unread_share == 1


def test_boxes_on_a_tilted_image_are_close_around_their_ink() -> None:
    """Not around the box that they have upright."""
    seen = ViewedImage(np.zeros((200, 400), np.uint8)).tilted(20)
    rows, columns = seen.grey.shape
    picture = np.zeros((rows, columns), np.uint8)
    cv2.line(picture, (100, 150), (300, 150), 255, 3)
    image = PreparedImage(picture, 1.0, 0.0, 0.0, None, 400, 200, view=seen.view)
    points = np.argwhere(picture)[:, ::-1].astype(np.float64)
    left, top, right, bottom = box_around(image, points)
    assert right - left == pytest.approx(200 * np.cos(np.radians(20)), abs=4)
    assert bottom - top == pytest.approx(200 * np.sin(np.radians(20)), abs=4)
    page = PreparedPage(image, *parts_of_picture(picture))
    assert page.box_of(page.blocks[0]) == pytest.approx((left, top, right, bottom), abs=8)
    cv2.circle(picture, (300, 60), 8, 255, 3)  # the corner opposite to it stays empty
    page = PreparedPage(image, *parts_of_picture(picture))
    whole = reduce(Block.joined, page.blocks)
    assert page.box_of(whole).width < image.to_source(whole.box).width - 10
