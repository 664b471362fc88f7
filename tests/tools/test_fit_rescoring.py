"""Known weights are found again by the fit; a corpus is read as the reader does."""

import sys
from dataclasses import astuple, replace
from errno import ENOSPC
from pathlib import Path

import cv2
import numpy as np
import pytest
from tools.fit_rescoring import Example, Examples, cross_validated, fit, main, outcomes, read

from san.decoding.confidence import fingerprint
from san.errors import SanError, run_or_exit
from san.ink import draw, write_inkml
from san.models import NETWORK, OPINION, STROKES
from san.reader.rescoring import second_pass
from san.reader.rescoring.rescorer import (
    STROKE_TERMS,
    InkWeights,
    Rescorer,
    RescoringWeights,
    score_terms,
    weighted_confidences,
)
from san.reader.rescoring.stroke_network import stroke_network
from tests.ink.formulas import fraction, quadratic
from tests.reader.small_rescorer import likes
from tools import fit_rescoring

TRUE = RescoringWeights(
    network=0.7,
    language_model=0.3,
    steps=0.5,
    distinct_symbols=-0.8,
    unpaired_brackets=-1.0,
    sums=1.2,
    subscripts=-0.6,
    unproposed=1.0,
    unproposed_bias=0.3,
)


TRUE_OF_INK = InkWeights(*astuple(TRUE), worst_stroke=0.6, unread_strokes=-0.5, claimed_symbols=0.4)

FEATURES = len(astuple(TRUE)) - 3
"""All but the network's and those of what nobody proposed."""


