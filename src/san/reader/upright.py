"""Prepares an image so that its writing is upright: turned by quarters, set straight if tilted.

Design choices
- First of all a photograph on a page of one colour is cut out (`san.images.margin`), and a sheet on
  a desk is cut out and set straight (`san.images.sheet`).
- The orientation network sees the cleaned picture. Where it is sure that the writing is sideways,
  upside down or tilted, the image is turned and cleaned once more, before anything is read.
- It is not always sure: a formula of noughts, ones and signs is one either way, and a fraction may
  seem tilted. Other ways that are not out of the question go with the picture
  (`PreparedImage.others`). Where the first look is so doubtful that another may well be better, the
  recognizer looks at them, too, and compares the mean probability of a step (`likeliest`), to the
  network and to the language model: the network had less doubt of `m=\\frac{1}{6}` upside down, but
  hardly anybody writes `q=w`. Of a few symbols both tell little: that `)` is read surely says
  nothing of which way up it is.
- Of writing on its side the network sees little before that is cleaned the other way: which of the
  two sideways ways it is, is asked again then.
- People mostly hold their telephones upright: turned writing is unlikely beforehand. Where most of
  a picture is one grey and the same, no camera has taken it: what was drawn, printed or cut out of
  a screen hardly ever lies upside down.
- The network knows handwriting alone. How a page of print lies is told by its rows, which are
  straight, and by the letters that rise above them (`san.images.printed_rows`).
- Cleaning knows level writing: bars that stand upright look like rulings or very large letters, and
  little is left of the rest. So what is taller than wide, or seems empty, is cleaned on its side as
  well, and what keeps more parts of the ink is looked at.
- The squares of a small photograph's paper may be too narrow to be told from writing, and are all
  over the picture then, in pieces: it is cleaned once more, larger.
- A bitmap that is drawn as the network's own is upright by agreement, and so is ink; and any image
  of which it is said that it is. Then a sheet is cut out of its desk, and nothing is turned.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding import Reading
from san.decoding.engine import Memory
from san.images.clean.components import find_components
from san.images.clean.flat_ground import has_flat_ground
from san.images.clean.pipeline import NoInk, TooLong
from san.images.long_line import long_line_tilt
from san.images.margin import without_margin
from san.images.open import Grey
from san.images.printed_rows import printed_rows
from san.images.sheet import without_desk
from san.images.view import ViewedImage
from san.reader.cancellable import KeepFirstReading
from san.reader.limits import MIN_PROBABILITY
from san.reader.orientation import MAX_PARTS, QUARTERS, Orientation, orientation_network
from san.reader.prepared import (
    OtherView,
    PreparedImage,
    cleaned_image,
    shrunk_to_limit,
)
from san.reader.rescoring.rescorer import shipped_rescorer

LOG_PRIORS = np.array([0.0, -3.0, -1.5, -3.0])
"""Of quarter turns, beforehand."""
FLAT_LOG_PRIORS = LOG_PRIORS - (0.0, 4.0, 4.0, 4.0)
"""The same of a picture with a flat ground. At -2 and -6 instead of -4 one and none of 100 prints
are turned that lie as they should; of those that are upside down 10 and 29 stay so, here 19."""
MIN_TALL = 1.1
"""Times as tall as wide: writing that may be sideways."""
MIN_TILT = 5.0
"""Degrees: what is straighter is read as well as it is."""
MIN_TILT_DEVIATIONS = 2.0
"""Of the estimate: a tilt that is surely there is larger."""
MIN_SUSPECTED_TILT, MAX_LINE_DEVIATIONS = 2.0, 2.0
"""Degrees from which on a long line is looked for; and deviations of the estimate by which that may
lie off it, to be believed instead."""
MAX_PARTS_LOST = 4
"""Parts of the ink that may be all that cleaning left of a formula."""
OF_PRINT = 40.0
"""Log odds of what the rows of a printed page tell: more than the network, which knows handwriting
alone, is ever mistaken by."""
LEVEL_LOG_ODDS = -2.0
"""That what seems surely tilted is level all the same."""
LOOK_WEIGHT, READING_WEIGHT = 30.0, 100.0
"""Of the doubt of a reading, beside log odds: when another way is worth a look, and which of two is
upright. Of 319 photographs all but five are read with less doubt upright than upside down, where
the orientation network alone is mistaken in 33 (experiments/turned.md)."""
SURPRISE_WEIGHT = 7.0
"""Of the language model's surprise, for which of two is upright."""
MAX_FLAT_PARTS = 1
"""Of ink on a flat ground that is never turned: of the symbols alone that were, one in a hundred
would lie so by the priors above."""
FEW_SYMBOLS = 8
"""In a reading of fewer each counts an eighth of these weights: `(` is read as surely upside down.
With 6 and 12 fewer and more short pictures stay as they lie, rightly or not."""
MIN_LOG_ODDS = -9.0
"""Of a way that could be better, however hopeless the first look is."""
MAX_SMALL_PIXELS, TIMES_LARGER = 400_000, 2
"""Of an image that may be cleaned once more, and how many times as high and wide it is then."""
MAX_SPECK_SIDE, MIN_SPECKS, MIN_SPECK_SHARE = 8, 60, 0.5
"""Pixels of a cleaned picture, in which letters are 30 high: a piece that is no larger is a speck.
So many, and such a share of all pieces, are remains of squares: of 916 photographs none has them
(HME100K's for validation and for training: at most 50)."""
MAX_PIXELS_AGAIN = 100_000
"""Of a picture that is looked at in another way though it seems to lie as it should, or holds no
formula: a larger one has many signs to know its way by, and takes long."""


