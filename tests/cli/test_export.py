import json
from pathlib import Path

import pytest

from san import Recognizer
from san.cli.export import export
from san.errors import SanError
from tests.cli.console import complaint, san
from tests.conftest import REPOSITORY
from tests.ink.formulas import fraction

WEIGHTS = REPOSITORY / "src" / "san" / "models" / "san.safetensors"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "onnx"
    done = san("export", WEIGHTS, "-o", folder)
    assert done.returncode == 0, done.stderr
    names = ("encoder.onnx", "step.onnx", "san.json")
    assert done.stdout.splitlines() == [str(folder / name) for name in names]
    return folder


@pytest.mark.slow
def test_onnx_takes_the_files(exported: Path) -> None:
    onnx = pytest.importorskip("onnx")
    for name in ("encoder.onnx", "step.onnx"):
        onnx.checker.check_model(str(exported / name), full_check=True)
    facts = json.loads((exported / "san.json").read_text("utf-8"))
    targets = onnx.load(str(exported / "step.onnx")).graph.output[0]
    assert targets.type.tensor_type.shape.dim[1].dim_value == len(facts["targets"])


@pytest.mark.slow
def test_a_reader_of_the_folder_reads_as_one_of_the_weights(exported: Path) -> None:
    one, other = (
        Recognizer(source, threads=1, precision="float32").read(fraction())
        for source in (WEIGHTS, exported)
    )
    assert one.expression == other.expression
    assert one.confidence == other.confidence


@pytest.mark.slow
def test_a_model_that_comes_with_san_is_named(tmp_path: Path) -> None:
    export(Path("san-paper"), tmp_path / "name")
    export(WEIGHTS.with_name("san-paper.safetensors"), tmp_path / "path")
    for name in ("encoder.onnx", "step.onnx", "san.json"):
        assert (tmp_path / "name" / name).read_bytes() == (tmp_path / "path" / name).read_bytes()
    assert "those are: san, san-densenet, san-paper" in complaint("export", "none", "-o", tmp_path)


def test_what_stands_there_is_replaced_but_not_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "step.onnx").write_bytes(WEIGHTS.read_bytes())
    with pytest.raises(SanError, match="would overwrite what is read"):
        export(tmp_path / "step.onnx", tmp_path)
    export(WEIGHTS, tmp_path)
    assert (tmp_path / "step.onnx").stat().st_size != WEIGHTS.stat().st_size


@pytest.mark.slow
def test_bad_input_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be opened" in complaint("export", tmp_path / "none", "-o", tmp_path)
    assert "file: is no folder" in complaint("export", WEIGHTS, "-o", tmp_path / "file")
    assert "Missing option" in complaint("export", WEIGHTS)
