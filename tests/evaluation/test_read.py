from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from san.decoding import Reading
from san.evaluation.batches import Named
from san.evaluation.read import read_all
from tests.evaluation.readings import reading

Images = Sequence[NDArray[np.generic]]
PICTURES = [Named(str(width), np.full((10, width), 255, np.uint8)) for width in (40, 900, 30)]


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
