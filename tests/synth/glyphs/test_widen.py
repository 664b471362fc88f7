"""Symbols that nobody wrote: all of them can be composed, the same in every process."""

from copy import copy

import numpy as np
import pytest

from san.grammar import parse, to_latex
from san.ink.alphabet import WAYS
from san.synth.composer import Composer
from san.synth.glyphs.bank import Bank
from san.synth.glyphs.copybook import Copybook
from san.synth.glyphs.rules import RULES, SPELLED
from san.synth.glyphs.widen import RULED, paper_of, widened
from san.synth.layout.marks import OVER, RINGS, TEXTED, UNDER

MADE = sorted({*WAYS, *RULES, *SPELLED})
COMMON = (
    r"D \angle O \circ : \therefore \textcircled Q \uparrow \Omega \% U \perp \approx 、 \dot W"
)


def as_written(bank: Bank) -> Bank:
    """The bank before anything was made."""
    own = copy(bank)
    own.of_name = {name: found for name, found in bank.of_name.items() if name not in bank.made}
    return own


def latex_of(name: str) -> str:
    """The shortest formula that has the symbol."""
    return rf"{name}{{x}}" if name in OVER | UNDER | RINGS | TEXTED else rf"{name} x"


def test_the_common_symbols_of_school_are_among_them() -> None:
    assert set(COMMON.split()) <= set(MADE)
    for name in COMMON.split():
        assert len(WAYS[name]) + len(RULES.get(name, ())) >= 3, f"{name} is written in few ways"


@pytest.mark.parametrize("name", MADE)
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


def test_every_process_makes_the_same(composer: Composer) -> None:
    anew = Bank(Copybook())
    assert anew.points.tobytes() == composer.bank.points.tobytes()
    assert anew.names == composer.bank.names


def test_no_two_glyphs_of_a_symbol_are_alike(composer: Composer) -> None:
    for name, glyphs in composer.bank.of_name.items():
        if name in composer.bank.made:
            boxes = {composer.bank.box[glyph] for glyph in glyphs}
            assert len(boxes) > 0.9 * len(glyphs) > 20, name


def test_made_symbols_are_as_large_as_written_ones(composer: Composer) -> None:
    bank = composer.bank

    def height(name: str) -> float:
        sizes = [bank.box[glyph].height / bank.em[glyph] for glyph in bank.of_name[name]]
        return float(np.median(sizes))

    for name in "DOQUWKZJ":
        assert height(name) == pytest.approx(height("A"), rel=0.25), name
    assert height(r"\circ") < 0.6 * height("A")
    assert height(r"\rho") == pytest.approx(height("p"), rel=0.25)


def test_what_the_ink_has_is_never_made(composer: Composer) -> None:
    bank = as_written(composer.bank)
    paper = paper_of(bank)
    assert set(widened(bank, paper)) == composer.bank.made.keys() == set(MADE) - bank.of_name.keys()
    bank.of_name["D"] = bank.of_name["B"]
    assert "D" not in widened(bank, paper)


def test_ink_of_which_nothing_is_known_meets_the_paper_somehow(composer: Composer) -> None:
    bank = as_written(composer.bank)
    bank.of_name = {}
    assert paper_of(bank) == RULED
