import numpy as np
import pytest

from san.images.clean.components import find_components, scale_of, stroke_width
from san.ink.draw import Pen, draw
from san.ink.draw import scale_of as ink_scale
from tests.ink.formulas import fraction, quadratic


@pytest.mark.parametrize("width", [2, 3, 4, 5, 8])
def test_the_width_of_strokes(width: int) -> None:
    ink = quadratic().ink
    mask = draw(ink, Pen(width=width), 3 * ink_scale(ink)) // 255
    assert stroke_width(mask) == pytest.approx(width, rel=0.25)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0, 4.0])
def test_writing_is_brought_to_the_fields_size(scale: float) -> None:
    """Pieces of ink stand for strokes: on CROHME to 10%; these two formulas lie within 12%."""
    for ink in (quadratic().ink, fraction().ink):
        mask = draw(ink, Pen(width=2), scale * ink_scale(ink)) // 255
        assert scale_of(find_components(mask).stats, 2) == pytest.approx(1 / scale, rel=0.12)


def test_a_lone_bar_is_measured_by_its_length_and_a_dot_by_the_pen() -> None:
    bar = np.zeros((50, 200), np.uint8)
    bar[20:24, 20:140] = 1
    assert scale_of(find_components(bar).stats, 4) == pytest.approx(29.4 / 116, rel=0.01)
    dot = np.zeros((50, 50), np.uint8)
    dot[20:26, 20:26] = 1
    assert scale_of(find_components(dot).stats, 6) == pytest.approx(0.5)


@pytest.mark.parametrize("side", [505, 513])
def test_no_picture_has_too_many_pieces(side: int) -> None:
    """Labels are short where they suffice: the smaller of these pictures has 64,009 pieces."""
    mask = np.zeros((side, side), np.uint8)
    mask[::2, ::2] = 1
    found = find_components(mask)
    assert len(found.stats) == ((side + 1) // 2) ** 2 == found.labels.max()
    assert (found.stats[:, 2:] == 1).all()
