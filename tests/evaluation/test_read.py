from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from san.decoding import Reading
from san.evaluation.read import NamedPicture, batches, read_all
from tests.evaluation.readings import reading


def _pictures(*sizes: tuple[int, int]) -> list[NamedPicture]:
    return [NamedPicture(str(n), np.zeros(size, np.uint8)) for n, size in enumerate(sizes)]


def test_every_picture_is_there_once_and_no_canvas_is_too_large() -> None:
    random = np.random.default_rng(0)
    pictures = _pictures(*random.integers(1, 400, (300, 2)).tolist())
    cut = list(batches(pictures, max_count=16, max_pixels=100_000, window=2_000_000))
    assert sorted(int(named.id) for batch in cut for named in batch) == list(range(300))
    for batch in cut:
        height, width = np.max([named.pixels.shape for named in batch], axis=0)
        assert len(batch) == 1 or len(batch) * height * width <= 100_000
        assert len(batch) <= 16


def test_a_huge_picture_comes_alone() -> None:
    cut = list(batches(_pictures((10, 10), (900, 900), (10, 10)), max_count=8, max_pixels=1000))
    assert sorted(len(batch) for batch in cut) == [1, 2]


def test_like_pictures_come_together() -> None:
    cut = list(batches(_pictures((20, 600), (20, 30), (22, 610), (25, 31)), max_count=2))
    assert [{named.id for named in batch} for batch in cut] == [{"1", "3"}, {"0", "2"}]


def test_no_more_pictures_are_held_than_the_window_takes() -> None:
    taken = 0

    def counted() -> Iterator[NamedPicture]:
        nonlocal taken
        for named in _pictures(*[(10, 10)] * 50):
            taken += 1
            yield named

    next(batches(counted(), max_count=4, window=1000))
    assert taken == 10


Images = Sequence[NDArray[np.generic]]
PICTURES = [
    NamedPicture(str(width), np.full((10, width), 255, np.uint8)) for width in (40, 900, 30)
]


def test_each_picture_gets_its_own_reading() -> None:
    def widths(images: Images) -> list[Reading]:
        assert all(image.max() == 1 for image in images)
        return [reading("x" * image.shape[1]) for image in images]

    for name, pixels, read in read_all(widths, PICTURES, batch=2):
        assert read is not None
        assert len(read.expression) == pixels.shape[1] == int(name)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("CUDA out of memory.")])
def test_where_memory_ends_only_the_largest_goes_unread(error: Exception) -> None:
    def small(images: Images) -> list[Reading]:
        if len(images) > 1 or images[0].shape[1] > 500:
            raise error
        return [reading("x") for _ in images]

    unread = [name for name, _, read in read_all(small, PICTURES) if read is None]
    assert unread == ["900"]


def test_other_failures_are_not_hidden() -> None:
    def broken(images: Images) -> list[Reading]:
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes"):
        list(read_all(broken, PICTURES))
