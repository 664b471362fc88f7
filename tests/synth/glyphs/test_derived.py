"""Symbols that the ink lacks: by rule, spelled or drawn; all can be composed, always the same."""

from copy import copy

import numpy as np
import pytest

from san.grammar import parse, to_latex
from san.ink.alphabet import VARIANTS
from san.ink.strokes import Points
from san.synth.composer import Composer
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.config import DerivedConfig
from san.synth.glyphs.copybook import Copybook
from san.synth.glyphs.derived import (
    RULES,
    SPELLED,
    Deriver,
    Part,
    RuledPaper,
    derive,
    parts_of,
    ruled_paper_of,
)
from san.synth.glyphs.drawn import GlyphInk
from san.synth.layout.marks import OVER, RINGS, TEXTED, UNDER

pytestmark = pytest.mark.slow  # its fixtures take seconds to make

DERIVED = sorted({*VARIANTS, *RULES, *SPELLED})
COMMON = (
    r"D \angle O \circ : \therefore \textcircled Q \uparrow \Omega \% U \perp \approx 、 \dot W"
)


def as_written(bank: GlyphBank) -> GlyphBank:
    """The bank before anything was derived."""
    own = copy(bank)
    own.by_name = {name: found for name, found in bank.by_name.items() if name not in bank.derived}
    return own


def latex_of(name: str) -> str:
    """The shortest formula that has the symbol."""
    return rf"{name}{{x}}" if name in OVER | UNDER | RINGS | TEXTED else rf"{name} x"


def test_the_common_symbols_of_school_are_among_them() -> None:
    assert set(COMMON.split()) <= set(DERIVED)
    for name in COMMON.split():
        assert len(VARIANTS[name]) + len(RULES.get(name, ())) >= 3, f"{name} is written in few ways"


@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.slow
def test_every_one_can_be_composed(composer: Composer, name: str) -> None:
    tree = parse(latex_of(name))
    assert name in [visit.symbol.name for visit in tree.walk()], to_latex(tree)
    for seed in range(3):
        made = composer.compose(tree, np.random.default_rng(seed))
        again = composer.compose(tree, np.random.default_rng(seed))
        assert made.picture.tobytes() == again.picture.tobytes()
        rows = made.boxes[~np.isnan(made.boxes).any(axis=1)]
        assert len(rows) == len(tree)
        assert (rows[:, :2] < rows[:, 2:]).all()


@pytest.mark.slow
def test_every_process_derives_the_same(composer: Composer) -> None:
    anew = build_bank(Copybook())
    assert anew.points.tobytes() == composer.bank.points.tobytes()
    assert anew.names == composer.bank.names


@pytest.mark.slow
def test_no_two_glyphs_of_a_symbol_are_alike(composer: Composer) -> None:
    for name, glyphs in composer.bank.by_name.items():
        if name in composer.bank.derived:
            boxes = {composer.bank.box[glyph] for glyph in glyphs}
            assert len(boxes) > 0.9 * len(glyphs) > 20, name


def test_derived_symbols_are_as_large_as_written_ones(composer: Composer) -> None:
    bank = composer.bank

    def height(name: str) -> float:
        sizes = [bank.box[glyph].height / bank.em[glyph] for glyph in bank.by_name[name]]
        return float(np.median(sizes))

    for name in "DOQUWKZJ":
        assert height(name) == pytest.approx(height("A"), rel=0.25), name
    assert height(r"\circ") < 0.6 * height("A")
    assert height(r"\rho") == pytest.approx(height("p"), rel=0.25)


@pytest.mark.slow
def test_what_the_ink_has_is_never_derived(composer: Composer) -> None:
    bank = as_written(composer.bank)
    paper = ruled_paper_of(bank)
    assert (
        set(derive(bank, paper))
        == composer.bank.derived.keys()
        == set(DERIVED) - bank.by_name.keys()
    )
    bank.by_name["D"] = bank.by_name["B"]
    assert "D" not in derive(bank, paper)


def test_ink_of_which_nothing_is_known_meets_the_paper_somehow(composer: Composer) -> None:
    bank = as_written(composer.bank)
    bank.by_name = {}
    assert ruled_paper_of(bank) == DerivedConfig().default_paper


@pytest.fixture
def deriver(composer: Composer) -> Deriver:
    return Deriver(
        as_written(composer.bank), ruled_paper_of(composer.bank), np.random.default_rng(0)
    )


def strokes(piece: GlyphInk) -> list[Points]:
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


def test_parts_fill_their_boxes(deriver: Deriver) -> None:
    for group in deriver.by_rule("A 0,3 10,20 & x 20,10 ?,20", writers=3, each=2):
        for piece in group:
            own = strokes(piece)
            assert extent(np.concatenate(own[:2])) == pytest.approx([0, 3, 10, 20], abs=4)
            assert extent(np.concatenate(own[2:]))[:2] == pytest.approx([20, 10], abs=4)


def test_turned_and_mirrored(deriver: Deriver) -> None:
    ((piece,),) = deriver.by_rule("T@180 0,5 12,20", writers=1, each=1)
    bar, stem = strokes(piece)
    assert np.ptp(bar[:, 0]) > 5
    assert bar[:, 1].mean() > stem[:, 1].mean() + 3, "a T on its head"
    ((piece,),) = deriver.by_rule("/@mirror 0,0 10,20", writers=1, each=1)
    (stroke,) = strokes(piece)
    top, bottom = stroke[stroke[:, 1].argmin()], stroke[stroke[:, 1].argmax()]
    assert top[0] < bottom[0], "falls to the right"


def test_an_angle_has_a_level_lower_arm(deriver: Deriver) -> None:
    for group in deriver.by_rule(RULES[r"\angle"][0], writers=4, each=3):
        for points, _ in group:
            corner = points[points[:, 0].argmin()]
            end = points[(points[:, 0] + points[:, 1]).argmax()]
            assert abs(corner[1] - end[1]) < 0.25 * np.ptp(points[:, 1])
            assert points[:, 1].min() < corner[1] - 5


def test_dots_keep_their_size(deriver: Deriver) -> None:
    for group in deriver.by_rule(RULES[":"][0], writers=2, each=3):
        for piece in group:
            over, under = strokes(piece)
            assert np.ptp(over, axis=0).max() < 3
            assert under[:, 1].min() > over[:, 1].max() + 3


def test_all_parts_are_by_one_writer_who_wrote_them(deriver: Deriver) -> None:
    bank = deriver.bank
    writers = {writer for _, writer in bank.by_writer}
    assert set(deriver._writers(["=", ">"], 99)) == writers
    assert deriver._writers(["=", r"\sim"], 2)[0] in writers, "what nobody wrote is drawn"


def test_what_cannot_be_derived_is_known(deriver: Deriver) -> None:
    assert deriver.is_possible(["=", r"\sim"])
    assert not deriver.is_possible([r"\aleph", "="])
    assert not deriver.is_possible([r"\angle"]), "there is nothing written in it"


@pytest.mark.parametrize("name", SPELLED)
def test_words_are_letters_side_by_side(deriver: Deriver, name: str) -> None:
    word = SPELLED[name]
    for group in deriver.by_spelling(word, writers=2, each=2):
        for piece in group:
            lefts = [own[:, 0].min() for own in strokes(piece)]
            assert len(lefts) >= len(word)
            assert np.ptp(piece[0][:, 0]) > 4 * len(word)


def test_paper_is_measured_on_letters(composer: Composer) -> None:
    paper = ruled_paper_of(composer.bank)
    assert isinstance(paper, RuledPaper)
    assert 10 < paper.em < 30
    assert 9 < paper.axis < 16
