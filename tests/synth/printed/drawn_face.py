"""A typeface of our own: every character is a frame of its own width and height."""

import numpy as np

from san.data.print_fonts import Character, Face, Outline, Polygon, outline_of

HEIGHTS = {"−": (0.22, 0.28), "=": (0.15, 0.35), "⋅": (0.2, 0.3), ",": (-0.1, 0.1), "→": (0.2, 0.4)}
"""Over the base line, from and to."""
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789+−=()[]{}|<>/,.∑∫√∘△→^‾◯′⋯⋅"


def frame(left: float, top: float, right: float, bottom: float) -> Polygon:
    return np.array(((left, top), (right, top), (right, bottom), (left, bottom)), np.float32)


def drawn_outline(text: str, grown: float = 1.0) -> Outline:
    low, high = HEIGHTS.get(text, (0.0, 0.7))
    wide = (0.35 + 0.01 * (ord(text) % 16)) * grown
    low, high = low * grown, high * grown
    edge = min(0.08, (high - low) / 3)
    outer = frame(0.05, -high, 0.05 + wide, -low)
    inner = frame(0.05 + edge, edge - high, 0.05 + wide - edge, -low - edge)
    return outline_of(wide + 0.1, [outer, inner])


def drawn_face() -> Face:
    """Letters in both styles; brackets, sums and roots in three sizes."""
    face: dict[Character, tuple[Outline, ...]] = {}
    for text in CHARACTERS:
        sizes = (1.0, 1.5, 2.5) if text in "()[]{}|∑∫√" else (1.0,)
        face[Character(text)] = tuple(drawn_outline(text, grown) for grown in sizes)
        if text.isalpha() and text.isascii():
            face[Character(text, True)] = (drawn_outline(text, 0.9),)
    return face
