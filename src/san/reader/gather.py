"""What people name on a command line -> sources: files, folders, patterns, `-`.

A file that is named is read, whatever it is called; of a folder and all its folders, the images and
the ink are. Each source has an id, its file's stem; where two stems are the same, both ids keep
their folders, and their suffixes too if they lie in one folder.
"""

import glob
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from san.errors import SanError
from san.files import Files
from san.images.open import is_photograph
from san.ink.inkml import is_ink
from san.reader.recognizer import Failure

STDIN = "-"


class Named(NamedTuple):
    """A file to be read; STDIN for the path stands for standard input."""

    id: str
    path: Path


def gather(words: Sequence[str]) -> tuple[list[Named], list[Failure]]:
    """Everything that is meant, each file once, and what is meant but is not there."""
    paths: dict[Path, None] = {}  # in order
    failures: list[Failure] = []
    for word in words:
        for found in _meant(word):
            if isinstance(found, Failure):
                failures.append(found)
            else:
                paths[found] = None
    ids = {path: _stem(path) for path in paths}
    for longer in (lambda path: path.with_suffix("").as_posix(), Path.as_posix):
        often = Counter(ids.values())
        ids = {path: own if often[own] == 1 else longer(path) for path, own in ids.items()}
    return [Named(own, path) for path, own in ids.items()], failures


def _stem(path: Path) -> str:
    return "stdin" if str(path) == STDIN else path.stem


def _meant(word: str) -> Iterator[Path | Failure]:
    if os.path.isdir(word):  # noqa: PTH112 - a Path would raise where a name is too long
        yield from _in_folder(Path(word))
    elif word == STDIN or os.path.lexists(word) or not glob.has_magic(word):
        yield Path(word)
    else:
        fitting = sorted(glob.glob(word, recursive=True))  # noqa: PTH207 - it may be absolute
        files = [Path(name) for name in fitting if not os.path.isdir(name)]  # noqa: PTH112
        yield from files
        if not files:
            yield Failure(word, "no file fits this pattern")


def _in_folder(folder: Path) -> Iterator[Path | Failure]:
    try:
        files = Files(folder)
    except SanError as error:
        yield Failure(str(folder), str(error).removeprefix(f"{folder}: "))
        return
    names = [name for name in files.names if is_photograph(name) or is_ink(name)]
    strange = [name for name in files.strange if is_photograph(name) or is_ink(name)]
    yield from (folder / name for name in names)
    yield from (Failure(str(folder / name), files.strange[name]) for name in strange)
    if not names and not strange:
        yield Failure(str(folder), "no images and no ink in this folder")
