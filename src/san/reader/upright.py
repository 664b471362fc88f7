"""Prepares an image so that its writing is upright: turned by quarters, set straight if tilted.

Design choices
- First of all a sheet on a desk is cut out and set straight (`san.images.sheet`).
- The orientation network sees the cleaned picture. Where it is sure that the writing is sideways,
  upside down or tilted, the image is turned and cleaned once more, before anything is read.
- It is not always sure: a formula of noughts, ones and signs is one either way. Other ways that are
  not out of the question go with the picture (`PreparedImage.others`). Where the first look is so
  hopeless that another may well be better, the recognizer looks at them, too.
- People mostly hold their telephones upright: turned writing is unlikely beforehand.
- Cleaning knows level writing: bars that stand upright look like rulings or very large letters, and
  little is left of the rest. So what is taller than wide, or seems empty, is cleaned on its side as
  well, and what keeps more parts of the ink is looked at.
- A bitmap that is drawn as the network's own is upright by agreement, and so is ink.
"""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding import Reading
from san.decoding.engine import Memory
from san.images.clean.pipeline import NoInk
from san.images.open import Grey
from san.images.sheet import without_desk
from san.images.view import ViewedImage
from san.reader.orientation import Orientation, orientation_network
from san.reader.prepared import (
    OtherView,
    PreparedImage,
    cleaned_image,
    prepare_image,
    shrunk_to_limit,
)

LOG_PRIORS = np.array([0.0, -3.0, -2.0, -3.0])
"""Of quarter turns, beforehand."""
MIN_TALL = 1.1
"""Times as tall as wide: writing that may be sideways."""
MIN_TILT = 5.0
"""Degrees: what is straighter is read as well as it is."""
MIN_TILT_DEVIATIONS = 2.0
"""Of the estimate: a tilt that is surely there is larger."""
READING_WEIGHT = 2.0
"""Of the logarithm of a reading's probability, beside the orientation's log odds."""
MIN_PROBABILITY = 1e-4
"""What is less probable is as hopeless."""
MIN_LOG_ODDS = READING_WEIGHT * log(MIN_PROBABILITY)
"""Of a way that could be better, however hopeless the first look is."""


class Look(NamedTuple):
    """An image, how the network encodes it, and what it reads in one pass."""

    prepared: PreparedImage
    memory: Memory
    readings: list[Reading]

    @property
    def merit(self) -> float:
        """What the reading adds to the log odds of the way that the image lies in."""
        return READING_WEIGHT * log(max(self.readings[0].probability, MIN_PROBABILITY))


def prepare_upright(grey: Grey) -> PreparedImage:
    """An image, cleaned as it lies or as it should lie; raises NoInk where nothing is written."""
    return shrunk_to_limit(upright_image(grey)[0])


def upright_image(grey: Grey) -> tuple[PreparedImage, Grey]:
    """The same, and not made smaller; and the pixels that were cleaned."""
    source, prepared, found = _cleaned(without_desk(ViewedImage(np.ascontiguousarray(grey))))
    if found is None:
        return prepared, source.grey
    posterior = found.quarters + np.roll(LOG_PRIORS, -round(source.view.turned / 90))
    quarters = int(posterior.argmax())
    straight = source.quarter_turned(quarters)
    tilt, deviation = found.tilt(quarters)
    if abs(tilt) >= max(MIN_TILT, MIN_TILT_DEVIATIONS * deviation):
        straight = straight.tilted(-tilt)
    if straight is not source:
        try:
            prepared = cleaned_image(*straight)
        except NoInk:  # as it was found, then
            return prepared, source.grey
    others = _others(prepared, straight, np.roll(posterior, -quarters))
    return replace(prepared, others=others), straight.grey


def _cleaned(source: ViewedImage) -> tuple[ViewedImage, PreparedImage, Orientation | None]:
    """The image, or the same on its side: the way in which cleaning keeps more of it."""
    ways = []
    for seen in (source, source.quarter_turned(1)):
        with suppress(NoInk):
            prepared = cleaned_image(*seen)
            found = orientation_of(prepared)
            ways.append((seen, prepared, found))
            if found is None or not _is_tall(prepared):
                break
    if not ways:
        raise NoInk
    return max(ways, key=lambda way: way[2].parts if way[2] else 0)


def _is_tall(prepared: PreparedImage) -> bool:
    rows, columns = prepared.picture.shape
    return bool(rows > MIN_TALL * columns)


def orientation_of(prepared: PreparedImage) -> Orientation | None:
    """How the writing lies; None where that is no question."""
    return orientation_network()(prepared.picture) if prepared.photographed else None


def _others(
    prepared: PreparedImage, source: ViewedImage, posterior: NDArray[np.float64]
) -> tuple[OtherView, ...]:
    """The other three ways, if they may be better: by quarter turns from this one."""
    log_odds = (posterior - posterior[0]).tolist()
    ways = [
        OtherView(log_odds[1], partial(_prepared_turned, source, 1)),
        OtherView(log_odds[2], lambda: shrunk_to_limit(prepared.half_turned())),
        OtherView(log_odds[3], partial(_prepared_turned, source, 3)),
    ]
    possible = [way for way in ways if way.log_odds > MIN_LOG_ODDS]
    return tuple(sorted(possible, key=lambda way: -way.log_odds))


def _prepared_turned(source: ViewedImage, quarters: int) -> PreparedImage:
    return prepare_image(*source.quarter_turned(quarters))
