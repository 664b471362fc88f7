"""`san read --ray [ADDRESS] IN OUT`: many pictures, read by the cores of one machine or a cluster.

Results are written here, one after the other as they come; a run goes on with what an earlier one
has written.
"""

import json
import logging
import os
import time
from collections.abc import Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from san.cli.results import SUFFIXES
from san.cli.results_file import ResultsFile
from san.cores import usable_cores
from san.errors import SanError

if TYPE_CHECKING:
    import pyarrow as pa

    from san.bulk.reader import ReaderOptions

PROGRESS_SECONDS = 5.0
OBJECT_STORE_BYTES = 512 << 20
"""Of memory that an embedded Ray shares between processes: names and results are small."""

# Who names one of these means a file, not a folder.
FILE_SUFFIXES = (*SUFFIXES, ".csv", ".json", ".parquet", ".txt")


class Output(Protocol):
    """Where results go."""

    def done(self) -> Set[str]: ...

    def write(self, results: "pa.Table") -> None: ...

    def flush(self) -> None: ...


def read_with_ray(arguments: list[str], options: "ReaderOptions") -> None:
    """SanError for what cannot begin; exit code 1 where some pictures could not be read."""
    from san.bulk.dataset import import_ray, open_sources, read_dataset
    from san.bulk.parts import ParquetParts

    if len(arguments) not in (2, 3):
        raise SanError("--ray takes [ADDRESS] IN OUT: what to read, and where the results go")
    *address, source, target = arguments
    as_json = (suffix := Path(target).suffix.lower()) == ".jsonl"
    if suffix in FILE_SUFFIXES and not as_json:
        raise SanError(f"{target}: --ray writes a folder of Parquet files, or a .jsonl")
    source = source if "://" in source else str(Path(source).resolve())
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is reported to anybody
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    ray = import_ray()
    output: Output = JsonLines(Path(target)) if as_json else ParquetParts(target)
    done = output.done()
    _connect(ray, *address)
    try:
        cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        dataset, count = open_sources(source, done, cores)
        typer.echo(f"{len(done):,} read before, {count:,} left, cores: {cores}", err=True)
        progress = Progress(count)
        try:
            if count:
                results: Any = read_dataset(dataset, options=options)
                for table in results.iter_batches(batch_size=None, batch_format="pyarrow"):
                    output.write(table)
                    progress.add(table.num_rows, table.num_rows - table["error"].null_count)
        except ray.exceptions.RayError as error:
            raise SanError(f"Ray: {' '.join(str(error).split())[-300:]}") from None
        finally:  # what was read is kept, whatever ends the run
            output.flush()
    finally:
        ray.shutdown()
    progress.say()
    if progress.failed:
        raise typer.Exit(1)


class JsonLines:
    """Results as lines of JSON: what `san read -o` writes of a picture, or its id and an error."""

    def __init__(self, path: Path) -> None:
        self._file = ResultsFile(path, resume=True)

    def done(self) -> Set[str]:
        return self._file.ids

    def write(self, results: "pa.Table") -> None:
        for row in results.to_pylist():
            found = json.loads(row["json"]) if row["json"] else {"error": row["error"]}
            line = json.dumps({"id": row["id"], **found}, ensure_ascii=False)
            self._file.write(line + "\n")
        self.flush()

    def flush(self) -> None:
        self._file.flush()


class Progress:
    """Says every few seconds how far a run is."""

    def __init__(self, total: int) -> None:
        self.total, self.read, self.failed = total, 0, 0
        self._began = self._said = time.monotonic()

    def add(self, count: int, failed: int) -> None:
        self.read += count
        self.failed += failed
        if time.monotonic() - self._said >= PROGRESS_SECONDS:
            self.say()

    def say(self) -> None:
        self._said = time.monotonic()
        rate = self.read / max(self._said - self._began, 1e-9)
        left = (self.total - self.read) / rate if rate else 0.0
        until = f", {left / 60:.0f} minutes left" if self.read < self.total else ""
        typer.echo(
            f"{self.read:,} of {self.total:,}, {self.failed:,} could not be read, "
            f"{rate:.1f} a second{until}",
            err=True,
        )


def _connect(ray: Any, address: str | None = None) -> None:
    """To a cluster that runs, or to one of this machine alone, which ends with the command."""
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    own = {
        "num_cpus": usable_cores(),
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
    }
    try:
        ray.init(address=address or "local", **quiet, **({} if address else own))
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        line = " ".join(str(error).split())
        raise SanError(f"Ray cannot be reached: {line[:200]}") from None
