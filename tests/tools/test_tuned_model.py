"""A tuned network with what its predecessor brings along."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save
from tools.tuned_model import tuned_model

from san.decoding import Calibration
from san.decoding.confidence import fingerprint
from san.model.onnx.int8_ranges import load_ranges, save_ranges
from san.model.onnx.weights import read_facts
from san.model.torch.weights import load_weights, save_weights
from san.models import RESCORING, STROKES
from san.reader.rescoring.rescorer import (
    InkWeights,
    Rescorer,
    RescoringWeights,
    file_content,
)
from san.reader.rescoring.stroke_terms import strokes_for
from tests.reader.small_rescorer import NAMES, arrays
from tests.training.test_average import weights


def tuned(path: Path, moved: Sequence[str]) -> Path:
    """The weights of a file, with these parameters changed, in a file beside it."""
    network = load_weights(path)
    with torch.no_grad():
        for name in moved:
            network.get_parameter(name).add_(1.0)
    changed = path.with_name("tuned.safetensors")
    save_weights(changed, network.state_dict(), network.config, network.vocabulary)
    return changed


@pytest.mark.parametrize(
    ("encoder", "moved", "frozen"),
    [
        ("densenet", (), True),
        ("densenet", ("encoder.blocks.2.0.conv1.weight",), True),  # in single precision anyway
        ("densenet", ("encoder.stem.weight",), False),
        ("residual", (), True),
        ("residual", ("encoder.stages.2.0.conv1.weight",), False),
    ],
)
def test_what_goes_with_the_weights(
    tmp_path: Path, encoder: Literal["densenet", "residual"], moved: tuple[str, ...], frozen: bool
) -> None:
    before = weights(tmp_path / "before.safetensors", 1, encoder=encoder)
    Calibration(0.5, 0.25, 0.125).save(before, {})
    save_ranges({"layer": np.ones(2, np.float32)}, before, {})
    changed = tuned(before, ("decoder.symbol_head.bias", *moved))
    output = tmp_path / "own" / "own.safetensors"
    output.parent.mkdir()
    tuned_model(before, changed, 0.5, output)
    bias = "decoder.symbol_head.bias"
    first, mean = (load_weights(path).state_dict()[bias] for path in (before, output))
    torch.testing.assert_close(mean, first + 0.5, atol=1e-2, rtol=1e-2)
    assert Calibration.load(output) == Calibration(0.5, 0.25, 0.125)
    assert (load_ranges(output) is not None) == frozen
    assert not output.with_name(RESCORING.name).exists()  # that of the package is for another


def test_rescoring_goes_with_the_weights_that_it_was_fitted_for(tmp_path: Path) -> None:
    before = weights(tmp_path / "before.safetensors", 1)
    fitted = replace(RescoringWeights(), language_model=0.25)
    rescoring = tmp_path / RESCORING.name
    rescoring.write_bytes(file_content(NAMES, arrays(), fitted, fingerprint(before), "another"))
    changed, beside = tuned(before, ("decoder.symbol_head.bias",)), tmp_path / "own.safetensors"
    tuned_model(before, changed, 0.5, beside)
    assert Rescorer(rescoring).fitted_for == fingerprint(before)  # there is one of them a folder
    output = tmp_path / "own" / "own.safetensors"
    output.parent.mkdir()
    tuned_model(before, changed, 0.5, output)
    taken = Rescorer(output.with_name(RESCORING.name))
    assert (taken.fitted_for, taken.opinion) == (fingerprint(output), "another")
    assert taken.weights == fitted
    others = output.with_name(RESCORING.name)
    others.write_bytes(file_content(NAMES, arrays(), RescoringWeights(), "third"))
    tuned_model(before, changed, 0.5, output)
    assert Rescorer(others).fitted_for == "third"


def test_the_network_of_strokes_goes_with_rescoring_where_it_is_none_of_san(tmp_path: Path) -> None:
    before = weights(tmp_path / "before.safetensors", 1)
    strokes = tmp_path / STROKES.name
    shipped = STROKES.read_bytes()
    own = save(load(shipped), {**read_facts(shipped), "of": "another training"})
    changed = tuned(before, ("decoder.symbol_head.bias",))
    for place, (content, goes_along) in enumerate(((shipped, False), (own, True))):
        strokes.write_bytes(content)
        of_ink, fitted_for = (InkWeights(), fingerprint(strokes)), fingerprint(before)
        rescoring = file_content(NAMES, arrays(), RescoringWeights(), fitted_for, "", *of_ink)
        (tmp_path / RESCORING.name).write_bytes(rescoring)
        output = tmp_path / str(place) / "own.safetensors"
        output.parent.mkdir()
        tuned_model(before, changed, 0.5, output)
        beside = output.with_name(RESCORING.name)
        assert beside.with_name(STROKES.name).exists() == goes_along
        assert strokes_for(beside, Rescorer(beside)) is not None
