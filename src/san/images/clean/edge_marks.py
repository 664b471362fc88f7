"""Tells which low marks at the upper or lower edge of a picture belong to the formula.

Design choices
- Feet and heads of other lines of writing come in numbers. A mark that is alone at its edge, close
  to the writing and as large as a script, is the formula's own: an exponent or a denominator. So is
  a dot or a bar that lies less at the edge than it is wide: it just touches it, nothing is cut off.
- So is what another piece vouches for: the second bar of a sign, what stands over or under the bar
  of a fraction, a script on the line of another.
- So are scripts, however many, that are tucked in behind a letter: other lines keep off this one.
"""

import numpy as np

from san.images.clean.components import Components, Which
from san.images.clean.edge_lines import MIN_LINE_LENGTH_HEIGHTS

MAX_CUT_HEIGHTS = 0.55
"""Of the writing's height: lower pieces at the edge were cut off."""
MIN_LINE_SIGN_HEIGHTS = 0.25
"""Of the writing's height: what is lower is no sign of another line of writing."""
MIN_SCRIPT_HEIGHTS, MAX_SCRIPT_WIDTH_HEIGHTS = 0.3, 0.8
"""Of the writing's height: how high and wide a script is at least, and how wide at most."""
MIN_SCRIPT_AREA_PEN_SQUARES = 4.0
"""Times the square of the pen's width: ink of a script, and more than the foot of a letter has."""
MIN_TUCKED_SHARE = 0.3
"""Of its height: what of a script stands on the line of the letter before it."""
MIN_EDGE_LETTER_HEIGHTS = 0.9
"""Of the writing's height: letters of this line at the same edge; of others less is left."""
MAX_BACKWARD_HEIGHTS = 0.25
"""Of the writing's height: how far a script begins before its letter ends."""
MAX_SPECK_AREA_PEN_SQUARES = 0.4
"""Of the square of the pen's width: what has less ink is a speck."""
MAX_TANGENT_SHARE = 0.45
"""Of its width: what is whole lies less at the edge."""
MIN_FLAT_WIDTH_TO_HEIGHT = 2.0
"""Times its height: a bar is wider."""
MIN_OVERLAP_SHARE = 0.6
"""Of the wider: what two bars of a sign have in common, and of a mark what lies over a bar."""
MAX_GAP_HEIGHTS = 0.45
"""Of the writing's height, from a script or a dot to the nearest letter."""


def of_writing(
    components: Components,
    low: Which,
    gone: Which,
    side: Which,
    height_of_writing: float,
    nib: float,
) -> Which:
    """Those of the low pieces at one edge that belong to the formula.

    `gone`: what does not, as far as is known; `side`: all that touches that edge.
    """
    others = ~(low | gone)
    height = components.stats[:, 3]
    letters = others & (
        (height > MIN_EDGE_LETTER_HEIGHTS * height_of_writing)
        | (~side & (height >= MAX_CUT_HEIGHTS * height_of_writing))
    )
    return np.asarray(
        _mark_of_writing(components, low, others, height_of_writing, nib)
        | _joined(components, low, others, height_of_writing)
        | _scripts(components, low, letters, height_of_writing, nib),
        bool,
    )


def _mark_of_writing(
    components: Components, low: Which, others: Which, height_of_writing: float, nib: float
) -> Which:
    """Of the low pieces at one edge the one that belongs to the others; mostly there is none."""
    left, top, width, height, area = components.stats.T
    none = np.zeros_like(low)
    narrow = low & (width < MIN_LINE_LENGTH_HEIGHTS * height_of_writing)
    scripts = np.flatnonzero(narrow & (height >= MIN_LINE_SIGN_HEIGHTS * height_of_writing))
    alone = np.flatnonzero(low & (area >= MAX_SPECK_AREA_PEN_SQUARES * nib * nib))
    if len(scripts) == 1 and _is_script(components, scripts[0], height_of_writing, nib):
        (mark,) = scripts
    elif len(alone) == 1 and narrow[alone[0]] and _is_whole(components, alone[0], nib):
        (mark,) = alone
    else:
        return none
    if not others.any():
        return none
    right, bottom = left + width, top + height
    across = np.maximum(left - right[mark], left[mark] - right)[others]
    down = np.maximum(top - bottom[mark], top[mark] - bottom)[others]
    apart = np.hypot(np.maximum(across, 0), np.maximum(down, 0)).min()
    none[mark] = apart <= MAX_GAP_HEIGHTS * height_of_writing
    return none


