"""A file of results that ends with a whole line, whatever happens; a later run may go on with it.

- Lines are written when they are flushed, all at once. Where the disk is full, what did not fit is
  taken back: the file ends where the last whole line does.
- What stood in the file before goes when the first line comes: a run that reads nothing, for a name
  that was mistyped, takes nothing away.
- To resume is to cut off what a killed run left of a line, and to know which ids are done.
- Rows of JSON hold their file, which tells whether it was read before. A table holds ids alone:
  what is called otherwise now than it may have been then is refused.
- In a table a page has a line for each formula, and nothing says which is the last: only what
  follows does. So a page at the end of a table is read again.
- What is added has the form of what stands there, as far as that can be told: a table its columns,
  and no formula of its own for a source that stands there as a page.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Collection, Set
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from san.errors import SanError, printable, reason

if TYPE_CHECKING:
    from san.reader.inputs import Input

LINE_SUFFIXES = (".tsv", ".jsonl")
"""Of files with a line or more for each source: only these can be resumed."""


class _Page(NamedTuple):
    """Lines of one page, `source#1` and on, at the end of what was looked at."""

    source: str
    formulas: int
    start: int  # of its first line, in bytes

    @property
    def next_id(self) -> str:
        return formula_id(self.source, self.formulas + 1)

    def may_go_on_with(self, torn: bytes) -> bool:
        """Whether the beginning of a line can be one of its lines."""
        begin = f"{self.next_id}\t".encode()
        return torn.startswith(begin) or begin.startswith(torn)


def formula_id(source: str, number: int) -> str:
    """What a formula of a page is called; the first has the number 1."""
    return f"{source}#{number}"


def source_of(id: str) -> str:
    """The source of such a formula; empty for what is called otherwise."""
    source, _, number = id.rpartition("#")
    return source if number.isdecimal() else ""


class ResultsFile:
    """Open for writing; with `resume` at the end of what stands there.

    Args:
        confidence: Whether a table gets a third column; a resumed one must have it, or not.
        ending: What stands behind the last line, whenever the process ends.
    """

    def __init__(
        self, path: Path, resume: bool = False, confidence: bool = False, ending: str = ""
    ) -> None:
        self._path, self._pending, self._ending = path, "", ending.encode()
        self._columns = 3 if confidence else 2
        self._done: dict[str, str] = {}  # ids that stand there, and their files where these do, too
        self._places: set[tuple[str, str]] = set()  # of those files, with the page
        self._pages: set[str] = set()  # those of them with several formulas
        self._as_json = path.suffix.lower() == ".jsonl"  # one line a source
        self._last_page: _Page | None = None  # with which the file ends
        try:
            self._file = path.open("rb+" if path.is_file() else "wb+", buffering=0)
            size = path.stat().st_size
        except OSError as error:
            raise self._refusal(error) from error
        self._length = self._read_done() if resume else 0
        self._keeps_old = size > 0 and not resume
        if resume:
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
    def keeps_old(self) -> bool:
        """Whether what stood there before is there still, since nothing was written."""
        return self._keeps_old

    @property
    def ids(self) -> Set[str]:
        """What stood there when it was opened."""
        return self._done.keys()

    def not_done(self, wanted: "Collection[Input]") -> "list[Input]":
        """Sources that were not read before; SanError where that cannot be told."""
        ids = {item.id for item in wanted}
        return [item for item in wanted if not self._has(item, ids)]

    def _has(self, item: "Input", ids: Set[str]) -> bool:
        """`ids` are those of all that is wanted."""
        from san.reader.inputs import place_of

        file = str(item.path)
        if place_of(item.id, file) in self._places:
            return True
        if other := self._done.get(item.id):
            raise SanError(
                printable(f"{self._path}: {item.id} stands there, of {other}: name another file")
            )
        if self._has_id(item.id):
            return True
        for id in item.ids:
            if id not in ids and self._has_id(id) and not self._done.get(id):
                raise SanError(
                    printable(
                        f"{self._path}: {id} stands there, which {file} may be: resume with the "
                        "files that it was begun with, or name another"
                    )
                )
        return False

    def _has_id(self, id: str) -> bool:
        return id in self._done or (not self._as_json and formula_id(id, 1) in self._done)

    def check_single(self, wanted: Collection[str]) -> None:
        """SanError where a source has several formulas already, and is to get one."""
        for id in self._pages.intersection(wanted):
            raise SanError(
                f"{self._path}: {id} stands there with several formulas; resume without --one"
            )

    def drop_unfinished(self, wanted: Collection[str]) -> None:
        """Take back the page at the end, if it is among the sources that are read now."""
        page = self._last_page
        if page is None or page.source not in wanted:
            return
        for number in range(page.formulas):
            self._done.pop(formula_id(page.source, number + 1), None)
        self._length, self._last_page = page.start, None
        self._file.truncate(self._length)

    def write(self, text: str) -> int:
        self._pending += text
        return len(text)

    def flush(self) -> None:
        """Write whole lines, or nothing of them."""
        content, self._pending = self._pending.encode(), ""
        if not content:
            return
        try:
            if self._keeps_old:
                self._file.truncate(0)
                self._keeps_old = False
            self._write(content + self._ending)
        except OSError as error:
            self._file.truncate(self._length)
            if self._length:  # there was room for it before
                with suppress(OSError):
                    self._write(self._ending)
            raise self._refusal(error) from error
        self._length += len(content)

    def _write(self, content: bytes) -> None:
        """Behind the last line."""
        self._file.seek(self._length)
        written = 0
        while content[written:]:
            written += self._file.write(content[written:])

    def _read_done(self) -> int:
        """Remember the ids; where the last whole line ends."""
        from san.reader.inputs import place_of

        length, page = 0, None
        with self._path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):  # of a run that was killed
                    page = page if page is not None and page.may_go_on_with(line) else None
                    break
                # Other programs write a byte order mark before all: it is no part of an id.
                id, read = self._id(line.removeprefix(BOM_UTF8 if number == 1 else b""), number)
                self._done[id] = read
                if read:
                    self._places.add(place_of(id, read))
                page = None if self._as_json else _page_with(page, id, length)
                if page is not None:
                    self._pages.add(page.source)
                length += len(line)
        self._last_page = page
        return length

    def _id(self, line: bytes, number: int) -> tuple[str, str]:
        """And the file, where it stands there."""
        try:
            if not self._as_json:
                return self._id_of_row(line.decode()), ""
            document = json.loads(line)
            if isinstance(id := document["id"], str):
                if "formulas" in document:
                    self._pages.add(id)
                return id, file if isinstance(file := document.get("file"), str) else ""
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise SanError(f"{self._path}: line {number} is no result of san read; name another file")

    def _id_of_row(self, line: str) -> str:
        id, _, *confidence = line.split("\t")
        if len(confidence) > 1:
            raise ValueError(line)
        if len(confidence) != self._columns - 2:
            which = "with" if confidence else "without"
            raise SanError(f"{self._path}: was written {which} --confidence; resume it so")
        return id

    def _refusal(self, error: OSError) -> SanError:
        return SanError(f"{self._path}: {reason(error)}")


def _page_with(page: _Page | None, id: str, start: int) -> _Page | None:
    """The page that a line belongs to; none where it is the only one of its source."""
    if page is not None and id == page.next_id:
        return page._replace(formulas=page.formulas + 1)
    source, _, number = id.rpartition("#")
    return _Page(source, 1, start) if source and number == "1" else None
