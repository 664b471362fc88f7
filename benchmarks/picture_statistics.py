"""What can be told of a cleaned picture without reading it: strokes, pieces, the line, edges.

Lengths are in pixels of the cleaned picture, or told beside them in heights of its writing, nibs
(widths of its strokes) or a symbol.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Mask, Picture, extent
from san.images.clean.components import find_components, mean_height, stroke_width
from san.images.clean.thinning import thin

Numbers = NDArray[np.float64]

TURN_REACHES = (3, 10)
"""Pixels of an outline before and behind a place: how it turns there."""
SMOOTHING_SIGMAS = (1.0, 2.5)
"""Pixels: how far an outline is smoothed before it is compared with itself."""


def picture_statistics(picture: Picture, symbols: int) -> dict[str, float]:
    inner = extent(picture)
    if inner is None:
        raise ValueError("a picture without ink looks like nothing")
    mask = (picture > 0).view(np.uint8)
    nib = stroke_width(mask)
    stats = find_components(mask).stats.astype(np.float64)
    tall = max(mean_height(find_components(mask).stats, nib), 1.0)
    high, wide = inner.bottom - inner.top, inner.right - inner.left
    return {
        "picture: height": high / tall,
        "picture: width a symbol": wide / tall / symbols,
        "picture: ink share": mask.sum() / (high * wide),
        "picture: ink a symbol": mask.sum() / nib / tall / symbols,
        **_strokes(mask, nib, tall, symbols),
        **_outlines(mask, nib),
        **_pieces(stats, nib, tall, symbols),
        **_line(stats, nib, tall),
        **_edges(mask[inner.top : inner.bottom, inner.left : inner.right], stats, nib, tall),
    }


def _strokes(mask: Mask, nib: float, tall: float, symbols: int) -> dict[str, float]:
    """Widths along the middle lines, their ends and crossings."""
    lines = thin(mask)
    widths = 2 * np.asarray(cv2.distanceTransform(mask, cv2.DIST_L2, 5))[lines > 0] - 1
    low, middle, high = np.percentile(widths, (10, 50, 90))
    around = cv2.filter2D(lines, cv2.CV_16S, np.ones((3, 3)), borderType=cv2.BORDER_CONSTANT) - 1
    around = around[lines > 0]
    return {
        "strokes: width": nib,
        "strokes: mean height": tall,
        "strokes: width of letters": nib / tall,
        "strokes: variation of width": widths.std() / widths.mean(),
        "strokes: thick places": high / middle,
        "strokes: thin places": low / middle,
        "strokes: at the nib's width": float((widths < 3.5).mean()),
        "strokes: ends a symbol": float((around == 1).sum() / symbols),
        "strokes: crossings a symbol": float((around >= 3).sum() / symbols),
        "strokes: blots": float((widths > 2 * middle).mean()),
    }


def _outlines(mask: Mask, nib: float) -> dict[str, float]:
    outlines, order = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    length = sum(map(len, outlines))
    found: dict[str, float] = {}
    for sigma in SMOOTHING_SIGMAS:
        smooth = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), sigma) > 0.5
        found[f"outline: rough by {sigma:g}"] = float((smooth != mask).sum() / length)
    for reach in TURN_REACHES:
        turns = [_turns(own[:, 0].astype(float), reach) for own in outlines if len(own) > 4 * reach]
        turn = np.concatenate(turns) if turns else np.zeros(1)
        found[f"outline: turns within {reach}"] = float(np.abs(turn).mean())
        found[f"outline: straight within {reach}"] = float((np.abs(turn) < 0.15).mean())
    steps = np.concatenate([np.diff(own[:, 0], axis=0) for own in outlines])
    count = max(len(steps), 1)  # a lone pixel has none
    found["outline: level"] = float((steps[:, 1] == 0).sum() / count)
    found["outline: upright"] = float((steps[:, 0] == 0).sum() / count)
    holes = [
        cv2.contourArea(own) for own, row in zip(outlines, order[0], strict=True) if row[3] >= 0
    ]
    found["outline: holes an ink"] = len(holes) / length * 100
    found["outline: tiny holes"] = sum(area < nib**2 for area in holes) / length * 100
    return found


def _turns(points: Numbers, reach: int) -> Numbers:
    ahead = np.roll(points, -reach, axis=0) - points
    back = points - np.roll(points, reach, axis=0)
    cross = back[:, 0] * ahead[:, 1] - back[:, 1] * ahead[:, 0]
    return np.asarray(np.arctan2(cross, (back * ahead).sum(axis=1)))


def _pieces(stats: Numbers, nib: float, tall: float, symbols: int) -> dict[str, float]:
    heights, widths, area = stats[:, 3], stats[:, 2], stats[:, 4]
    letters = heights > max(0.4 * tall, 2.5 * nib)
    own = np.log(heights[letters]) if letters.any() else np.zeros(1)
    small = np.sqrt(area) / nib
    return {
        "pieces: a symbol": len(stats) / symbols,
        "pieces: spread of heights": float(own.std()),
        "pieces: tallest": heights.max() / tall,
        "pieces: widest": widths.max() / tall,
        "pieces: smallest, in nibs": float(small.min()),
        "pieces: specks": float((small < 1.0).sum()),
        "pieces: dots a symbol": float((small < 2.2).sum() / symbols),
        "pieces: dashes a symbol": float(
            ((heights < 2.5 * nib) & (widths > 3 * nib)).sum() / symbols
        ),
        "pieces: stubs a symbol": float(
            ((small >= 2.2) & (heights < 0.4 * tall) & (widths < 3 * nib)).sum() / symbols
        ),
    }


def _line(stats: Numbers, nib: float, tall: float) -> dict[str, float]:
    """Letters from left to right: gaps, slope, and how their feet and heads stray from a line."""
    letters = stats[stats[:, 3] > max(0.4 * tall, 2.5 * nib)]
    letters = letters[np.argsort(letters[:, 0])]
    right = np.maximum.accumulate(letters[:, 0] + letters[:, 2])
    gaps = (letters[1:, 0] - right[:-1]) / tall if len(letters) > 1 else np.zeros(1)
    found = {
        "line: gaps, quarter": float(np.percentile(gaps, 25)),
        "line: gaps, median": float(np.median(gaps)),
        "line: gaps, nine of ten": float(np.percentile(gaps, 90)),
        "line: overlapping": float((gaps < 0).mean()),
    }
    centre = letters[:, 0] + letters[:, 2] / 2
    middle, feet = letters[:, 1] + letters[:, 3] / 2, letters[:, 1] + letters[:, 3]
    long = len(letters) >= 3 and np.ptp(centre) > 4 * tall
    slope = np.polyfit(centre, middle, 1)[0] if long else 0.0
    found["line: slope"] = float(slope)
    found["line: steepness"] = float(abs(slope))
    for name, own in (("feet", feet), ("middles", middle)):
        left = own - slope * centre if len(letters) else np.zeros(1)  # a lone bar is no letter
        found[f"line: stray {name}"] = float(np.median(np.abs(left - np.median(left))) / tall)
    return found


def _edges(mask: Mask, stats: Numbers, nib: float, tall: float) -> dict[str, float]:
    """What lies along the picture's four sides."""
    rows = max(1, round(0.15 * tall))
    sides = (mask[:rows], mask[-rows:], mask[:, :rows].T, mask[:, -rows:].T)
    found = {
        f"edge: ink at {name}": float(own.any(axis=0).mean())
        for name, own in zip(("top", "bottom", "left", "right"), sides, strict=True)
    }
    middle = stats[:, :2] + stats[:, 2:4] / 2
    tallness, low = stats[:, 3] / tall, stats[:, 1] + stats[:, 3]
    found["edge: height of the first piece"] = float(tallness[middle[:, 0].argmin()])
    found["edge: height of the last piece"] = float(tallness[middle[:, 0].argmax()])
    # Marks that lie above or beneath all else: remains of other lines, or scripts.
    head, foot = stats[:, 1].min() + 0.3 * tall, low.max() - 0.3 * tall
    found["edge: marks at top"] = float((low < head).sum())
    found["edge: marks at bottom"] = float((stats[:, 1] > foot).sum())
    found["edge: empty rows"] = float(1 - mask.any(axis=1).mean())
    return found
