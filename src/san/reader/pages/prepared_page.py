"""A page as the reader sees it: its blocks, and the picture of any of them for the network.

Design choices
- A block of ink is drawn by itself, exactly as if it were the only formula.
- A block of a picture is cut out of the cleaned page, without what belongs to other blocks. Where
  its letters are much smaller or larger than the network knows, it is brought to their size.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import FAR_MARGIN, MARGIN, NIB, Grey
from san.images.clean.components import find_components, scale_of
from san.ink import Box, Ink
from san.reader.pages.parts import Parts, parts_of_ink, parts_of_picture
from san.reader.pages.segmentation import Block, find_blocks
from san.reader.prepared import PreparedImage, cleaned_image, prepare_ink, shrunk_to_limit
from san.reader.rescoring.second_pass import resized

MAX_OFF_SIZE = 1.25
"""Times: letters that are so much smaller or larger than the network knows are left as they are."""


@dataclass(frozen=True, eq=False)
class PreparedPage:
    """A cleaned picture, or ink, and its parts."""

    whole: PreparedImage  # of any size: `shrunk_to_limit` makes it fit for the network
    parts: Parts
    part_of: NDArray[np.int32] | None  # of each pixel its part, -1 for none; None for ink

    @cached_property
    def blocks(self) -> list[Block]:
        """In reading order."""
        return find_blocks(self.parts)

    def image_of(self, block: Block) -> PreparedImage:
        """The picture of one block for the network."""
        if len(block.members) == len(self.parts):
            return shrunk_to_limit(self.whole)
        if self.part_of is None:
            return self._drawn(block)
        return shrunk_to_limit(_to_size(self._cut_out(block, self.part_of)))

    def box_of(self, block: Block) -> Box:
        """Where a block is, in pixels of the image or in units of the ink."""
        return block.box if self.part_of is None else self.whole.to_source(block.box)

    def _drawn(self, block: Block) -> PreparedImage:
        ink = self.whole.ink
        assert ink is not None
        numbers = tuple(block.members.tolist())
        drawn = prepare_ink(Ink(tuple(ink.strokes[number] for number in numbers)))
        whole = self.whole
        return replace(drawn, width=whole.width, height=whole.height, stroke_numbers=numbers)

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
        )


def page_of_image(grey: Grey) -> PreparedPage:
    whole = cleaned_image(grey)
    return PreparedPage(whole, *parts_of_picture(whole.picture))


def page_of_ink(ink: Ink) -> PreparedPage:
    return PreparedPage(prepare_ink(ink), parts_of_ink(ink), None)


def _to_size(image: PreparedImage) -> PreparedImage:
    stats = find_components((image.picture > 127).astype(np.uint8)).stats
    factor = scale_of(stats, NIB)
    if 1 / MAX_OFF_SIZE < factor < MAX_OFF_SIZE:
        return image
    return resized(image, factor)
