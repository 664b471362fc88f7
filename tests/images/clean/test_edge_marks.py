import numpy as np
import pytest

from tests.images.letters import kept, letter, writing


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
