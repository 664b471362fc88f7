"""One wrong reading as HTML: the picture, label and reading side by side, and every step's look."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice

from san.evaluation.difference import differing
from san.evaluation.gallery import CELL, Exhibit, Look
from san.evaluation.pictures import attention_url, picture_url
from san.grammar import Expression, to_tokens
from san.grammar.mathml import to_mathml
from san.grammar.productions import EMPTY_STRING, EXTEND

MAX_STEPS = 80
"""So many are drawn: a reading that found no end would fill the page."""


def exhibit(shown: Exhibit) -> str:
    """One `<article>`. Its picture is a variable of the style sheet, so that it is there once."""
    height, width = shown.pixels.shape
    ink = f"--ink:url({picture_url(shown.pixels)});--ratio:{width}/{height};--width:{width}px"
    pair = shown.comparison
    wanted, got = _tokens(pair.truth, shown.label), _tokens(pair.guess, "")
    marked = differing(wanted, got)
    edits = f"{pair.edits:.0f} token {'edit' if pair.edits == 1 else 'edits'}"
    word = "nothing was read" if pair.silent else edits
    word += f" · confidence {_percent(shown.reading.probability)}"
    steps = "".join(_steps(shown))
    return f"""<article style="{ink}">
<h3>{escape(shown.id)} <small>{word}</small></h3>
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


def _steps(shown: Exhibit) -> Iterator[str]:
    height, width = shown.pixels.shape
    for look in islice(shown.looks(), MAX_STEPS):
        yield _step(look, height, width)
    if len(shown.reading.steps) > MAX_STEPS:
        yield f'<li class="more">and {len(shown.reading.steps) - MAX_STEPS} more</li>'


def _step(look: Look, height: int, width: int) -> str:
    rows, columns = look.attention.shape
    # Cells at the lower and right edges reach beyond the picture.
    size = f"width:{100 * columns * CELL / width:.1f}%;height:{100 * rows * CELL / height:.1f}%"
    kind = "wrong" if look.wrong else "mark" if look.step.target in (EXTEND, EMPTY_STRING) else ""
    return (
        f'<li class="{kind}"><div class="look"><div class="ink"></div>'
        f'<img alt="" style="{size}" src="{attention_url(look.attention)}"></div>'
        f"<span><code>{escape(_name(look))}</code> {_percent(look.surety)}</span></li>"
    )


def _name(look: Look) -> str:
    if look.step.target == EXTEND:
        return " ".join(relation.value for relation in look.step.relations)
    return "end" if look.step.target == EMPTY_STRING else look.step.target


def _percent(probability: float) -> str:
    return "&lt; 1%" if probability < 0.01 else f"{100 * probability:.0f}%"
