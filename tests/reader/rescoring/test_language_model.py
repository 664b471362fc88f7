"""The language model: what it hears, and that it computes what torch does."""

import numpy as np
import pytest

from san.grammar import parse
from san.reader.rescoring.language_model import (
    AFTER_SYMBOL,
    AT_START,
    UNKNOWN,
    LanguageModel,
    StepToken,
    step_tokens,
    with_decimal_points,
)
from tests.reader.small_rescorer import HIDDEN, NAMES, arrays

LATEX = ["x^{2}", "x^{2}+y", "x^{2}+x", "q", "", "(x+y)", "x"]


def small_model() -> LanguageModel:
    made = {name: own.astype(np.float32) for name, own in arrays().items()}
    return LanguageModel(NAMES, **made)


def test_tokens_are_steps_with_their_partners() -> None:
    assert step_tokens(parse("x^{2}+y")) == [
        StepToken(AT_START, "x"),
        StepToken(AFTER_SYMBOL, "<extend> sup right"),
        StepToken(3, "2"),  # the slot of `sup`
        StepToken(AFTER_SYMBOL, "<empty>"),
        StepToken(6, "+"),
        StepToken(AFTER_SYMBOL, "y"),
        StepToken(AFTER_SYMBOL, "<empty>"),
    ]


def test_it_is_an_lstm_as_torch_has_it() -> None:
    torch = pytest.importorskip("torch")
    made = {name: torch.tensor(own.astype(np.float32)) for name, own in arrays().items()}
    cell = torch.nn.LSTMCell(4 * HIDDEN, HIDDEN)
    with torch.no_grad():
        cell.weight_ih.copy_(torch.eye(4 * HIDDEN))  # what a step is given are its gates
        cell.weight_hh.copy_(made["state_gates"].T)
        cell.bias_ih.zero_()
        cell.bias_hh.zero_()
    found = small_model().log_probabilities([parse(latex) for latex in LATEX])
    for latex, own in zip(LATEX, found, strict=True):
        state, expected, last = None, 0.0, -1
        for partner, name in step_tokens(parse(latex)):
            given = made["partner_gates"][partner] + (made["token_gates"][last] if last >= 0 else 0)
            state = cell(given[None], state)
            odds = (state[0] @ made["output"] + made["output_bias"]).log_softmax(-1)[0]
            last = NAMES.index(name) if name in NAMES else NAMES.index(UNKNOWN)
            expected += float(odds[last].detach())
        assert own == pytest.approx(expected, abs=1e-4)


def test_a_tree_counts_the_same_in_any_company() -> None:
    model, trees = small_model(), [parse(latex) for latex in LATEX]
    alone = [model.log_probabilities([tree])[0] for tree in trees]
    assert model.log_probabilities(trees) == pytest.approx(alone, abs=1e-5)
    assert model.log_probabilities([*trees, *trees]) == pytest.approx(alone * 2, abs=1e-5)
    assert len(model.log_probabilities([])) == 0


def test_it_never_wakes_other_threads() -> None:
    """Products stay below the size from which on numpy's library shares them out: 64 x 64 x 64."""
    from san.reader.rescoring.rescorer import Rescorer

    blocks = Rescorer()._language_model._blocks
    assert 20 * blocks[0].size <= 64**3  # twenty readings at once


@pytest.mark.parametrize(
    ("commas", "points"),
    [
        ("1,5^{2}+x_{10,25}", "1.5^{2}+x_{10.25}"),
        (r"\frac{0,5}{2}=a,5", r"\frac{0.5}{2}=a,5"),
        ("1^{2},5", "1^{2},5"),  # the superscript stands between
        ("1_{2,}5", "1_{2,}5"),  # another chain
        (",5", ",5"),
        ("5,", "5,"),
    ],
)
def test_a_comma_between_digits_is_a_decimal_one(commas: str, points: str) -> None:
    assert with_decimal_points(step_tokens(parse(commas))) == step_tokens(parse(points))


def test_decimal_commas_are_as_probable_as_points() -> None:
    from san.reader.rescoring.rescorer import Rescorer

    model = Rescorer()._language_model
    latex = ["3,5+1,25=4,75", "3.5+1.25=4.75", "0,1,2,3", "0.1.2.3", "(x,y)"]
    commas, points, items, dotted, pair = model.log_probabilities([parse(text) for text in latex])
    assert commas == pytest.approx(points)
    assert items > dotted  # a list is no number
    assert pair == pytest.approx(model.log_probabilities([parse("(x,y)")])[0])
