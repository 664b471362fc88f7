"""Reading without torch: the network of a weights file as ONNX graphs, and an engine for them."""

from san.model.onnx.engine import OnnxEngine

__all__ = ["OnnxEngine"]
