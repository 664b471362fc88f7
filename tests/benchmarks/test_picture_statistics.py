"""However little is written, its figures are numbers."""

import numpy as np
import pytest
from benchmarks.picture_statistics import picture_statistics


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [(1, 1), (4, 4), (3, 90), (40, 4)], ids=str)
def test_a_lone_mark_has_finite_figures(size: tuple[int, int]) -> None:
    picture = np.zeros((60, 120), np.uint8)
    picture[10 : 10 + size[0], 20 : 20 + size[1]] = 255
    found = picture_statistics(picture, 1)
    assert np.isfinite(list(found.values())).all(), found
    assert found["pieces: a symbol"] == 1
    assert found["line: stray feet"] == 0
    assert found["line: stray middles"] == 0
