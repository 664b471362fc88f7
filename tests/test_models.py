"""Networks by name: what is shipped, what hides it and what does not."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from san import models
from san.errors import SanError
from san.model.onnx.models import load_models, write_models
from san.models import (
    FOLDER,
    NETWORK,
    ORIENTATION,
    RESCORING,
    STROKES,
    SUFFIX,
    find_model,
    rescoring_for,
    shipped_digests,
    shipped_models,
)
from san.reader.orientation import orientation_network
from san.reader.rescoring.rescorer import Rescorer
from san.reader.rescoring.stroke_network import stroke_network


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies where the tests are started."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_models_that_come_with_san_are_known_by_name() -> None:
    assert list(shipped_models()) == [
        "san",
        "san-densenet",
        "san-paper",
    ]  # and neither `rescoring`, nor `orientation`, nor `strokes`
    assert RESCORING.is_file()
    assert ORIENTATION.is_file()
    assert STROKES.is_file()
    assert find_model(Path("san")) == NETWORK
    paper = load_models(Path("san-paper"))
    assert paper.vocabulary == load_models(NETWORK.with_name("san-paper.safetensors")).vocabulary
    assert paper.vocabulary != load_models(NETWORK).vocabulary


def test_a_path_comes_before_a_name(tmp_path: Path) -> None:
    (tmp_path / "san").write_bytes(b"mine")
    for path in (Path("san"), Path("mine.safetensors"), tmp_path / "none", Path("no/san")):
        assert find_model(path) == path


def test_a_folder_hides_a_name_only_if_it_holds_a_network(tmp_path: Path) -> None:
    (tmp_path / "san").mkdir()
    assert find_model(Path("san")) == NETWORK
    write_models(load_models(NETWORK), tmp_path / "san")
    assert find_model(Path("san")) == Path("san")


@pytest.mark.parametrize("name", ["no-such-model", "rescoring", "two\nlines", "a" * 300, "a\0b"])
def test_an_unknown_name_is_told_those_that_are_known(name: str) -> None:
    with pytest.raises(SanError, match=r"those are: san, san-densenet, san-paper$") as caught:
        load_models(Path(name))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize("name", ["a" * 300 + ".safetensors", "x/a\0b", "x/" + "a" * 300])
def test_a_path_that_cannot_be_is_one_line(name: str) -> None:
    with pytest.raises(SanError) as caught:
        load_models(Path(name))
    assert "\n" not in str(caught.value)


def test_rescoring_beside_the_weights_comes_first(tmp_path: Path) -> None:
    weights, folder = tmp_path / "mine.safetensors", tmp_path / "exported"
    folder.mkdir()
    (folder / RESCORING.name).touch()
    assert rescoring_for(NETWORK) == RESCORING
    for path in (weights, folder, Path("a\0b/c")):  # not there, a folder, no path at all
        assert rescoring_for(path) == RESCORING
    weights.touch()
    assert rescoring_for(weights) == RESCORING
    (tmp_path / RESCORING.name).touch()
    assert rescoring_for(weights) == tmp_path / RESCORING.name


def test_every_shipped_file_has_its_digest() -> None:
    files = sorted(FOLDER.glob(f"*{SUFFIX}"))
    assert shipped_digests() == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files
    }


@pytest.mark.parametrize(
    ("shipped", "load"),
    [
        (NETWORK, load_models),
        (RESCORING, Rescorer),
        (ORIENTATION, orientation_network),
        (STROKES, stroke_network),
    ],
)
def test_one_bit_of_a_shipped_file_is_noticed(
    shipped: Path,
    load: Callable[[Path], object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copy = tmp_path / shipped.name
    content = bytearray(shipped.read_bytes())
    content[-1000] ^= 1  # the last digit of some number: nothing else would tell
    copy.write_bytes(content)
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    with pytest.raises(SanError, match=r"damaged \(not as SHA256SUMS"):
        load(copy)
    shutil.copy(shipped, copy)
    load(copy)
