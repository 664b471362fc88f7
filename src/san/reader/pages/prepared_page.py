"""A page as the reader sees it: its blocks, and the picture of any of them for the network.

Design choices
- A block of ink is drawn by itself, exactly as if it were the only formula.
- A block of a picture is cut out of the cleaned page, without what belongs to other blocks. Where
  its letters are much smaller or larger than the network knows, it is brought to their size. Small
  ones are taken from the image and cleaned once more: a cleaned page has a limited size.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import FAR_MARGIN, MARGIN, NIB, Grey
from san.images.clean.components import find_components, scale_of
from san.images.clean.pipeline import NoInk, clean_with_map
from san.images.clean.scribbles import without_scribbles
from san.images.view import ViewedImage
from san.ink import Box, Ink
from san.reader.boxes import box_around
from san.reader.pages.parts import Parts, parts_of_ink, parts_of_picture
from san.reader.pages.segmentation import (
    MAX_JOINED,
    Block,
    doubtful_chains,
    find_blocks,
    find_frames,
)
from san.reader.prepared import (
    PreparedImage,
    cleaned_image,
    drawn_ink,
    prepare_ink,
    shrunk_to_limit,
)
from san.reader.rescoring.second_pass import resized
from san.reader.upright import upright_image

MAX_OFF_SIZE = 1.12
"""Times: letters that are so much smaller or larger than the network knows are left as they are."""
ENLARGING_POWER = 0.75
"""Of what would bring small letters of a bitmap to size: strokes get thicker with them, and what
ran together stays so. Of 346 such blocks 235 are read rightly with 1, 242 so, 239 as they are."""
PAPER_AROUND = 0.5
"""Letters, around a block that is cleaned again."""
COVER = 3.0
"""Pixels of the cleaned page that paper reaches over others' ink, whose edges are grey."""


