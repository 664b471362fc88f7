"""What is named on a command line -> the files to read: files, folders, patterns, `-`.

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


class Input(NamedTuple):
    """A file to be read; STDIN for the path stands for standard input."""

    id: str
    path: Path


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
    ids = {path: _stem(path) for path in paths}
    for longer in (lambda path: path.with_suffix("").as_posix(), Path.as_posix):
        count = Counter(ids.values())
        ids = {path: id if count[id] == 1 else longer(path) for path, id in ids.items()}
    return [Input(id, path) for path, id in ids.items()], failures


def _stem(path: Path) -> str:
    return "stdin" if str(path) == STDIN else path.stem


def _named_by(argument: str) -> Iterator[Path | Failure]:
    if os.path.isdir(argument):  # noqa: PTH112 - a Path would raise where a name is too long
        yield from _in_folder(Path(argument))
    elif argument == STDIN or os.path.lexists(argument) or not glob.has_magic(argument):
        yield Path(argument)
    else:
        fitting = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207 - it may be absolute
        files = [Path(name) for name in fitting if not os.path.isdir(name)]  # noqa: PTH112
        yield from files
        if not files:
            yield Failure(argument, "no file fits this pattern")


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
