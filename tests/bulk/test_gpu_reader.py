"""Readers with a GPU: many pictures at once read as one by one. There is no GPU here: Ray is told
of one, and torch computes on the CPU."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="needs the extra ray, which is not installed")
pytest.importorskip("torch", reason="needs the extra train, which is not installed")

import numpy as np
import pyarrow as pa
import ray
import torch

from san.bulk import gpu_reader, read_dataset
from san.bulk.gpu_reader import GpuBatchReader, canvases
from san.bulk.placement import cores_for_each_gpu
from san.bulk.reader import BatchReader, ReaderOptions
from san.ink import draw
from san.reader import Recognizer
from san.reader.recognizer import DEFAULT_LIMITS
from san.reader.source import open_source
from tests.data.drawn import encoded
from tests.ink.formulas import quadratic
from tests.serve.conftest import FRACTION, picture

pytestmark = pytest.mark.slow

EXACT = ReaderOptions(quick=True, precision="float32")
COLUMNS = {"id": "id", "bytes": "bytes"}


def sources() -> pa.Table:
    """A formula, a page of two, a larger formula, and what is none."""
    one = 255 - draw(quadratic().ink)
    two = np.vstack([one, np.full((3 * len(one), one.shape[1]), 255, np.uint8), one])
    contents = [picture(), encoded(two), encoded(one), b"nonsense", None]
    return pa.table({"id": ["one", "page", "large", "bad", "none"], "bytes": contents})


def test_many_at_once_are_read_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    expected = BatchReader(EXACT, COLUMNS)(sources()).to_pylist()
    assert expected[0]["latex"] == FRACTION
    assert expected[1]["latex"].count("\n") == 1
    together: list[int] = []
    read_prepared = Recognizer.read_prepared

    def counted(self: Recognizer, images: Any, check: Any = None) -> Any:
        together.append(len(images))
        return read_prepared(self, images, check)

    monkeypatch.setattr(Recognizer, "read_prepared", counted)
    reader = GpuBatchReader(EXACT, COLUMNS, cores=2)
    for mine, theirs in zip(reader(sources()).to_pylist(), expected, strict=True):
        assert mine.pop("confidence") == pytest.approx(theirs.pop("confidence"), abs=1e-3)
        assert mine == theirs
    assert together[0] == 2  # the two single formulas; the page's follow one by one
    monkeypatch.setattr(gpu_reader, "MAX_CANVAS_PIXELS", 1)
    images = dict(
        enumerate(
            open_source(one, DEFAULT_LIMITS) for one in (sources()["bytes"][2].as_py(), picture())
        )
    )
    assert [*canvases(images)] == [[1], [0]]


def test_what_fails_among_others_costs_them_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = GpuBatchReader(EXACT, COLUMNS, cores=1)
    read_prepared = Recognizer.read_prepared

    def full(self: Recognizer, images: Any, check: Any = None) -> Any:
        if len(images) > 1:
            raise RuntimeError("CUDA out of memory")
        return read_prepared(self, images, check)

    monkeypatch.setattr(Recognizer, "read_prepared", full)
    rows = reader(pa.table({"id": ["a", "b"], "bytes": [picture(), picture()]})).to_pylist()
    assert [row["latex"] for row in rows] == [FRACTION] * 2


def test_a_reader_asks_for_no_more_cores_than_its_node_has() -> None:
    resources = [{"CPU": 64.0}, {"CPU": 16.0, "GPU": 2.0}, {"CPU": 30.0, "GPU": 1.0}]
    nodes = [{"Alive": True, "Resources": one} for one in resources]
    assert cores_for_each_gpu(nodes) == 8
    assert cores_for_each_gpu(nodes[:1]) == 1
    assert cores_for_each_gpu([{"Alive": True, "Resources": {"GPU": 4.0}}]) == 1


@pytest.fixture
def told_of_a_gpu() -> Iterator[None]:
    ray.shutdown()
    ray.init(address="local", num_cpus=1, num_gpus=1, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.mark.usefixtures("told_of_a_gpu")
def test_where_a_cluster_has_gpus_they_read(tmp_path: Path) -> None:
    pictures = ray.data.from_items([{"id": name, "bytes": picture()} for name in "abc"])
    on_gpu = read_dataset(pictures, options=EXACT)
    assert GpuBatchReader.__name__ in repr(on_gpu)
    assert GpuBatchReader.__name__ not in repr(read_dataset(pictures, gpus=0))
    rows = on_gpu.take_all()
    assert sorted(row["id"] for row in rows) == ["a", "b", "c"]
    assert {row["latex"] for row in rows} == {FRACTION}
