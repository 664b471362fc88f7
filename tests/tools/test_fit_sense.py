"""What sense counts for is found again where it is known; a corpus is read as the reader does."""

from dataclasses import astuple, replace
from errno import ENOSPC
from pathlib import Path

import cv2
import numpy as np
import pytest
from tools.fit_sense import Exam, Unsure, crossed, fit, main, outcome, read

from san.data.corpus import open_corpus
from san.errors import SanError
from san.ink import draw
from san.models import NETWORK
from san.reader.rescoring import second_pass
from san.reader.rescoring.rescorer import Rule, Sense, judged, terms
from tests.ink.formulas import fraction, quadratic
from tests.reader.small_sense import likes
from tools import fit_sense

TRUE = Rule(network=0.7, fluency=0.3, steps=0.5, kinds=-0.8, brackets=-1.0, rest=1.0, shift=0.3)


def pictures(count: int, seed: int = 0) -> list[Unsure]:
    """Readings with features at random; which is right, a true rule decides by lot."""
    dice = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        probability = dice.dirichlet(np.ones(5))[:4]
        rows = terms(dice.normal(size=(4, 4)) * 2, probability)
        odds = judged(TRUE, rows)
        found.append(Unsure(rows, int(dice.choice(5, p=[*odds, 1 - odds.sum()]))))
    return found


def test_a_rule_is_found_again() -> None:
    found = fit(pictures(4000))
    assert astuple(found) == pytest.approx(astuple(TRUE), abs=0.15)


def test_what_never_differs_counts_for_nothing() -> None:
    unsure = pictures(300)
    for own in unsure:
        own.rows[:, 2:4] = 0
    found = fit(unsure)
    assert (found.steps, found.kinds) == pytest.approx((0, 0))
    assert found.fluency == pytest.approx(TRUE.fluency, abs=0.2)


def test_cross_validation_sees_the_gain_and_that_it_is_honest() -> None:
    unsure = pictures(600, seed=1)
    alone = outcome(Rule(), unsure)[:, 1].mean()
    share, error = crossed(Exam(unsure, np.zeros((0, 2)), alone))
    assert share > alone + 0.03
    assert error < 0.08


def test_a_corpus_is_read_as_the_reader_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = []
    for name, sheet in (("a", quadratic()), ("b", fraction())):
        cv2.imwrite(str(tmp_path / f"{name}.png"), draw(sheet.ink))
        labels.append(f"{name}\t{sheet.truth}")
    (tmp_path / "labels.tsv").write_text("\n".join(labels), "utf-8")
    sense = Sense(likes({}, replace(Rule(), fluency=1.0)))
    corpus = open_corpus(tmp_path)
    monkeypatch.setattr(second_pass, "SURE", 0.0)
    with pytest.raises(SanError, match="only 0 pictures"):
        read(corpus, NETWORK, sense)
    monkeypatch.setattr(second_pass, "SURE", 1.1)
    monkeypatch.setattr(fit_sense, "FOLDS", 1)
    monkeypatch.setattr(second_pass, "LEAST", 0.0)
    exam = read(corpus, NETWORK, sense)
    assert (len(exam.unsure), len(exam.sure), exam.greedy) == (2, 0, 1.0)
    assert {own.truth for own in exam.unsure} == {0}


def test_the_rule_goes_into_the_file_and_a_disk_that_fails_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sense"
    file.write_bytes(likes({"x": 1.0}, Rule()))
    exam = Exam(pictures(60), np.zeros((0, 2)), 0.5)
    monkeypatch.setattr(fit_sense, "open_corpus", lambda *_: None)
    monkeypatch.setattr(fit_sense, "read", lambda *_: exam)
    monkeypatch.setattr("sys.argv", ["fit_sense", "corpus", "--sense", str(file)])
    main()
    assert Sense(file).rule == fit(exam.unsure)
    assert "first look 50.00%" in capsys.readouterr().out

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == f"{file}: no space left on device"
