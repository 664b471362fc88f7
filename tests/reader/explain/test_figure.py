"""The picture that explains a reading: whole, bounded, and the same colours everywhere."""

from dataclasses import replace

import numpy as np
import pytest

from san.decoding.reading import Reading
from san.grammar.tree import Relation
from san.reader.explain.canvas import colour_of, tint
from san.reader.explain.figure import MAX_WIDTH, WIDTH, explain
from san.reader.explain.tree import UNSURE_COLOUR
from tests.evaluation.readings import picture, reading

SHOWN = picture((60, 200))
CELLS = (4, 13)
QUADRATIC = r"x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}"


def _sure(latex: str, unsure: int | None = None) -> Reading:
    """Every step as sure as can be, but perhaps one."""
    steps = []
    for index, read in enumerate(reading(latex, CELLS).steps):
        slots = tuple(float(relation in read.step.relations) for relation in Relation)
        chance = 0.4 if index == unsure else 0.999
        steps.append(
            replace(
                read,
                probability=chance,
                relation_probabilities=slots,
                alternatives=((r"\theta", 0.3),),
            )
        )
    return Reading(tuple(steps))


def _has(pixels: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool((pixels == np.array(colour)).all(axis=-1).any())


def test_shows_every_symbol_in_its_own_colour() -> None:
    image = explain(SHOWN, _sure("x+y"), "a title")
    pixels = np.asarray(image)
    assert image.mode == "RGB"
    assert image.width == WIDTH
    for number in range(3):
        assert _has(pixels, tint(colour_of(number), 0.22)), "a box of the tree"
        assert _has(pixels, colour_of(number)), "the bar beside its step"


def test_doubt_is_marked_only_where_there_is_some() -> None:
    assert not _has(np.asarray(explain(SHOWN, _sure(QUADRATIC))), UNSURE_COLOUR)
    assert _has(np.asarray(explain(SHOWN, _sure(QUADRATIC, unsure=0))), UNSURE_COLOUR)


def test_the_confidence_can_come_from_elsewhere() -> None:
    sure = _sure("x")
    own = np.asarray(explain(SHOWN, sure))
    assert (own != np.asarray(explain(SHOWN, sure, confidence=0.2))).any()
    assert (own == np.asarray(explain(SHOWN, sure, confidence=sure.probability))).all()


@pytest.mark.parametrize(
    "latex",
    [
        "",
        "x",
        "+".join("x" * 200),
        "".join(r"\Longleftrightarrow" for _ in range(80)),
        "x" + "^{x" * 60 + "}" * 60,
        r"\frac{a}{" * 30 + "b" + "}" * 30,
        r"{}^{14}C",
        "x^2_3" * 40,
    ],
    ids=["nothing", "one", "long", "wide", "deep", "tower", "scripts-on-nothing", "scripts"],
)
@pytest.mark.slow
def test_any_reading_gives_a_picture_of_bounded_size(latex: str) -> None:
    image = explain(SHOWN, _sure(latex), title=latex)
    assert WIDTH <= image.width <= MAX_WIDTH
    assert image.height <= 2600


@pytest.mark.parametrize("size", [(1, 1), (16, 16), (17, 600), (600, 17), (300, 2200)])
def test_any_picture_will_do(size: tuple[int, int]) -> None:
    cells = tuple(-(-side // 16) for side in size)
    shown = np.full(size, 255, np.uint8)
    image = explain(shown, reading("x^2+y", (cells[0], cells[1])))
    assert WIDTH <= image.width <= MAX_WIDTH


@pytest.mark.slow
def test_says_how_much_is_left_out() -> None:
    fits, overflows = explain(SHOWN, _sure("x" * 40)), explain(SHOWN, _sure("x" * 90))
    more = explain(SHOWN, _sure("x" * 91))
    assert overflows.size == more.size
    assert not _has(np.asarray(fits), UNSURE_COLOUR)
    assert _has(np.asarray(overflows), UNSURE_COLOUR), "the notes are written in this colour"
    assert (np.asarray(overflows) != np.asarray(more)).any(), "50 and 51 more"
