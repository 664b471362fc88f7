"""A corpus -> one packed file; `pack` describes the format and loads it."""

import json
from array import array
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from san.data.container import write_arrays
from san.data.pack import FORMAT, TYPES, VERSION
from san.data.sample import Sample
from san.data.sixteenths import Steps, to_ink, to_steps
from san.errors import brief
from san.grammar import to_latex
from san.ink.draw import Picture, draw
from san.ink.strokes import Glyph, Ink


def write_pack(samples: Iterable[Sample], path: str | Path) -> int:
    """Pack the samples and return how many there were; if there were none, no file is written."""
    packer = _Packer()
    for sample in samples:
        packer.add(sample)
    if packer.ids:
        packer.write(Path(path))
    return len(packer.ids)


class _Packer:
    """Gathers samples, each as small as it will be in the file (before deflation)."""

    def __init__(self) -> None:
        self.ids: dict[str, None] = {}  # in order
        self.latex: list[str] = []
        self.labels: dict[str, int] = {}
        self.bits, self.files = bytearray(), bytearray()
        self.steps: list[Steps] = [np.empty((0, 2), np.uint16)]
        self.counts = {name: array("I") for name, kind in TYPES.items() if kind == "<u4"}

    def add(self, sample: Sample) -> None:
        if sample.id in self.ids:
            raise ValueError(f"two samples have the id {brief(sample.id)!r}")
        self.ids[sample.id] = None
        self.latex.append(to_latex(sample.tree))
        self.counts["strokes"].append(len(sample.ink.strokes) if sample.ink else 0)
        self.counts["glyphs"].append(len(sample.glyphs))
        if sample.ink is not None:
            self.add_picture(self.add_ink(sample.ink), b"")
        else:
            self.add_picture(sample.picture(), sample.encoded)
        for glyph in sample.glyphs:
            self.add_glyph(glyph)

    def add_ink(self, ink: Ink) -> Picture:
        """Keeps the ink and draws it as kept: what is drawn from the pack later is the same."""
        lengths = np.array([len(stroke) for stroke in ink.strokes])
        steps = to_steps(ink)
        self.steps.append(steps)
        self.counts["points"].extend(lengths.tolist())
        return draw(to_ink(steps, lengths), scale=1)

    def add_picture(self, picture: Picture, encoded: bytes) -> None:
        """Keeps two values a pixel as bits, anything else as the file that it came from."""
        white = picture == 255
        if (white | (picture == 0)).all():
            self.bits += np.packbits(white, axis=1).tobytes()
            encoded = b""
        elif not encoded:
            raise ValueError("a grey picture is packed as its file, and this one has none")
        self.files += encoded
        self.counts["file_bytes"].append(len(encoded))
        self.counts["shape"].extend(picture.shape)

    def add_glyph(self, glyph: Glyph) -> None:
        self.counts["glyph_label"].append(self.labels.setdefault(glyph.label, len(self.labels)))
        self.counts["glyph_strokes"].append(len(glyph.strokes))
        self.counts["glyph_stroke"].extend(glyph.strokes)

    def write(self, path: Path) -> None:
        index = {
            "format": FORMAT,
            "version": VERSION,
            "ids": list(self.ids),
            "latex": self.latex,
            "labels": list(self.labels),
        }
        arrays = {name: np.array(counts, "<u4") for name, counts in self.counts.items()}
        arrays["shape"] = arrays["shape"].reshape(-1, 2)
        # A row for x and one for y: each is smoother by itself, and deflates better.
        arrays["steps"] = np.ascontiguousarray(np.concatenate(self.steps).T, "<u2")
        arrays["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)
        arrays["bits"] = np.frombuffer(self.bits, np.uint8)
        arrays["files"] = np.frombuffer(self.files, np.uint8)
        write_arrays(path, arrays)
