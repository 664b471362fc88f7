"""Ranges beside a weights file: read back, passed over beside other weights, refused if damaged."""

from pathlib import Path

import numpy as np
import pytest

from san.errors import SanError
from san.model.onnx.int8_ranges import load_ranges, ranges_path, save_ranges

RANGES = {"stem_norm": np.array([0.5, 12.3], np.float32), "b": np.array([0.0123], np.float32)}


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "mine.safetensors"
    path.write_bytes(b"some numbers")
    return path


def test_what_is_written_is_read(weights: Path) -> None:
    assert save_ranges(RANGES, weights, {"n": 7}) == weights.parent / "mine.int8.json"
    found = load_ranges(weights)
    assert found is not None
    assert list(found) == list(RANGES)
    for name, ends in RANGES.items():
        np.testing.assert_array_equal(found[name], ends)


def test_there_are_none(weights: Path) -> None:
    assert load_ranges(weights) is None


def test_those_of_other_weights_do_not_count(weights: Path) -> None:
    save_ranges(RANGES, weights, {})
    weights.write_bytes(b"other numbers")
    assert load_ranges(weights) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"weights": "x"}',
        '{"ranges": {}}',
        '{"weights": "x", "ranges": [1]}',
        '{"weights": "x", "ranges": {"a": 3}}',
        '{"weights": "x", "ranges": {"a": [[1], [2, 3]]}}',
        '{"weights": "x", "ranges": {"a": ["one"]}}',
        '{"weights": "x", "ranges": {"a": [NaN]}}',
        '{"weights": "x", "ranges": {"a": [1, 0]}}',
        '{"weights": "x", "ranges": {"a": [1, -2]}}',
    ],
)
def test_a_damaged_file_is_one_line(weights: Path, text: str) -> None:
    ranges_path(weights).write_text(text)
    with pytest.raises(SanError, match=r"mine\.int8\.json: no ranges can be read") as caught:
        load_ranges(weights)
    assert "\n" not in str(caught.value)
