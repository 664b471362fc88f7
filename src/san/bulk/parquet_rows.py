"""Pictures in Parquet files: a column of ids, and one of bytes, read by the number of a row."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from san.bulk.locations import located, why
from san.errors import SanError
from san.files import FileError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

ID_COLUMNS, BYTES_COLUMNS = ("id", "path", "file", "name"), ("bytes", "image", "picture", "content")
"""What the columns are called: the first that is there is taken."""
MAX_GROUP_BYTES = 1 << 30
"""Of a group of rows, which is held in memory while its rows are read."""


def is_parquet(name: str) -> bool:
    return name.lower().endswith(".parquet")


def row_ids(path: str) -> Iterator[str]:
    """Of every row, in order; SanError where it is no such file."""
    import pyarrow as pa

    try:
        file = _open(path)
        _column(file, BYTES_COLUMNS)
        column = _column(file, ID_COLUMNS)
        for batch in file.iter_batches(columns=[column]):
            yield from map(str, batch[0].to_pylist())
    except (pa.ArrowException, OSError) as error:
        raise SanError(f"{path}: no table can be read ({why(error)})") from None
    except FileError as error:
        raise SanError(f"{path}: {error}") from None


class ParquetRows:
    """Reads one row after the other; their group is kept for the next of them."""

    def __init__(self) -> None:
        self._path, self._first = "", 0  # of the group at hand
        self._values: Any = []

    def read(self, path: str, row: int) -> bytes:
        """FileError where it has no bytes."""
        if path != self._path or not 0 <= row - self._first < len(self._values):
            self._load(path, row)
        return content_of(self._values[row - self._first].as_py())

    def _load(self, path: str, row: int) -> None:
        import pyarrow as pa

        try:
            file = _open(path)
            group, first = 0, 0
            while first + (count := file.metadata.row_group(group).num_rows) <= row:
                group, first = group + 1, first + count
            if file.metadata.row_group(group).total_byte_size > MAX_GROUP_BYTES:
                raise FileError(f"its group of rows has more than {MAX_GROUP_BYTES:,} bytes")
            column = _column(file, BYTES_COLUMNS)
            self._values = file.read_row_group(group, columns=[column])[column]
            self._path, self._first = path, first
        except (pa.ArrowException, OSError, IndexError) as error:
            raise FileError(why(error)) from None


def content_of(value: Any) -> bytes:
    """Of a cell: bytes, or as Hugging Face keeps images, a record that holds them."""
    found = value.get("bytes") if isinstance(value, dict) else value
    if not isinstance(found, bytes):
        raise FileError("no bytes")
    return found


def _open(path: str) -> "pq.ParquetFile":
    import pyarrow.parquet as pq

    files, name = located(path)
    return pq.ParquetFile(files.open_input_file(name))


def _column(file: "pq.ParquetFile", known: tuple[str, ...]) -> str:
    names = file.schema_arrow.names
    for name in known:
        if name in names:
            return name
    raise FileError(f"none of its columns is called {', '.join(known)}: {', '.join(names)[:200]}")
