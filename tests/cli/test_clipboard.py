"""`san read --clipboard`, with a desktop whose programs are small scripts."""

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest
from PIL import Image

from san.cli import clipboard
from san.cli.clipboard import clipboard_picture, copy_text
from san.errors import SanError
from san.ink import draw
from tests.cli.console import san
from tests.data.drawn import encoded
from tests.ink.formulas import fraction

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")

FRACTION = r"x=\frac{1}{2}"


class Desktop:
    """A folder of programs, and the clipboard that they know."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder
        self.picture, self.text = folder / "picture", folder / "text"

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def give(self, *names: str) -> None:
        """Programs that work: each writes the picture, or keeps the text."""
        for name in names:
            copies = f'case "$*" in *-out*|*PNGf*|*image*) cat {self.picture} ;; '
            self.program(name, f"{copies} *) cat > {self.text} ;; esac")


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """X11, without a program yet."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("cat", "sleep", "yes"):
        (folder / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return Desktop(folder)


@pytest.mark.slow
@pytest.mark.parametrize("display", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_the_picture_is_read_and_the_formula_copied(
    desktop: Desktop, display: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(display, "wayland-0")
    desktop.give(*(("xclip",) if display == "DISPLAY" else ("wl-paste", "wl-copy")))
    desktop.picture.write_bytes(encoded(draw(fraction().ink)))
    done = san("read", "--clipboard", "--n-best", "2", "--quick", "--threads", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].startswith(FRACTION + "\t")
    assert len(done.stdout.splitlines()) == 2
    assert desktop.text.read_text() == FRACTION


@pytest.mark.slow
def test_a_picture_without_ink_leaves_the_clipboard_as_it_is(desktop: Desktop) -> None:
    desktop.give("xclip")
    desktop.picture.write_bytes(b"no picture")
    done = san("read", "--clipboard")
    assert done.returncode == 1
    assert done.stderr.startswith("san: clipboard: not a PNG, ")
    assert done.stderr.count("\n") == 1
    assert not desktop.text.exists()


@pytest.mark.slow
def test_options_that_contradict() -> None:
    for arguments in (["a.png"], ["-o", "a.tsv"]):
        done = san("read", "--clipboard", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "no FILE and no --output" in done.stderr


def test_no_desktop_and_no_program(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SanError, match="needs xclip"):
        clipboard_picture(100)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with pytest.raises(SanError, match="needs wl-paste and wl-copy"):
        clipboard_picture(100)
    monkeypatch.delenv("WAYLAND_DISPLAY")
    monkeypatch.delenv("DISPLAY")
    with pytest.raises(SanError, match="no desktop"):
        clipboard_picture(100)


def test_no_picture_there(desktop: Desktop) -> None:
    desktop.program("xclip", "echo 'Error: target image/png not available' >&2; exit 1")
    with pytest.raises(SanError, match=r"holds no picture.* \(Error: target .* not available\)$"):
        clipboard_picture(100)


def test_another_kind_of_picture(desktop: Desktop) -> None:
    desktop.picture.write_bytes(b"JPEG")
    desktop.program("xclip", f'case "$*" in *jpeg*) cat {desktop.picture} ;; *) exit 1 ;; esac')
    assert clipboard_picture(100) == b"JPEG"


def test_a_picture_without_end_is_cut(desktop: Desktop) -> None:
    desktop.program("xclip", "yes")
    assert clipboard_picture(1000) == b"y\n" * 500 + b"y"


def test_who_does_not_answer(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "MAX_SECONDS", 0.1)
    desktop.program("xclip", "exec sleep 60")
    with pytest.raises(SanError, match="no answer in time"):
        clipboard_picture(100)
    with pytest.raises(SanError, match="not copied: xclip takes too long"):
        copy_text("x")


def test_a_copy_that_fails(desktop: Desktop) -> None:
    desktop.program("xclip", "cat > /dev/null; exit 3")
    with pytest.raises(SanError, match="not copied: xclip ends with status 3"):
        copy_text("x")


def test_a_copy_that_stays_in_the_background(desktop: Desktop) -> None:
    desktop.program("xclip", f"cat > {desktop.text}; sleep 2 &")
    copy_text("\\pi")
    assert desktop.text.read_text() == "\\pi"


def test_on_macos(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    desktop.give("osascript", "pbcopy")
    desktop.picture.write_text(f"«data PNGf{b'PNG'.hex().upper()}»\n")
    assert clipboard_picture(3) == b"PNG"
    desktop.picture.write_text(f"«data PNGf{bytes(1000).hex()}»\n")
    assert len(clipboard_picture(100)) > 100  # type: ignore[arg-type]
    desktop.picture.write_text("no picture")
    with pytest.raises(SanError, match="holds no picture"):
        clipboard_picture(100)
    copy_text("x")
    assert desktop.text.read_text() == "x"


def test_on_windows(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    picture = Image.new("RGB", (2, 2))
    found: list[object] = [picture, ["C:\\a.png"], None]
    monkeypatch.setattr("PIL.ImageGrab.grabclipboard", lambda: found.pop(0))
    assert clipboard_picture(100) is picture
    with pytest.raises(SanError, match="holds files: name them"):
        clipboard_picture(100)
    with pytest.raises(SanError, match="holds no picture"):
        clipboard_picture(100)
    desktop.give("clip")
    copy_text("x")
    assert desktop.text.read_bytes() == b"x"
    copy_text("π")
    assert desktop.text.read_bytes().decode("utf-16") == "π"
