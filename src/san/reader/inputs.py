"""What is named on a command line -> the files to read: files, folders, patterns, `-`.

A file that is named is read, whatever it is called; of a folder and all its folders, the images,
the documents and the ink are. Each source has an id, its file's stem; where two stems are the same,
both ids keep their folders, and their suffixes too if they lie in one folder. So they do where one
is what a formula or a page of the other is called: `page#1.png` beside `page.png`. What cannot be
printed is escaped, `caf\\udce8`: replaced by one sign, two names would be one id.
"""

import glob
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from san.errors import SanError
from san.files import Files
from san.images.documents import MAX_PAGES, is_document
from san.images.open import is_photograph
from san.ink.inkml import is_ink
from san.reader.limits import Limits
from san.reader.source import DocumentPage, document_pages
from san.reader.stream import Failure

STDIN = "-"
ADDRESS = re.compile(r"https?://", re.IGNORECASE)
FORMULA, PAGE = re.compile(r"#\d+$"), re.compile(r"\.p\d+$")
"""Behind a source's id, where it has several formulas; before that, where it has several pages."""


class Input(NamedTuple):
    """A file to be read; STDIN for the path stands for standard input."""

    id: str  # of printable characters
    path: Path
    page: int | None = None  # of a file of several
    content: bytes | None = None  # of standard input

    @property
    def file(self) -> Path | bytes:
        return self.path if self.content is None else self.content

    @property
    def source(self) -> Path | bytes | DocumentPage:
        return self.file if self.page is None else DocumentPage(self.file, self.page)

    @property
    def name(self) -> str:
        """What to call it when it is spoken of."""
        whole = "standard input" if self.is_stdin else str(self.path)
        return whole if self.page is None else f"{whole}, page {self.page}"

    @property
    def ids(self) -> list[str]:
        """All that it may be called, the shortest first: it depends on what else is read."""
        page = "" if self.page is None else f".p{self.page}"
        return [_escaped(name(self.path)) + page for name in _NAMES]

    @property
    def is_stdin(self) -> bool:
        return str(self.path) == STDIN


def find_inputs(arguments: Sequence[str]) -> tuple[list[Input], list[Failure]]:
    """Everything that is meant, each file once, and what is meant but is not there."""
    paths: dict[Path, None] = {}  # in order
    failures: list[Failure] = []
    for argument in arguments:
        for path in _named_by(argument):
            if isinstance(path, Failure):
                failures.append(path)
            else:
                paths[path] = None
    shortest, *others = _NAMES
    ids = {path: _escaped(shortest(path)) for path in paths}
    for longer in others:
        ambiguous = _ambiguous(ids)
        ids = {path: _escaped(longer(path)) if id in ambiguous else id for path, id in ids.items()}
    return [Input(id, path) for path, id in ids.items()], failures


def place_of(id: str, file: str) -> tuple[str, str]:
    """The same for the same file and page: what an id says of the page, if it says any."""
    page = PAGE.search(id) if file == STDIN or is_document(file) else None
    return os.path.abspath(file), page[0] if page else ""  # noqa: PTH100 - a Path takes ten times as long


def expand_documents(inputs: Sequence[Input], limits: Limits) -> tuple[list[Input], list[Failure]]:
    """PDF and TIFF files of several pages as their pages, `id.p2`; and of which not all are."""
    every: list[Input] = []
    failures: list[Failure] = []
    for item in inputs:
        count = _count_pages(item, limits)
        if count > MAX_PAGES:
            failures.append(
                Failure(item.name, f"more than {MAX_PAGES} pages: only the first are read")
            )
        pages = range(1, min(count, MAX_PAGES) + 1)
        every += (
            [item]
            if count == 1
            else [item._replace(id=f"{item.id}.p{number}", page=number) for number in pages]
        )
    return every, failures


def _count_pages(item: Input, limits: Limits) -> int:
    """One where it is no document, or cannot be read, of which who reads it will tell."""
    if item.content is not None or is_document(item.path.name):
        with suppress(SanError):
            return len(document_pages(item.file, limits))
    return 1


def _ambiguous(ids: dict[Path, str]) -> set[str]:
    """Ids of several sources, or of one and a formula or a page that another may have."""
    count = Counter(ids.values())
    documents = {id for path, id in ids.items() if str(path) == STDIN or is_document(path.name)}
    ambiguous = {id for id in count if count[id] > 1}
    for id in count:
        page = FORMULA.sub("", id)
        document = PAGE.sub("", page)
        if page != id and page in count:
            ambiguous |= {id, page}
        if document != page and document in documents:
            ambiguous |= {id, document}
    return ambiguous


def _stem(path: Path) -> str:
    return "stdin" if str(path) == STDIN else path.stem


_NAMES: tuple[Callable[[Path], str], ...] = (
    _stem,
    lambda path: path.with_suffix("").as_posix(),
    Path.as_posix,
    lambda path: f"{path.as_posix()}#",  # neither has a suffix: now neither ends with a number
)
"""Of which an id is the first that nothing else is called."""


def _escaped(name: str) -> str:
    """In print; other names give other texts, so a backslash is escaped as well."""
    return "".join(
        letter
        if letter.isprintable() and letter != "\\"
        else letter.encode("unicode_escape").decode()
        for letter in name
    )


def _named_by(argument: str) -> Iterator[Path | Failure]:
    if not argument:  # a Path would take it for this folder
        yield Failure("an empty name", "no file is named")
    elif ADDRESS.match(argument):  # of which a Path drops a slash
        yield Failure(argument, "an address, where files are read: download it first")
    elif os.path.isdir(argument):  # noqa: PTH112 - a Path would raise where a name is too long
        yield from _in_folder(Path(argument))
    elif argument == STDIN or os.path.lexists(argument) or not glob.has_magic(argument):
        yield Path(argument)
    else:
        fitting = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207 - it may be absolute
        files = [Path(name) for name in fitting if not os.path.isdir(name)]  # noqa: PTH112
        yield from files
        if not files:
            yield Failure(argument, "no file fits this pattern")


def is_readable(name: str) -> bool:
    """Whether a file is meant as an image, a document or ink, by its name."""
    return is_photograph(name) or is_document(name) or is_ink(name)


def _in_folder(folder: Path) -> Iterator[Path | Failure]:
    try:
        files = Files(folder)
    except SanError as error:
        yield Failure(str(folder), str(error).removeprefix(f"{folder}: "))
        return
    names = [name for name in files.names if is_readable(name)]
    strange = [name for name in files.strange if is_readable(name)]
    yield from (folder / name for name in names)
    yield from (Failure(str(folder / name), files.strange[name]) for name in strange)
    if not names and not strange:
        yield Failure(str(folder), "no images and no ink in this folder")