class Look(NamedTuple):
    """An image, how the network encodes it, and what it reads in one pass."""

    prepared: PreparedImage
    memory: Memory
    readings: list[Reading]

    @property
    def others(self) -> tuple[OtherView, ...]:
        """Other ways to look at the image, where that is worth its time."""
        if self.prepared.picture.size <= MAX_PIXELS_AGAIN:
            return self.prepared.others
        given_up = self.readings[0].probability < MIN_PROBABILITY
        return self.prepared.others if self.prepared.view.turned and not given_up else ()

    @property
    def symbols(self) -> int:
        return len(self.readings[0].expression)

    @property
    def doubt(self) -> float:
        """-log of the mean probability of a step."""
        return -log(max(self.readings[0].mean_probability, sys.float_info.min))

    @property
    def surprise(self) -> float | None:
        """The same to the language model; None where it cannot judge."""
        reading = self.readings[0]
        return shipped_rescorer().surprise(reading.expression) if reading.parses else None

    def is_better(self, other: "Look", log_odds: float) -> bool:
        """Whether this way is upright rather than another, which has these odds to this one."""
        for_this = READING_WEIGHT * (other.doubt - self.doubt)
        own, others = self.surprise, other.surprise
        if own is not None and others is not None:
            for_this += SURPRISE_WEIGHT * (others - own)
        return log_odds < for_this * min(min(self.symbols, other.symbols) / FEW_SYMBOLS, 1.0)


def likeliest(first: Look, look_at: Callable[[PreparedImage], Look]) -> Look:
    """The look at an image that is likeliest to be upright; others are taken where they may be."""
    best, best_log_odds = first, 0.0
    waiting = [*first.others]
    while waiting:
        waiting.sort(key=lambda way: way.log_odds)
        log_odds, prepare = waiting.pop()
        if log_odds - best_log_odds <= -LOOK_WEIGHT * best.doubt:
            break
        with suppress(KeepFirstReading, MemoryError, NoInk):
            look = look_at(prepare())
            waiting += [way._replace(log_odds=log_odds + way.log_odds) for way in look.others]
            if look.is_better(best, best_log_odds - log_odds):
                best, best_log_odds = look, log_odds
    quarters = round(best.prepared.view.turned / 90)
    by_few = bool(first.prepared.others and quarters) and best.symbols < FEW_SYMBOLS
    # Results may be kept for long: they keep no image that could be looked at otherwise.
    return best._replace(prepared=replace(best.prepared, others=(), turned_by_few=by_few))


