from itertools import product
from math import comb

import pytest

from san.evaluation.paired import Paired, compare_paired


def test_each_expression_falls_into_one_of_four() -> None:
    labels = {"a": "x", "b": "y", "c": "z", "d": "w", "e": "v"}
    first = {"a": "x", "b": "y", "c": "z", "d": "2"}
    second = {"a": "{x}", "b": "q", "d": "w", "unknown": "v"}
    found = compare_paired(first, second, labels)
    assert found == Paired(both=1, first=2, second=1, neither=1)
    assert found.difference == pytest.approx(20)
    assert compare_paired(second, first, labels).difference == pytest.approx(-20)


@pytest.mark.parametrize(
    ("first", "second"), [*product((0, 1, 3, 8), repeat=2), (40, 25), (2000, 1900)]
)
def test_the_sign_test_is_that_of_a_fair_coin(first: int, second: int) -> None:
    count, fewer = first + second, min(first, second)
    tail = sum(comb(count, number) for number in range(fewer + 1)) / 2**count
    found = Paired(9, first, second, 7)
    assert found.p_value == pytest.approx(min(1, 2 * tail))
    assert Paired(900, second, first, 0).p_value == found.p_value


def test_the_interval_is_agresti_and_min_s() -> None:
    low, high = Paired(both=700, first=60, second=26, neither=200).interval
    assert (low, high) == pytest.approx((1.603, 5.279), abs=2e-3)
    assert Paired(700, 26, 60, 200).interval == pytest.approx((-high, -low))
    assert Paired(3, 0, 0, 2).interval[0] < 0 < Paired(3, 0, 0, 2).interval[1]
    # What both read, or neither, makes the interval narrower: there is more of it.
    narrow, wide = Paired(7000, 60, 26, 2000).interval, Paired(0, 60, 26, 0).interval
    assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 50
    assert max(map(abs, Paired(0, 3, 0, 0).interval)) <= 100


def test_nothing_compared_says_nothing() -> None:
    nothing = Paired(0, 0, 0, 0)
    assert (nothing.difference, nothing.p_value) == (0, 1)
    assert nothing.interval[0] < -60 < 60 < nothing.interval[1]
