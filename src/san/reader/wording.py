"""What is said of a result in plain lines: how sure it is, what was not read, what is in doubt.

Every face says the same words: the command line, JSON, HTTP, the page, a notebook.

- "Doubtful" never stands without what the doubt is about. Mostly it is a symbol; where each symbol
  is sure and the whole is not, `doubts` names what else it can be: ink that was not read, a second
  reading that is nearly as likely, the layout somewhere, a photograph, a long formula.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from san.decoding.reading import Reading
from san.grammar import Expression, to_tokens
from san.grammar.productions import EXTEND
from san.ink import Box
from san.reader.prepared import Location
from san.reader.rescoring.sums import check_sums
from san.reader.side_by_side import Gap
from san.reader.symbols import Symbol

SURE, FAIRLY_SURE = 0.85, 0.5
"""Confidences from which on they are put into such words."""
SURE_SYMBOL = 0.8
"""Probability under which a symbol, or the layout around it, is in doubt."""
NO_FORMULA = 0.5
"""Mean probability of a step under which it may be no formula that was read."""
HARDLY_A_FORMULA = 0.001
"""Confidence under which it may be none, either."""
LINE_PIECES = 3
"""So many pieces of ink that were not read may be another line."""
RIVAL_SHARE = 0.25
"""Of the best reading's confidence: a second reading that has less is no reason to doubt."""
MAX_RIVAL_TOKENS = 6
"""Of the place where two readings differ; a longer one is not shown."""
EDGE_PIXELS, MAX_EDGES = 1.5, 2
"""From ink to the edge that it was cut off by; and edges of a picture that was not cut to size."""
LONG = 20
"""Symbols from which on a formula is a long one."""


def confidence_words(confidence: float) -> str:
    if confidence >= SURE:
        return "sure"
    return "fairly sure" if confidence >= FAIRLY_SURE else "doubtful"


def unread_note(unread: Sequence[Box], read: Sequence[Box], of_ink: bool) -> str:
    """What was not read, and where it lies; nothing where all was read.

    Args:
        unread: Boxes of strokes, or of connected parts of a picture.
        read: Boxes of the symbols that were read. Both as upright as they were read.
    """
    if not unread:
        return ""
    what = _counted(len(unread), "stroke" if of_ink else "part of the picture")
    if not read:
        return f"nothing was read of {what}"
    were = f"{what} {'was' if len(unread) == 1 else 'were'} not read"
    side = side_of(hull(unread), hull(read))
    if side in ("above", "below") and len(unread) >= LINE_PIECES:
        return f"{were}: another line {side}?"
    where = {"left": "to the left", "right": "to the right", "": "among the symbols"}
    return f"{were}, {where.get(side, side)}"


def view_notes(turned: float, on_desk: bool, by_few: bool = False) -> list[str]:
    """What was done to a picture before it was read; nothing where it was read as it lies.

    Args:
        by_few: It was turned by what a few symbols tell.
    """
    notes = []
    if on_desk:
        notes.append("a sheet was found on the picture, cut out and set straight")
    if turned:
        way = "clockwise" if turned > 0 else "anticlockwise"
        half = abs(turned) == 180
        notes.append("turned upside down" if half else f"turned {way} by {abs(turned):.0f} degrees")
    if by_few:
        notes.append("so few symbols hardly tell how the picture lies")
    return notes


def crossed_out_note(crossed_out: Sequence[Location], all_of_it: bool = False) -> str:
    """What was left out since it is crossed out; nothing where nothing is."""
    if not crossed_out:
        return ""
    if all_of_it:
        return "all of it is crossed out: what lies below was read"
    strokes = {number for place in crossed_out for number in place.strokes or ()}
    count = len(strokes) or len(crossed_out)
    what = _counted(count, "stroke" if strokes else "part of the picture")
    return f"{what} {'is' if count == 1 else 'are'} crossed out, and left out"


def sums_note(read: Expression, whatever_sums: Expression | None) -> str:
    """Where a sum decided: a pupil's mistake must not be mended in silence.

    Args:
        whatever_sums: What would be read if no sum were checked, where that is something else.
    """
    if whatever_sums is None:
        return ""
    comes_out = check_sums(read).right > check_sums(whatever_sums).right
    so = "the sum comes out" if comes_out else "no sum is wrong"
    return f"read so that {so}; by the ink alone {_difference(read, whatever_sums)}"


