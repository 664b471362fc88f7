"""ONNX Runtime, imported so that it reports nothing.

Its wheels tell Microsoft what they run on, and keep a number of the device in the home folder,
unless the environment forbids it before the first import. Who has set the variable is left alone.
"""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime  # type: ignore[import-untyped]

__all__ = ["onnxruntime"]
