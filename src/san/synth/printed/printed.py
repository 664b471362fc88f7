"""Makes printed samples: formulas typeset in a random typeface, seen and cleaned like pictures.

    printed = Printed(load_print_fonts("packs/print.npz"), formulas, PrintedConfig())
    picture, tree, boxes = printed.sample(np.random.default_rng(7))

Design choices
- Polygons are turned and scaled before they are drawn, so nothing is blurred twice and boxes are
  exact.
- A page is drawn with the few pixels that a screen, a scanner or a camera gives it; from there on
  it is cleaned by the same functions as pictures that are read (`san.synth.photo.camera`).
"""

from collections.abc import Collection, Mapping, Sequence
from math import cos, exp, log, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from san.data.print_fonts import Face
from san.errors import SanError
from san.grammar import Expression, parse
from san.grammar.productions import MARKS, unfold
from san.images.clean.components import BITMAP_MEAN_HEIGHT
from san.images.clean.contrast import Contrast
from san.synth.formulas.text import is_excluded
from san.synth.photo.camera import max_ink_side, snapshot
from san.synth.printed.blocks import Block
from san.synth.printed.config import PrintedConfig
from san.synth.printed.typeset import Typesetter, UnprintableError
from san.synth.random_stream import RandomStream
from san.synth.samples import Boxes, SynthSample, boxes_of_steps

Matrix = NDArray[np.float32]
SUBPIXELS = 4
"""Each pixel is drawn as so many by so many, and their mean taken."""
FEW_SUBPIXELS, FINE_RESOLUTION = 2, 32.0
"""Where an em has so many pixels, fewer will do."""


CORNERS = np.array(((0, 1), (2, 1), (0, 3), (2, 3)))
"""Of a box, as the places of its sides."""


class Printed:
    """Typesets one formula after the other.

    Args:
        faces: typefaces by their names.
        formulas: lists of LaTeX with their shares.
        config: shares and ranges.
        excluded: fingerprints of trees that are never printed.
    """

    def __init__(
        self,
        faces: Mapping[str, Face],
        formulas: Sequence[tuple[Sequence[str], float]],
        config: PrintedConfig,
        excluded: Collection[str] = (),
    ) -> None:
        self.faces, self.config = list(faces.values()), config
        self._excluded = excluded
        self._sources = [(texts, share) for texts, share in formulas if len(texts) and share]
        if not self._sources:
            raise SanError("nothing to print: formulas are wanted, and there are none")

    def sample(self, rng: np.random.Generator) -> SynthSample:
        """A formula in print; SanError where none was found that can be printed."""
        random = RandomStream(rng)
        for _ in range(self.config.attempts):
            tree = parse(self._formula(random))
            if is_excluded(tree, self._excluded):
                continue
            face = random.choice(self.faces)
            try:
                block = Typesetter(face, self.config.typeset, random).expression(tree)
            except UnprintableError:
                continue
            if (sample := self._seen(tree, block, random)) is not None:
                return sample
        raise SanError("no formula was found that the typefaces can print")

    def _formula(self, random: RandomStream) -> str:
        drawn = random.uniform() * sum(share for _, share in self._sources)
        for texts, share in self._sources:
            drawn -= share
            if drawn < 0:
                return random.choice(texts)
        return random.choice(self._sources[0][0])

    def _seen(self, tree: Expression, block: Block, random: RandomStream) -> SynthSample | None:
        """As it looks once a screenshot, a scan or a photograph of it is cleaned."""
        config, rng = self.config, random.generator
        is_book = random.uniform() < config.book_share
        camera = config.book if is_book else config.screen
        low, high = map(log, config.resolution)
        pixels = exp(random.between(low, high))
        pixels = min(pixels, max_ink_side(camera) / max(block.right - block.left, block.height))
        view = self._view(is_book, random) * np.float32(pixels)
        ink, shift = draw(block, view, FEW_SUBPIXELS if pixels > FINE_RESOLUTION else SUBPIXELS)
        boxes = symbol_boxes(block, sum(1 for _ in tree.walk()), view, shift)
        heights = (boxes[:, 3] - boxes[:, 1])[np.isfinite(boxes[:, 0])]
        taken = snapshot(ink, boxes, BITMAP_MEAN_HEIGHT / float(heights.mean()), rng, camera)
        if taken is None:
            return None
        steps = unfold(tree)
        writing = [number for number, step in enumerate(steps) if step.target not in MARKS]
        return SynthSample(taken[0], tree, boxes_of_steps(taken[1], writing, len(steps)))

    def _view(self, is_book: bool, random: RandomStream) -> Matrix:
        """Turned, stretched and slanted by a little, or not at all."""
        config = self.config
        if not is_book and random.uniform() >= config.turned_share:
            return np.eye(2, dtype=np.float32)
        turn = random.bell(config.turn)
        turn = radians(min(max(turn, -config.max_turn), config.max_turn))
        wider = exp(random.bell(config.stretch) / 2)
        slant = random.bell(config.slant) if is_book else 0.0
        spin = np.array(((cos(turn), -sin(turn)), (sin(turn), cos(turn))))
        return np.asarray(spin @ np.array(((wider, slant), (0.0, 1 / wider))), np.float32)


def draw(block: Block, view: Matrix, subpixels: int) -> tuple[Contrast, NDArray[np.float32]]:
    """How much of each pixel is printed, 0 to 1; and how far the block's origin lies inside."""
    corners = [
        polygon * np.array((each.sx, each.sy), np.float32) + np.array((each.x, each.y), np.float32)
        for each in block.placed
        for polygon in each.outline.polygons
    ]
    points = np.concatenate(corners) @ view.T
    low = np.floor(points.min(axis=0)) - 1
    wide, high = (np.ceil(points.max(axis=0)) + 1 - low).astype(int).tolist()
    fine = ((points - low) * subpixels - 0.5).round().astype(np.int32)
    page = np.zeros((high * subpixels, wide * subpixels), np.uint8)
    start = 0
    polygons = iter(corners)
    for each in block.placed:
        filled = []
        for _ in each.outline.polygons:
            end = start + len(next(polygons))
            filled.append(fine[start:end])
            start = end
        cv2.fillPoly(page, filled, 255)
    small = cv2.resize(page, (wide, high), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32) / np.float32(255), -low.astype(np.float32)


def symbol_boxes(block: Block, count: int, view: Matrix, shift: NDArray[np.float32]) -> Boxes:
    """Boxes of the symbols in pixels, in the order of the walk; NaN where one is not printed."""
    placed = block.placed
    sides = np.array([each.outline.box for each in placed], np.float32)[:, CORNERS]
    sides *= np.array([(each.sx, each.sy) for each in placed], np.float32)[:, None]
    sides += np.array([(each.x, each.y) for each in placed], np.float32)[:, None]
    seen = sides @ view.T + shift
    boxes = np.full((count, 4), np.nan, np.float32)
    symbols = np.array([each.symbol for each in placed])
    np.fmin.at(boxes[:, :2], symbols, seen.min(axis=1))
    np.fmax.at(boxes[:, 2:], symbols, seen.max(axis=1))
    return boxes
