from san.ink import Box
from san.reader.pages.order import place_among

COLUMNS = [Box(0, 0, 100, 20), Box(0, 40, 100, 60), Box(300, 0, 400, 20), Box(300, 40, 400, 60)]


def test_what_was_found_apart_follows_what_stands_above_it() -> None:
    assert place_among([], Box(0, 0, 1, 1)) == 0
    lines = COLUMNS[:2]
    assert place_among(lines, Box(20, 25, 60, 35)) == 1  # between two lines
    assert place_among(lines, Box(20, 70, 60, 80)) == 2
    assert place_among(lines, Box(20, -20, 60, -10)) == 0
    assert place_among(COLUMNS, Box(20, 70, 60, 80)) == 2  # below the first column
    assert place_among(COLUMNS, Box(350, 22, 380, 38)) == 3


def test_what_stands_above_or_below_nothing_goes_by_line_and_side() -> None:
    line = [Box(200, 0, 300, 40)]
    assert place_among(line, Box(0, 25, 60, 35)) == 0  # to its left
    assert place_among(line, Box(400, 5, 460, 15)) == 1  # to its right
    assert place_among(line, Box(0, 60, 60, 80)) == 1  # below
    assert place_among(line, Box(400, -40, 460, -10)) == 0  # above
