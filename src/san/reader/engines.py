"""The engine that computes a network, with its calibration: ONNX Runtime, or torch on a device."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from san.decoding.confidence import Calibration
from san.errors import SanError
from san.extras import missing_package
from san.model.onnx import OnnxEngine
from san.model.onnx.models import load_models
from san.models import is_folder

if TYPE_CHECKING:
    from san.model.torch.engine import TorchEngine

Precision = Literal["int8", "float32"]


def open_network(
    threads: int, precision: Precision, device: str | None, network: Path
) -> "tuple[OnnxEngine | TorchEngine, Calibration]":
    if device is not None:
        return _on_device(network, device), Calibration.load(network)
    models = load_models(network, exact=precision == "float32")
    return OnnxEngine(models, threads), models.calibration


def _on_device(weights: Path, device: str) -> "TorchEngine":
    try:
        from san.model.torch.engine import open_engine
    except ModuleNotFoundError as error:
        raise missing_package(error, "train") from None
    if is_folder(weights):
        raise SanError(f"{weights}: torch reads weights (.safetensors), no folder of ONNX graphs")
    return open_engine(weights, device)