def prepare_upright(grey: Grey, known: bool = False) -> PreparedImage:
    """An image, cleaned as it lies or as it should lie; raises NoInk where nothing is written.

    `known`: somebody says that it lies as it should.
    """
    return shrunk_to_limit(upright_image(grey, known)[0])


def upright_image(grey: Grey, known: bool = False) -> tuple[PreparedImage, Grey]:
    """The same, and not made smaller; and the pixels that were cleaned."""
    image = without_margin(ViewedImage(np.ascontiguousarray(grey)))
    flat = has_flat_ground(image.grey)
    clean = _cleaned_as_it_lies if known else _cleaned_along_line
    sheet = without_desk(image)
    found = _cleaned_of_squares(sheet, clean)
    if flat and found.orientation and found.orientation.parts <= MAX_FLAT_PARTS:
        with suppress(NoInk):
            found = _cleaned_as_it_lies(sheet)
    if flat:
        found = _by_printed_rows(found)
    log_priors = FLAT_LOG_PRIORS if flat else LOG_PRIORS
    prepared, seen = _set_upright(found, range(QUARTERS), log_priors)
    # Where ink and paper are plain there is one way to clean, and print gets too thin by another.
    return replace(prepared, thinner=None) if flat else prepared, seen.grey


class CleanedView(NamedTuple):
    """A way to look at an image, what cleaning makes of it, and how that seems to lie."""

    seen: ViewedImage
    prepared: PreparedImage
    orientation: Orientation | None  # None: as it should

    def turned(self, quarters: int) -> PreparedImage:
        """Cleaned as it is when turned clockwise so often."""
        return cleaned_image(*self.seen.quarter_turned(quarters)) if quarters else self.prepared


def _set_upright(
    found: CleanedView, ways: Sequence[int], log_priors: NDArray[np.float64]
) -> tuple[PreparedImage, ViewedImage]:
    """The likeliest of some quarter turns of an image, with other ways that are not out of the
    question; and that view. `log_priors`: of the image as it was handed in."""
    orientation = found.orientation
    if orientation is None:
        return found.prepared, found.seen
    posterior = orientation.quarters + np.roll(log_priors, -round(found.seen.view.turned / 90))
    quarters = max(ways, key=posterior.__getitem__)
    log_odds = np.roll(posterior - posterior[quarters], -quarters).tolist()
    seen = found.seen.quarter_turned(quarters)
    others = []
    try:
        prepared = found.turned(quarters)
        tilt = _tilt(orientation, quarters, seen.grey)
        if tilt:
            level, seen = prepared, seen.tilted(-tilt)
            prepared = cleaned_image(*seen)
            others.append(OtherView(LEVEL_LOG_ODDS, lambda: shrunk_to_limit(level)))
    except NoInk:  # as it was found, then
        return found.prepared, found.seen
    upside_down = partial(seen.quarter_turned, 2)
    others.append(
        OtherView(log_odds[2], lambda: shrunk_to_limit(prepared.half_turned(upside_down())))
    )
    if len(ways) == QUARTERS:
        side = partial(_on_its_side, found.seen, 1 - quarters % 2, log_priors)
        others.append(OtherView(max(log_odds[1], log_odds[3]), side))
    possible = tuple(way for way in others if way.log_odds > MIN_LOG_ODDS)
    return replace(prepared, others=possible), seen


def _by_printed_rows(found: CleanedView) -> CleanedView:
    """With what the rows of a printed page tell of how it lies; cleaned level, where it was not."""
    if found.orientation is None:
        return found
    rows, as_it_was = printed_rows(found.prepared.picture), True
    if rows and not rows.level:
        with suppress(NoInk):
            found, as_it_was = _cleaned_once(found.seen.quarter_turned(1)), False
            rows = printed_rows(found.prepared.picture)
    if not rows or not rows.level or found.orientation is None:
        return found
    # Below a row of formulas may hang more than rises: what lies level is not turned for that.
    rising = max(rows.rising, 0) if as_it_was else rows.rising
    scores = found.orientation.scores - OF_PRINT * np.array([[0], [1], [rising], [1]])
    return found._replace(orientation=found.orientation._replace(scores=scores))


