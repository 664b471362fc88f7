"""Which file holds the labels of a corpus, where nobody says so.

First in the corpus itself, then beside it: `train.inkml.zip` and `train.tsv`,
`test2014.bitmaps.zip` and `test2014.tsv`, `train_images/` and `train_labels.txt`.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from san.data.files import Files
from san.data.labels import SUFFIXES, Labels, load_labels, read_labels
from san.data.sample import DataError


def find_labels(files: Files) -> Labels | None:
    """The labels of these files; None where none lie at hand."""
    inside = [name for name in files.names if _named_for_labels(name)]
    # A lone tsv is as good; a lone txt is more often a readme.
    inside = inside or [name for name in files.names if name.lower().endswith(SUFFIXES[:2])]
    if len(inside) > 1:
        some = ", ".join(inside[:3])
        raise DataError(f"{files.path}: several files of labels ({some}): pick one with --labels")
    if inside:
        return read_labels(files.read(inside[0]), inside[0])
    for candidate in _beside(files.path):
        if candidate.is_file():
            return load_labels(candidate)
    return None


def _named_for_labels(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.suffix in SUFFIXES and path.stem.endswith(("labels", "caption", "captions"))


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