def _joined(components: Components, low: Which, others: Which, height_of_writing: float) -> Which:
    """Low pieces at one edge that another piece tells to be ink.

    The second bar of =, of a sign over a bar; what is over or under the bar of a fraction; and a
    script beside another, on whose line no feet of other writing are.
    """
    joined = np.zeros_like(low)
    left, top, width, height, _ = components.stats.T
    right, bottom, middle = left + width, top + height, top + height / 2
    flat = (MIN_FLAT_WIDTH_TO_HEIGHT * height < width) & (
        width < MIN_LINE_LENGTH_HEIGHTS * height_of_writing
    )
    alone = int((low & (height >= MIN_LINE_SIGN_HEIGHTS * height_of_writing)).sum()) == 1
    for mark in np.flatnonzero(
        low & (width < MIN_LINE_LENGTH_HEIGHTS * height_of_writing)
    ).tolist():
        shared = np.minimum(right, right[mark]) - np.maximum(left, left[mark])
        down = np.maximum(top - bottom[mark], top[mark] - bottom)
        over = others & (down <= MAX_GAP_HEIGHTS * height_of_writing)
        if flat[mark]:
            alike = MIN_OVERLAP_SHARE * np.maximum(width, width[mark])
            joined[mark] = (
                over & (shared >= alike) & (height < MAX_SCRIPT_WIDTH_HEIGHTS * height_of_writing)
            ).any()
        elif height[mark] >= MIN_LINE_SIGN_HEIGHTS * height_of_writing:
            bars = over & flat & (shared >= MIN_OVERLAP_SHARE * width[mark])
            joined[mark] = any(
                _is_between_marks(components, mark, bar, others, height_of_writing)
                for bar in np.flatnonzero(bars).tolist()
            )
            level = (
                (top[mark] < middle)
                & (middle < bottom[mark])
                & (height < MAX_CUT_HEIGHTS * height_of_writing)
            )
            beside = (-shared <= MAX_GAP_HEIGHTS * height_of_writing) & (shared <= 0)
            joined[mark] |= alone and (others & level & beside).any()
    return joined


def _scripts(
    components: Components, low: Which, letters: Which, height_of_writing: float, nib: float
) -> Which:
    """Low pieces that stand behind a letter, a good part of them on its line."""
    left, top, width, height, area = components.stats.T
    right, bottom = left + width, top + height
    large = (
        low
        & (height >= MIN_SCRIPT_HEIGHTS * height_of_writing)
        & (width <= MAX_SCRIPT_WIDTH_HEIGHTS * height_of_writing)
        & (area >= MIN_SCRIPT_AREA_PEN_SQUARES * nib * nib)
    )
    scripts = np.zeros_like(low)
    for mark in np.flatnonzero(large).tolist():
        behind = left[mark] - right
        near = (behind >= -MAX_BACKWARD_HEIGHTS * height_of_writing) & (
            behind <= MAX_GAP_HEIGHTS * height_of_writing
        )
        shared = np.minimum(bottom, bottom[mark]) - np.maximum(top, top[mark])
        tucked = near & (left < left[mark]) & (shared >= MIN_TUCKED_SHARE * height[mark])
        scripts[mark] = (letters & tucked).any()
    return scripts


def _is_between_marks(
    components: Components, mark: int, bar: int, others: Which, height_of_writing: float
) -> bool:
    """Whether a bar has another piece on its other side, near it."""
    left, top, width, height, _ = components.stats.T
    shared = np.minimum(left + width, left[bar] + width[bar]) - np.maximum(left, left[bar])
    beneath = top[mark] < top[bar]
    away = top - top[bar] - height[bar] if beneath else top[bar] - top - height
    near = (
        (np.abs(away) <= MAX_GAP_HEIGHTS * height_of_writing)
        & (height >= MIN_SCRIPT_HEIGHTS * height_of_writing)
        & (shared > 0)
    )
    near[[mark, bar]] = False
    return bool((others & near).any())


def _is_script(components: Components, mark: int, height_of_writing: float, nib: float) -> bool:
    """Whether a low piece is as large as an exponent or a subscript."""
    _, _, width, height, area = components.stats[mark].tolist()
    large = (
        height >= MIN_SCRIPT_HEIGHTS * height_of_writing
        and MIN_SCRIPT_HEIGHTS * height_of_writing
        <= width
        <= MAX_SCRIPT_WIDTH_HEIGHTS * height_of_writing
    )
    return bool(large and area >= MIN_SCRIPT_AREA_PEN_SQUARES * nib * nib)


def _is_whole(components: Components, mark: int, nib: float) -> bool:
    """Whether a dot or a bar just touches the edge: what is cut off is as wide there as within."""
    left, top, width, height, area = components.stats[mark].tolist()
    if area < nib * nib:
        return False
    inside = components.labels[top : top + height, left : left + width] == mark + 1
    rows = [np.flatnonzero(row) for row in inside]
    wide = [int(row[-1] - row[0]) + 1 for row in rows]
    cut = wide[0] if top == 0 else wide[-1] if top + height == len(components.labels) else 0
    return bool(cut < MAX_TANGENT_SHARE * max(wide))
