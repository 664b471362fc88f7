"""Whatever people hand over -> a page: a path, bytes, an array, an open image, ink.

A name tells ink from images where there is one; the first byte does where there is none: InkML is
XML, and no image begins with `<`.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from san.errors import SanError
from san.files import read_file
from san.images.open import grey_of, open_image
from san.ink import Ink, InkError, Sheet, looks_like_inkml, read_inkml
from san.reader.limits import Limits
from san.reader.prepared import PreparedImage, prepare_image, prepare_ink

Source = str | Path | bytes | NDArray[Any] | Image.Image | Ink | Sheet


def name_of(source: Source) -> str:
    """What to call a source when it is spoken of."""
    if isinstance(source, str | Path):
        return str(source)
    if isinstance(source, Sheet) and source.name:
        return source.name
    if isinstance(source, bytes):
        return "bytes"
    return "ink" if isinstance(source, Ink | Sheet) else "image"


def open_source(source: Source, limits: Limits) -> PreparedImage:
    """The page; a SanError of one line, without the source's name, where there can be none."""
    if isinstance(source, str | Path):
        path = Path(source)
        try:
            source = read_file(path, limits.bytes)
        except SanError as error:
            raise SanError(str(error).removeprefix(f"{path}: ")) from error
    if isinstance(source, bytes):
        if len(source) > limits.bytes:
            raise SanError(f"larger than {limits.bytes:,} bytes")
        if not looks_like_inkml(source):
            return prepare_image(open_image(source, limits.pixels))
        source = read_inkml(source, limits.of_ink)
    if isinstance(source, Sheet):
        source = source.ink
    if isinstance(source, Ink):
        return prepare_ink(_bounded(source, limits))
    if isinstance(source, np.ndarray | Image.Image):
        return prepare_image(grey_of(source, limits.pixels))
    raise TypeError(f"no path, bytes, array, image or ink: {type(source).__name__}")


def _bounded(ink: Ink, limits: Limits) -> Ink:
    if len(ink.strokes) > limits.strokes:
        raise InkError(f"more than {limits.strokes:,} strokes")
    if len(ink.points) > limits.points:
        raise InkError(f"more than {limits.points:,} points")
    return ink
