"""One picture that shows how a formula was read: the attention, the tree, every step.

Design choices
- One colour a symbol, in all three parts: the light on the ink, the box in the tree, the step.
- A reading may be long. The picture is not: at most `MAX_STEPS` steps and the tree's first
  symbols are drawn, and the picture says how many are left out.
- Pillow, numpy and OpenCV: what reading needs anyway.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PIL import Image

from san.decoding.reading import Reading
from san.errors import SanError
from san.grammar import to_latex
from san.grammar.productions import EMPTY_STRING
from san.ink import Box
from san.model.spec import STRIDE
from san.reader.explain.canvas import (
    FINE,
    MUTED,
    Canvas,
    Picture,
    colour_of,
    light,
    lit_picture,
    text_width,
    with_margin,
)
from san.reader.explain.steps import (
    COLUMN,
    GUTTER,
    MAX_STEPS,
    ROW,
    draw_step_card,
    in_percent,
    step_cards,
)
from san.reader.explain.tree import (
    MAX_SYMBOLS,
    UNSURE_BELOW,
    UNSURE_COLOUR,
    Node,
    TreeLayout,
    draw_tree,
    is_unsure,
    measure,
    nodes_of,
)

WIDTH, MAX_WIDTH = 1280, 2400
"""Pixels: the picture's width, and what it may grow to for a wide tree."""
MARGIN, PAD, HEADER, CAPTION, NOTE = 24, 22, 74, 26, 24
MAX_UNREAD = 200
"""Boxes of ink that was not read; more are not drawn."""
MAX_PICTURE_HEIGHT, MAX_ZOOM = 330, 2.6
"""Of the input: pixels, and times its size."""
MIN_PICTURE_WIDTH = 400
"""Pixels that the input needs beside the tree; with less, the tree stands under it."""


class Card(NamedTuple):
    """A part of the picture."""

    caption: str
    note: str  # at the right: what is left out
    width: float
    height: float
    draw: Callable[[Canvas, float, float], None]


def explain(
    picture: Picture,
    reading: Reading,
    title: str = "",
    confidence: float | None = None,
    unread: Sequence[Box] = (),
    notes: Sequence[str] = (),
) -> Image.Image:
    """How a picture (white ink on black) was read.

    Args:
        confidence: The reading's own probability where no better one is known.
        unread: Boxes on the picture of ink that was not read.
        notes: What has to be said of the result, a line each.
    """
    if not reading.steps[0].attention.size:
        raise SanError("this network does not tell where it looks: what it reads is not explained")
    picture = with_margin(picture)
    chain, tree = _tree(reading)
    width = int(max(WIDTH, tree.width + 2 * (MARGIN + PAD)))
    room = width - 2 * MARGIN
    nodes = [node for first in chain for node in first.walk()]
    beside = room - tree.width - MARGIN - 4 * PAD
    stacked = beside < MIN_PICTURE_WIDTH
    seen = _attention_card(picture, nodes, unread, room - 2 * PAD if stacked else beside)
    grown = _tree_card(tree, len(reading.expression))
    rows = [[seen], [grown]] if stacked else [[seen, grown]]
    rows.append([_steps_card(picture, nodes, reading, room - 2 * PAD)])
    heights = [CAPTION + 2 * PAD + max(card.height for card in row) for row in rows]
    header = HEADER + NOTE * len(notes)
    canvas = Canvas(width, round(header + sum(heights) + MARGIN * len(rows)))
    sure = reading.probability if confidence is None else confidence
    _header(canvas, width, title, to_latex(reading.expression), sure, sum(map(is_unsure, nodes)))
    for place, note in enumerate(notes):
        canvas.text(MARGIN, HEADER + NOTE * place, _short(note, 15, room), 15, UNSURE_COLOUR)
    y = float(header)
    for row, height in zip(rows, heights, strict=True):
        _row(canvas, row, y, height, room)
        y += height + MARGIN
    return canvas.finished()


def _tree(reading: Reading) -> tuple[list[Node], TreeLayout]:
    """As much of the tree as there is room for: symbols differ in width, so it is tried."""
    most = MAX_SYMBOLS
    while True:
        chain = nodes_of(reading, most)
        tree = measure(chain)
        if tree.width + 2 * (MARGIN + PAD) <= MAX_WIDTH or most == 1:
            return chain, tree
        most //= 2


