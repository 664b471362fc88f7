import numpy as np
import pytest

from san.images.view import ViewedImage
from san.ink import Box, Ink, draw
from san.ink.alphabet import compose
from san.ink.draw import reading_scale
from san.reader.prepared import MAX_PIXELS, PreparedImage, prepare_image, prepare_ink
from tests.ink.formulas import fraction, quadratic
from tests.ink.test_crossed_out import word, zigzag


def test_ink_is_drawn_as_everywhere_else_and_knows_its_way_back() -> None:
    for sheet in (fraction(), quadratic()):
        prepared = prepare_ink(sheet.ink)
        assert (prepared.picture == draw(sheet.ink)).all()
        back = prepared.to_picture(sheet.ink.points)
        rows, columns = prepared.picture.shape
        inked = np.count_nonzero(prepared.picture[back[:, 1].astype(int), back[:, 0].astype(int)])
        assert inked == len(back)
        x, y = back.T
        assert (x.min() > 12, y.min() > 12, x.max() < columns - 11, y.max() < rows - 11) == (
            True,
        ) * 4


@pytest.mark.parametrize("strokes", [[[(3, 4)]], [[(0, 0), (9, 0)]], [[(5, 1), (5, 700)]]])
def test_dots_and_lines_have_a_scale(strokes: list[list[tuple[float, float]]]) -> None:
    prepared = prepare_ink(Ink.of(strokes))
    corners = prepared.to_picture(np.array(strokes[0], np.float32))
    assert prepared.to_source(Box(*corners[0], *corners[-1])) == pytest.approx(
        (*strokes[0][0], *strokes[0][-1]), abs=1e-3
    )


def test_a_bitmap_of_the_field_stays_as_it_is() -> None:
    picture = draw(quadratic().ink)
    prepared = prepare_image(picture)
    assert (prepared.picture == picture).all()
    assert prepared.to_source(Box(1, 2, 3, 4)) == Box(1, 2, 3, 4)


def test_what_had_to_be_cleaned_was_photographed() -> None:
    picture = draw(quadratic().ink)
    assert prepare_image(255 - picture).photographed
    assert not prepare_image(picture).photographed
    assert not prepare_image(np.asfortranarray(picture)).photographed
    assert not prepare_ink(quadratic().ink).photographed


def test_no_box_leaves_its_image() -> None:
    picture = draw(quadratic().ink)
    rows, columns = picture.shape
    prepared = prepare_image(picture)
    assert prepared.to_source(Box(-2, -1, columns + 3, rows + 1)) == Box(0, 0, columns, rows)


def test_what_would_take_too_much_memory_is_made_smaller() -> None:
    ink = Ink.of([(x, x), (x + 5, x + 20)] for x in np.linspace(0, 2000, 60))
    prepared = prepare_ink(ink)
    assert 0.9 * MAX_PIXELS < prepared.picture.size <= MAX_PIXELS
    left, top, right, bottom = prepared.to_source(Box(0, 0, *prepared.picture.shape[::-1]))
    assert left < 0 < 2000 < right
    assert top < 0 < 2000 < bottom


@pytest.mark.parametrize(("quarters", "degrees"), [(1, 0.0), (2, 0.0), (3, 0.0), (0, 8.0)])
def test_boxes_of_what_was_turned_are_on_the_source(quarters: int, degrees: float) -> None:
    grey = np.full((80, 120), 240, np.uint8)
    grey[20:30, 60:90] = 20
    seen = ViewedImage(grey).quarter_turned(quarters).tilted(degrees)
    y, x = np.nonzero(seen.grey < 130)
    dark = Box(x.min(), y.min(), x.max() + 1, y.max() + 1)
    image = PreparedImage(seen.grey, 2.0, 5.0, 7.0, None, 120, 80, True, seen.view)
    on_picture = Box(*((dark[side] - (5.0, 7.0)[side % 2]) * 2 for side in range(4)))
    found = image.to_source(on_picture)
    assert found == pytest.approx(Box(60, 20, 90, 30), abs=0.1 if not degrees else 6)
    assert found.left <= 60.1
    assert found.bottom >= 29.9
    if not degrees:
        assert image.box_to_picture(found) == pytest.approx(on_picture, abs=0.1)


def test_what_is_crossed_out_is_not_drawn_and_keeps_its_numbers() -> None:
    sheet = word()
    glyph = sheet.glyphs[1]
    count = len(sheet.ink.strokes)
    after = compose([("7", Box(250, 0, 286, 50))]).ink.strokes
    prepared = prepare_ink(Ink((*sheet.ink.strokes, zigzag(glyph.box), *after)))
    (place,) = prepared.crossed_out
    assert place.strokes == (*glyph.strokes, count)
    assert place.box.left < glyph.box.left < glyph.box.right < place.box.right
    kept = [*(n for n in range(count) if n not in glyph.strokes), count + 1]
    assert prepared.stroke_numbers == tuple(kept)
    assert prepared.ink is not None
    assert np.array_equal(prepared.picture, draw(prepared.ink, scale=reading_scale(prepared.ink)))
    assert prepared.width >= sheet.ink.box.width


def test_where_everything_is_crossed_out_what_lies_below_is_drawn() -> None:
    a = compose([("a", Box(0, 0, 36, 50))]).ink
    prepared = prepare_ink(Ink((*a.strokes, zigzag(a.box))))
    (place,) = prepared.crossed_out
    assert place.strokes == (*range(len(a.strokes)), len(a.strokes))
    assert prepared.stroke_numbers == tuple(range(len(a.strokes)))
    assert np.array_equal(prepared.picture, prepare_ink(a).picture)
    assert prepared.is_all_crossed_out
    assert not prepare_ink(a).is_all_crossed_out


def test_a_drawing_is_told_from_a_photograph() -> None:
    drawing = 255 - draw(compose([("a", Box(0, 0, 36, 50))]).ink)
    noise = np.random.default_rng(0).integers(0, 20, drawing.shape)
    flat, noisy = prepare_image(drawing), prepare_image((drawing * 0.9 + noise).astype(np.uint8))
    assert (flat.flat_ground, noisy.flat_ground) == (True, False)
    assert noisy.photographed
