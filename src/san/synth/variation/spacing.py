"""Spacing of a line: looser or tighter gaps, now and then a wide one, a base line that wanders."""

import math

import numpy as np

from san.synth.random_stream import RandomStream
from san.synth.variation.config import SpacingConfig
from san.synth.variation.page import Page


def change_spacing(page: Page, config: SpacingConfig, random: RandomStream) -> None:
    """Change all gaps of a page by one factor; nothing overlaps that did not overlap before.

    A gap is where a vertical line meets no symbol's box: a fraction or a root moves as a whole, and
    symbols are only shifted, so their order from left to right stays.
    """
    low = np.minimum.reduceat(page.points, page.starts)
    high = np.maximum.reduceat(page.points, page.starts)
    order = np.argsort(low[:, 0], kind="stable")
    reach = np.maximum.accumulate(high[order, 0])
    gaps = np.maximum(low[order[1:], 0] - reach[:-1], 0.0)
    if not gaps.any():
        return
    size = float((high - low).max(axis=1).mean()) + 1.0
    lowest, highest = (math.log(bound) for bound in config.gap_factor)
    extra = gaps * (math.exp(random.between(lowest, highest)) - 1.0)
    if config.wide_gap_chance and random.uniform() < config.wide_gap_chance:
        widened = np.flatnonzero(gaps > config.min_widened * size)
        if len(widened):
            extra[random.choice(widened.tolist())] += size * random.between(*config.wide_gap)
    strays = random.deviations(len(gaps), limit=config.max_wander_deviations)
    strays = strays * (gaps > 0) * (config.wander * size)
    shifts = np.zeros((len(order), 2), np.float32)
    shifts[order[1:]] = np.stack((extra, strays), axis=1).cumsum(axis=0)
    page.points += np.repeat(shifts, page.counts, axis=0)
