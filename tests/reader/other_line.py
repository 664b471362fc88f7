"""Pages with a line that is too small, or too faint, to be in the picture of the others."""

import cv2
import numpy as np

from san.images.bitmap import Grey
from san.ink import draw
from tests.reader.pages.written import lines_of

LARGE, OTHER = "2a-b", "x+1=2"


def with_other_line(faint: bool = False) -> Grey:
    """A large formula at the top left; below it another that is faint, or far off a small one."""
    page = np.full((1000, 1500), 255, np.uint8)
    size, ink, place = (4.0, 200, (500, 60)) if faint else (0.5, 0, (760, 1000))
    _write(page, LARGE, 4.0, 0, (60, 60))
    _write(page, OTHER, size, ink, place)
    return page


def _write(page: Grey, line: str, size: float, ink: int, place: tuple[int, int]) -> None:
    """So many times as large as the network knows it, in a grey, at a row and a column."""
    drawn = cv2.resize(draw(lines_of(line)), None, fx=size, fy=size, interpolation=cv2.INTER_AREA)
    grey = 255 - drawn.astype(np.float32) * (255 - ink) / 255
    (top, left), (rows, columns) = place, grey.shape
    page[top : top + rows, left : left + columns] = grey.astype(np.uint8)
