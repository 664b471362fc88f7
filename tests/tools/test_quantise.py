"""Fitted ranges are all that eight bits take, and with them features are nearly the same."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

onnx = pytest.importorskip("onnx")
pytest.importorskip("torch")

from tools.quantise import fit  # noqa: E402

from san.data.pack import Pack  # noqa: E402
from san.errors import SanError  # noqa: E402
from san.model.onnx.encoder import encoder_graph, int8_layers  # noqa: E402
from san.model.onnx.engine import OnnxEngine  # noqa: E402
from san.model.onnx.models import build_models  # noqa: E402
from san.model.onnx.weights import Weights  # noqa: E402
from tests.model.encoders import ENCODERS, EncoderName  # noqa: E402
from tests.model.onnx.small import pictures, write  # noqa: E402


class _Pictures:
    """In the place of a pack."""

    def __init__(self) -> None:
        self._pictures = [(255 * picture).astype(np.uint8) for picture in pictures()]

    def __len__(self) -> int:
        return len(self._pictures)

    def shape(self, place: int) -> tuple[int, ...]:
        return self._pictures[place].shape

    def image(self, place: int) -> NDArray[np.uint8]:
        return self._pictures[place]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_features_are_close(encoder: EncoderName, tmp_path: Path) -> None:
    path = write(tmp_path / "small.safetensors", 2, encoder=encoder)
    exact, names = build_models(path), int8_layers(Weights(path).config)
    ranges = dict(fit(exact.encoder, names, cast("Pack", _Pictures()), 10))
    assert list(ranges) == names
    fast = exact._replace(encoder=encoder_graph(Weights(path), ranges))
    onnx.checker.check_model(onnx.load_from_string(fast.encoder), full_check=True)
    for picture in pictures()[:2]:
        one, other = (OnnxEngine(made, 1).encode([picture]).content[0] for made in (exact, fast))
        for right, got in ((one.features, other.features), (one.fine["fine"], other.fine["fine"])):
            assert 0 < np.linalg.norm(got - right) < 0.1 * np.linalg.norm(right)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_each_range_is_needed(encoder: EncoderName, tmp_path: Path) -> None:
    path = write(tmp_path / "small.safetensors", 2, encoder=encoder)
    exact, names = build_models(path), int8_layers(Weights(path).config)
    ranges = fit(exact.encoder, names, cast("Pack", _Pictures()), 1)
    for name in names:
        others = {other: ends for other, ends in ranges.items() if other != name}
        with pytest.raises(SanError, match=f"lack {len(ranges[name])} of {name}"):
            encoder_graph(Weights(path), others)
