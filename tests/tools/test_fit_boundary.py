"""Boundaries of stacked sheets are told apart, and numpy says what was fitted in torch."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tools.fit_boundary import boundaries, fit, gathered, parts_of  # noqa: E402
from tools.handwriting import write_formula  # noqa: E402

from san.data.stacked_sheets import StackedSheet, stack  # noqa: E402
from san.ink import Sheet  # noqa: E402
from san.ink.alphabet import SimulatedWriter  # noqa: E402
from san.reader.pages import boundary  # noqa: E402

FORMULAS = [r"y=\frac{a}{b}", "x+1=2", r"\sum_{i=1}^{n}i"]


@cache
def formulas() -> list[Sheet]:
    return [Sheet(write_formula(one, SimulatedWriter(1)).ink, (), one) for one in FORMULAS]


def sheet(seed: int) -> StackedSheet:
    return stack(formulas(), np.random.default_rng(seed), (1.0, 2.0))


@pytest.mark.parametrize("as_picture", [False, True])
def test_every_part_has_its_formula(as_picture: bool) -> None:
    found = parts_of(sheet(1), as_picture)
    assert found is not None
    parts, owners = found
    tops = [parts.boxes[owners == number, 1].min() for number in range(3)]
    bottoms = [parts.boxes[owners == number, 3].max() for number in range(3)]
    assert set(owners.tolist()) == {0, 1, 2}
    assert all(bottoms[number] < tops[number + 1] for number in range(2))


def test_boundaries_lie_between_formulas_and_within() -> None:
    apart = [is_apart for _, is_apart in boundaries(sheet(1), np.random.default_rng(0))]
    assert sum(apart) >= 2
    assert not all(apart)


@pytest.mark.slow
def test_what_is_fitted_is_what_the_reader_computes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    features, apart = gathered([sheet(seed) for seed in range(12)], 0)
    network = fit(features, apart, 4, steps=60)
    score = network(features).detach()
    assert ((score > 0) == (apart > 0.5)).float().mean() > 0.9
    path = tmp_path / "boundary.json"
    path.write_bytes(network.to_json())
    monkeypatch.setattr(boundary, "NUMBERS", path)
    found = boundary.boundary_model.__wrapped__().probabilities(features.numpy().astype(float))
    assert found == pytest.approx(torch.sigmoid(score).numpy(), abs=0.02)
