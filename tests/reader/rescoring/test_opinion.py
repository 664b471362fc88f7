"""A second opinion: who is asked, when, and what it counts."""

import shutil
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from san import models
from san.decoding.confidence import fingerprint
from san.errors import SanError
from san.grammar import parse
from san.ink import draw
from san.models import NETWORK, OPINION
from san.reader import Recognizer
from san.reader.cancellable import KeepFirstReading
from san.reader.rescoring import second_pass
from san.reader.rescoring.opinion import SecondOpinion, opinion_for
from san.reader.rescoring.rescorer import Rescorer, RescoringWeights
from san.reader.rescoring.second_pass import Pass
from tests.ink.formulas import quadratic
from tests.reader.small_rescorer import likes


class Opened:
    """An engine that counts how often it was made; one that is asked to read fails the test."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Any:
        self.times += 1
        return self

    def on_one_core(self) -> Any:
        return self


def test_it_is_opened_once_and_when_it_is_asked() -> None:
    opened = Opened()
    opinion = SecondOpinion(opened)
    alone = opinion.on_one_core()
    assert opened.times == 0
    assert alone.engine is opinion.engine is opened
    assert opened.times == 1


def test_only_the_network_that_it_is_fitted_for_has_one(tmp_path: Path) -> None:
    """However its file is called; the recipe's own rescoring knows of no other network."""
    copied = tmp_path / "mine.safetensors"
    shutil.copy(NETWORK, copied)
    rescorer = Rescorer()
    assert rescorer.opinion == fingerprint(OPINION)
    around = NETWORK.parent / ".." / NETWORK.parent.name / NETWORK.name
    for same in (NETWORK, copied, around):
        assert opinion_for(same, rescorer) == OPINION
    assert opinion_for(OPINION, rescorer) is None
    assert opinion_for(tmp_path, rescorer) is None
    assert opinion_for(NETWORK, Rescorer(likes({}, RescoringWeights()))) is None


def test_an_installation_may_do_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("san.reader.rescoring.opinion.OPINION", tmp_path / "none.safetensors")
    assert opinion_for(NETWORK, Rescorer()) is None


def test_a_damaged_file_is_told_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    damaged = tmp_path / OPINION.name
    damaged.write_bytes(OPINION.read_bytes()[:-1])
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    monkeypatch.setattr("san.reader.rescoring.opinion.OPINION", damaged)
    with pytest.raises(SanError, match=r"damaged \(not as SHA256SUMS"):
        Recognizer()


def with_opinion(reader: Recognizer, opinion: SecondOpinion | None) -> Recognizer:
    other = copy(reader)
    assert reader._again is not None
    other._again = replace(reader._again, opinion=opinion)
    return other


@pytest.fixture
def in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sure."""
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 1.1)


def test_who_is_not_in_doubt_asks_nobody(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 0.0)
    opened = Opened()
    with_opinion(reader, SecondOpinion(opened)).read(quadratic())
    assert opened.times == 0
    assert Recognizer(quick=True)._again is None


@pytest.mark.usefixtures("in_doubt")
def test_large_pictures_are_not_shown_to_it(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = reader.open(quadratic())
    opened = Opened()
    asking = with_opinion(reader, SecondOpinion(opened))
    monkeypatch.setattr(second_pass, "MAX_OPINION_PIXELS", prepared.picture.size - 1)
    asking.read_prepared([prepared])
    assert opened.times == 0
    monkeypatch.setattr(second_pass, "MAX_OPINION_PIXELS", prepared.picture.size)
    with pytest.raises(AttributeError):  # it is asked, and cannot read
        asking.read_prepared([prepared])
    assert opened.times == 1


@pytest.mark.slow
@pytest.mark.usefixtures("in_doubt")
def test_it_has_one_vote_of_three(reader: Recognizer, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    plain = second_pass.merged

    def counted(found: list[Pass]) -> Any:
        passes.append(len(found))
        return plain(found)

    monkeypatch.setattr(second_pass, "merged", counted)
    formula = reader.read(draw(quadratic().ink))
    assert formula.expression == parse(r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}")
    assert passes == [3]
    assert reader._again is not None
    assert reader._again.opinion is not None
    known = set(reader._again.opinion.engine.vocabulary.symbols)
    assert {"x", r"\frac", r"\matrix"} <= known


@pytest.mark.slow
@pytest.mark.usefixtures("in_doubt")
def test_where_it_has_not_the_time_or_the_memory_two_passes_do(reader: Recognizer) -> None:
    two = with_opinion(reader, None).read(quadratic())

    for error in (KeepFirstReading, MemoryError):

        def raises(error: type[Exception] = error) -> Any:
            raise error

        formula = with_opinion(reader, SecondOpinion(raises)).read(quadratic())
        assert (formula.latex, formula.confidence) == (two.latex, two.confidence)


@pytest.mark.slow
@pytest.mark.usefixtures("in_doubt")
def test_a_deadline_ends_the_opinion_too(reader: Recognizer) -> None:
    prepared = reader.open(quadratic())
    two = with_opinion(reader, None).read_prepared([prepared])[0]
    assert reader._again is not None
    assert reader._again.opinion is not None
    own, asked = reader._again.opinion.engine, list[int]()

    def opened() -> Any:
        asked.append(0)
        return own

    def check() -> None:
        if asked:
            asked[0] += 1
            raise KeepFirstReading

    found = with_opinion(reader, SecondOpinion(opened)).read_prepared([prepared], check)[0]
    assert asked == [1]  # the first thing that the other network would do
    assert (found.latex, found.confidence) == (two.latex, two.confidence)