def side_by_side_note(gaps: Sequence[Gap]) -> str:
    """Where formulas may stand side by side that were read as one."""
    if not gaps:
        return ""
    what = "a wide gap" if len(gaps) == 1 else f"{len(gaps)} wide gaps, the first"
    between = f"between {gaps[0].before} and {gaps[0].after}"
    return f"{what} {between}: perhaps several formulas side by side"


def edge_note(read: Sequence[Box], width: float, height: float) -> str:
    """Where a formula may go on beyond the picture; nothing where it keeps off the edges, and where
    it reaches most of them: that was cut close around it.

    Args:
        read: Boxes of the symbols that were read, in pixels of the picture.
    """
    if not read:
        return ""
    left, top, right, bottom = hull(read)
    rooms = (left, top, width - right, height - bottom)
    if not 0 < sum(room <= EDGE_PIXELS for room in rooms) <= MAX_EDGES:
        return ""
    return "it reaches the edge of the picture: perhaps it goes on beyond"


def limit_note(cut: bool) -> str:
    """Where a reading was not let to its end."""
    return "the limit of steps was reached: not all of the formula was read" if cut else ""


def hull(boxes: Sequence[Box]) -> Box:
    """The smallest box around some."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


def side_of(one: Box, other: Box) -> str:
    """On which side of the other the middle of one lies: farthest beyond its edge; "": within."""
    x, y = (one.left + one.right) / 2, (one.top + one.bottom) / 2
    beyond = {
        "above": other.top - y,
        "below": y - other.bottom,
        "left": other.left - x,
        "right": x - other.right,
    }
    side = max(beyond, key=lambda name: beyond[name])
    return side if beyond[side] > 0 else ""


def doubts(
    reading: Reading,
    confidence: float,
    symbols: Sequence[Symbol],
    unread: Sequence[Location],
    photographed: bool,
    rival: tuple[Expression, float] | None,
) -> tuple[str, ...]:
    """What the doubt is about, where a reading is not sure: at least one line then.

    Args:
        rival: The second-best reading and its confidence, where one is known.
    """
    if confidence >= SURE:
        return ()
    lines = ["this may be no formula"] if may_be_no_formula(reading, confidence) else []
    lines += [
        f"{symbol.name or 'a script on nothing'} may be {_first(symbol)}"
        for symbol in symbols
        if symbol.probability < SURE_SYMBOL and symbol.alternatives
    ]
    if unread:
        lines.append("ink was not read")
    lines += _layout_doubts(reading)
    if rival is not None and rival[1] >= RIVAL_SHARE * confidence:
        lines.append(_difference(reading.expression, rival[0]))
    if photographed:
        lines.append("photographs are misread more often than ink")
    if len(symbols) >= LONG:
        lines.append(f"a long formula, {len(symbols)} symbols")
    if not lines and symbols:
        least = min(symbols, key=lambda symbol: symbol.probability)
        lines.append(f"several small doubts; the least sure symbol is {least.name}")
    return tuple(dict.fromkeys(lines)) or ("nothing was read",)


def may_be_no_formula(reading: Reading, confidence: float) -> bool:
    return reading.mean_probability < NO_FORMULA or confidence < HARDLY_A_FORMULA


def doubt_note(confidence: float, about: Sequence[str], most: int = 3) -> str:
    """One line for who did not ask how sure it is; nothing where it is at least fairly sure."""
    if confidence >= FAIRLY_SURE:
        return ""
    return f"doubtful, {confidence:.0%} sure: {'; '.join(about[:most])}"


def _first(symbol: Symbol) -> str:
    return symbol.alternatives[0][0]


def _layout_doubts(reading: Reading) -> list[str]:
    steps = reading.steps
    return [
        f"the layout around {steps[read.step.parent].step.target}"
        for read in steps
        if read.step.target == EXTEND
        and read.step.parent >= 0
        and steps[read.step.parent].step.target != EXTEND
        and read.step_probability < SURE_SYMBOL
    ]


def _difference(best: Expression, second: Expression) -> str:
    """Where the two differ first."""
    one, other = to_tokens(best), to_tokens(second)
    for kind, start, end, second_start, second_end in SequenceMatcher(
        None, one, other, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        if max(end - start, second_end - second_start) > MAX_RIVAL_TOKENS:
            break
        here, there = " ".join(one[start:end]), " ".join(other[second_start:second_end])
        if here and there:
            return f"{here} may be {there}"
        return f"perhaps with {there}" if there else f"perhaps without {here}"
    return "another reading is nearly as likely"


def _counted(count: int, noun: str) -> str:
    if count == 1:
        return f"1 {noun}"
    head, _, tail = noun.partition(" ")
    return f"{count} {head}s{' ' + tail if tail else ''}"
