"""An ONNX graph as it is written down: operators in order, numbers among their inputs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

OPSET = 17
"""Old enough for every runtime in use, new enough for the operators below."""
IR = 8
"""The file format that came with this opset."""

Value = str | NDArray[np.float32] | NDArray[np.int64]
Shape = Sequence[int | str]  # a name stands for a size that is known only when it runs

TYPES = {"float": TensorProto.FLOAT, "int": TensorProto.INT64}


class Graph:
    def __init__(self) -> None:
        self._nodes: list[NodeProto] = []
        self._numbers: list[TensorProto] = []

    def add(self, operator: str, *inputs: Value, name: str = "", **attributes: Any) -> str:
        """One more operator; returns its only output."""
        return self.split(operator, *inputs, names=(name,), **attributes)[0]

    def split(
        self, operator: str, *inputs: Value, names: Sequence[str], **attributes: Any
    ) -> list[str]:
        """An operator with several outputs; an empty name is made up."""
        fed = [value if isinstance(value, str) else self._number(value) for value in inputs]
        outputs = [name or f"{operator}_{len(self._nodes)}_{i}" for i, name in enumerate(names)]
        self._nodes.append(helper.make_node(operator, fed, outputs, **attributes))
        return outputs

    def parts(self, value: Value, *sizes: int) -> list[str]:
        """A matrix cut into parts of so many columns."""
        names = [""] * len(sizes)
        return self.split("Split", value, np.array(sizes, np.int64), names=names, axis=1)

    def model(self, inputs: Mapping[str, tuple[str, Shape]], outputs: Mapping[str, Shape]) -> bytes:
        """The graph as an ONNX file; inputs have a type ("float", "int") and a shape."""
        given = [
            helper.make_tensor_value_info(name, TYPES[kind], list(shape))
            for name, (kind, shape) in inputs.items()
        ]
        made = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))
            for name, shape in outputs.items()
        ]
        graph = helper.make_graph(self._nodes, "san", given, made, self._numbers)
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=IR)
        return bytes(model.SerializeToString())

    def _number(self, array: NDArray[np.float32] | NDArray[np.int64]) -> str:
        name = f"number_{len(self._numbers)}"
        self._numbers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name
