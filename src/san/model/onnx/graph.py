"""An ONNX graph as it is written down: operators in order, numbers among their inputs.

The numbers of the fields below are those of onnx.proto.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from san.model.onnx.protobuf import message

OPSET = 17
"""Old enough for every runtime in use, new enough for the operators below."""
IR = 8
"""The file format that came with this opset."""

Array = (
    NDArray[np.float32]
    | NDArray[np.uint8]
    | NDArray[np.int8]
    | NDArray[np.int32]
    | NDArray[np.int64]
)
Value = str | Array
Shape = Sequence[int | str]  # a name stands for a size that is known only when it runs

FLOAT, INT64 = 1, 7
TYPES = {"float": FLOAT, "int": INT64}
KINDS = {"float32": FLOAT, "uint8": 2, "int8": 3, "int32": 6, "int64": INT64}
ONE_INTEGER, INTEGERS = 2, 7
"""Kinds of an attribute."""


class Graph:
    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._numbers: list[bytes] = []

    def add(
        self, operator: str, *inputs: Value, name: str = "", **attributes: int | Sequence[int]
    ) -> str:
        """One more operator; returns its only output."""
        return self.split(operator, *inputs, names=(name,), **attributes)[0]

    def split(
        self,
        operator: str,
        *inputs: Value,
        names: Sequence[str],
        **attributes: int | Sequence[int],
    ) -> list[str]:
        """An operator with several outputs; an empty name is made up."""
        fed = [value if isinstance(value, str) else self._number(value) for value in inputs]
        outputs = [name or f"{operator}_{len(self._nodes)}_{i}" for i, name in enumerate(names)]
        given = [(5, _attribute(name, value)) for name, value in attributes.items()]
        ends = [*((1, name) for name in fed), *((2, name) for name in outputs)]
        self._nodes.append(message([*ends, (4, operator), *given]))
        return outputs

    def parts(self, value: Value, *sizes: int) -> list[str]:
        """A matrix cut into parts of so many columns."""
        names = [""] * len(sizes)
        return self.split("Split", value, np.array(sizes, np.int64), names=names, axis=1)

    def model(self, inputs: Mapping[str, tuple[str, Shape]], outputs: Mapping[str, Shape]) -> bytes:
        """The graph as an ONNX file; inputs have a type ("float", "int") and a shape."""
        graph = message(
            [
                *((1, node) for node in self._nodes),
                (2, "san"),
                *((5, number) for number in self._numbers),
                *((11, _end(name, TYPES[kind], shape)) for name, (kind, shape) in inputs.items()),
                *((12, _end(name, FLOAT, shape)) for name, shape in outputs.items()),
            ]
        )
        opset = message([(1, ""), (2, OPSET)])
        return message([(1, IR), (2, "san"), (7, graph), (8, opset)])

    def _number(self, array: Array) -> str:
        name = f"number_{len(self._numbers)}"
        kind = KINDS[array.dtype.name]
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        sizes = [(1, size) for size in array.shape]
        self._numbers.append(message([*sizes, (2, kind), (8, name), (9, little.tobytes())]))
        return name


def _attribute(name: str, value: int | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return message([(1, name), (3, value), (20, ONE_INTEGER)])
    return message([(1, name), *((8, integer) for integer in value), (20, INTEGERS)])


def _end(name: str, kind: int, shape: Shape) -> bytes:
    """An input or an output of the whole graph."""
    sizes = [message([(2 if isinstance(size, str) else 1, size)]) for size in shape]
    tensor = message([(1, kind), (2, message((1, size) for size in sizes))])
    return message([(1, name), (2, message([(1, tensor)]))])
