"""The desktop's clipboard: takes the picture that lies there, and puts text there instead.

Design choices
- On Linux and macOS the desktop's own programs are run (wl-paste or xclip, osascript), not Pillow's
  `ImageGrab`, which does the same but reads whatever comes, for as long as it comes, and decodes it
  before anybody looks at its size. Here it is the bytes of a file, as any other: limited in size
  and time, and decoded by `san.images.open`.
- On Windows Pillow asks the system; nothing is decoded before `grey_of` has checked the size.
- A program that offers a text stays in the background, with its output closed: nobody waits for it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import TYPE_CHECKING, NamedTuple

from san.errors import SanError, brief, printable, reason

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SECONDS = 10.0
"""For a program of the desktop: who owns the clipboard may be slow, or hang."""
HEX_HEAD, HEX_END = b"\xc2\xabdata PNGf", b"\xc2\xbb"
"""How osascript writes a picture: between them are its bytes in hexadecimal."""
NO_PICTURE = "the clipboard holds no picture: copy one first"


class _Desktop(NamedTuple):
    """The programs of a desktop."""

    paste: tuple[tuple[str, ...], ...]  # tried in turn, until one gives a picture
    copy: tuple[str, ...]


WAYLAND = _Desktop(
    (("wl-paste", "--type", "image/png"), ("wl-paste", "--type", "image")), ("wl-copy",)
)
X11 = _Desktop(
    tuple(
        ("xclip", "-selection", "clipboard", "-target", f"image/{kind}", "-out")
        for kind in ("png", "jpeg", "bmp")
    ),
    ("xclip", "-selection", "clipboard", "-in"),
)
MACOS = _Desktop((("osascript", "-e", "get the clipboard as «class PNGf»"),), ("pbcopy",))
WINDOWS = _Desktop((), ("clip",))


def clipboard_picture(max_bytes: int) -> "bytes | Image":
    """The picture in the clipboard, as a source to read; a SanError where there is none.

    Of a picture with more than `max_bytes` there is one byte more, so that it is refused.
    """
    desktop = _desktop()
    if desktop is WINDOWS:
        return _pasted_on_windows()
    said = ""
    for command in desktop.paste:
        # In hexadecimal a byte is two, and a few stand around it.
        room = 2 * max_bytes + 100 if desktop is MACOS else max_bytes
        content, said = _output(command, room)
        if desktop is MACOS:
            content = _from_hexadecimal(content)
        if content:
            return content
    raise SanError(f"{NO_PICTURE} ({said})" if said else NO_PICTURE)


def copy_text(text: str) -> None:
    """Put text into the clipboard; a SanError where that cannot be done."""
    desktop = _desktop()
    if desktop is WINDOWS:
        content = text.encode("ascii" if text.isascii() else "utf-16")
    else:
        content = text.encode()
    program = desktop.copy[0]
    try:
        done = subprocess.run(
            desktop.copy,
            input=content,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SanError(f"not copied: {program} takes too long") from None
    except OSError as error:
        raise SanError(f"not copied: {program}: {reason(error)}") from error
    if done.returncode:
        raise SanError(f"not copied: {program} ends with status {done.returncode}")


def _desktop() -> _Desktop:
    if sys.platform == "win32":
        return WINDOWS
    if sys.platform == "darwin":
        return MACOS
    if os.environ.get("WAYLAND_DISPLAY") and shutil.which("wl-paste") and shutil.which("wl-copy"):
        return WAYLAND
    if os.environ.get("DISPLAY") and shutil.which("xclip"):
        return X11
    if os.environ.get("WAYLAND_DISPLAY"):
        raise SanError("the clipboard needs wl-paste and wl-copy: install wl-clipboard")
    if os.environ.get("DISPLAY"):
        raise SanError("the clipboard needs xclip, which is not installed")
    raise SanError("there is no desktop here, and so no clipboard: name a file, or - for a pipe")


def _output(command: tuple[str, ...], max_bytes: int) -> tuple[bytes, str]:
    """What a program writes, up to one byte more than is allowed, or nothing where it fails; and
    the first line of what it says to that."""
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said
            )
        except OSError as error:
            raise SanError(f"{command[0]}: {reason(error)}") from error
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        deadline = threading.Timer(MAX_SECONDS, end)
        deadline.start()
        try:
            with process:
                assert process.stdout is not None
                content = process.stdout.read(max_bytes + 1)
                if len(content) > max_bytes:
                    process.kill()
                    return content, ""
        finally:
            deadline.cancel()
        if late.is_set():
            raise SanError(f"{command[0]}: the clipboard gives no answer in time")
        said.seek(0)
        line = said.read(1000).decode(errors="replace").strip().partition("\n")[0]
    return b"" if process.returncode else content, brief(printable(line))


def _from_hexadecimal(written: bytes) -> bytes:
    digits = written.strip().removeprefix(HEX_HEAD).removesuffix(HEX_END)
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2].decode())
    except ValueError:
        return b""


def _pasted_on_windows() -> "Image":
    from PIL import Image, ImageGrab

    try:
        found = ImageGrab.grabclipboard()
    except (OSError, NotImplementedError) as error:
        raise SanError(f"the clipboard cannot be opened: {brief(printable(str(error)))}") from error
    if isinstance(found, Image.Image):
        return found
    raise SanError("the clipboard holds files: name them" if found else NO_PICTURE)
