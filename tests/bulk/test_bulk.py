"""Many pictures with Ray: folders, zips and Parquet; what cannot be read, and what was before."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

pytest.importorskip("ray", reason="needs the extra ray, which is not installed")
pytest.importorskip("pyarrow", reason="needs the extra ray, which is not installed")

import pyarrow as pa
import pyarrow.parquet as pq
import ray
from PIL import Image

from san.bulk import read_dataset
from san.bulk.dataset import open_sources
from san.bulk.parts import ParquetParts
from san.bulk.placement import node_of_each_core, placing
from san.bulk.reader import BatchReader, ReaderOptions, result_schema
from san.bulk.storage import Storage
from san.cli.read_ray import read_with_ray
from san.errors import SanError
from san.files import FileError
from tests.serve.conftest import FRACTION, encoded, picture

pytestmark = pytest.mark.slow

QUICK = ReaderOptions(quick=True)
NAMES = ("a.png", "b/c.png", "bad.png")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pictures"
    (made / "b").mkdir(parents=True)
    for name in NAMES[:2]:
        (made / name).write_bytes(picture())
    (made / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nno more")
    (made / "notes.txt").write_text("no picture")
    (made / ".hidden.png").write_bytes(picture())
    return made


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def read(table: pa.Table, columns: dict[str, str]) -> dict[str, Any]:
    rows = BatchReader(QUICK, columns)(table)
    assert rows.schema == result_schema()
    return {row["id"]: row for row in rows.to_pylist()}


def check(rows: dict[str, Any], count: int = 3) -> None:
    """That of some pictures one was bad."""
    assert len(rows) == count
    for id, row in rows.items():
        if "bad" in id:
            assert (row["latex"], row["json"], row["confidence"]) == (None, None, None)
            assert "PNG" in row["error"] or "no bytes" in row["error"]
        else:
            assert (row["latex"], row["error"]) == (FRACTION, None)
            assert 0 < row["confidence"] < 1
            assert json.loads(row["json"])["latex"] == FRACTION


def test_a_reader_is_told_that_pictures_are_upright() -> None:
    upside_down = encoded(Image.open("samples/gravity.png").rotate(180))
    table = pa.table({"id": ["a"], "bytes": [upside_down]})
    for upright in (False, True):
        options = ReaderOptions(quick=True, upright=upright)
        (row,) = BatchReader(options, {"id": "id", "bytes": "bytes"})(table).to_pylist()
        assert ("turned" in json.loads(row["json"])) is not upright


def test_a_reader_takes_paths_members_and_bytes(folder: Path, tmp_path: Path) -> None:
    paths = pa.table({"id": NAMES, "path": [str(folder / name) for name in NAMES]})
    check(read(paths, {"id": "id", "path": "path"}))
    archive = tmp_path / "pictures.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for name in NAMES:
            made.write(folder / name, name)
    members = pa.table({"id": NAMES, "path": [str(archive)] * 3, "member": NAMES})
    check(read(members, {"id": "id", "path": "path"}))
    records = [{"bytes": picture(), "path": "x"}, {"bytes": None, "path": "y"}]
    check(
        read(pa.table({"name": ["a", "bad"], "image": records}), {"id": "name", "bytes": "image"}),
        2,
    )


def test_what_is_not_there_is_a_row_with_its_reason(tmp_path: Path) -> None:
    missing = pa.table({"id": ["a"], "path": [str(tmp_path / "none.png")]})
    assert "no such file" in read(missing, {"id": "id", "path": "path"})["a"]["error"]
    storage = Storage()
    (tmp_path / "large").write_bytes(bytes(100))
    with pytest.raises(FileError, match="larger than 99 bytes"):
        storage.read(str(tmp_path / "large"), 99)
    with pytest.raises(FileError):
        storage.read(str(tmp_path / "large"), 99, "member")  # no zip
    with pytest.raises(FileError):
        storage.read("nonsense://x/y", 99)


def test_each_node_has_as_many_readers_as_cores() -> None:
    head, large, small, lost = (letter * 56 for letter in "abcd")
    nodes = [
        {"NodeID": name, "Alive": alive, "Resources": resources}
        for name, alive, resources in (
            (head, True, {"memory": 1.0}),
            (small, True, {"CPU": 1.0}),
            (large, True, {"CPU": 3.0}),
            (lost, False, {"CPU": 9.0}),
        )
    ]
    assert node_of_each_core(nodes) == [large, small, large, large]
    place = placing(ray.data.Dataset.map_batches, nodes)["ray_remote_args_fn"]
    strategies = [place()["scheduling_strategy"] for _ in range(6)]
    assert [one.node_id for one in strategies[3:]] == [large, large, small]
    assert all(one.soft for one in strategies)  # a node may be lost
    assert placing(ray.data.Dataset.map_batches, nodes[:2]) == {}
    assert placing(lambda dataset: dataset, nodes) == {}  # a Ray that takes no such thing


def test_parts_are_whole_and_known_again(tmp_path: Path) -> None:
    parts = ParquetParts(str(tmp_path / "out"))
    assert parts.done() == set()
    row = {"id": "a", "latex": "x", "json": "{}", "confidence": 0.5, "error": None}
    parts.write(pa.Table.from_pylist([row], schema=result_schema()))
    assert parts.done() == set()  # a file has many of them
    parts.flush()
    parts.flush()
    assert parts.done() == {"a"}
    assert [file.suffix for file in (tmp_path / "out").iterdir()] == [".parquet"]
    (tmp_path / "out" / "part-x.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(SanError, match=r"part-x\.parquet: no results"):
        parts.done()


@pytest.mark.usefixtures("cluster")
def test_datasets_of_folders_zips_and_parquet(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "pictures.parquet"
    contents = [(folder / name).read_bytes() for name in NAMES]
    pq.write_table(pa.table({"path": NAMES, "n": [1, 2, 3], "image": contents}), table)
    archive = tmp_path / "pictures.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for name in (*NAMES, "__MACOSX/a.png"):
            made.writestr(name, contents[0])
    for source in (str(folder), str(archive), str(table)):
        dataset, count = open_sources(source, set(), 1)
        assert count == dataset.count() == 3
        left, count = open_sources(source, {"a.png"}, 1)
        assert count == left.count() == 2
        assert {row["id"] for row in left.take_all()} == set(NAMES[1:])
    results = read_dataset(open_sources(str(table), set(), 1)[0], options=QUICK)
    check({row["id"]: row for row in results.take_all()})
    in_memory = ray.data.from_arrow(pa.table({"id": NAMES, "bytes": contents}))
    check({row["id"]: row for row in read_dataset(in_memory, options=QUICK).take_all()})
    with pytest.raises(SanError, match="no column bytes; there are: id, n"):
        read_dataset(ray.data.from_items([{"id": 1, "n": 2}]).select_columns(["id", "n"]))
    with pytest.raises(SanError, match="no such file or folder"):
        open_sources(str(tmp_path / "none"), set(), 1)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(SanError, match="no table can be read"):
        open_sources(str(tmp_path / "broken.parquet"), set(), 1)


def test_a_run_goes_on_with_what_is_written(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ray.shutdown()
    target = tmp_path / "out.jsonl"
    target.write_text(json.dumps({"id": "a.png", "latex": "y"}) + '\n{"id": "b/')
    with pytest.raises(typer.Exit, match="1"):
        read_with_ray([str(folder), str(target)], QUICK)
    lines = {line["id"]: line for line in map(json.loads, target.read_text().splitlines())}
    assert set(lines) == set(NAMES)
    assert lines["a.png"]["latex"] == "y"
    assert lines["b/c.png"]["latex"] == FRACTION
    assert "PNG" in lines["bad.png"]["error"]
    said = capsys.readouterr().err
    assert "1 read before, 2 left, cores: " in said
    assert "2 of 2, 1 could not be read" in said
    assert "INFO" not in said
