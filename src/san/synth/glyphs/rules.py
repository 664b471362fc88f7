r"""Rules that put symbols which the ink lacks together from written glyphs: a table and its parser.

A rule is parts joined by "&". A part is "glyph left,top right,bottom": a written glyph, and the box
that it fills on the alphabet's ruled paper (`san.ink.alphabet_letters`); with "?" for the right
edge it keeps its proportions. Before it is put there, "@90" turns it clockwise, "@mirror" mirrors
it, and "@level" shears it until its lower arm is level. All parts of a symbol are by one writer.
"""

from typing import NamedTuple


class Part(NamedTuple):
    """One part of a rule."""

    name: str
    change: str  # a turn in degrees, "mirror", "level" or nothing
    left: float
    top: float
    right: float  # NaN: as its height has it
    bottom: float


def parts_of(rule: str) -> list[Part]:
    """The parts of a rule in the order in which they are written."""
    parts = []
    for words in rule.split(" & "):
        glyph, start, end = words.split()
        name, _, change = glyph.partition("@")
        left, top = map(float, start.split(","))
        right, bottom = (float("nan") if side == "?" else float(side) for side in end.split(","))
        parts.append(Part(name, change, left, top, right, bottom))
    return parts


RULES: dict[str, tuple[str, ...]] = {
    "D": ("| 0.4,3 1,20.4 & ) 0.8,3 8.6,20",),
    "O": ("o 0,3 ?,20", "0 0,3 11,20"),
    "Q": ("0 0,3 10.6,19.6 & /@90 6,14 11.4,21", "o 0,3 ?,19.6 & /@90 7,15 12,21.6"),
    "U": ("u 0,3 ?,20",),
    "W": ("w 0,3 ?,20",),
    "K": ("k 0,3 ?,20",),
    "Z": ("z 0,3 ?,20",),
    r"\rho": ("p 0,10 ?,27.6",),
    r"\varphi": (r"\phi 0,7 ?,26",),
    r"\Lambda": ("V@180 0,3 ?,20",),
    r"\angle": ("<@level 0,6 10.6,19.8", "<@level 0,9 12,19.4"),
    r"\circ": ("o 0,9 ?,17", "0 0,9 ?,17.4", "0 0,9.4 7.4,16.6"),
    ":": (". 0,10 1,11 & . 0,18 1,19",),
    ";": (". 1,10.6 2,11.6 & , 0,18 1.8,23.4",),
    r"\therefore": (". 0,18 1,19 & . 8,18 9,19 & . 4,10 5,11",),
    r"\because": (". 0,10 1,11 & . 8,10 9,11 & . 4,18 5,19",),
    r"\%": (
        "/ 1.4,2.6 10,20.6 & o 0,3 4.6,8.6 & o 7.4,14 12,19.8",
        "/ 1.4,2.6 10.4,20.6 & 0 0,3.4 5,9 & 0 7,13.6 12,19.6",
    ),
    r"\uparrow": (r"\rightarrow@-90 0,3 7.6,20.4",),
    r"\downarrow": (r"\rightarrow@90 0,3 7.6,20.4",),
    r"\leftarrow": (r"\rightarrow@180 0,9 16.6,17",),
    r"\Rightarrow": ("= 0,11 13,15.6 & > 9.6,7.6 16.4,18.6",),
    r"\Leftarrow": ("= 3.4,11 16.4,15.6 & < 0,7.6 6.8,18.6",),
    r"\Leftrightarrow": ("= 4,11 15.6,15.6 & < 0,7.6 6.4,18.6 & > 13,7.6 19.6,18.6",),
    r"\rightleftharpoons": (r"\rightarrow 0,7.6 16,13 & \rightarrow@180 0,13.8 16,19",),
    r"\perp": ("T@180 0,5 12,20",),
    r"\sim": ("S@90 0,10 13,16", "s@90 0,10.4 12,15.6"),
    r"\cong": (r"\sim 0.4,6 10.4,9.4 & = 0,12 11,16.6",),
    r"\equiv": ("= 0,9.4 10,13.6 & - 0,17.6 10,18.2",),
    "、": (",@mirror 0,16.6 2.6,20.6",),
    "。": ("o 0,16 ?,20.8", "0 0,16 ?,20.6"),
    '"': (r"\prime 0,1 ?,6.6 & \prime 3,1 ?,6.6",),
    r"\geqslant": ("> 0,5 9,14.6 & - 0,17 9,18",),
    r"\leqslant": ("< 0,5 9,14.6 & - 0,17 9,18",),
    r"\_": ("- 0,20 12,20.6",),
    r"\bigcirc": ("0 0,3 17,20",),
    r"\vdots": (r"\ldots@90 0.6,5 1.6,20",),
    r"\triangle": (r"\Delta 0,4 ?,19.6",),
    r"\parallel": ("/ 0,3 4,20 & / 4.6,3 8.6,20",),
    r"\textcircled": ("0 0,0 18,18",),
    r"\overrightarrow": (r"\rightarrow 0,8.6 17,17",),
    r"\vec": (r"\rightarrow 0,8.6 17,17",),
    r"\xrightarrow": (r"\rightarrow 0,8.6 17,17",),
    r"\xlongequal": ("= 0,10.6 16,15.6",),
    r"\overline": ("- 0,1 12,2", r"\frac 0,1 14,2"),
    r"\bar": ("- 0,1 12,2",),
    r"\underline": ("- 0,1 12,2", r"\frac 0,1 14,2"),
    r"\widehat": ("<@90 0,0 10,4",),
    r"\hat": ("<@90 0,0 10,4",),
    r"\dot": (". 0,0 1,1",),
    r"\ddot": (". 0,0 1,1 & . 4.4,0 5.4,1",),
}

SPELLED: dict[str, str] = {
    r"\min": "min",
    r"\max": "max",
    r"\ln": "ln",
    r"\lg": "lg",
    r"\cot": "cot",
    r"\arcsin": "arcsin",
    r"\arccos": "arccos",
    r"\arctan": "arctan",
}
"""Symbols that are written letter by letter."""
