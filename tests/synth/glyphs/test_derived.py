"""Symbols out of written glyphs, by rule."""

import numpy as np
import pytest

from san.ink.strokes import Points
from san.synth.composer import Composer
from san.synth.glyphs.derived import Maker, Paper, Part, parts_of
from san.synth.glyphs.drawn import Piece
from san.synth.glyphs.rules import RULES, SPELLED
from san.synth.glyphs.widen import paper_of
from tests.synth.glyphs.test_widen import as_written


@pytest.fixture
def maker(composer: Composer) -> Maker:
    return Maker(as_written(composer.bank), paper_of(composer.bank), np.random.default_rng(0))


def strokes(piece: Piece) -> list[Points]:
    points, lengths = piece
    return np.split(points, np.cumsum(lengths)[:-1])


def extent(points: Points) -> list[float]:
    return [*points.min(axis=0).tolist(), *points.max(axis=0).tolist()]


def test_a_rule_is_read_as_parts() -> None:
    one, two = parts_of("0 0,3 10.6,19.6 & /@90 6,14 ?,21")
    assert one == Part("0", "", 0, 3, 10.6, 19.6)
    assert two[:4] == ("/", "90", 6, 14)
    assert np.isnan(two.right)
    assert two.bottom == 21


@pytest.mark.parametrize("name", RULES)
def test_all_rules_are_sound(name: str) -> None:
    for rule in RULES[name]:
        for part in parts_of(rule):
            assert part.name != name, "made of itself"
            assert not part.right < part.left
            assert -2 <= part.top < part.bottom <= 28
            assert part.change in {"", "mirror", "level", "90", "-90", "180"}


def test_parts_fill_their_boxes(maker: Maker) -> None:
    for group in maker.derived("A 0,3 10,20 & x 20,10 ?,20", hands=3, each=2):
        for piece in group:
            own = strokes(piece)
            assert extent(np.concatenate(own[:2])) == pytest.approx([0, 3, 10, 20], abs=4)
            assert extent(np.concatenate(own[2:]))[:2] == pytest.approx([20, 10], abs=4)


def test_turned_and_mirrored(maker: Maker) -> None:
    ((piece,),) = maker.derived("T@180 0,5 12,20", hands=1, each=1)
    bar, stem = strokes(piece)
    assert np.ptp(bar[:, 0]) > 5
    assert bar[:, 1].mean() > stem[:, 1].mean() + 3, "a T on its head"
    ((piece,),) = maker.derived("/@mirror 0,0 10,20", hands=1, each=1)
    (stroke,) = strokes(piece)
    top, bottom = stroke[stroke[:, 1].argmin()], stroke[stroke[:, 1].argmax()]
    assert top[0] < bottom[0], "falls to the right"


def test_an_angle_has_a_level_lower_arm(maker: Maker) -> None:
    for group in maker.derived(RULES[r"\angle"][0], hands=4, each=3):
        for points, _ in group:
            corner = points[points[:, 0].argmin()]
            end = points[(points[:, 0] + points[:, 1]).argmax()]
            assert abs(corner[1] - end[1]) < 0.25 * np.ptp(points[:, 1])
            assert points[:, 1].min() < corner[1] - 5


def test_dots_keep_their_size(maker: Maker) -> None:
    for group in maker.derived(RULES[":"][0], hands=2, each=3):
        for piece in group:
            over, under = strokes(piece)
            assert np.ptp(over, axis=0).max() < 3
            assert under[:, 1].min() > over[:, 1].max() + 3


def test_all_parts_are_of_one_hand_where_one_wrote_them(maker: Maker) -> None:
    bank = maker.bank
    hands = {hand for _, hand in bank.of_hand}
    assert set(maker._writers(["=", ">"], 99)) == hands
    assert maker._writers(["=", r"\sim"], 2)[0] in hands, "what nobody wrote is drawn"


def test_what_nobody_can_make_is_known(maker: Maker) -> None:
    assert maker.can(["=", r"\sim"])
    assert not maker.can([r"\aleph", "="])
    assert not maker.can([r"\angle"]), "there is nothing written in it"


@pytest.mark.parametrize("name", SPELLED)
def test_words_are_letters_side_by_side(maker: Maker, name: str) -> None:
    word = SPELLED[name]
    for group in maker.spelled(word, hands=2, each=2):
        for piece in group:
            lefts = [own[:, 0].min() for own in strokes(piece)]
            assert len(lefts) >= len(word)
            assert np.ptp(piece[0][:, 0]) > 4 * len(word)


def test_paper_is_measured_on_letters(composer: Composer) -> None:
    paper = paper_of(composer.bank)
    assert isinstance(paper, Paper)
    assert 10 < paper.em < 30
    assert 9 < paper.axis < 16
