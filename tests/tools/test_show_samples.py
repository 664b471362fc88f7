"""What `make run` prints: every formula as a tree and as LaTeX, and an honest count."""

import io
import shutil
from pathlib import Path

import pytest
from rich.console import Console
from tools.make_samples import SAMPLES
from tools.show_samples import main

from san.errors import SanError
from san.ink import read_inkml, write_inkml


def _printed(folder: Path, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    main(folder, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("pythagoras", "quadratic"):
        for file in SAMPLES.glob(f"*{name}.*"):
            shutil.copy(file, tmp_path)
    return tmp_path


@pytest.mark.parametrize("width", [60, 130])
@pytest.mark.slow
def test_shows_trees_and_latex_within_the_terminal(folder: Path, width: int) -> None:
    printed = _printed(folder, width)
    panels = printed.partition("pictures are read right")[0].splitlines()
    assert max(map(len, panels)) <= width
    assert printed.count(r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}") == 2, "the picture, the photograph"
    assert printed.count("├─ above  - b \\pm") == 2
    assert "✓ photo-pythagoras.jpg" in printed
    assert "4 of 4 pictures are read right" in printed
    assert "san read PHOTO" in printed


@pytest.mark.slow
def test_what_is_read_wrong_is_said(folder: Path) -> None:
    """The same pictures, as if somebody else had meant something else."""
    sheet = read_inkml(folder / "pythagoras.inkml")
    other = write_inkml(type(sheet)(sheet.ink, (), "a^2+b^2=d^2"))
    (folder / "pythagoras.inkml").write_bytes(other)
    (folder / "photo-quadratic.jpg").write_bytes(b"no picture")
    printed = _printed(folder)
    assert "1 of 4 pictures are read right" in printed
    assert "✗ pythagoras.png" in printed
    assert "written a^2+b^2=d^2" in printed


def test_an_empty_folder_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match="no pictures here"):
        _printed(tmp_path)
