"""Finds a bright sheet of paper on a darker desk, and sets it straight.

Design choices
- Only where it is plainly there: four straight sides (`sheet_sides`), each of them brighter within
  than what lies right beside it all along, and a desk on most sides of it. A shadow has soft edges,
  a crop of a page has no sides at all; both are left as they are.
- What has a flat ground was drawn, and lies on no desk: between the strokes of a root and a bar it
  may be as bright and as straight.
- Of several such outlines it is the one with most of an edge: where a shadow with a hard edge falls
  on a sheet, its lit part has four sides as well, and shorter ones.
- It is looked for in a small picture without ink. Sides are fitted to all pixels of an edge, so
  corners are exact to a fraction of a small pixel.
- A little of the sheet's own edge is cut off with the desk: it is dark, and would be a line.
"""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Grey, resized
from san.images.clean.flat_ground import has_flat_ground
from san.images.sheet_sides import Line, straight_edges
from san.images.view import Corners, Points, View, ViewedImage

SMALL_SIDE = 320
"""Pixels of the longer side at which the sheet is looked for."""
INK_WINDOW = 13
"""Pixels of the window in which ink vanishes."""
MIN_AREA, MAX_AREA = 0.12, 0.92
"""Of the picture: what a sheet on a desk covers."""
MIN_STEP = 10.0
"""Grey levels from the desk to the sheet, across its sides."""
MIN_EDGE_SHARE = 0.8
"""Of a side's length: where it is so much brighter within."""
STEP_PIXELS, WIDE_PIXELS = 3, 7
"""Pixels from a side to where brightness is measured, within and without."""
MIN_SHARPNESS = 0.6
"""Of the step that is found at the wider distance: what is there at the other. Shadows are soft."""
MIN_ANGLE = 55.0
"""Degrees at a corner, and as many less than 180."""
MAX_SIDES_AT_EDGE = 1
"""Of the four sides: how many may lie at the picture's own edge."""
SAMPLES = np.linspace(0.05, 0.95, 40)
"""Parts of a side's length at which it is looked at."""
MAX_OUTSIDE = 3.0
"""Small pixels by which a corner may lie beside the picture."""
TRIMMED = 0.015
"""Of the sheet's shorter side: cut off all around."""


def without_desk(image: ViewedImage) -> ViewedImage:
    """The sheet that lies on a desk, set straight; the same image where there is none."""
    corners = find_sheet(image.grey)
    if corners is None:
        return image
    top, right, bottom, left = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    width, height = max(top, bottom), max(left, right)
    trim = TRIMMED * min(width, height)
    columns, rows = round(width - 2 * trim), round(height - 2 * trim)
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - trim
    there = cv2.getPerspectiveTransform(corners.astype(np.float32), flat.astype(np.float32))
    # OpenCV counts from the middle of the first pixel, we from its corner.
    shift = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    moved = np.linalg.inv(shift) @ there @ shift
    grey = cv2.warpPerspective(
        image.grey, moved, (columns, rows), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    view = image.view.then(np.asarray(np.linalg.inv(there)), shape=image.grey.shape)
    outline: Corners = tuple((float(x), float(y)) for x, y in image.view.to_source(corners))
    return ViewedImage(
        np.asarray(grey, np.uint8), View(view.matrix, view.turned, outline, view.shape)
    )


def find_sheet(grey: Grey) -> Points | None:
    """The corners of a sheet: top left, top right, bottom right, bottom left; None without one."""
    factor = min(1.0, SMALL_SIDE / max(grey.shape))
    small = resized(grey, factor)
    if min(small.shape) < 4 * INK_WINDOW or has_flat_ground(grey):
        return None
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (INK_WINDOW, INK_WINDOW))
    bare = cv2.GaussianBlur(cv2.morphologyEx(small, cv2.MORPH_CLOSE, disc), (0, 0), 1.0)
    best, longest = None, 0.0
    for sides in _outlines(straight_edges(np.asarray(bare, np.uint8))):
        corners = np.array([side.crossing(sides[number - 1]) for number, side in enumerate(sides)])
        edge = _edge_length(corners, sides, np.asarray(bare, np.uint8))
        if edge > longest:
            best, longest = corners, edge
    if best is None:
        return None
    scale = np.array([grey.shape[1] / small.shape[1], grey.shape[0] / small.shape[0]])
    return np.asarray(np.clip((_ordered(best) + 0.5) * scale, 0, grey.shape[::-1]), np.float64)


def _outlines(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Four lines each that may be the sides of a sheet, clockwise."""
    degrees = np.array([line.degrees for line in lines])
    turn = (degrees - degrees[:, None]) % 360
    follows = (turn >= MIN_ANGLE) & (turn <= 180 - MIN_ANGLE)
    after = [np.flatnonzero(row).tolist() for row in follows]
    fours = (
        (first, second, third, fourth)
        for first in range(len(lines))
        for second in after[first]
        for third in after[second]
        for fourth in after[third]
        if follows[fourth, first] and first < min(second, third, fourth)
    )
    for four in fours:
        sides = [lines[number] for number in four]
        if sum(side.is_border for side in sides) <= MAX_SIDES_AT_EDGE:
            yield sides


def _edge_length(corners: Points, sides: Sequence[Line], bare: Grey) -> float:
    """Pixels of the outline that are an edge; 0 where it is no outline of a sheet."""
    rows, columns = bare.shape
    outside = np.maximum(-corners, corners - (columns - 1, rows - 1))
    if outside.max() > MAX_OUTSIDE:
        return 0.0
    area = cv2.contourArea(corners.astype(np.float32), oriented=True)
    if not MIN_AREA <= area / bare.size <= MAX_AREA:  # less than 0 where sides cross
        return 0.0
    along = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(along, axis=1)
    if lengths.min() < INK_WINDOW:
        return 0.0
    middle = corners.mean(axis=0)
    if any(middle @ side.normal < side.distance for side in sides):  # it is darker within
        return 0.0
    total = 0.0
    for side, corner, way, length in zip(sides, corners, along, lengths.tolist(), strict=True):
        if side.is_border:
            continue
        share = _edge_share(bare, corner + SAMPLES[:, None] * way, side.normal)
        if share < MIN_EDGE_SHARE:
            return 0.0
        total += share * length
    return total


def _edge_share(bare: Grey, places: Points, inward: Points) -> float:
    """The share of a side where it is brighter within, by a step and not by a slope."""
    near, wide = (_steps(bare, places, pixels * inward) for pixels in (STEP_PIXELS, WIDE_PIXELS))
    return float(((near > MIN_STEP) & (near > MIN_SHARPNESS * wide)).mean())


def _steps(bare: Grey, places: Points, inward: Points) -> NDArray[np.int64]:
    """Grey levels from without to within; where the picture ends, as far as it goes."""
    rows, columns = bare.shape
    within, without = (
        np.clip(np.rint(places + off), 0, (columns - 1, rows - 1)).astype(int)
        for off in (inward, -inward)
    )
    step = bare[within[:, 1], within[:, 0]].astype(int) - bare[without[:, 1], without[:, 0]]
    return np.asarray(step, np.int64)


def _ordered(corners: Points) -> Points:
    """Clockwise on the picture, from the one nearest to its top left."""
    return np.asarray(np.roll(corners, -int(corners.sum(axis=1).argmin()), axis=0))
