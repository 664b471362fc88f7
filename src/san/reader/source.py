"""Sources -> prepared images: a path, bytes, an open file, an array, a Pillow image, or ink.

A name tells ink from images where there is one; the first byte does where there is none: InkML is
XML, and no image begins with `<`.
"""

import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from san.errors import SanError, brief, printable, reason
from san.files import read_file
from san.images.documents import MAX_PAGES, count_pages, open_document_page, several_pages
from san.images.open import Grey, NoImageError, OpenCheck, grey_of
from san.ink import Ink, InkError, Sheet, looks_like_inkml, read_inkml
from san.reader.known import AnnotatedInk
from san.reader.limits import Limits
from san.reader.pages.prepared_page import PreparedPage, page_of_image, page_of_ink
from san.reader.prepared import PreparedImage, prepare_ink
from san.reader.upright import prepare_upright

MAX_NAME = 1_000
"""Characters of a file's name that are repeated when it is spoken of."""


class NotASourceError(TypeError):
    """The programmer's mistake, as None where OpenCV could not open a file."""


Document = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""A file that may have several pages: its path, its bytes, or the file opened in binary mode."""


class DocumentPage(NamedTuple):
    """One page of a PDF or a TIFF file; the first has the number 1."""

    file: str | Path | bytes
    number: int


Source = (
    DocumentPage
    | str
    | os.PathLike[str]
    | bytes
    | bytearray
    | memoryview
    | BinaryIO
    | NDArray[Any]
    | Image.Image
    | Ink
    | Sheet
    | AnnotatedInk
)
"""What can be read: the path of an image or an InkML file, its bytes, or the file opened in binary
mode; an array of pixels (grey or RGB), a Pillow image; strokes (`Ink.of([[(x, y), ...], ...])`),
with symbols that are known perhaps."""


def name_of(source: Source) -> str:
    """What to call a source when it is spoken of."""
    if isinstance(source, DocumentPage):
        return f"{name_of(source.file)}, page {source.number}"
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        return (name if len(name) <= MAX_NAME else brief(name)) or "an empty name"
    if isinstance(source, Sheet) and source.name:
        return source.name
    if isinstance(source, bytes | bytearray | memoryview):
        return "bytes"
    if _is_open_file(source):
        own = getattr(source, "name", None)  # of a temporary file None, or a number
        return own if isinstance(own, str) and own else "file"
    return "ink" if isinstance(source, Ink | Sheet | AnnotatedInk) else "image"


def open_source(
    source: Source, limits: Limits, check: OpenCheck | None = None, upright: bool = False
) -> PreparedImage:
    """Open and prepare; a SanError, without the name of the source, where that cannot be done.

    `check` is called while an image is decoded, and may end it by raising. `upright`: an image is
    known to lie as it should.
    """
    if isinstance(source, AnnotatedInk):
        return replace(prepare_ink(_bounded(source.ink, limits)), known=source.checked().known)
    content = load_source(source, limits, check)
    return prepare_ink(content) if isinstance(content, Ink) else prepare_upright(content, upright)


def open_page(
    source: Source, limits: Limits, check: OpenCheck | None = None, upright: bool = False
) -> PreparedPage:
    """The same of a page, which may have several formulas."""
    if isinstance(source, AnnotatedInk):
        page = page_of_ink(_bounded(source.ink, limits))
        return replace(page, whole=replace(page.whole, known=source.checked().known))
    content = load_source(source, limits, check)
    return page_of_ink(content) if isinstance(content, Ink) else page_of_image(content, upright)


def load_source(source: Source, limits: Limits, check: OpenCheck | None = None) -> Ink | Grey:
    """Ink or grey pixels, within the limits."""
    number = None
    if isinstance(source, DocumentPage):
        source, number = source
    source = source_bytes(source, limits)
    if isinstance(source, bytes):
        _within(source, limits)
        if number is not None or not looks_like_inkml(source):
            number = _only_page(source) if number is None else number
            try:
                return open_document_page(source, number, limits.pixels, check)
            except NoImageError as error:
                raise NoImageError(f"{error}, nor a PDF or InkML") from error
        source = read_inkml(source, limits.of_ink)
    if isinstance(source, Sheet | AnnotatedInk):
        source = source.ink
    if isinstance(source, Ink):
        return _bounded(source, limits)
    if isinstance(source, np.ndarray | Image.Image):
        return grey_of(source, limits.pixels)
    kind = type(source).__name__
    raise NotASourceError(f"no path, bytes, open file, array, image or ink: {kind}")


def source_bytes(source: Source, limits: Limits) -> Source:
    """The content of a file that is named or open; every other source as it is."""
    if isinstance(source, str):
        if not source:
            raise SanError("no file is named")
        if source.lstrip("\ufeff \t\r\n").startswith("<"):
            raise SanError("the text of a file, not its name: read its bytes, or name it")
    if isinstance(source, str | os.PathLike):
        return _file(Path(source), limits)
    if isinstance(source, bytearray | memoryview):
        return bytes(source)
    if _is_open_file(source):
        return _content(source, limits.bytes)
    return source


def document_pages(file: Document, limits: Limits) -> list[DocumentPage]:
    """All pages of a PDF or a TIFF file; of any other image, or of ink, one."""
    content = source_bytes(file, limits)
    if not isinstance(content, bytes):
        raise NotASourceError(f"no path, bytes or open file: {type(file).__name__}")
    count = count_pages(_within(content, limits))
    # A file that is named is opened again for each page: nobody holds it meanwhile.
    held = Path(file) if isinstance(file, str | os.PathLike) else content
    return [DocumentPage(held, number + 1) for number in range(count)]


def checked_pages(file: Document, limits: Limits) -> list[DocumentPage]:
    """The same of a document that has not too many, or a SanError with its name."""
    try:
        pages = document_pages(file, limits)
        if len(pages) > MAX_PAGES:
            raise SanError(f"more than {MAX_PAGES} pages")
    except SanError as error:
        raise SanError(printable(f"{name_of(file)}: {error}")) from error
    return pages


def _only_page(content: bytes) -> int:
    if pages := several_pages(content):
        every = "`san read NAME.pdf` (or .tif) and `Recognizer.read_document` read them all"
        raise SanError(f"{pages}: {every}")
    return 1


def _within(content: bytes, limits: Limits) -> bytes:
    if len(content) > limits.bytes:
        raise SanError(f"larger than {limits.bytes:,} bytes")
    return content


def _file(path: Path, limits: Limits) -> bytes:
    try:
        return read_file(path, limits.bytes)
    except SanError as error:
        raise SanError(str(error).removeprefix(f"{path}: ")) from error


def _is_open_file(source: object) -> TypeGuard[BinaryIO]:
    return hasattr(source, "read") and not isinstance(source, Image.Image)


def _content(file: BinaryIO, max_bytes: int) -> bytes:
    parts: list[bytes] = []
    left = max_bytes + 1  # one more than is allowed, so that it is refused
    try:
        while left > 0 and (part := file.read(left)):  # of a pipe without a buffer, what is there
            if isinstance(part, str):
                raise SanError("opened as text: open it in binary mode, 'rb'")
            if not isinstance(part, bytes):
                kind = type(part).__name__
                raise NotASourceError(f"read() of an open file gives bytes, not {kind}")
            parts.append(part)
            left -= len(part)
    except io.UnsupportedOperation as error:
        raise SanError("not opened for reading: open it as 'rb'") from error
    except (OSError, ValueError) as error:  # the second: a file that is closed
        raise SanError(reason(error) if isinstance(error, OSError) else str(error)) from error
    content = b"".join(parts)
    if not content and _was_read(file):
        raise SanError("nothing is left of the file: it was read before, and seek(0) goes back")
    return content


def _was_read(file: BinaryIO) -> bool:
    try:
        return file.tell() > 0
    except (AttributeError, OSError, ValueError):  # a pipe, or what has no place
        return False


def _bounded(ink: Ink, limits: Limits) -> Ink:
    if len(ink.strokes) > limits.strokes:
        raise InkError(f"more than {limits.strokes:,} strokes")
    if len(ink.points) > limits.points:
        raise InkError(f"more than {limits.points:,} points")
    return ink
