"""Chance in blocks is still chance, and still the seed's."""

import numpy as np

from san.synth.dice import Dice


def test_numbers_lie_where_they_should() -> None:
    dice = Dice(np.random.default_rng(0))
    rolls = [dice.roll() for _ in range(3000)]
    assert 0 <= min(rolls) < 0.01
    assert 0.99 < max(rolls) < 1
    around = [dice.about(2.0) for _ in range(3000)]
    assert abs(float(np.mean(around))) < 0.15
    assert 0.9 < float(np.std(around)) / 1.0 < 2.2
    assert max(map(abs, around)) <= 6.0
    assert {dice.pick("abc") for _ in range(50)} == {"a", "b", "c"}
    assert 3 <= dice.between(3, 4) < 4


def test_the_seed_decides() -> None:
    one, same = Dice(np.random.default_rng(5)), Dice(np.random.default_rng(5))
    assert [one.roll() for _ in range(300)] == [same.roll() for _ in range(300)]