@dataclass(frozen=True, eq=False)
class PreparedPage:
    """A cleaned picture, or ink, and its parts."""

    whole: PreparedImage  # of any size: `shrunk_to_limit` makes it fit for the network
    parts: Parts
    part_of: NDArray[np.int32] | None  # of each pixel its part, -1 for none; None for ink
    grey: Grey | None = None  # the image that was cleaned, upright

    @cached_property
    def blocks(self) -> list[Block]:
        """In reading order."""
        without = [number for frame in self.frames for number in frame.members.tolist()]
        return find_blocks(self.parts, without)

    @cached_property
    def frames(self) -> list[Block]:
        """Parts that go around blocks, and belong to none; what was drawn has no sheet's edge."""
        return find_frames(self.parts) if self.whole.by_camera else []

    @cached_property
    def apart(self) -> list["PreparedPage"]:
        """Writing that is not in the cleaned picture, small or faint: pages of their own."""
        return [self.seen_as(image) for image in self.whole.apart]

    @property
    def kept(self) -> PreparedImage:
        """What a result keeps, perhaps for long: the cleaned picture, and not the image."""
        return replace(self.whole, others=(), thinner=None, at_own_size=None, apart=())

    @property
    def is_single(self) -> bool:
        """Whether all there is seems to be one formula."""
        return len(self.blocks) == 1 and not self.whole.apart

    def image_of(self, block: Block) -> PreparedImage:
        """The picture of one block for the network."""
        if len(block.members) == len(self.parts):
            image = shrunk_to_limit(self.whole)
            # What is apart is read for itself, and other ways to look are of the whole page.
            return replace(image, others=(), apart=()) if image.apart else image
        if self.part_of is None:
            image = self._drawn(block)
        else:
            image = shrunk_to_limit(self._sized(block, self.part_of))
        # What is crossed out nearest to it is known once all blocks are (`page.read_page`).
        return replace(image, crossed_out=(), apart=())

    def _sized(self, block: Block, part_of: NDArray[np.int32]) -> PreparedImage:
        """The picture of one block, with letters as large as the network knows them."""
        image = self._cut_out(block, part_of)
        factor = _size_correction(image)
        if self.whole.photographed and self.grey is not None:
            clean_again = partial(self._cleaned_again, block, part_of)
            if self.whole.thinner is not None:
                image = replace(image, thinner=partial(clean_again, thin=True))
            if factor > MAX_OFF_SIZE:
                with suppress(NoInk):
                    return replace(clean_again(), thinner=image.thinner)
        if 1 / MAX_OFF_SIZE < factor < MAX_OFF_SIZE:
            return image
        sized = resized(image, factor**ENLARGING_POWER if factor > 1 else factor)
        # Of a bitmap resizing changes its strokes as well: a second look is at what was drawn.
        return sized if self.whole.photographed else replace(sized, at_own_size=image)

    def box_of(self, block: Block) -> Box:
        """Where a block is, in pixels of the image or in units of the ink."""
        if self.part_of is None:
            return block.box
        return box_around(self.whole, self.parts.corners(block.members))

    def among_parts(self, box: Box) -> Box:
        """A box of the source as its parts lie: upright, however the image was turned."""
        return box if self.part_of is None else self.whole.box_to_picture(box)

    @property
    def largest(self) -> PreparedImage:
        """The block with most parts, which tells best how the page lies. Blocks with boundaries in
        doubt are one: half a fraction may read as well upside down."""
        blocks = []
        for chain in doubtful_chains(self.blocks):
            blocks += [reduce(Block.joined, chain)] if len(chain) <= MAX_JOINED else chain
        return self.image_of(max(blocks, key=lambda block: len(block.members)))

    def turned_as(self, image: PreparedImage) -> "PreparedPage":
        """The same page, turned as a picture of all of it is."""
        assert self.grey is not None
        quarters = round((image.view.turned - self.whole.view.turned) / 90) % 4
        if not quarters:  # tilts are told from all of a page, and hold
            return self
        seen = ViewedImage(self.grey, self.whole.view).quarter_turned(quarters)
        whole = cleaned_image(*seen)
        return PreparedPage(whole, *parts_of_picture(whole.picture), seen.grey)

    def seen_as(self, image: PreparedImage) -> "PreparedPage":
        """The same page as another picture of all of it shows it."""
        return PreparedPage(image, *parts_of_picture(image.picture))

    def _drawn(self, block: Block) -> PreparedImage:
        ink = self.whole.ink
        assert ink is not None
        whole = self.whole
        drawn = drawn_ink(Ink(tuple(ink.strokes[number] for number in block.members.tolist())))
        known = whole.stroke_numbers or range(len(ink.strokes))
        numbers = tuple(known[number] for number in block.members.tolist())
        return replace(
            drawn,
            width=whole.width,
            height=whole.height,
            stroke_numbers=numbers,
            known=whole.known,
        )

    def _cut_out(self, block: Block, part_of: NDArray[np.int32]) -> PreparedImage:
        left, top, right, bottom = (int(side) for side in block.box)
        own = np.zeros(len(self.parts) + 1, bool)  # the last stands for no part, -1
        own[block.members] = True
        ink = np.where(own[part_of[top:bottom, left:right]], np.uint8(255), np.uint8(0))
        edges = (MARGIN, FAR_MARGIN, MARGIN, FAR_MARGIN)
        picture = cv2.copyMakeBorder(ink, *edges, cv2.BORDER_CONSTANT, value=0)
        whole = self.whole
        return replace(
            whole,
            picture=np.asarray(picture, np.uint8),
            left=whole.left + (left - MARGIN) / whole.scale,
            top=whole.top + (top - MARGIN) / whole.scale,
            others=(),  # which are of the whole page
            thinner=None,
        )

    def _cleaned_again(
        self, block: Block, part_of: NDArray[np.int32], thin: bool = False
    ) -> PreparedImage:
        """From the image: the block's part of it, with paper over what belongs to others."""
        whole, grey = self.whole, self.grey
        assert grey is not None
        margin = PAPER_AROUND * self.parts.letter
        high, wide = part_of.shape
        left, top = (max(int(side - margin), 0) for side in block.box[:2])
        right, bottom = (
            min(int(side + margin) + 1, end)
            for side, end in zip(block.box[2:], (wide, high), strict=True)
        )
        strange = ~np.isin(part_of[top:bottom, left:right], [-1, *block.members.tolist()])
        corner = np.array([[left, top], [right, bottom]]) / whole.scale + (whole.left, whole.top)
        (x, y), (x_end, y_end) = np.maximum(np.rint(corner), 0).astype(int)
        crop = grey[y:y_end, x:x_end]
        mask = np.asarray(
            cv2.resize(strange.astype(np.uint8), crop.shape[::-1], interpolation=cv2.INTER_NEAREST)
        )
        reach = 2 * round(COVER / whole.scale) + 1
        mask = np.asarray(cv2.dilate(mask, np.ones((reach, reach), np.uint8)))
        crop = np.where(mask > 0, np.uint8(np.median(crop)), crop)
        cleaned = clean_with_map(crop)
        if thin and cleaned.thinner is not None:
            cleaned = cleaned.thinner()
        return replace(
            whole,
            picture=without_scribbles(cleaned.picture).picture,
            scale=cleaned.scale,
            left=x + cleaned.left,
            top=y + cleaned.top,
            others=(),
            thinner=None,
        )


def page_of_image(grey: Grey, upright: bool = False) -> PreparedPage:
    """`upright`: the image is known to lie as it should."""
    whole, cleaned = upright_image(grey, upright)
    return PreparedPage(whole, *parts_of_picture(whole.picture), cleaned)


def page_of_ink(ink: Ink) -> PreparedPage:
    whole = prepare_ink(ink)
    assert whole.ink is not None
    return PreparedPage(whole, parts_of_ink(whole.ink), None)


def _size_correction(image: PreparedImage) -> float:
    """What would bring the letters to the size that the network knows."""
    return scale_of(find_components((image.picture > 127).astype(np.uint8)).stats, NIB)
