"""One source as the network sees it, and the way back from its pixels to the source's own units."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import FAR_MARGIN, MARGIN
from san.images.clean.flat_ground import has_flat_ground
from san.images.clean.pipeline import Cleaned, clean_with_map
from san.images.clean.scribbles import without_scribbles
from san.images.open import Grey
from san.images.view import SOURCE, View, ViewedImage
from san.ink import Box, Ink, draw
from san.ink.crossed_out import crossed_out
from san.ink.draw import BITMAP_PEN, reading_scale
from san.ink.strokes import box_of

Picture = NDArray[np.uint8]

MAX_PIXELS = 1 << 19
"""Of a picture for the network, more than CROHME's largest: what is larger is made smaller."""


class Location(NamedTuple):
    """Where something stands: a symbol, ink that no symbol accounts for, or that is crossed out."""

    box: Box  # in units of the source
    strokes: tuple[int, ...] | None = None  # of ink: those that it is made of, wholly or in part


class KnownSymbol(NamedTuple):
    """A symbol of ink that is known before it is read."""

    name: str
    strokes: tuple[int, ...]  # as the source counts them


@dataclass(frozen=True, eq=False)
class PreparedImage:
    """White ink on black; source = picture / scale + (left, top), seen through `view`."""

    picture: Picture
    scale: float
    left: float
    top: float
    ink: Ink | None = None  # where the source was ink: what is drawn of it
    width: float = 0.0  # of the source: pixels of the image as opened, units of the ink
    height: float = 0.0
    photographed: bool = False  # or scanned: an image that had to be cleaned
    view: View = SOURCE  # how the image was turned and set straight before it was cleaned
    stroke_numbers: tuple[int, ...] | None = None  # of ink that is a part of some: theirs there
    others: tuple["OtherView", ...] = ()  # ways in which it may lie instead, the likeliest first
    turned_by_few: bool = False  # how it lies is told by a few symbols, and not as it is
    crossed_out: tuple[Location, ...] = ()  # what was left out of the picture, or all of the ink
    known: tuple[KnownSymbol, ...] = ()  # of ink: what is held fixed when it is read
    thinner: Callable[[], "PreparedImage"] | None = None  # cleaned again, with thinner strokes
    at_own_size: "PreparedImage | None" = None  # the same before its letters were brought to size
    apart: tuple["PreparedImage", ...] = ()  # writing that is not in the picture: small, or faint
    flat_ground: bool = False  # no camera saw it: a drawing, or print on a screen

    @property
    def by_camera(self) -> bool:
        """Whether it is a photograph, and no screenshot."""
        return self.photographed and not self.flat_ground

    @property
    def is_all_crossed_out(self) -> bool:
        """Whether what is drawn of the ink is crossed out as well."""
        gone = {number for place in self.crossed_out for number in place.strokes or ()}
        return not gone.isdisjoint(self.stroke_numbers or ())

    def to_source(self, box: Box) -> Box:
        """A box of the picture in pixels of the image, or in units of the ink.

        Where the image was turned by other than a quarter, the one around the turned box.
        """
        left, top, right, bottom = (side / self.scale for side in box)
        in_source = Box(left + self.left, top + self.top, right + self.left, bottom + self.top)
        if self.view is not SOURCE:
            corners = self.view.to_source(_corners(in_source))
            in_source = Box(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())
        if self.ink is not None or not self.width:
            return in_source
        # Cleaning draws thin strokes thicker, which may reach over the image's edge.
        ends = (self.width, self.height) * 2
        return Box(*(min(max(side, 0.0), end) for side, end in zip(in_source, ends, strict=True)))

    def to_picture(self, points: NDArray[np.float32]) -> NDArray[np.float64]:
        """Points of the source, (n, 2), on the picture."""
        seen = self.view.from_source(np.asarray(points, np.float64))
        return np.asarray((seen - np.array((self.left, self.top))) * self.scale, np.float64)

    def box_to_picture(self, box: Box) -> Box:
        """A box of the source on the picture: the one around its corners."""
        corners = self.to_picture(_corners(box).astype(np.float32))
        return Box(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())

    def half_turned(self, seen: ViewedImage) -> "PreparedImage":
        """The same upside down: cleaning makes nothing else of it. `seen`: what was cleaned, turned
        by 180 degrees."""
        rows, columns = self.picture.shape
        height, width = seen.grey.shape
        shift = MARGIN - FAR_MARGIN  # they are not the same, so the ink has to move
        return replace(
            self,
            picture=np.roll(np.rot90(self.picture, 2), (shift, shift), axis=(0, 1)),
            left=width - self.left - (columns + shift) / self.scale,
            top=height - self.top - (rows + shift) / self.scale,
            view=seen.view,
            others=(),
            thinner=None,
            apart=tuple(one.half_turned(seen) for one in self.apart),
        )


