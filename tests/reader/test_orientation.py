"""A file of the orientation network that is none is one line, when it is opened."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save

from san.errors import SanError
from san.model.onnx.weights import read_facts
from san.models import ORIENTATION
from san.reader.orientation import orientation_network


@pytest.mark.parametrize(
    ("facts", "change", "why"),
    [
        ({}, {}, "metadata cannot be read"),
        ({"orientation": "no JSON"}, {}, "metadata cannot be read"),
        ({"orientation": '{"layers": []}'}, {}, "metadata cannot be read"),
        (None, {"output_bias": np.zeros(3, np.float16)}, "arrays do not fit one another"),
        (None, {"near": np.zeros((), np.float16)}, "arrays do not fit one another"),
        (None, {"far": np.zeros((99, 99, 16, 48), np.float16)}, "arrays do not fit one another"),
        (None, {"hidden": None}, "hidden is missing"),
    ],
)
def test_a_file_that_is_none_is_one_line(
    tmp_path: Path,
    facts: dict[str, str] | None,
    change: dict[str, np.ndarray | None],
    why: str,
) -> None:
    content = ORIENTATION.read_bytes()
    arrays = {name: change.get(name, own) for name, own in load(content).items()}
    kept = {name: own for name, own in arrays.items() if own is not None}
    path = tmp_path / "other.safetensors"
    path.write_bytes(save(kept, dict(read_facts(content)) if facts is None else facts))
    with pytest.raises(SanError, match=why):
        orientation_network(path)
