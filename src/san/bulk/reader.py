"""The actor that reads: one recognizer on one core, which turns rows of sources into rows of
results. A source that cannot be read is a row with its reason."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from san.bulk.parquet_rows import content_of
from san.bulk.storage import Storage
from san.errors import SanError, printable
from san.files import FileError
from san.reader import Failure, Formula, Limits, Page, Recognizer
from san.reader.recognizer import DEFAULT_LIMITS

if TYPE_CHECKING:
    import pyarrow as pa

ID, BYTES, PATH, MEMBER = "id", "bytes", "path", "member"
"""Columns of sources: a file's bytes, or where it lies, perhaps in a zip."""


@dataclass(frozen=True)
class ReaderOptions:
    """Of each reader, as of `Recognizer`."""

    model: Path | None = None
    quick: bool = False
    precision: Literal["int8", "float32"] = "int8"
    limits: Limits = DEFAULT_LIMITS
    one: bool = False  # one formula each, even where it looks like several
    upright: bool = False


class BatchReader:
    """Called with one table after the other; made once for each core."""

    def __init__(
        self, options: ReaderOptions, columns: dict[str, str], device: str | None = None
    ) -> None:
        import cv2

        cv2.setNumThreads(1)  # there is a reader for each core
        self._options, self._columns = options, columns
        self._storage = Storage()
        self._reader = Recognizer(
            options.model,
            threads=1,
            limits=options.limits,
            precision=options.precision,
            quick=options.quick,
            upright=options.upright,
            device=device,
        )

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        import pyarrow as pa

        ids = batch[self._columns[ID]].to_pylist()
        rows = [
            {ID: printable(str(id)), **row}
            for id, row in zip(ids, self._rows(self._sources(batch)), strict=True)
        ]
        return pa.Table.from_pylist(rows, schema=result_schema())

    def _rows(self, sources: Iterator[bytes | FileError]) -> Iterable[dict[str, Any]]:
        return map(self._row, sources)

    def _sources(self, batch: "pa.Table") -> Iterator[bytes | FileError]:
        """One after the other: no more than one is held in memory."""
        column = self._columns.get(BYTES)
        members = batch[MEMBER] if MEMBER in batch.column_names else None
        for number in range(batch.num_rows):
            member = None if members is None else members[number].as_py()
            try:
                if column is not None:
                    yield content_of(batch[column][number].as_py())
                    continue
                path = batch[self._columns[PATH]][number].as_py()
                yield self._storage.read(path, self._options.limits.bytes, member)
            except FileError as error:
                yield error

    def _row(self, source: bytes | FileError) -> dict[str, Any]:
        if isinstance(source, FileError):
            return {"error": str(source)}
        read = self._reader.read_many if self._options.one else self._reader.read_pages
        (result,) = read([source])
        return result_row(result)


def result_row(result: Formula | Page | Failure) -> dict[str, Any]:
    """What a row says of a result, beside its id."""
    if isinstance(result, Failure):
        return {"error": result.reason}
    formulas = result.formulas if isinstance(result, Page) else (result,)
    if not formulas:
        return {"error": "; ".join(result.notes) or "no formula found"}
    shown = result if len(formulas) > 1 else formulas[0]
    return {
        "latex": "\n".join(formula.latex for formula in formulas),
        "json": json.dumps(shown.to_dict(), ensure_ascii=False),
        "confidence": min(formula.confidence for formula in formulas),
    }


def result_schema() -> "pa.Schema":
    """Of results: of a page `latex` has a line for each formula, `confidence` is the lowest."""
    import pyarrow as pa

    texts = [(name, pa.string()) for name in (ID, "latex", "json", "error")]
    return pa.schema([*texts[:3], ("confidence", pa.float64()), texts[3]])


def check_columns(names: list[str], columns: dict[str, str]) -> None:
    missing = [name for name in columns.values() if name not in names]
    if missing:
        there = ", ".join(names)
        raise SanError(f"no column {missing[0]}; there are: {printable(there)[:200]}")
