import pytest

from san.evaluation.rate import Rate


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [(0, 10, 0.0, 27.75), (5, 10, 23.66, 76.34), (10, 10, 72.25, 100.0), (553, 986, 52.97, 59.15)],
)
def test_wilsons_interval(right: int, total: int, low: float, high: float) -> None:
    assert Rate(right, total).interval == pytest.approx((low, high), abs=0.01)


def test_nothing_scored_says_nothing() -> None:
    assert Rate(0, 0).percent == 0
    assert Rate(0, 0).interval == (0, 100)
