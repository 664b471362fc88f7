"""The actor that reads with a GPU: cores open the pictures, torch reads many of them at once.

- Most pictures have one formula. Those are read together, in the order of their sizes, so that
  little of their common canvas is empty.
- All others (pages of several formulas, what lies otherwise than it seemed, what fails) are read
  one by one, as a reader on a core does it.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from san.bulk.reader import BatchReader, ReaderOptions, result_row
from san.files import FileError
from san.reader import Formula
from san.reader.prepared import PreparedImage

MAX_CANVAS_PIXELS = 1 << 24
"""Of all pictures that are read at once: each takes some 100 bytes of the GPU's memory."""


class GpuBatchReader(BatchReader):
    """Called with one table after the other; made once for each GPU."""

    def __init__(self, options: ReaderOptions, columns: dict[str, str], cores: int) -> None:
        super().__init__(options, columns, device="auto")
        self._pool = ThreadPoolExecutor(cores, "san-open")

    def _rows(self, sources: Iterator[bytes | FileError]) -> Iterable[dict[str, Any]]:
        every = [*sources]
        opened = enumerate(self._pool.map(self._open, every))
        images = {number: image for number, image in opened if image is not None}
        formulas: dict[int, Formula] = {}
        for numbers in canvases(images):
            with suppress(Exception):  # who is to blame is found where each is read alone
                read = self._reader.read_prepared([images[number] for number in numbers])
                formulas |= zip(numbers, read, strict=True)
        for number, source in enumerate(every):
            formula = formulas.get(number)
            if formula is not None and self._is_settled(images[number], formula):
                yield result_row(formula)
            else:
                yield self._row(source)

    def _open(self, source: bytes | FileError) -> PreparedImage | None:
        """None where it is not to be read with others."""
        if isinstance(source, FileError):
            return None
        with suppress(Exception):  # `_row` says what is wrong
            if self._options.one:
                return self._reader.open(source)
            page = self._reader.open_page(source)
            return page.image_of(page.blocks[0]) if page.is_single else None
        return None

    def _is_settled(self, image: PreparedImage, formula: Formula) -> bool:
        """Seen as it turned out to lie, a page may have several formulas."""
        return self._options.one or formula.prepared.view.turned == image.view.turned


def canvases(images: dict[int, PreparedImage]) -> Iterator[Sequence[int]]:
    """Numbers of images that are read together."""
    group: list[int] = []
    rows = columns = 0
    for number in sorted(images, key=lambda number: images[number].picture.size):
        height, width = images[number].picture.shape
        rows, columns = max(rows, height), max(columns, width)
        if group and rows * columns * (len(group) + 1) > MAX_CANVAS_PIXELS:
            yield group
            group, rows, columns = [], height, width
        group.append(number)
    if group:
        yield group
