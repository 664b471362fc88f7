"""What is written without the onnx package is what it would have written."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from san.model.onnx.graph import IR, OPSET, Graph  # noqa: E402
from san.model.onnx.models import build_models  # noqa: E402
from tests.conftest import REPOSITORY  # noqa: E402

WEIGHTS = REPOSITORY / "src" / "san" / "models" / "san.safetensors"


def test_a_graph_to_the_byte() -> None:
    kernel = np.arange(6, dtype=np.float32).reshape(2, 3).T  # not contiguous
    graph = Graph()
    mixed = graph.add("MatMul", "x", kernel)
    shaped = graph.add("Reshape", mixed, np.array([0, -1], np.int64))
    graph.split("Split", shaped, np.array([1, 1], np.int64), names=("a", "b"), axis=1)
    graph.add("Transpose", "a", perm=[1, 0], name="turned")
    ours = graph.model({"x": ("float", ("n", 3)), "k": ("int", (1,))}, {"turned": (1, "n")})

    nodes = [
        helper.make_node("MatMul", ["x", "number_0"], ["MatMul_0_0"]),
        helper.make_node("Reshape", ["MatMul_0_0", "number_1"], ["Reshape_1_0"]),
        helper.make_node("Split", ["Reshape_1_0", "number_2"], ["a", "b"], axis=1),
        helper.make_node("Transpose", ["a"], ["turned"], perm=[1, 0]),
    ]
    numbers = [
        numpy_helper.from_array(np.ascontiguousarray(kernel), "number_0"),
        numpy_helper.from_array(np.array([0, -1], np.int64), "number_1"),
        numpy_helper.from_array(np.array([1, 1], np.int64), "number_2"),
    ]
    ends = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3]),
        helper.make_tensor_value_info("k", TensorProto.INT64, [1]),
        helper.make_tensor_value_info("turned", TensorProto.FLOAT, [1, "n"]),
    ]
    made = helper.make_graph(nodes, "san", ends[:2], ends[2:], numbers)
    opset = [helper.make_opsetid("", OPSET)]
    theirs = helper.make_model(made, opset_imports=opset, ir_version=IR, producer_name="san")
    assert onnx.load_from_string(ours) == theirs
    assert ours == theirs.SerializeToString()


def test_whole_numbers_are_of_their_own_kind() -> None:
    arrays = [np.array([[1, 200]], np.uint8), np.array([-3, 4], np.int8), np.array(-5, np.int32)]
    graph = Graph()
    graph.add("Any", *arrays, name="y")
    made = onnx.load_from_string(graph.model({}, {"y": ()})).graph.initializer
    for array, number in zip(arrays, made, strict=True):
        found = numpy_helper.to_array(number)
        assert found.dtype == array.dtype
        assert found.shape == array.shape
        np.testing.assert_array_equal(found, array)


@pytest.mark.slow
def test_the_networks_graphs_pass_the_checker() -> None:
    models = build_models(WEIGHTS)
    fast = build_models(WEIGHTS, exact=False).encoder
    for content in (models.encoder, models.step, fast):
        onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
