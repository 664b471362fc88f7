"""Which file holds the labels of a corpus, where nobody says so.

First in the corpus itself, then beside it: `train.inkml.zip` and `train.tsv`,
`test2014.bitmaps.zip` and `test2014.tsv`, `train_images/` and `train_labels.txt`.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from san.data.labels import SUFFIXES, Labels, load_labels, read_labels
from san.data.sample import DataError
from san.files import FileError, Files


def find_labels(files: Files) -> Labels | None:
    """The labels of these files; None where none lie at hand."""
    inside = [name for name in files.names if _named_for_labels(name)]
    inside = inside or [name for name in files.names if may_be_labels(name)]
    if len(inside) > 1:
        some = ", ".join(inside[:3])
        raise DataError(f"{files.path}: several files of labels ({some}): pick one with --labels")
    if inside:
        return _inside(files, inside[0])
    for candidate in _beside(files.path):
        if _is_file(candidate):
            return load_labels(candidate)
    return None


def may_be_labels(name: str) -> bool:
    """Whether a file in a corpus could be taken for its labels."""
    # A lone tsv is as good as one so named; a lone txt is more often a readme.
    return _named_for_labels(name) or name.lower().endswith(SUFFIXES[:2])


def _named_for_labels(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.suffix in SUFFIXES and path.stem.endswith(("labels", "caption", "captions"))


def _inside(files: Files, name: str) -> Labels:
    try:
        return read_labels(files.read(name), name)
    except FileError as error:
        raise DataError(f"{files.path}: {name}: {error}") from error


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long to be one
        return False


def _beside(path: Path) -> Iterator[Path]:
    path = path.absolute()
    stem = path.name
    while stem:
        for own in (stem, f"{stem}_labels", f"{stem.removesuffix('_images')}_labels"):
            for suffix in SUFFIXES:
                yield path.with_name(own + suffix)
        stem, dot, _ = stem.rpartition(".")
        if not dot:
            return