def pictures(count: int, seed: int = 0, true: RescoringWeights = TRUE) -> list[Example]:
    """Readings with features at random; which is right, the true weights decide by lot."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        probability = rng.dirichlet(np.ones(5))[:4]
        features = rng.normal(size=(4, FEATURES)) * 2
        of_ink = isinstance(true, InkWeights)
        terms = rng.normal(size=(4, len(STROKE_TERMS))) if of_ink else None
        rows = score_terms(features, probability, terms)
        odds = weighted_confidences(true, rows)
        found.append(Example(rows, int(rng.choice(5, p=[*odds, 1 - odds.sum()]))))
    return found


@pytest.mark.slow
def test_weights_are_found_again() -> None:
    found = fit(pictures(4000))
    assert astuple(found) == pytest.approx(astuple(TRUE), abs=0.2)


@pytest.mark.slow
def test_so_are_those_of_ink() -> None:
    found = fit(pictures(4000, true=TRUE_OF_INK))
    assert isinstance(found, InkWeights)
    assert astuple(found) == pytest.approx(astuple(TRUE_OF_INK), abs=0.2)


def test_what_never_differs_counts_for_nothing() -> None:
    unsure = pictures(300)
    for own in unsure:
        own.rows[:, 2:4] = 0
    found = fit(unsure)
    assert (found.steps, found.distinct_symbols) == pytest.approx((0, 0))
    assert found.language_model == pytest.approx(TRUE.language_model, abs=0.2)


@pytest.mark.slow
def test_cross_validation_sees_the_gain_and_that_it_is_honest() -> None:
    unsure = pictures(600, seed=1)
    alone = outcomes(RescoringWeights(), unsure)[:, 1].mean()
    examples = Examples(unsure, np.zeros((0, 2)), alone)
    ((share, error),) = cross_validated([examples])
    assert share > alone + 0.03
    assert error < 0.08
    halves = [examples._replace(unsure=unsure[side::2]) for side in (0, 1)]
    assert np.mean([own[0] for own in cross_validated(halves)]) == pytest.approx(share, abs=0.03)


@pytest.mark.slow
def test_a_corpus_is_read_as_the_reader_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = []
    for name, sheet in (("a", quadratic()), ("b", fraction())):
        cv2.imwrite(str(tmp_path / f"{name}.png"), draw(sheet.ink))
        labels.append(f"{name}\t{sheet.truth}")
    (tmp_path / "labels.tsv").write_text("\n".join(labels), "utf-8")
    rescorer = Rescorer(likes({}, replace(RescoringWeights(), language_model=1.0)))
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 0.0)
    with pytest.raises(SanError, match="only 0 pictures"):
        cross_validated([read(tmp_path, NETWORK, rescorer)])
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 1.1)
    monkeypatch.setattr(fit_rescoring, "REPEATS", 1)
    monkeypatch.setattr(second_pass, "USUAL_BEAM", second_pass.Beam(5, 0.0))
    examples = read(tmp_path, NETWORK, rescorer)
    assert (len(examples.unsure), len(examples.sure), examples.greedy) == (2, 0, 1.0)
    assert {own.truth for own in examples.unsure} == {0}
    passes, one_pass = [], second_pass.one_pass
    monkeypatch.setattr(
        second_pass, "one_pass", lambda *given: passes.append(given) or one_pass(*given)
    )
    for opinion, expected in ((None, 2 * 2), (OPINION, 2 * 3)):
        passes.clear()
        read(tmp_path, NETWORK, rescorer, opinion)
        assert len(passes) == expected


@pytest.mark.slow
def test_ink_is_read_with_its_strokes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, sheet in (("a", quadratic()), ("b", fraction())):
        (tmp_path / f"{name}.inkml").write_bytes(write_inkml(sheet))
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 1.1)
    monkeypatch.setattr(second_pass, "USUAL_BEAM", second_pass.Beam(5, 0.0))
    rescorer = Rescorer(likes({}, RescoringWeights()))
    examples = read(tmp_path, NETWORK, rescorer, strokes=stroke_network(STROKES))
    terms = np.concatenate([one.rows[:-1, -len(STROKE_TERMS) :] for one in examples.unsure])
    assert len(examples.unsure) == 2
    assert (terms != 0).any(axis=0).tolist() == [True, False, True]  # no reading leaves a stroke
    assert isinstance(fit(examples.unsure), InkWeights)
    cv2.imwrite(str(tmp_path / "c.png"), draw(quadratic().ink))
    (tmp_path / "labels.tsv").write_text("c\tx\n", "utf-8")
    with pytest.raises(SanError, match="c is a picture, where ink is wanted"):
        read(tmp_path, NETWORK, rescorer, strokes=stroke_network(STROKES))


@pytest.mark.slow
def test_the_weights_go_into_the_file_and_a_disk_that_fails_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rescoring"
    file.write_bytes(likes({"x": 1.0}, RescoringWeights()))
    examples = Examples(pictures(60), np.zeros((0, 2)), 0.5)
    monkeypatch.setattr(fit_rescoring, "read", lambda *_: examples)
    monkeypatch.setattr("sys.argv", ["fit_rescoring", "corpus", "--rescoring", str(file)])
    main()
    assert Rescorer(file).weights == fit(examples.unsure)
    assert Rescorer(file).opinion == ""
    assert "first pass 50.00%" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", [*sys.argv, "--opinion", "san-densenet"])
    main()
    assert Rescorer(file).opinion == fingerprint(OPINION)
    assert Rescorer(file).ink_weights is None
    of_ink = Examples(pictures(60, true=TRUE_OF_INK), np.zeros((0, 2)), 0.5)
    read_either = lambda *given: of_ink if given[-1] is stroke_network(STROKES) else examples  # noqa: E731
    monkeypatch.setattr(fit_rescoring, "read", read_either)
    monkeypatch.setattr("sys.argv", [*sys.argv, "--ink", "ink"])
    main()
    assert Rescorer(file).ink_weights == fit(of_ink.unsure)
    assert Rescorer(file).strokes == fingerprint(STROKES)

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SystemExit) as end:
        run_or_exit(main)
    assert end.value.code == f"{file}: cannot be written (no space left on device)"
