"""How fast ink is read and drawn, beside OpenCV's own lines, in one run on one core.

    python benchmarks/draw.py [--count 1000]

Takes CROHME 2014 where it is at hand (the folder SAN_DATA, or shared/data beside the checkout),
else a formula of our own alphabet. OpenCV's picture is the yardstick, not a rival: its lines of
thickness 3 are 5 pixels wide, and no bitmap of the field looks like that.
"""

import argparse
import time
import zipfile
from collections.abc import Callable

import cv2
import numpy as np

from corpora import CROHME
from san.ink import Box, Ink, Pen, draw, read_inkml, scale_of, write_inkml
from san.ink.alphabet import compose
from san.ink.draw import Picture

ROUNDS = 5


def polylines(ink: Ink) -> Picture:
    """The same ink by cv2.polylines, thickness 3."""
    scale, box, border = scale_of(ink), ink.box, Pen().border
    shape = (round(box.height * scale) + border, round(box.width * scale) + border)
    corner = np.array([box.left, box.top], np.float32)
    lines = [np.rint((s - corner) * scale).astype(np.int32) + border // 2 for s in ink.strokes]
    picture = np.zeros(shape, np.uint8)
    cv2.polylines(picture, lines, False, 255, 3)
    return picture


def files(count: int) -> list[bytes]:
    path = CROHME / "test2014.inkml.zip"
    if not path.is_file():
        print("ink: our own alphabet (no corpus here)")
        row = [(label, Box(40 * i, 0, 40 * i + 30, 40)) for i, label in enumerate("x+y=2(ab)7")]
        return [write_inkml(compose(row))] * count
    print("ink: CROHME 2014")
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".inkml")]
        return [archive.read(name) for name in names[:count]]


def rate(work: Callable[[], object], count: int) -> float:
    """Expressions a second in the best of some rounds: the one that other work slowed least."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return count / min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="at most so many expressions")
    cv2.setNumThreads(1)
    contents = files(parser.parse_args().count)
    inks = [read_inkml(content).ink for content in contents]
    n = len(inks)
    rates = {
        "read": rate(lambda: [read_inkml(content) for content in contents], n),
        "draw": rate(lambda: [draw(ink) for ink in map(_fresh, inks)], n),
        "cv2.polylines": rate(lambda: [polylines(ink) for ink in map(_fresh, inks)], n),
        "read + draw": rate(lambda: [draw(read_inkml(c).ink) for c in contents], n),
        "read + cv2.polylines": rate(lambda: [polylines(read_inkml(c).ink) for c in contents], n),
    }
    for name, value in rates.items():
        print(f"{name:22}{value:8,.0f} expressions/s")
    print(f"draw / cv2.polylines: {rates['draw'] / rates['cv2.polylines']:.2f}")
    both = rates["read + draw"] / rates["read + cv2.polylines"]
    print(f"read + draw / read + cv2.polylines: {both:.2f}")


def _fresh(ink: Ink) -> Ink:
    """The same strokes without what an Ink has already computed about them."""
    return Ink(ink.strokes)


if __name__ == "__main__":
    main()