class OtherView(NamedTuple):
    """Another way in which an image may lie."""

    log_odds: float  # to the way that it is prepared in
    prepare: Callable[[], PreparedImage]


def _corners(box: Box) -> NDArray[np.float64]:
    left, top, right, bottom = box
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


def prepare_image(grey: Grey, view: View = SOURCE) -> PreparedImage:
    """A photograph, a scan or a bitmap: cleaned, unless it is as the network knows it already.

    `view`: how these pixels lie on the image that was handed in.
    """
    return shrunk_to_limit(cleaned_image(grey, view))


def cleaned_image(grey: Grey, view: View = SOURCE) -> PreparedImage:
    """The same, and not made smaller: a page is larger than what the network reads at once."""
    grey = np.ascontiguousarray(grey)
    cleaned = clean_with_map(grey)
    height, width = view.shape or grey.shape
    flat = has_flat_ground(grey)
    bare = PreparedImage(grey, 1.0, 0.0, 0.0, None, width, height, view=view, flat_ground=flat)
    # A bitmap as the network knows it comes out as it went in.
    return bare if cleaned.picture is grey else of_cleaned(cleaned, bare)


def of_cleaned(cleaned: Cleaned, like: PreparedImage) -> PreparedImage:
    """What cleaning made of an image, without scribbles; else as another one."""
    picture, boxes = without_scribbles(cleaned.picture)
    prepared = replace(
        like,
        picture=picture,
        scale=cleaned.scale,
        left=cleaned.left,
        top=cleaned.top,
        photographed=True,
        thinner=partial(_of_thinner, cleaned.thinner, like) if cleaned.thinner else None,
        apart=tuple(of_cleaned(one, like) for one in cleaned.apart),
    )
    return replace(prepared, crossed_out=tuple(Location(prepared.to_source(box)) for box in boxes))


def _of_thinner(clean_again: Callable[[], Cleaned], like: PreparedImage) -> PreparedImage:
    return of_cleaned(clean_again(), like)


def prepare_ink(ink: Ink) -> PreparedImage:
    """Ink, drawn as the network knows it, without what is crossed out.

    Where that is all of it, only what crosses out is left out: what lies below is all there is to
    read.
    """
    crossings = crossed_out(ink)
    if not crossings:
        return drawn_ink(ink)
    every = range(len(ink.strokes))
    gone = {number for one in crossings for number in one.strokes}
    if len(gone) == len(every):
        gone = {one.by for one in crossings}
    numbers = tuple(number for number in every if number not in gone)
    places = tuple(
        Location(box_of([ink.strokes[number] for number in one.strokes]), one.strokes)
        for one in crossings
    )
    return replace(
        drawn_ink(Ink(tuple(ink.strokes[number] for number in numbers))),
        width=ink.box.width,
        height=ink.box.height,
        stroke_numbers=numbers,
        crossed_out=places,
    )


def drawn_ink(ink: Ink) -> PreparedImage:
    """The same, with all its strokes."""
    picture = draw(ink, scale=reading_scale(ink))
    rows, columns = picture.shape
    # The drawing says by its size which scale it took; a dot has none.
    across, down = columns - BITMAP_PEN.border, rows - BITMAP_PEN.border
    scale = across / ink.box.width if across > down else down / ink.box.height if down else 1.0
    corner = BITMAP_PEN.margin + BITMAP_PEN.width / 2
    left, top = ink.box.left - corner / scale, ink.box.top - corner / scale
    return shrunk_to_limit(
        PreparedImage(picture, scale, left, top, ink, ink.box.width, ink.box.height)
    )


def shrunk_to_limit(prepared: PreparedImage) -> PreparedImage:
    """The same image; smaller, where its picture would take too much memory."""
    factor = (MAX_PIXELS / prepared.picture.size) ** 0.5
    if factor >= 1:
        return prepared
    rows, columns = (max(int(side * factor), 1) for side in prepared.picture.shape)
    smaller = cv2.resize(prepared.picture, (columns, rows), interpolation=cv2.INTER_AREA)
    return replace(prepared, picture=np.asarray(smaller, np.uint8), scale=prepared.scale * factor)
