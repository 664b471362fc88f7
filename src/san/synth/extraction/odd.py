"""Symbols that are far from what is usual for their names.

They are not what they should be, or not all of it. Found over all photographs at once, for what is
usual nobody says beforehand.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from san.data.photo_masks import MaskLabels
from san.synth.extraction.parts import is_shape
from san.synth.layout.measure import MIN_DEVIATION, Chains, link_chains, measure
from san.synth.layout.outline import Outline
from san.synth.sources import boxes_of_labels

THIN = 0.15
"""Em: what a pen's width is about. A side is not told from a thinner one."""
FAR = 2.5
"""Deviations from the middle."""

Boxes = NDArray[np.float64]
Flags = NDArray[np.bool_]


def misshapen(names: NDArray[np.str_], boxes: Boxes, em: NDArray[np.float64]) -> Flags:
    """Which symbols are far wider, narrower, taller or flatter than others of their name."""
    sides = np.log((boxes[:, 2:] - boxes[:, :2]) / em[:, None] + THIN)
    sides[names == r"\frac", 0] = 0  # a bar is as wide as what it parts
    odd = np.zeros(len(names), np.bool_)
    for name in np.unique(names):
        own = names == name
        low, middle, high = np.quantile(sides[own], (0.25, 0.5, 0.75), axis=0)
        spread = np.maximum((high - low) / 1.35, MIN_DEVIATION)
        odd[own] = (np.abs(sides[own] - middle) > FAR * spread).any(axis=1)
    return odd


def without_odd(trees: Sequence[Outline], places: Sequence[MaskLabels]) -> list[MaskLabels]:
    """Places less those of symbols that are odd; roots and words have no usual shape."""
    boxes = np.concatenate(
        [boxes_of_labels(own, len(tree)) for tree, own in zip(trees, places, strict=True)]
    ).astype(np.float64)
    names = np.array([name for tree in trees for name in tree.names])
    number, chain, parent, relation = link_chains(trees)
    have = np.isfinite(boxes[:, 0]) & np.array([is_shape(name) for name in names.tolist()])
    odd = np.zeros(len(names), np.bool_)
    if have.any():
        sizes = measure(Chains(number[have], chain[have], boxes[have], parent, relation))
        em = sizes.em[chain[have]]
        odd[have] = sizes.outlier | misshapen(names[have], boxes[have], em)
    kept, first = [], 0
    for tree, own in zip(trees, places, strict=True):
        table = np.arange(256, dtype=np.uint8)
        table[1 + np.flatnonzero(odd[first : first + min(len(tree), 255)])] = 0
        kept.append(table[own])
        first += len(tree)
    return kept
