"""Small corpora that the tests draw themselves."""

import io
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from san.ink import Glyph, Ink, Sheet, write_inkml
from san.ink.strokes import box_of


def ink(seed: int = 0, strokes: int = 4) -> Ink:
    """Some wavy strokes side by side, in a writer's units that are not pixels."""
    random = np.random.default_rng(seed)
    waves = []
    for number in range(strokes):
        steps = random.normal(0, 40, (random.integers(5, 40), 2))
        waves.append(np.cumsum(steps, axis=0) + np.array((500 * number, -1234.5)))
    return Ink.of(waves)


def sheet(latex: str | None, seed: int = 0) -> Sheet:
    drawn = ink(seed)
    glyphs = tuple(
        Glyph(label, own, box_of(drawn.strokes[index] for index in own))
        for label, own in (("x", (0, 2)), (r"\alpha", (1,)))
    )
    return Sheet(drawn, glyphs, truth=latex)


def inkml(latex: str | None, seed: int = 0) -> bytes:
    return write_inkml(sheet(latex, seed))


def photograph(seed: int = 0, height: int = 30, width: int = 50) -> NDArray[np.uint8]:
    """Grey as a photograph is: every value occurs."""
    return np.random.default_rng(seed).integers(0, 256, (height, width), np.uint8)


def bitmap(seed: int = 0, height: int = 21, width: int = 37) -> NDArray[np.uint8]:
    """Black and white only; no side is a multiple of 8."""
    return np.where(photograph(seed, height, width) > 200, 255, 0).astype(np.uint8)


def encoded(pixels: NDArray[np.uint8], form: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form)
    return file.getvalue()


def fill(folder: Path, files: dict[str, bytes | str]) -> Path:
    """Writes files into a folder, and makes it where need be."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def zipped(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def damaged(path: Path, name: str, content: bytes, method: int = zipfile.ZIP_LZMA) -> Path:
    """A zip with one member whose packed bytes make no sense."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(name, content)
    whole = bytearray(path.read_bytes())
    start = 30 + len(name) + 9  # after the member's header and that of LZMA
    whole[start : start + 20] = b"\xff" * 20
    path.write_bytes(whole)
    return path
