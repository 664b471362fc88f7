"""Points between digits become commas, and no others."""

import numpy as np
import pytest

from san.grammar import parse, to_latex
from san.synth.composer import Composer
from san.synth.formulas.decimal_commas import with_decimal_commas
from tests.synth.test_composer import only


@pytest.mark.parametrize(
    ("points", "commas"),
    [
        ("0.5+x", "0,5+x"),
        (r"\frac{1.25}{x^{2.5}}", r"\frac{1,25}{x^{2,5}}"),
        ("3.14^{2}", "3,14^{2}"),
        ("x.5", "x.5"),
        ("1.", "1."),
        ("a.b", "a.b"),
    ],
)
def test_points_between_digits(points: str, commas: str) -> None:
    assert with_decimal_commas(parse(points)) == parse(commas)


def test_a_share_of_formulas_from_text_has_commas(composer: Composer) -> None:
    names = composer.bank.by_name.keys()
    assert {"1", ".", ","} <= names

    def texts(share: float) -> list[str]:
        settings = only("formula", rename_share=0.0, decimal_commas=share)
        one, rng = Composer(composer.bank, ["1.1"], settings), np.random.default_rng(0)
        return [to_latex(one.sample(rng).tree) for _ in range(30)]

    assert set(texts(0.0)) == {"1.1"}
    assert set(texts(1.0)) == {"1,1"}
    assert set(texts(0.5)) == {"1.1", "1,1"}
