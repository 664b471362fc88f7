"""Datasets of Ray: what there is to read, and what was read of it."""

import warnings
from collections.abc import Iterator, Set
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from san.bulk.gpu_reader import GpuBatchReader
from san.bulk.parquet_rows import is_parquet, row_ids
from san.bulk.placement import cores_for_each_gpu, placing
from san.bulk.reader import BYTES, ID, MEMBER, PATH, BatchReader, ReaderOptions, check_columns
from san.bulk.storage import Storage, files_below, is_folder
from san.errors import printable
from san.extras import missing_package
from san.files import is_hidden
from san.images.open import is_photograph
from san.ink.inkml import is_ink

if TYPE_CHECKING:
    from ray.data import Dataset

READER_CPUS = 0.5
"""What Ray counts a reader as, though it takes a core: where a node is lost, its readers find room
on the others, which would be full otherwise."""
BATCH, GPU_BATCH = 16, 64
"""Pictures that a reader is given at a time, on a core and on a GPU."""
MIN_BLOCK, MAX_BLOCK, BLOCKS_A_CORE = 16, 256, 200
"""Names of files that make a task of a reader, so that there are many for each."""


def read_dataset(
    dataset: "Dataset",
    *,
    id_column: str = ID,
    bytes_column: str = BYTES,
    path_column: str = PATH,
    readers: int | None = None,
    gpus: int | None = None,
    options: ReaderOptions = ReaderOptions(),  # noqa: B008
) -> "Dataset":
    """Read the pictures of a Ray dataset, with one reader for each core of the cluster, or for each
    of its GPUs.

    Args:
        dataset: A row for each picture.
        id_column: What it is called; `str` of it is the id of its result.
        bytes_column: A file's bytes, or a record with a field `bytes` of them.
        path_column: Where there are none: where its file lies, as every node sees it, by a path or
            a URL.
        readers: How many read at once where GPUs do not; as many as the cluster has cores.
        gpus: How many GPUs read, one reader each, with torch; 0 for none. All that the cluster has,
            where torch is installed.
        options: Of each reader.

    Returns:
        A dataset with the columns id, latex, json, confidence and error; nothing is read before it
        is asked for. `error` says in one line why a picture could not be read, else it is null.

    Raises:
        SanError: if Ray is not installed, or a column is missing.
    """
    ray = import_ray()
    names = list(dataset.schema().names)
    by_path = bytes_column not in names and path_column in names
    columns = {ID: id_column, **({PATH: path_column} if by_path else {BYTES: bytes_column})}
    check_columns(names, columns)
    resources = ray.cluster_resources()
    cores = max(1, int(resources.get("CPU", 1)))
    if gpus is None:
        gpus = int(resources.get("GPU", 0)) if find_spec("torch") is not None else 0
    read: Dataset
    if gpus:
        opening = cores_for_each_gpu(ray.nodes())  # that open its pictures
        read = dataset.map_batches(
            GpuBatchReader,
            fn_constructor_args=(options, columns, opening),
            batch_size=GPU_BATCH,
            batch_format="pyarrow",
            compute=ray.data.ActorPoolStrategy(size=gpus),
            num_cpus=READER_CPUS * opening,
            num_gpus=1,
        )
        return read
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*ray_remote_args_fn")
        read = dataset.map_batches(
            BatchReader,
            fn_constructor_args=(options, columns),
            batch_size=BATCH,
            batch_format="pyarrow",
            compute=ray.data.ActorPoolStrategy(size=readers or cores),
            num_cpus=READER_CPUS,
            **placing(dataset.map_batches, ray.nodes()),
        )
    return read


def open_sources(source: str, done: Set[str], cores: int) -> "tuple[Dataset, int]":
    """What lies at a path or URL, without what is done, as a dataset for `read_dataset` with the
    columns `id`, and `bytes` or `path`; and how many there are.

    A folder with all its folders, a zip, a Parquet file or a folder of those, or a single file.
    """
    folder = is_folder(source)
    if folder:
        base = source.rstrip("/")
        names = sorted(files_below(source))
        tables = [f"{base}/{name}" for name in names if is_parquet(name)]
        rows = [{ID: name, PATH: f"{base}/{name}"} for name in names if _is_read(name)]
        if tables:
            rows = [row for table in tables for row in _rows_of(table)]
    elif is_parquet(source):
        rows = list(_rows_of(source))
    elif source.lower().endswith(".zip"):
        names = list(Storage().names(source))
        rows = [{ID: name, PATH: source, MEMBER: name} for name in names if _is_read(name)]
    else:
        rows = [{ID: source.rpartition("/")[2], PATH: source}]
    kept = [row for row in rows if printable(row[ID]) not in done]
    return _of_names(kept, cores), len(kept)


def import_ray() -> Any:
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise missing_package(error, "ray") from None
    return ray


def _rows_of(table: str) -> Iterator[dict[str, str]]:
    for number, id in enumerate(row_ids(table)):
        yield {ID: id, PATH: table, MEMBER: str(number)}


def _is_read(name: str) -> bool:
    return (is_photograph(name) or is_ink(name)) and not is_hidden(name)


def _of_names(rows: list[dict[str, str]], cores: int) -> "Dataset":
    import pyarrow as pa

    size = min(max(len(rows) // (cores * BLOCKS_A_CORE), MIN_BLOCK), MAX_BLOCK)
    names = rows[0].keys() if rows else (ID, PATH)
    schema = pa.schema([(name, pa.string()) for name in names])
    blocks = [
        pa.Table.from_pylist(rows[begin : begin + size], schema=schema)
        for begin in range(0, len(rows), size)
    ]
    dataset: Dataset = import_ray().data.from_arrow(blocks or [schema.empty_table()])
    return dataset
