"""Finds a bright sheet of paper on a darker desk, and sets it straight.

Design choices
- Only where it is plainly there: one bright region with four straight sides, brighter than what
  lies beside them all along, and a desk on most sides of it. A shadow has soft edges, a crop of a
  page has no sides at all; both are left as they are.
- It is looked for in a small picture without ink. Sides are fitted to the whole of the region's
  edge, so corners are exact to a fraction of a small pixel.
- A little of the sheet's own edge is cut off with the desk: it is dark, and would be a line.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Grey, Mask, resized
from san.images.view import Corners, Points, View, ViewedImage

SMALL_SIDE = 320
"""Pixels of the longer side at which the sheet is looked for."""
INK_WINDOW = 13
"""Pixels of the window in which ink vanishes."""
MIN_AREA, MAX_AREA = 0.12, 0.92
"""Of the picture: what a sheet on a desk covers."""
MIN_FILL = 0.95
"""Of the four-sided outline: what the bright region covers, and of the region, what lies within."""
MIN_STEP = 18.0
"""Grey levels from the desk to the sheet, across its sides."""
MIN_EDGE_SHARE = 0.8
"""Of a side's length: where it is so much brighter within."""
STEP_PIXELS = 4
"""Pixels from a side to where brightness is measured, within and without."""
MIN_ANGLE = 55.0
"""Degrees at a corner, and as many less than 180."""
MAX_SIDES_AT_EDGE = 1
"""Of the four sides: how many may lie at the picture's own edge."""
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
    if min(small.shape) < 4 * INK_WINDOW:
        return None
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (INK_WINDOW, INK_WINDOW))
    bare = cv2.GaussianBlur(cv2.morphologyEx(small, cv2.MORPH_CLOSE, disc), (0, 0), 1.0)
    _, bright = cv2.threshold(bare, 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    within, outside = bare[bright == 1], bare[bright == 0]
    if not (within.size and outside.size) or within.mean() - outside.mean() < MIN_STEP:
        return None
    region = _largest(np.asarray(bright, np.uint8))
    if region is None:
        return None
    corners = _four_sides(region)
    if corners is None or not _is_plain(corners, np.asarray(bare, np.uint8), region):
        return None
    scale = np.array([grey.shape[1] / small.shape[1], grey.shape[0] / small.shape[0]])
    return np.asarray(np.clip((corners + 0.5) * scale, 0, grey.shape[::-1]), np.float64)


def _largest(bright: Mask) -> Mask | None:
    """The largest region with its holes filled, if a sheet may be so large."""
    opened = cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    contours, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    region = np.zeros_like(bright)
    cv2.drawContours(region, [max(contours, key=cv2.contourArea)], -1, 1, cv2.FILLED)
    share = float(region.mean())
    return region if MIN_AREA <= share <= MAX_AREA else None


def _four_sides(region: Mask) -> Points | None:
    """Corners of the four-sided outline of a region, from lines fitted to its edge."""
    (contour,), _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(contour)
    length = cv2.arcLength(hull, True)
    for tolerance in (0.01, 0.015, 0.02, 0.03, 0.04, 0.05):
        rough = cv2.approxPolyDP(hull, tolerance * length, True)[:, 0].astype(np.float64)
        if len(rough) <= 4:
            break
    if len(rough) != 4:
        return None
    points = contour[:, 0].astype(np.float64)
    lines = [_fitted(points, rough[side], rough[(side + 1) % 4]) for side in range(4)]
    corners = [_crossing(lines[side - 1], lines[side]) for side in range(4)]
    found = np.array(corners)
    if not np.isfinite(found).all() or np.abs(found - rough).max() > 0.1 * length:
        return None
    return _ordered(found)


def _fitted(points: Points, start: Points, end: Points) -> tuple[Points, Points]:
    """A line, as a point and its direction, through the edge's points between two rough corners."""
    along = end - start
    length = float(np.hypot(*along)) or 1.0
    along = along / length
    offset = points - start
    place, distance = offset @ along / length, np.abs(offset @ np.array([-along[1], along[0]]))
    near = points[(place > 0.08) & (place < 0.92) & (distance < max(0.04 * length, 2.0))]
    if len(near) < 4:
        return start, along
    x, y, x0, y0 = cv2.fitLine(near.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    return np.array([x0, y0], np.float64), np.array([x, y], np.float64)


def _crossing(one: tuple[Points, Points], other: tuple[Points, Points]) -> NDArray[np.float64]:
    (start, along), (begin, direction) = one, other
    turn = along[0] * direction[1] - along[1] * direction[0]
    if abs(turn) < 1e-6:
        return np.full(2, np.nan)
    offset = begin - start
    return np.asarray(
        start + along * (offset[0] * direction[1] - offset[1] * direction[0]) / turn, np.float64
    )


def _ordered(corners: Points) -> Points:
    """Clockwise on the picture, from the one nearest to its top left."""
    middle = corners.mean(axis=0)
    around = corners[np.argsort(np.arctan2(*(corners - middle).T[::-1]))]
    return np.asarray(np.roll(around, -int(around.sum(axis=1).argmin()), axis=0))


def _is_plain(corners: Points, bare: Grey, region: Mask) -> bool:
    """Whether these are the corners of a sheet, and of nothing else that is bright."""
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(sides, axis=1)
    if lengths.min() < INK_WINDOW:
        return False
    along = sides / lengths[:, None]
    angles = np.degrees(np.arccos(np.clip(-(along * np.roll(along, 1, axis=0)).sum(axis=1), -1, 1)))
    if angles.min() < MIN_ANGLE or angles.max() > 180 - MIN_ANGLE:
        return False
    outline = np.zeros_like(region)
    cv2.fillConvexPoly(outline, np.rint(corners).astype(np.int32), 1)
    common = int((outline & region).sum())
    if common < MIN_FILL * max(int(outline.sum()), int(region.sum())):
        return False
    at_edge = 0
    for corner, direction, length in zip(corners, along, lengths, strict=True):
        step = _edge_share(bare, corner, direction, float(length))
        if step is None:
            at_edge += 1
        elif step < MIN_EDGE_SHARE:
            return False
    return at_edge <= MAX_SIDES_AT_EDGE


def _edge_share(bare: Grey, corner: Points, along: Points, length: float) -> float | None:
    """The share of a side where it is brighter within; None where the picture ends there."""
    place = corner + along * np.linspace(0.08, 0.92, 40)[:, None] * length
    inward = np.array([-along[1], along[0]]) * STEP_PIXELS  # corners go clockwise
    without = np.rint(place - inward).astype(int)
    within = np.rint(place + inward).astype(int)
    rows, columns = bare.shape
    seen = ((without >= 0) & (without < (columns, rows))).all(axis=1)
    if seen.mean() < 0.5:
        return None
    within = np.clip(within, 0, (columns - 1, rows - 1))[seen]
    without = without[seen]
    step = bare[within[:, 1], within[:, 0]].astype(int) - bare[without[:, 1], without[:, 0]]
    return float((step > MIN_STEP).mean())