def _attention_card(
    picture: Picture, nodes: Sequence[Node], unread: Sequence[Box], width: float
) -> Card:
    rows, columns = picture.shape
    # Small or faint writing that was left out of the picture may lie anywhere.
    on_it = [
        box
        for box in unread
        if min(box.right, box.bottom) > 0 and box.left < columns and box.top < rows
    ]
    lights = (  # one at a time: a long formula on a large picture would fill the memory
        (light(node.read.attention, picture.shape), colour_of(node.number))
        for node in nodes
        if node.read
    )
    zoom = min(width / columns, MAX_PICTURE_HEIGHT / rows, MAX_ZOOM)
    image = lit_picture(picture, lights, zoom * FINE)
    rows, columns = image.shape[:2]

    def draw(canvas: Canvas, x: float, y: float) -> None:
        canvas.paste(x, y, image)
        for box in on_it[:MAX_UNREAD]:
            left, top, right, bottom = ((side + STRIDE) * zoom for side in box)  # with its margin
            around = (x + left - 5, y + top - 5, x + right + 5, y + bottom + 5)
            canvas.dashed_box(around, UNSURE_COLOUR)

    return Card("what it looked at", "", columns / FINE, rows / FINE, draw)


def _tree_card(tree: TreeLayout, symbols: int) -> Card:
    more = symbols - sum(1 for node in tree.walk() if node.read)
    note = f"{more} more symbols are not drawn" if more > 0 else ""

    def draw(canvas: Canvas, x: float, y: float) -> None:
        draw_tree(canvas, tree, x, y)

    return Card("how it is built", note, tree.width, tree.height, draw)


def _steps_card(picture: Picture, nodes: Sequence[Node], reading: Reading, width: float) -> Card:
    shown = step_cards(nodes)[:MAX_STEPS]
    more = sum(read.step.target != EMPTY_STRING for read in reading.steps) - len(shown)
    columns = int((width + GUTTER) // (COLUMN + GUTTER))
    rows = max(-(-len(shown) // columns), 1)

    def draw(canvas: Canvas, x: float, y: float) -> None:
        for place, step in enumerate(shown):
            left, top = place % columns * (COLUMN + GUTTER), place // columns * (ROW + GUTTER)
            draw_step_card(canvas, picture, step, x + left, y + top)

    wide = min(len(shown), columns) * (COLUMN + GUTTER) - GUTTER
    note = f"{more} more steps are not drawn" if more else ""
    return Card("step by step", note, wide, rows * (ROW + GUTTER) - GUTTER, draw)


def _header(
    canvas: Canvas, width: int, title: str, latex: str, confidence: float, doubts: int
) -> None:
    sure = f"{in_percent(confidence)} sure"
    if doubts:
        sure += f", {doubts} in doubt (?)"
    end = width - MARGIN
    canvas.text(end, 30, sure, 19, UNSURE_COLOUR if confidence < UNSURE_BELOW else MUTED, "rm")
    room = end - text_width(sure, 19) - MARGIN - 20
    if title:
        canvas.text(MARGIN, 24, _short(title, 15, room), 15, MUTED)
    latex = latex or "nothing was read"
    canvas.text(MARGIN, 49 if title else 36, _short(latex, 21, room), 21)


def _row(canvas: Canvas, row: Sequence[Card], y: float, height: float, room: float) -> None:
    """Cards side by side; the first takes the room that is left."""
    fixed = sum(card.width + 2 * PAD for card in row[1:]) + MARGIN * (len(row) - 1)
    x = float(MARGIN)
    for place, card in enumerate(row):
        width = room - fixed if place == 0 else card.width + 2 * PAD
        canvas.card((x, y, x + width, y + height))
        canvas.text(x + PAD, y + PAD, card.caption, 14, MUTED)
        canvas.text(x + width - PAD, y + PAD, card.note, 14, UNSURE_COLOUR, "rm")
        spare = height - CAPTION - 2 * PAD - card.height
        card.draw(canvas, x + (width - card.width) / 2, y + CAPTION + PAD + spare / 2)
        x += width + MARGIN


def _short(text: str, size: float, room: float) -> str:
    if text_width(text, size) <= room:
        return text
    while text and text_width(text + "…", size) > room:
        text = text[: -max(1, len(text) // 20)]
    return text + "…"
