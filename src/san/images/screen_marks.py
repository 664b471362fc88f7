"""Takes away what was drawn on a photograph later, on a screen: a teacher's bright red strokes.

Design choices
- Whatever a pen leaves on paper takes light away, in every colour. What is brighter than the paper
  in one colour and darker in another was not on it when it was photographed.
- In its brightest colour such a mark is as bright as paper, and what shows through it dark is dark:
  that colour is taken for it.
- Who marks homework on a screen takes a broad brush. Strokes that are no broader than the writing
  stay, for they may be part of it; and so does everything where there is hardly other ink, or where
  no camera saw the ground: whoever writes in an application, on its ruled paper, may write so.
- Looked for on a reduced picture; most have no such colour, and cost no more than that.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from san.images.clean.flat_ground import has_flat_ground

OPAQUE = (255, 255)
"""The least and the most of a picture's alpha."""
REDUCED_PIXELS = 150_000
"""Of the picture in which marks are looked for."""
PAPER_SIDE = 96
"""Pixels: the longer side of the picture that tells the colour of the paper."""
PAPER_PART = 3
"""Of its sides: the part around a place whose median is the paper's colour there."""
MIN_PAPER = 60
"""Of 255: a darker ground is no paper."""
MIN_GLOW, MAX_SHADE = 1.08, 0.75
"""Of the paper, in a mark's brightest colour and in its darkest one."""
MIN_VIVID = 0.25
"""Of the usual brightness, between a mark's brightest colour and its darkest one, in any light."""
MIN_FRINGE_COLOUR = 0.2
"""Of the paper, between the brightest and the darkest colour: where a mark ends."""
MIN_BREADTH = 1.5
"""Times the breadth of the writing's strokes."""
MIN_INK = 0.25
"""Other ink, by a mark's area."""

LUMA = np.array([0.299, 0.587, 0.114], np.float32)
"""Of red, green and blue: what they add to grey."""
BAND = 1 << 20
"""Pixels that are looked at together."""

Colours = NDArray[np.float32]
Mask = NDArray[np.uint8]
KERNEL = np.ones((3, 3), np.uint8)


class Marks(NamedTuple):
    """On a reduced picture."""

    mask: Mask
    paper: Colours  # height x width x 3


def remove_screen_marks(grey: NDArray[np.uint8], image: Image.Image) -> None:
    """Make marks paper, in the grey picture of an image in colours."""
    if not _is_opaque(image) or has_flat_ground(grey):
        return
    factor = int(np.ceil(np.sqrt(image.width * image.height / REDUCED_PIXELS)))
    size = -(-image.width // factor), -(-image.height // factor)
    if not _has_vivid(np.asarray(image.resize(size, Image.Resampling.NEAREST).convert("RGB"))):
        return
    marks = find_marks(_reduced(image, factor))
    if marks is not None:
        _make_paper(grey, image, marks)


def _is_opaque(image: Image.Image) -> bool:
    """Whether it is in colours that hide what may lie under them."""
    if image.mode == "RGBA":
        return image.getchannel("A").getextrema() == OPAQUE
    return image.mode == "RGB" and not image.has_transparency_data


def _reduced(image: Image.Image, factor: int) -> NDArray[np.uint8]:
    """Its colours; a band at a time, for with an alpha Pillow would copy the whole image."""
    rows = max(BAND // image.width // factor, 1) * factor
    bands = (
        image.crop((0, top, image.width, min(top + rows, image.height)))
        for top in range(0, image.height, rows)
    )
    return np.concatenate([np.asarray(band.convert("RGB").reduce(factor)) for band in bands])


def find_marks(colours: NDArray[np.uint8]) -> Marks | None:
    """None where there are none."""
    paper = _paper(colours)
    ratio = colours / paper
    brightest, darkest = ratio.max(2), ratio.min(2)
    glowing = ((brightest >= MIN_GLOW) & (darkest <= MAX_SHADE)).astype(np.uint8)
    glowing[paper.max(2) < MIN_PAPER] = 0
    solid = cv2.morphologyEx(glowing, cv2.MORPH_OPEN, KERNEL)
    if not solid.any():
        return None
    ink = ((brightest < 1) & (darkest <= MAX_SHADE)).astype(np.uint8)
    coloured = ((brightest >= 1) & (brightest - darkest >= MIN_FRINGE_COLOUR)).astype(np.uint8)
    _, pieces = cv2.connectedComponents(coloured | solid)
    breadth = cv2.distanceTransform(solid, cv2.DIST_L2, 3)
    broad = np.unique(pieces[breadth >= MIN_BREADTH * _half_breadth(ink)])
    mask = np.isin(pieces, broad[broad > 0]).astype(np.uint8)
    if not mask.any() or ink.sum() < MIN_INK * mask.sum():
        return None
    return Marks(np.asarray(cv2.dilate(mask, KERNEL), np.uint8), paper)


def _make_paper(grey: NDArray[np.uint8], image: Image.Image, marks: Marks) -> None:
    """Let what is marked be as bright as it is in its brightest colour."""
    rows, columns = (
        np.arange(here) * there // here
        for here, there in zip(grey.shape, marks.mask.shape, strict=True)
    )
    papers = np.ascontiguousarray(marks.paper.reshape(-1, 3).T)
    paper_grey = LUMA @ papers
    rows_at_once = max(BAND // image.width, 1)  # of large images: little memory beside the grey one
    for top in range(0, image.height, rows_at_once):
        mask = marks.mask[rows[top : top + rows_at_once]][:, columns].view(bool)
        if not mask.any():
            continue
        band = grey[top : top + rows_at_once]
        places = np.add.outer(rows[top : top + rows_at_once] * marks.mask.shape[1], columns)[mask]
        part = np.asarray(image.crop((0, top, image.width, top + len(mask))).convert("RGB"))
        brightness = np.zeros(len(places), np.float32)
        for colour, paper in enumerate(papers):  # one by one: numpy is slow along a side of three
            np.maximum(brightness, part[..., colour][mask] / paper[places], out=brightness)
        bright = np.rint(np.minimum(brightness, 1) * paper_grey[places]).astype(np.uint8)
        band[mask] = np.maximum(band[mask], bright)


def _has_vivid(colours: NDArray[np.uint8]) -> bool:
    """Whether any part has such a colour that it may be a mark; most pictures have none."""
    red, green, blue = cv2.split(colours)
    most, least = cv2.max(cv2.max(red, green), blue), cv2.min(cv2.min(red, green), blue)
    vivid = cv2.subtract(most, least) >= MIN_VIVID * np.median(most)
    return bool(cv2.erode(vivid.astype(np.uint8), KERNEL).any())


def _paper(colours: NDArray[np.uint8]) -> Colours:
    """Its colour at every place: the median around it."""
    height, width = colours.shape[:2]
    scale = min(PAPER_SIDE / max(height, width), 1.0)
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    small = cv2.resize(colours, size, interpolation=cv2.INTER_AREA)
    median = cv2.medianBlur(small, max(size) // PAPER_PART | 1)
    return np.maximum(cv2.resize(median, (width, height)), 1).astype(np.float32)


def _half_breadth(ink: Mask) -> float:
    """Of the strokes of some ink: a stroke's middle is so far from its edges."""
    inside = cv2.distanceTransform(ink, cv2.DIST_L2, 3)
    middle = (inside > 0) & (inside >= cv2.dilate(inside, KERNEL))
    return float(np.median(inside[middle])) if middle.any() else 0.0
