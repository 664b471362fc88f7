"""One wrong reading as HTML: the picture, label and reading side by side, attention step by step.

- Pictures are PNG files as data: addresses, as small as they can be.
- A picture is shown as dark ink on light paper, whichever way the network gets it; the page inverts
  it in dark mode.
- Sixteen shades are enough for ink, and for attention: one colour, more or less transparent.
- Attention has a pixel a cell. The browser stretches it over the picture, which is there only once.
"""

import io
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice
from typing import Any

import numpy as np
from PIL import Image

from san.decoding.engine import Floats
from san.evaluation.compare import differing
from san.evaluation.read import Pixels
from san.evaluation.wrong_readings import ShownStep, WrongReading
from san.grammar import Expression, to_tokens
from san.grammar.mathml import to_mathml
from san.grammar.productions import EMPTY_STRING, EXTEND
from san.model.spec import STRIDE

MAX_STEPS = 80
"""So many are drawn: a reading that found no end would fill the page."""


def wrong_reading_html(wrong: WrongReading) -> str:
    """One `<article>`. Its picture is a variable of the style sheet, so that it is there once."""
    height, width = wrong.pixels.shape
    ink = f"--ink:url({picture_url(wrong.pixels)});--ratio:{width}/{height};--width:{width}px"
    pair = wrong.comparison
    wanted, got = _tokens(pair.truth, wrong.label), _tokens(pair.guess, "")
    marked = differing(wanted, got)
    edits = f"{pair.edits:.0f} token {'edit' if pair.edits == 1 else 'edits'}"
    word = "nothing was read" if pair.silent else edits
    word += f" · confidence {_percent(wrong.reading.probability)}"
    steps = "".join(_steps(wrong))
    return f"""<article style="{ink}">
<h3>{escape(wrong.id)} <small>{word}</small></h3>
<div class="compared">
<div><h4>picture</h4><div class="picture ink" role="img" aria-label="the picture"></div></div>
{_side("written", pair.truth, wanted, marked[0])}
{_side("read", pair.guess, got, marked[1])}
</div>
<ol class="steps">{steps}</ol>
</article>"""


def _side(what: str, tree: Expression | None, tokens: Sequence[str], marked: set[int]) -> str:
    words = " ".join(
        f"<mark>{escape(token)}</mark>" if place in marked else escape(token)
        for place, token in enumerate(tokens)
    )
    math = to_mathml(tree) if tree else ""
    return f'<div class="{what}"><h4>{what}</h4>{math}<code>{words or "(nothing)"}</code></div>'


def _tokens(tree: Expression | None, otherwise: str) -> list[str]:
    return otherwise.split() if tree is None else to_tokens(tree)


def _steps(wrong: WrongReading) -> Iterator[str]:
    if not wrong.reading.steps[0].attention.size:  # nothing is known of single steps
        return
    height, width = wrong.pixels.shape
    for shown in islice(wrong.shown_steps(), MAX_STEPS):
        yield _step(shown, height, width)
    if len(wrong.reading.steps) > MAX_STEPS:
        yield f'<li class="more">and {len(wrong.reading.steps) - MAX_STEPS} more</li>'


def _step(shown: ShownStep, height: int, width: int) -> str:
    rows, columns = shown.attention.shape
    # Cells at the lower and right edges reach beyond the picture.
    size = f"width:{100 * columns * STRIDE / width:.1f}%;height:{100 * rows * STRIDE / height:.1f}%"
    kind = "wrong" if shown.wrong else "mark" if shown.step.target in (EXTEND, EMPTY_STRING) else ""
    return (
        f'<li class="{kind}"><div class="attention"><div class="ink"></div>'
        f'<img alt="" style="{size}" src="{attention_url(shown.attention)}"></div>'
        f"<span><code>{escape(_name(shown))}</code> {_percent(shown.step_probability)}</span></li>"
    )


def _name(shown: ShownStep) -> str:
    if shown.step.target == EXTEND:
        return " ".join(relation.value for relation in shown.step.relations)
    return "end" if shown.step.target == EMPTY_STRING else shown.step.target


def _percent(probability: float) -> str:
    return "&lt; 1%" if probability < 0.01 else f"{100 * probability:.0f}%"


MAX_SIZE = (640, 240)
"""Pixels, width and height, of a picture in the page."""
SHADES = 16
ATTENTION_COLOUR = (232, 89, 12)
MAX_OPACITY = 200
"""Of 255: ink shows through even where attention is highest."""


def picture_url(pixels: Pixels) -> str:
    """The picture, turned over if what is not background is light."""
    light_ink = np.mean(pixels) > np.median(pixels)
    image = Image.fromarray(255 - pixels if light_ink else pixels)
    image.thumbnail(MAX_SIZE, Image.Resampling.LANCZOS)
    shades = (np.asarray(image, np.uint16) * (SHADES - 1) + 127) // 255
    greys = [shade * 255 // (SHADES - 1) for shade in range(SHADES)]
    return _png(shades.astype(np.uint8), [grey for grey in greys for _ in range(3)])


def attention_url(attention: Floats) -> str:
    """Attention as a veil of one colour, highest where it is highest; thin where it is even."""
    weights = np.nan_to_num(attention.astype(np.float64), nan=0, posinf=0, neginf=0).clip(0)
    highest = max(weights.max(), 4 / weights.size)  # four times even attention, or more
    shades = np.rint(weights / highest * (SHADES - 1)).astype(np.uint8)
    opacity = bytes(shade * MAX_OPACITY // (SHADES - 1) for shade in range(SHADES))
    return _png(shades, list(ATTENTION_COLOUR) * SHADES, transparency=opacity)


def _png(shades: Pixels, palette: list[int], **options: Any) -> str:
    image = Image.fromarray(shades).convert("L")
    image = Image.frombytes("P", image.size, image.tobytes())
    image.putpalette(palette)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True, bits=4, **options)
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
