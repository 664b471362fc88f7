"""Steps one by one: in reading order, near what was looked at, and never certain."""

import numpy as np

from san.reader.explain.canvas import Canvas
from san.reader.explain.heatmap import colour_of, framed
from san.reader.explain.paths import tree_of
from san.reader.explain.steps import (
    COLUMN,
    LOOK,
    ROW,
    Shown,
    _look,
    draw_step,
    in_percent,
    steps_of,
)
from tests.evaluation.readings import reading


def test_steps_come_in_reading_order_each_in_the_colour_of_its_symbol() -> None:
    nodes = [node for first in tree_of(reading(r"a^2\frac{b}{c}")) for node in first.walk()]
    steps = steps_of(nodes)
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
    look = _look(framed(picture), Shown(type(first)(first.step, 1, (0,) * 7, there), (0, 0, 200)))
    assert look.shape == (2 * LOOK, 2 * (COLUMN - 8), 3)
    middle = look[LOOK - 8 : LOOK + 8, COLUMN - 16 : COLUMN]
    assert middle.mean() < 90, "the ink is in the middle"


def test_every_kind_of_step_can_be_drawn() -> None:
    latex = r"\overset{a}{\underset{b}{X}}_{c}^{d}\Longleftrightarrow\sqrt[3]{x}"
    nodes = [node for first in tree_of(reading(latex, (4, 13))) for node in first.walk()]
    for step in steps_of(nodes):
        canvas = Canvas(COLUMN + 20, ROW + 20)
        empty = np.asarray(canvas.finished())
        draw_step(canvas, framed(np.zeros((60, 200), np.uint8)), step, 10, 10)
        assert (np.asarray(canvas.finished()) != empty).any()


def test_percents_never_claim_certainty() -> None:
    shown = [in_percent(chance) for chance in (0.0, 0.5, 0.99, 0.999, 1.0)]
    assert shown == ["0%", "50%", "99%", ">99%", ">99%"]
