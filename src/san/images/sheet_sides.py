"""Finds straight edges in a small picture without ink: what may be the sides of a sheet of paper.

Design choices
- An edge is told by what lies right beside it, never by one brightness for the whole picture: a
  sheet half in shadow is darker there than the desk in the light.
- Each pixel of an edge votes for the lines that run through it across its own gradient (a Hough
  transform), and the brighter side is part of the line: two edges of a dark band are two lines, and
  the sides of a sheet all face inward.
- The picture's own edges are lines, too: a sheet may end there.
"""

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Grey
from san.images.view import Points

CANNY_LOW, CANNY_HIGH = 16, 32
"""Sums of gradients in four neighbours' weights: a step of 8 grey levels, blurred by a pixel."""
DEGREES, PIXELS = 2, 2
"""Between two lines that are voted for."""
SPREAD = 6
"""Degrees by which the gradient of a pixel may lie beside that of its line."""
MIN_LINE = 20
"""Pixels of an edge that make it a line."""
MAX_LINES = 10
"""Those with most votes are kept: a desk has some of its own."""
NEAR_PIXELS, NEAR_DEGREES = 3.5, 15.0
"""From a line to the pixels that it is fitted to: all that voted for it, and some more."""


class Line(NamedTuple):
    """All points whose product with the normal is `distance`; the normal points to the brighter."""

    normal: Points
    distance: float
    is_border: bool = False  # of the picture

    @property
    def degrees(self) -> float:
        return float(np.degrees(np.arctan2(self.normal[1], self.normal[0])) % 360)

    def crossing(self, other: "Line") -> Points:
        """Where two lines meet, which are not parallel."""
        sides = np.array([self.normal, other.normal])
        return np.asarray(np.linalg.solve(sides, [self.distance, other.distance]), np.float64)


class Edges(NamedTuple):
    """The pixels of edges, and the directions to the brighter side."""

    points: Points
    degrees: NDArray[np.float64]


def straight_edges(bare: Grey) -> list[Line]:
    """The longest first, then the picture's own four."""
    edges = _edges(bare)
    rows, columns = bare.shape
    borders = ((1, 0, 0), (0, 1, 0), (-1, 0, 1 - columns), (0, -1, 1 - rows))
    return [
        *_lines(edges, bare.shape),
        *(Line(np.array([x, y], np.float64), at, True) for x, y, at in borders),
    ]


def _edges(bare: Grey) -> Edges:
    across, down = (cv2.Sobel(bare, cv2.CV_16S, *axis) for axis in ((1, 0), (0, 1)))
    y, x = np.nonzero(cv2.Canny(across, down, CANNY_LOW, CANNY_HIGH))
    degrees = np.degrees(np.arctan2(down[y, x].astype(np.float64), across[y, x]))
    return Edges(np.stack([x, y], axis=1).astype(np.float64), degrees)


def _lines(edges: Edges, shape: tuple[int, ...]) -> Iterator[Line]:
    """The line with most votes; then, without the pixels along it, the next."""
    angles = 360 // DEGREES
    spread = np.arange(-SPREAD // DEGREES, SPREAD // DEGREES + 1)
    angle = (np.rint(edges.degrees / DEGREES).astype(int)[:, None] + spread) % angles
    reach = float(np.hypot(shape[0], shape[1]))
    at = (_normal(DEGREES * angle) * edges.points[:, None]).sum(axis=2) + reach
    columns = int(2 * reach / PIXELS) + 2
    places = angle * columns + np.rint(at / PIXELS).astype(int)
    votes = np.bincount(places.ravel(), minlength=angles * columns).astype(np.float32)
    for _ in range(MAX_LINES):
        # An edge lies between two places as often as at one.
        near = cv2.blur(votes.reshape(angles, columns), (3, 1)) * 3
        row, column = divmod(int(near.argmax()), columns)
        if near[row, column] < MIN_LINE:
            return
        line, along = _fitted(edges, DEGREES * row, PIXELS * column - reach)
        yield line
        votes -= np.bincount(places[along].ravel(), minlength=len(votes))
        edges = Edges(edges.points[~along], edges.degrees[~along])
        places = places[~along]


def _fitted(edges: Edges, degrees: float, distance: float) -> tuple[Line, NDArray[np.bool_]]:
    """Through the pixels of edges that run along it; and which these are."""
    normal = _normal(np.array(degrees))
    turned = np.abs((edges.degrees - degrees + 180) % 360 - 180)
    off = np.abs(edges.points @ normal - distance)
    along = (off < NEAR_PIXELS) & (turned < NEAR_DEGREES)
    x, y, x0, y0 = cv2.fitLine(
        edges.points[along].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01
    ).ravel()
    across = np.array([-y, x], np.float64)
    normal = across if across @ normal > 0 else -across
    return Line(normal, float(normal @ (x0, y0))), along


def _normal(degrees: NDArray[np.float64] | NDArray[np.int64]) -> Points:
    return np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], axis=-1)
