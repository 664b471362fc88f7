"""Looks at other sizes: votes, pages that know their scale, and boxes that find their way back."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from san.decoding import Reading
from san.grammar import parse
from san.ink import Box, draw
from san.reader import Recognizer, recognizer
from san.reader.again import agreed, resized
from san.reader.page import Page, page_of_ink
from tests.ink.formulas import quadratic


def read(latex: str, probability: float) -> Reading:
    return cast(Reading, SimpleNamespace(expression=parse(latex), probability=probability))


def pages(count: int) -> list[Page]:
    return [Page(np.zeros((4, 4), np.uint8), 1.0 + n, 0, 0) for n in range(count)]


def test_looks_that_agree_outvote_one_that_is_surer() -> None:
    one, two, three = pages(3)
    looks: list[Any] = [
        (one, [read("z", 0.6)]),
        (two, [read("2", 0.4)]),
        (three, [read("2", 0.5)]),
    ]
    found = agreed(looks)
    assert [own.reading.expression for own in found] == [parse("2"), parse("z")]
    assert [own.confidence for own in found] == pytest.approx([0.3, 0.2])
    assert found[0].page is three  # the look that is surest of it
    assert found[1].page is one


def test_readings_of_beams_are_added_up() -> None:
    one, two = pages(2)
    looks: list[Any] = [
        (one, [read("x", 0.5), read("y", 0.4)]),
        (two, [read("y", 0.3), read("x", 0.1)]),
    ]
    found = agreed(looks)
    assert [own.reading.expression for own in found] == [parse("y"), parse("x")]
    assert sum(own.confidence for own in found) <= 1


def test_another_size_is_the_same_page() -> None:
    page = page_of_ink(quadratic().ink)
    for factor in (0.85, 1.18):
        other = resized(page, factor)
        assert set(np.unique(other.picture)) == {0, 255}
        near = other.to_source(Box(*(factor * side for side in (10, 20, 60, 50))))
        assert near == pytest.approx(page.to_source(Box(10, 20, 60, 50)))
        share = (other.picture > 0).mean() / (page.picture > 0).mean()
        assert 0.9 < share < 1.15  # strokes are as wide as the picture is large


def test_who_is_sure_looks_once(reader: Recognizer, monkeypatch: pytest.MonkeyPatch) -> None:
    careful = Recognizer(careful=True)
    looked: list[int] = []
    decode = careful._decode
    monkeypatch.setattr(
        careful, "_decode", lambda pages, watch: looked.append(len(pages)) or decode(pages, watch)
    )
    sheet = quadratic()
    first = reader.read(sheet)
    monkeypatch.setattr(recognizer, "SURE", 0.0)
    assert careful.read(sheet).latex == first.latex
    assert looked == [1]
    monkeypatch.setattr(recognizer, "SURE", 1.1)
    again = careful.read(draw(sheet.ink))
    assert looked == [1, 1, 1, 1]
    assert again.tree == first.tree
    assert 0 < again.confidence <= 1
    for symbol, own in zip(again.symbols, reader.read(draw(sheet.ink)).symbols, strict=True):
        assert symbol.box is not None
        assert own.box is not None
        assert max(abs(a - b) for a, b in zip(symbol.box, own.box, strict=True)) < 6


def test_several_readings_of_several_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognizer, "SURE", 1.1)
    best = Recognizer(careful=True, n_best=3).read(quadratic())
    every = [best, *best.alternatives]
    assert len(every) == 3
    assert len({one.latex for one in every}) == 3
    assert [one.confidence for one in every] == sorted((o.confidence for o in every), reverse=True)


def test_the_vote_does_not_depend_on_how_many_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recognizer, "SURE", 1.1)
    few = Recognizer(careful=True, beam=3)
    many = few.with_beam(3, 3)
    one, three = few.read(quadratic()), many.read(quadratic())
    assert (one.latex, one.alternatives) == (three.latex, ())
    assert one.confidence == pytest.approx(three.confidence)
