import numpy as np
import pytest

from san.images.clean.components import find_components
from san.images.clean.edge_marks import MAX_SECOND_BARS, second_bars
from tests.images.letters import NIB, kept, letter, writing


def test_exponents_stay_however_many() -> None:
    ink = writing()
    letter(ink, 178, 0, 20)
    letter(ink, 262, 0, 20)
    assert np.array_equal(kept(ink), ink)


def test_subscripts_of_letters_at_the_same_edge_stay() -> None:
    ink = writing()[:50]
    letter(ink, 178, 32, 18)
    letter(ink, 262, 32, 18)
    assert np.array_equal(kept(ink), ink)


@pytest.mark.parametrize("left", [196, 262 + 16], ids=["before a letter", "far behind one"])
def test_marks_that_follow_no_letter_are_another_line(left: int) -> None:
    ink = writing(rows=75, top=22)
    letter(ink, left, 0, 20)
    letter(ink, 30, 0, 20)
    assert np.array_equal(kept(ink), writing(rows=75, top=22))


def test_a_second_bar_is_as_long_as_the_first() -> None:
    ink = writing()
    ink[20 : 20 + NIB, 175:210] = 1
    ink[34 : 34 + NIB, 177:208] = 1
    ink[34 : 34 + NIB, 262:290] = 1
    found = find_components(ink)
    flat = found.stats[:, 2] > 5 * found.stats[:, 3]
    lower = flat & (found.stats[:, 1] > 30)
    seconds = second_bars(found, lower, ~lower, NIB)
    assert found.stats[seconds][:, 0].tolist() == [177]


def test_dashes_in_numbers_are_no_second_bars() -> None:
    ink = np.zeros((30, 8 * (MAX_SECOND_BARS + 1)), np.uint8)
    ink[[5, 20], :] = np.arange(ink.shape[1]) % 8 < 6
    found = find_components(ink)
    lower = found.stats[:, 1] > 10
    assert not second_bars(found, lower, ~lower, 1).any()
    first = lower & (found.stats[:, 0] == 0)
    assert second_bars(found, first, ~lower, 40).sum() == 1
