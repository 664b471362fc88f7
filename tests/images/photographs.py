"""Photographs that several tests take of our own ink."""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Grey, Picture
from san.ink.draw import draw
from san.synth.photo.paper import PaperPage, photograph
from tests.ink.formulas import quadratic


def grey_photograph(picture: Picture, page: PaperPage, seed: int = 0) -> Grey:
    return np.asarray(cv2.cvtColor(photograph(picture, page, seed), cv2.COLOR_RGB2GRAY), np.uint8)


def formula() -> Picture:
    return draw(quadratic().ink)


def likeness(one: Picture, other: Picture) -> float:
    """Share of ink within 3 pixels of the other's, the lesser of both ways, at the same size."""
    size = (one.shape[1], one.shape[0])
    scaled = cv2.resize(other, size, interpolation=cv2.INTER_NEAREST) > 0
    return min(_within(one > 0, scaled), _within(scaled, one > 0))


def _within(ink: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    near = cv2.dilate(other.astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
    return float((ink & near).sum() / ink.sum())


def two_symbols() -> Picture:
    """An x and a t: little ink, so that on squared paper much of it lies on lines."""
    picture = np.zeros((60, 90), np.uint8)
    for begin, end in (
        ((14, 14), (36, 44)),
        ((36, 14), (14, 44)),
        ((60, 14), (60, 44)),
        ((50, 24), (72, 24)),
        ((60, 44), (70, 44)),
    ):
        cv2.line(picture, begin, end, 255, 3)
    return picture
