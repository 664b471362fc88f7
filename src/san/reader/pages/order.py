"""Where writing that was found apart from a page's blocks stands among them, in reading order."""

from collections.abc import Sequence

from san.ink import Box


def place_among(boxes: Sequence[Box], box: Box) -> int:
    """Before which of some boxes in reading order another one comes.

    It follows what stands above it in its own column; else it goes before the first that lies to
    the right of it in a line, or lower.
    """
    above = [number for number, one in enumerate(boxes) if _stands_above(one, box)]
    if above:
        return above[-1] + 1
    later = (number for number, one in enumerate(boxes) if _comes_first(box, one))
    return next(later, len(boxes))


def _stands_above(one: Box, other: Box) -> bool:
    beside = min(one.right, other.right) <= max(one.left, other.left)
    return not beside and _middle(one) < _middle(other)


def _comes_first(one: Box, other: Box) -> bool:
    in_line = min(one.bottom, other.bottom) > max(one.top, other.top)
    beside = min(one.right, other.right) <= max(one.left, other.left)
    return one.left < other.left if in_line and beside else _middle(one) < _middle(other)


def _middle(box: Box) -> float:
    return (box.top + box.bottom) / 2
