"""An image as it is looked at (turned, set straight, cut out) and the way back to the source.

Design choices
- A view is one 3 x 3 matrix that takes a point of what is looked at to a point of the source. Views
  of views are products, so boxes find their way back however many there were.
- What a tilted view sees outside the source is the source's own paper, without ink: an edge there
  would be a line that nobody drew.
"""

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Extent, Grey
from san.images.clean.contrast import is_dark_paper, smooth_paper

Matrix = NDArray[np.float64]
Points = NDArray[np.float64]
"""(n, 2): x and y."""
Corners = tuple[tuple[float, float], ...]
"""Four points of a source: those that are top left, top right, bottom right and bottom left when it
is upright."""
MAX_TILTED_GROWTH, FREE_TILTED_PIXELS = 2.25, 16_000_000
"""The canvas of a tilted image has at most so many times its pixels (a photograph needs twice as
many), or this number. A strip of a pixel's width and a page's height would need a square."""


@dataclass(frozen=True, eq=False)
class View:
    """Where what is looked at lies on the source."""

    matrix: Matrix | None = None  # takes its points to the source; None: it is the source
    turned: float = 0.0  # degrees clockwise by which the source was turned, above -180 to 180
    outline: Corners | None = None  # of the sheet that was cut out of the source
    shape: tuple[int, ...] = ()  # height and width of the source, where it is not what is looked at

    def to_source(self, points: Points) -> Points:
        return points if self.matrix is None else transformed(points, self.matrix)

    def from_source(self, points: Points) -> Points:
        return points if self.matrix is None else transformed(points, _inverse(self.matrix))

    def then(self, back: Matrix, degrees: float = 0.0, shape: tuple[int, ...] = ()) -> "View":
        """The view of a view: `back` takes its points to the first one, which has that shape."""
        turned = 180 - (180 - self.turned - degrees) % 360
        matrix = back if self.matrix is None else self.matrix @ back
        outline = self.outline
        if outline is not None:  # the corner that is top left now stands first
            first = -round(degrees / 90) % 4
            outline = outline[first:] + outline[:first]
        return View(matrix, turned or 0.0, outline, self.shape or shape)


SOURCE = View()


class ViewedImage(NamedTuple):
    """What is looked at, and how."""

    grey: Grey
    view: View = SOURCE

    def quarter_turned(self, quarters: int) -> "ViewedImage":
        """Turned clockwise by so many times 90 degrees, without any loss."""
        quarters %= 4
        if not quarters:
            return self
        grey = np.ascontiguousarray(np.rot90(self.grey, -quarters))
        back = _affine(_corners(grey), np.roll(_corners(self.grey), quarters, axis=0))
        return ViewedImage(grey, self.view.then(back, 90.0 * quarters, self.grey.shape))

    def tilted(self, degrees: float) -> "ViewedImage":
        """Turned clockwise by any angle, on a canvas that holds all of it; left as it is where that
        would be far larger than the image."""
        if not degrees:
            return self
        height, width = self.grey.shape
        there = np.eye(3)
        there[:2] = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1.0)
        columns, rows = np.ceil(np.abs(there[:2, :2]) @ (width, height)).astype(int).tolist()
        if columns * rows > max(MAX_TILTED_GROWTH * self.grey.size, FREE_TILTED_PIXELS):
            return self
        there[:2, 2] += (columns / 2 - width / 2, rows / 2 - height / 2)
        grey = _warped(self.grey, there, (columns, rows))
        return ViewedImage(grey, self.view.then(_inverse(there), degrees, self.grey.shape))

    def cut_out(self, box: Extent) -> "ViewedImage":
        """A part of it."""
        grey = np.ascontiguousarray(self.grey[box.top : box.bottom, box.left : box.right])
        back = np.array([[1.0, 0, box.left], [0, 1, box.top], [0, 0, 1]])
        return ViewedImage(grey, self.view.then(back, shape=self.grey.shape))

    def enlarged(self, times: int) -> "ViewedImage":
        """So many times as high and as wide."""
        size = (times * self.grey.shape[1], times * self.grey.shape[0])
        grey = np.asarray(cv2.resize(self.grey, size, interpolation=cv2.INTER_CUBIC), np.uint8)
        back = np.diag([1 / times, 1 / times, 1.0])
        return ViewedImage(grey, self.view.then(back, shape=self.grey.shape))


def transformed(points: Points, matrix: Matrix) -> Points:
    """Points under a projective map."""
    there = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(there[:, :2] / there[:, 2:], np.float64)


def _inverse(matrix: Matrix) -> Matrix:
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _corners(grey: Grey) -> Points:
    height, width = grey.shape
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)


def _affine(points: Points, images: Points) -> Matrix:
    """The map that takes the first three points to the others."""
    ends = points[:3].astype(np.float32), images[:3].astype(np.float32)
    matrix = np.eye(3)
    matrix[:2] = cv2.getAffineTransform(*ends)
    return matrix


def _warped(grey: Grey, there: Matrix, size: tuple[int, int]) -> Grey:
    """Pixels moved by an affine map; around them lies the paper that they are of."""
    moved = there[:2].copy()
    # OpenCV counts from the middle of the first pixel, we from its corner.
    moved[:, 2] += (there[:2, :2] - np.eye(2)) @ (0.5, 0.5)
    paper = 255 - smooth_paper(255 - grey) if is_dark_paper(grey) else smooth_paper(grey)
    canvas = cv2.warpAffine(paper, moved, size, borderMode=cv2.BORDER_REPLICATE)
    del paper  # of the largest images each of these takes 100 MB
    inside = cv2.warpAffine(np.full(grey.shape, 255, np.uint8), moved, size)
    pixels = cv2.warpAffine(
        grey, moved, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    np.copyto(canvas, pixels, where=inside > 127)
    return np.asarray(canvas, np.uint8)
