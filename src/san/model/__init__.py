"""The network: its specification, and torch, ONNX and kernel versions of it."""
