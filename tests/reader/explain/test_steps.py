"""Steps one by one: in reading order, near what was looked at, and never certain."""

import numpy as np

from san.reader.explain.canvas import Canvas, colour_of, with_margin
from san.reader.explain.steps import (
    COLUMN,
    CROP_HEIGHT,
    ROW,
    StepCard,
    _crop,
    draw_step_card,
    in_percent,
    step_cards,
)
from san.reader.explain.tree import nodes_of
from tests.evaluation.readings import reading


def test_steps_come_in_reading_order_each_in_the_colour_of_its_symbol() -> None:
    nodes = [node for first in nodes_of(reading(r"a^2\frac{b}{c}")) for node in first.walk()]
    steps = step_cards(nodes)
    names = [step.read.step.target for step in steps]
    assert names == ["a", "<extend>", "2", r"\frac", "<extend>", "b", "c"]
    numbers = [0, 0, 1, 2, 2, 3, 4]
    assert [step.colour for step in steps] == [colour_of(number) for number in numbers]


def test_a_look_is_cut_out_where_it_is() -> None:
    picture = np.zeros((160, 640), np.uint8)
    picture[80:96, 480:496] = 255  # the cell in row 5, column 30
    first = reading("x", (10, 40)).steps[0]
    there = np.zeros((10, 40), np.float32)
    there[5, 30] = 1
    look = _crop(
        with_margin(picture), StepCard(type(first)(first.step, 1, (0,) * 7, there), (0, 0, 200))
    )
    assert look.shape == (2 * CROP_HEIGHT, 2 * (COLUMN - 8), 3)
    middle = look[CROP_HEIGHT - 8 : CROP_HEIGHT + 8, COLUMN - 16 : COLUMN]
    assert middle.mean() < 90, "the ink is in the middle"


def test_every_kind_of_step_can_be_drawn() -> None:
    latex = r"\overset{a}{\underset{b}{X}}_{c}^{d}\Longleftrightarrow\sqrt[3]{x}"
    nodes = [node for first in nodes_of(reading(latex, (4, 13))) for node in first.walk()]
    for step in step_cards(nodes):
        canvas = Canvas(COLUMN + 20, ROW + 20)
        empty = np.asarray(canvas.finished())
        draw_step_card(canvas, with_margin(np.zeros((60, 200), np.uint8)), step, 10, 10)
        assert (np.asarray(canvas.finished()) != empty).any()


def test_percents_never_claim_certainty() -> None:
    shown = [in_percent(chance) for chance in (0.0, 0.5, 0.99, 0.999, 1.0)]
    assert shown == ["0%", "50%", "99%", ">99%", ">99%"]
