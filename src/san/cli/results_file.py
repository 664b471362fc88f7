"""A file of results that ends with a whole line, whatever happens; a later run may go on with it.

- Lines are written when they are flushed, all at once. Where the disk is full, what did not fit is
  taken back: the file ends where the last whole line does.
- To resume is to cut off what a killed run left of a line, and to know which ids are done.
"""

import json
from collections.abc import Set
from pathlib import Path
from types import TracebackType

from san.errors import SanError, reason

LINE_SUFFIXES = (".tsv", ".jsonl")
"""Of files with a line or more for each source: only these can be resumed."""
FIRST_ON_PAGE = "#1"
"""Behind the id of a source, where it has several formulas."""


class ResultsFile:
    """Open for writing; with `resume` at the end of what stands there."""

    def __init__(self, path: Path, resume: bool = False) -> None:
        self._path, self._pending = path, ""
        self._done: set[str] = set()  # ids that stand there
        try:
            mode = "rb+" if resume and path.exists() else "wb+"
            self._file = path.open(mode, buffering=0)
        except OSError as error:
            raise self._refusal(error) from error
        self._length = self._read_done() if resume else 0
        self._file.truncate(self._length)

    def __enter__(self) -> "ResultsFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.flush()
        finally:
            self._file.close()

    @property
    def ids(self) -> Set[str]:
        """What stood there when it was opened."""
        return self._done

    def has(self, id: str) -> bool:
        """Whether a source was read before."""
        return id in self._done or id + FIRST_ON_PAGE in self._done

    def write(self, text: str) -> int:
        self._pending += text
        return len(text)

    def flush(self) -> None:
        """Write whole lines, or nothing of them."""
        content, self._pending = self._pending.encode(), ""
        written = 0
        try:
            self._file.seek(self._length)
            while content[written:]:
                written += self._file.write(content[written:])
        except OSError as error:
            self._file.truncate(self._length)
            raise self._refusal(error) from error
        self._length += len(content)

    def _read_done(self) -> int:
        """Remember the ids; where the last whole line ends."""
        length = 0
        as_json = self._path.suffix.lower() == ".jsonl"
        with self._path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):  # of a run that was killed
                    break
                self._done.add(self._id(line, as_json, number))
                length += len(line)
        return length

    def _id(self, line: bytes, as_json: bool, number: int) -> str:
        try:
            found = json.loads(line)["id"] if as_json else line.decode().split("\t", 1)[0]
            if isinstance(found, str) and (as_json or b"\t" in line):
                return found
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise SanError(f"{self._path}: line {number} is no result of san read; name another file")

    def _refusal(self, error: OSError) -> SanError:
        return SanError(f"{self._path}: {reason(error)}")
