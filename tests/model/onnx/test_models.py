"""Models in a folder: written, read back, and refused where they are not whole."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from san.decoding import decode
from san.decoding.confidence import Calibration
from san.errors import SanError
from san.model.onnx import OnnxEngine
from san.model.onnx.models import (
    Models,
    build_models,
    load_models,
    write_models,
)
from tests.conftest import REPOSITORY

WEIGHTS = REPOSITORY / "src" / "san" / "models" / "san.safetensors"


@pytest.fixture(scope="module")
def models() -> Models:
    return build_models(WEIGHTS)._replace(calibration=Calibration(0.5, 0.25, -1.0, -0.5, -2.0))


def test_what_is_written_is_read(models: Models, tmp_path: Path) -> None:
    paths = write_models(models, tmp_path / "a" / "b")
    assert [path.name for path in paths] == ["encoder.onnx", "step.onnx", "san.json"]
    assert load_models(tmp_path / "a" / "b") == models._replace(folder=tmp_path / "a" / "b")


def test_a_folder_of_before_knows_nothing_of_photographs(models: Models, tmp_path: Path) -> None:
    path = write_models(models, tmp_path)[2]
    facts = json.loads(path.read_text("utf-8"))
    del facts["calibration"]["photographed"], facts["calibration"]["unread"]
    path.write_text(json.dumps(facts), "utf-8")
    assert load_models(tmp_path).calibration == Calibration(0.5, 0.25, -1.0)


def test_a_weights_file_is_read_as_well() -> None:
    found = load_models(WEIGHTS)
    assert found.encoder == build_models(WEIGHTS.read_bytes()).encoder
    assert found.calibration == Calibration.load(WEIGHTS)


def test_san_json_says_what_the_numbers_mean(models: Models, tmp_path: Path) -> None:
    facts = json.loads(write_models(models, tmp_path)[2].read_text("utf-8"))
    vocabulary = models.vocabulary
    assert facts["targets"] == list(vocabulary.targets)
    assert len(facts["partners"]) == len(vocabulary.partners)
    assert facts["partners"][-1] == "right"


def _lose(folder: Path) -> None:
    (folder / "step.onnx").unlink()


def _damage(folder: Path) -> None:
    (folder / "encoder.onnx").write_bytes(b"\xff\x00nonsense")


def _write(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "san.json").write_text(text) and None


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (_lose, "step.onnx: no such file"),
        (_damage, r"/encoder\.onnx: ONNX Runtime takes no such model"),
        (_write("["), "san.json: cannot be read"),
        (_write("[" * 100_000), "san.json: cannot be read"),
        (_write("{}"), "san.json: cannot be read"),
        (_write('{"format": "san-onnx-0"}'), '"format" is not'),
        (_write('{"format": "san-onnx-2", "symbols": ["no"]}'), "is no symbol"),
        (
            _write('{"format": "san-onnx-2", "symbols": [], "hidden": 1, "calibration": 3}'),
            "san.json: cannot be read",
        ),
    ],
)
@pytest.mark.slow
def test_a_folder_that_is_not_whole(
    models: Models, tmp_path: Path, harm: Callable[[Path], None], why: str
) -> None:
    write_models(models, tmp_path)
    harm(tmp_path)
    with pytest.raises(SanError, match=why) as caught:
        OnnxEngine(load_models(tmp_path), threads=1)
    assert "\n" not in str(caught.value)


def test_where_nothing_can_be_written(models: Models, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SanError, match="file"):
        write_models(models, tmp_path / "file")


@pytest.mark.slow
def test_engines_of_both_read_alike(models: Models, tmp_path: Path) -> None:
    write_models(models, tmp_path)
    picture = (np.random.default_rng(0).random((40, 70)) < 0.1).astype(np.float32)
    one, other = (
        decode(OnnxEngine(source, threads=1), [picture])[0]
        for source in (WEIGHTS, load_models(tmp_path))
    )
    assert one.expression == other.expression
    assert one.probability == other.probability
