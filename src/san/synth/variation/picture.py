"""Drawing: a page of ink -> the picture that the network sees, and the box of every symbol.

Drawn by `san.ink.draw`, as ink is when it is read, at a random scale. A symbol's box is where its
ink is, to the pixel, the width of the pen included.
"""

import math
from collections.abc import Sequence

import numpy as np

from san.ink.draw import Nib, Pen, Picture, draw, scale_of
from san.synth.random_stream import RandomStream
from san.synth.sample import Boxes
from san.synth.variation.config import DistortionConfig
from san.synth.variation.distort import distort
from san.synth.variation.page import Page

NIBS: tuple[Nib, ...] = ("square", "round", "broad")


def draw_distorted(
    page: Page, config: DistortionConfig, random: RandomStream
) -> tuple[Picture, Boxes]:
    """Distort a page and draw it; the boxes are those of all its symbols."""
    page = distort(page, config, random)
    ink = page.ink()
    pen = _random_pen(config, random)
    low, high = (math.log(bound) for bound in config.scale)
    scale = scale_of(ink, pen.height) * math.exp(random.between(low, high))
    extent = max(ink.box.width, ink.box.height, 1.0)
    # One pixel less than `draw` allows, or it might make the picture smaller than the boxes say.
    scale = min(scale, (pen.max_side - pen.border - 1) / extent)
    return draw(ink, pen, scale), _boxes(page, pen, scale)


def _random_pen(config: DistortionConfig, random: RandomStream) -> Pen:
    width = 1 + _weighted_choice(config.pen, random)
    several = any(config.nib[1:])
    nib = NIBS[_weighted_choice(config.nib, random)] if several else NIBS[0]
    # A broad nib is thinner than it is wide: one pixel more makes up for it.
    return Pen(width=width + (nib == "broad" and width < 4), nib=nib)


def _weighted_choice(weights: Sequence[float], random: RandomStream) -> int:
    drawn = random.uniform() * sum(weights)
    for place, weight in enumerate(weights):
        drawn -= weight
        if drawn < 0:
            return place
    return len(weights) - 1


def _boxes(page: Page, pen: Pen, scale: float) -> Boxes:
    pixels = np.floor(page.points * np.float32(scale))  # as `draw` does it
    pixels -= pixels.min(axis=0)
    starts = page.starts
    low = np.minimum.reduceat(pixels, starts) + pen.margin
    high = np.maximum.reduceat(pixels, starts) + (pen.margin + pen.width)
    return np.concatenate((low, high), axis=1).astype(np.float32)
