"""Ink: strokes, the files that hold them, and the one way they are drawn."""

from san.ink.draw import Pen, draw, scale_of
from san.ink.inkml import InkLimits, looks_like_inkml, read_inkml, read_many, write_inkml
from san.ink.strokes import Box, Glyph, Ink, InkError, Sheet

__all__ = [
    "Box",
    "Glyph",
    "Ink",
    "InkError",
    "InkLimits",
    "Pen",
    "Sheet",
    "draw",
    "looks_like_inkml",
    "read_inkml",
    "read_many",
    "scale_of",
    "write_inkml",
]