def _tilt(orientation: Orientation, quarters: int, grey: Grey) -> float:
    """Degrees clockwise by which an image that was turned so often is surely tilted, or 0."""
    tilt, deviation = orientation.tilt(quarters)
    if abs(tilt) < MIN_SUSPECTED_TILT:
        return 0.0
    line = long_line_tilt(grey)
    if abs(line) >= MIN_TILT and abs(line - tilt) <= MAX_LINE_DEVIATIONS * deviation:
        return line
    return tilt if abs(tilt) >= max(MIN_TILT, MIN_TILT_DEVIATIONS * deviation) else 0.0


def _on_its_side(
    source: ViewedImage, quarters: int, log_priors: NDArray[np.float64]
) -> PreparedImage:
    """An image turned so often, or the same upside down: the likelier of the two."""
    found = _cleaned_once(source.quarter_turned(quarters))
    return shrunk_to_limit(_set_upright(found, (0, 2), log_priors)[0])


def _cleaned_of_squares(
    source: ViewedImage, clean: Callable[[ViewedImage], CleanedView]
) -> CleanedView:
    """The image; or, where it is small and that leaves it full of specks, the same enlarged."""
    found = clean(source)
    if source.grey.size <= MAX_SMALL_PIXELS and _is_speckled(found.prepared):
        with suppress(NoInk):
            larger = clean(source.enlarged(TIMES_LARGER))
            if not _is_speckled(larger.prepared):
                return larger
    return found


def _is_speckled(prepared: PreparedImage) -> bool:
    if not prepared.photographed:
        return False
    pieces = find_components((prepared.picture > 127).astype(np.uint8)).stats
    specks = int((pieces[:, 2:4].max(axis=1) <= MAX_SPECK_SIDE).sum())
    return specks >= max(MIN_SPECKS, MIN_SPECK_SHARE * len(pieces))


def _cleaned_as_it_lies(source: ViewedImage) -> CleanedView:
    return CleanedView(source, cleaned_image(*source), None)


def _cleaned_along_line(source: ViewedImage) -> CleanedView:
    """The image; where next to nothing is left of it, and a long line is tilted, set straight by
    that: a steep ruling is no ruling to who cleans, and takes all that stands on it along."""
    ways = []
    try:
        ways.append(_cleaned(source))
        if ways[0].orientation is None or ways[0].orientation.parts > MAX_PARTS_LOST:
            return ways[0]
    except TooLong:
        raise
    except NoInk:
        pass
    line = long_line_tilt(source.grey)
    if abs(line) >= MIN_TILT:
        with suppress(NoInk):
            ways.append(_cleaned(source.tilted(-line)))
    return _with_most_parts(ways)


def _cleaned(source: ViewedImage) -> CleanedView:
    """The image, or the same on its side: the way in which cleaning keeps more of it."""
    ways = []
    for seen in (source, source.quarter_turned(1)):
        try:
            prepared = cleaned_image(*seen)
        except TooLong:
            if seen is source:  # it is so in any way
                raise
        except NoInk:
            pass
        else:
            found = orientation_of(prepared)
            ways.append(CleanedView(seen, prepared, found))
            if found is None or found.parts == MAX_PARTS or not _is_tall(prepared):
                break
    return _with_most_parts(ways)


def _cleaned_once(source: ViewedImage) -> CleanedView:
    prepared = cleaned_image(*source)
    return CleanedView(source, prepared, orientation_of(prepared))


def _with_most_parts(ways: Sequence[CleanedView]) -> CleanedView:
    if not ways:
        raise NoInk
    return max(ways, key=lambda way: way.orientation.parts if way.orientation else 0)


def _is_tall(prepared: PreparedImage) -> bool:
    rows, columns = prepared.picture.shape
    return bool(rows > MIN_TALL * columns)


def orientation_of(prepared: PreparedImage) -> Orientation | None:
    """How the writing lies; None where that is no question."""
    return orientation_network()(prepared.picture) if prepared.photographed else None
