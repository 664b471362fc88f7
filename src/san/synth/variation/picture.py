"""A page of ink -> the picture that the network sees, and the box of every symbol on it.

Drawn by `san.ink.draw`, as ink is when it is read: at the field's scale, times a random one. A
symbol's box is where its ink is, to the pixel, the width of the pen included.
"""

import math
from collections.abc import Sequence

import numpy as np

from san.ink.draw import Nib, Pen, Picture, draw, scale_of
from san.synth.random_stream import RandomStream
from san.synth.sample import Boxes
from san.synth.variation.distort import Range, distort
from san.synth.variation.page import Page

NIBS: tuple[Nib, ...] = ("square", "round", "broad")


def picture_of(page: Page, how: Range, random: RandomStream) -> tuple[Picture, Boxes]:
    """Vary a page, draw it; the boxes are those of all its symbols."""
    page = distort(page, how, random)
    ink = page.ink()
    pen = _pen(how, random)
    low, high = (math.log(bound) for bound in how.scale)
    scale = scale_of(ink, pen.height) * math.exp(random.between(low, high))
    extent = max(ink.box.width, ink.box.height, 1.0)
    # One pixel less than `draw` allows, or it might make the picture smaller than the boxes say.
    scale = min(scale, (pen.longest - pen.border - 1) / extent)
    return draw(ink, pen, scale), _boxes(page, pen, scale)


def _pen(how: Range, random: RandomStream) -> Pen:
    width = 1 + _share(how.pen, random)
    nib = NIBS[_share(how.nib, random)] if len(how.nib) > 1 else NIBS[0]
    # A broad nib is thinner than it is wide: one pixel more makes up for it.
    return Pen(width=width + (nib == "broad" and width < 4), nib=nib)


def _share(shares: Sequence[float], random: RandomStream) -> int:
    """One of them, as likely as it is large."""
    roll = random.uniform() * sum(shares)
    for place, share in enumerate(shares):
        roll -= share
        if roll < 0:
            return place
    return len(shares) - 1


def _boxes(page: Page, pen: Pen, scale: float) -> Boxes:
    pixels = np.floor(page.points * np.float32(scale))  # as `draw` does it
    pixels -= pixels.min(axis=0)
    starts = page.starts
    low = np.minimum.reduceat(pixels, starts) + pen.margin
    high = np.maximum.reduceat(pixels, starts) + (pen.margin + pen.width)
    return np.concatenate((low, high), axis=1).astype(np.float32)
