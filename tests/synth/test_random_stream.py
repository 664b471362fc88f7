"""Random numbers in blocks: their ranges, and that the seed decides."""

import numpy as np

from san.synth.random_stream import RandomStream


def test_numbers_lie_where_they_should() -> None:
    random = RandomStream(np.random.default_rng(0))
    rolls = [random.uniform() for _ in range(3000)]
    assert 0 <= min(rolls) < 0.01
    assert 0.99 < max(rolls) < 1
    around = [random.bell(2.0) for _ in range(3000)]
    assert abs(float(np.mean(around))) < 0.15
    assert 0.9 < float(np.std(around)) / 1.0 < 2.2
    assert max(map(abs, around)) <= 6.0
    assert {random.choice("abc") for _ in range(50)} == {"a", "b", "c"}
    assert 3 <= random.between(3, 4) < 4


def test_the_seed_decides() -> None:
    one, same = RandomStream(np.random.default_rng(5)), RandomStream(np.random.default_rng(5))
    assert [one.uniform() for _ in range(300)] == [same.uniform() for _ in range(300)]
