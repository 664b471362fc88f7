"""Estimates the paper and its light; contrast is how much each pixel differs from the paper.

Design choices
- The paper is found by a closing: strokes are narrower than the window and vanish, shadows are
  wider and stay. It is done small, for light changes slowly; a median takes out what ink is left.
- A median and a soft page are steady, but a hard shadow's edge seems inked to them. Where that
  matters the closing alone is the page: it keeps any straight edge, however hard.
- Dividing by the paper cancels shadows, for light multiplies. What is left is 0 on paper and up to
  1 in black ink, however dark the corner.
- Ink is sparse. From its surroundings it differs much and in few places, paper little and in many:
  the skewness of the differences tells dark ink on light paper from light ink on dark. A wide
  window knows thick pens, a narrow one is not misled by shadows; their sum decides.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Grey, Mask, resized

Contrast = NDArray[np.float32]

PAPER_SIDE = 400
"""The longer side at which the paper is looked for."""
MAX_EVEN_GREYS = 8
"""Grey levels: where a picture's edge varies by no more, as on a screen, all of it is paper."""
MIN_SHEET_SHARE = 0.1
"""Of a picture: bright paper that lies on a dark desk, and is no ink."""
NARROW_WINDOW = 31
"""Pixels of the narrow window that tells ink from paper."""
SPECKLE_WINDOW = 5
"""Pixels of the median that takes single specks out of a closed page, and moves no edge."""
GREY_OFFSET = 16.0
"""Added to both sides of the division: next to black nothing can be told."""
MIN_SHADOW = 1.25
"""Times: so much brighter is dark paper in the light than in a shadow."""


def contrast(light: Grey, beneath: Callable[[Grey], Grey] | None = None) -> Contrast:
    """How far each pixel of light paper is towards ink: about 0 on paper, below 0 if brighter.

    `beneath`: what finds the page without its ink; `smooth_paper` unless told.
    """
    bright = (beneath or smooth_paper)(light).astype(np.float32) + GREY_OFFSET
    return np.asarray(1 - (light.astype(np.float32) + GREY_OFFSET) / bright, np.float32)


def ruling_contrast(page: Contrast, removed: Mask, share: int) -> float:
    """Contrast of the rulings: so many of a hundred of their pixels are paler."""
    return float(np.percentile(page[removed > 0], share)) if removed.any() else 0.0


def evenly_lit(dark: Grey) -> Grey:
    """Dark paper as if all of it lay in the brightest light, where a shadow lies on some of it.

    Light multiplies, so what is inverted cannot be divided by its paper any more: chalk in a shadow
    would be as dim as the paper beside it.
    """
    paper = 255 - closed_paper(255 - dark).astype(np.float32) + GREY_OFFSET
    shadow, lit = np.percentile(paper, (10, 90))
    if lit < MIN_SHADOW * shadow:
        return dark
    light = (dark.astype(np.float32) + GREY_OFFSET) * np.maximum(lit / paper, 1.0) - GREY_OFFSET
    return np.asarray(np.clip(np.rint(light), 0, 255), np.uint8)


def is_dark_paper(grey: Grey) -> bool:
    """Whether the ink is lighter than what it is written on."""
    small = _reduced(grey).astype(np.float32)
    around = np.concatenate([small[0], small[-1], small[:, 0], small[:, -1]])
    if around.max() - around.min() <= MAX_EVEN_GREYS and not _has_sheet(small, around):
        return float(around.mean()) < float(small.mean())
    wide = max(min(small.shape) // 3, 15)
    return _skewness(small, wide) + _skewness(small, min(wide, NARROW_WINDOW)) > 0


def _has_sheet(small: Contrast, around: Contrast) -> bool:
    """Whether something that is no stroke, large and bright, lies on what is seen around it."""
    if float(around.mean()) >= float(small.mean()):
        return False
    window = np.ones((NARROW_WINDOW, NARROW_WINDOW), np.uint8)
    bright = (small > float(around.max()) + MAX_EVEN_GREYS).astype(np.uint8)
    return bool(cv2.morphologyEx(bright, cv2.MORPH_OPEN, window).mean() > MIN_SHEET_SHARE)


def _skewness(small: Contrast, window: int) -> float:
    """Of the differences from the surroundings: below 0 where few are dark, many a little light."""
    detail = small - cv2.blur(small, (window, window), borderType=cv2.BORDER_REPLICATE)
    spread = float(detail.std())
    if not spread > 0:
        return 0.0
    detail /= spread
    return float((detail * detail * detail).mean())  # powers of what is below 0 are slow


def smooth_paper(light: Grey) -> Grey:
    """The page without its ink, for light paper."""
    small = _reduced(light)
    disc = _disc(small)
    smooth = cv2.GaussianBlur(small, (0, 0), 1.0)
    page = cv2.morphologyEx(smooth, cv2.MORPH_CLOSE, disc, borderType=cv2.BORDER_REPLICATE)
    page = cv2.medianBlur(page, min(len(disc), 255))
    page = cv2.GaussianBlur(page, (0, 0), 2.0, borderType=cv2.BORDER_REPLICATE)
    return _enlarged(np.asarray(page, np.uint8), light)


def closed_paper(light: Grey) -> Grey:
    """The same, exact at a shadow's edge; a little lighter than paper, by its noise."""
    small = _reduced(light)
    disc = _disc(small)
    pad = len(disc)
    smooth = cv2.GaussianBlur(small, (0, 0), 1.0)
    # All is dark around the picture: then a shadow does not end in a tip where it leaves it.
    edged = cv2.copyMakeBorder(smooth, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=0)
    page = cv2.morphologyEx(edged, cv2.MORPH_CLOSE, disc)[pad:-pad, pad:-pad]
    return _enlarged(np.asarray(cv2.medianBlur(page, SPECKLE_WINDOW), np.uint8), light)


def _disc(small: Grey) -> Mask:
    """The window: wider than strokes, narrower than shadows."""
    short = min(small.shape)
    window = int(max(15, min(short / 3, 20 + short / 12))) | 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (window, window))
    return np.asarray(disc, np.uint8)


def _enlarged(page: Grey, light: Grey) -> Grey:
    size = (light.shape[1], light.shape[0])
    return np.asarray(cv2.resize(page, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def _reduced(grey: Grey) -> Grey:
    return resized(grey, min(1.0, PAPER_SIDE / max(grey.shape)))
