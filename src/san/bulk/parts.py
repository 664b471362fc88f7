"""Results as a folder of Parquet files, each written whole or not at all: what stands is done.

The folder may lie on a disk or, by its URL, in an object store.
"""

import time
from typing import TYPE_CHECKING
from uuid import uuid4

from san.bulk.locations import located
from san.bulk.reader import ID, result_schema
from san.bulk.storage import files_below
from san.errors import SanError

if TYPE_CHECKING:
    import pyarrow as pa

PART_ROWS, PART_SECONDS = 10_000, 60.0
"""After so many results, or so much time with any, a file is written."""


class ParquetParts:
    """Takes results, and writes them in files of many."""

    def __init__(self, folder: str) -> None:
        self._folder = folder.rstrip("/")
        self._files, self._path = located(self._folder)
        self._waiting: list[pa.Table] = []
        self._written = time.monotonic()
        try:
            self._files.create_dir(self._path, recursive=True)
        except OSError as error:
            raise self._refusal(error) from None

    def done(self) -> set[str]:
        """The ids of all results that stand there; SanError where something else does."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        ids: set[str] = set()
        for name in files_below(self._folder):
            if not name.endswith(".parquet"):
                continue
            try:
                with self._files.open_input_file(f"{self._path}/{name}") as file:
                    ids.update(pq.read_table(file, columns=[ID])[ID].to_pylist())
            except (pa.ArrowException, OSError, KeyError) as error:
                why = " ".join(str(error).split())[:200]
                raise SanError(f"{self._folder}/{name}: no results of san read ({why})") from None
        return ids

    def write(self, results: "pa.Table") -> None:
        """Sooner or later."""
        self._waiting.append(results)
        late = time.monotonic() - self._written > PART_SECONDS
        if late or sum(table.num_rows for table in self._waiting) >= PART_ROWS:
            self.flush()

    def flush(self) -> None:
        """Now; under a name of its own, so that two runs never write the same file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._written = time.monotonic()
        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting).cast(result_schema())
        name = f"{self._path}/part-{uuid4().hex}"
        try:
            with self._files.open_output_stream(f"{name}.partial") as file:
                pq.write_table(table, file, compression="zstd")
            self._files.move(f"{name}.partial", f"{name}.parquet")
        except OSError as error:
            raise self._refusal(error) from None
        self._waiting = []

    def _refusal(self, error: OSError) -> SanError:
        return SanError(f"{self._folder}: {(error.strerror or str(error)).lower()[:200]}")
