from collections.abc import Iterator

import numpy as np

from san.evaluation.batches import Named, batches


def _pictures(*sizes: tuple[int, int]) -> list[Named]:
    return [Named(str(n), np.zeros(size, np.uint8)) for n, size in enumerate(sizes)]


def test_every_picture_is_there_once_and_no_canvas_is_too_large() -> None:
    random = np.random.default_rng(0)
    pictures = _pictures(*random.integers(1, 400, (300, 2)).tolist())
    cut = list(batches(pictures, most=16, most_pixels=100_000, window=2_000_000))
    assert sorted(int(named.id) for batch in cut for named in batch) == list(range(300))
    for batch in cut:
        height, width = np.max([named.pixels.shape for named in batch], axis=0)
        assert len(batch) == 1 or len(batch) * height * width <= 100_000
        assert len(batch) <= 16


def test_a_huge_picture_comes_alone() -> None:
    cut = list(batches(_pictures((10, 10), (900, 900), (10, 10)), most=8, most_pixels=1000))
    assert sorted(len(batch) for batch in cut) == [1, 2]


def test_like_pictures_come_together() -> None:
    cut = list(batches(_pictures((20, 600), (20, 30), (22, 610), (25, 31)), most=2))
    assert [{named.id for named in batch} for batch in cut] == [{"1", "3"}, {"0", "2"}]


def test_no_more_pictures_are_held_than_the_window_takes() -> None:
    taken = 0

    def counted() -> Iterator[Named]:
        nonlocal taken
        for named in _pictures(*[(10, 10)] * 50):
            taken += 1
            yield named

    next(batches(counted(), most=4, window=1000))
    assert taken == 10
