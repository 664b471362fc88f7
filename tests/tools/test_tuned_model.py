"""A tuned network with what its predecessor brings along."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tools.tuned_model import tuned_model

from san.decoding import Calibration
from san.model.onnx.int8_ranges import load_ranges, save_ranges
from san.model.torch.weights import load_weights, save_weights
from tests.tools.test_average import weights


@pytest.mark.parametrize("frozen", [True, False])
def test_what_goes_with_the_weights(tmp_path: Path, frozen: bool) -> None:
    before = weights(tmp_path / "before.safetensors", 1)
    Calibration(0.5, 0.25, 0.125).save(before, {})
    save_ranges({"layer": np.ones(2, np.float32)}, before, {})
    network = load_weights(before)
    with torch.no_grad():
        moved = [network.decoder.symbol_head.bias]  # type: ignore[union-attr]
        moved += [] if frozen else [network.encoder.stem.weight]  # type: ignore[union-attr, list-item]
        for parameter in moved:
            parameter += 1.0
    tuned = tmp_path / "tuned.safetensors"
    save_weights(tuned, network.state_dict(), network.config, network.vocabulary)
    output = tmp_path / "own.safetensors"
    tuned_model(before, tuned, 0.5, output)
    bias = "decoder.symbol_head.bias"
    first, mean = (load_weights(path).state_dict()[bias] for path in (before, output))
    torch.testing.assert_close(mean, first + 0.5, atol=1e-2, rtol=1e-2)
    assert Calibration.load(output) == Calibration(0.5, 0.25, 0.125)
    assert (load_ranges(output) is not None) == frozen
