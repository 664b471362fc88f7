"""A processor that cuts off sums is noticed, and spared."""

import numpy as np
import pytest

from san.model.onnx import int8_support, models
from san.model.onnx.int8_ranges import load_ranges
from san.model.onnx.models import build_models
from san.model.onnx.runtime import onnxruntime
from tests.conftest import REPOSITORY

WEIGHTS = REPOSITORY / "src" / "san" / "models" / "san.safetensors"


@pytest.mark.parametrize(("count", "expected"), [(200, True), (101, False)])
def test_only_the_exact_sum_will_do(
    monkeypatch: pytest.MonkeyPatch, count: int, expected: bool
) -> None:
    class Processor:
        def __init__(self, *_: object, **__: object) -> None: ...

        def run(self, *_: object) -> list[np.ndarray]:
            return [np.full((1, int8_support.CHANNELS, 4, 4), count, np.float32)]

    monkeypatch.setattr(onnxruntime, "InferenceSession", Processor)
    assert int8_support.counts_exactly.__wrapped__() is expected


def test_it_is_tried_on_this_one() -> None:
    """Whatever it answers, the model that it asks with runs."""
    assert int8_support.counts_exactly() in (True, False)


@pytest.mark.parametrize("able", [True, False])
@pytest.mark.slow
def test_the_fast_encoder_is_for_those_that_can(
    monkeypatch: pytest.MonkeyPatch, able: bool
) -> None:
    if load_ranges(WEIGHTS) is None:
        pytest.skip("the shipped weights have no ranges")
    monkeypatch.setattr(models, "counts_exactly", lambda: able)
    fast, exact = build_models(WEIGHTS, exact=False), build_models(WEIGHTS)
    assert (fast.encoder != exact.encoder) is able
    assert fast.step == exact.step
