"""Looks at other sizes: votes, images that know their scale, and boxes that find their way back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from san.decoding import Reading
from san.decoding.engine import Memory
from san.errors import SanError
from san.grammar import parse
from san.ink import Box, draw
from san.reader import Recognizer
from san.reader.cancellable import KeepFirstReading
from san.reader.prepared import PreparedImage, prepare_image, prepare_ink
from san.reader.rescoring import second_pass
from san.reader.rescoring.rescorer import Rescorer, RescoringWeights
from san.reader.rescoring.second_pass import merged, rescored, resized
from san.reader.wording import sums_note
from san.synth.photo.paper import random_page
from tests.images.photographs import grey_photograph
from tests.ink.formulas import fraction, quadratic
from tests.reader.small_rescorer import likes


def read(latex: str, probability: float) -> Reading:
    return cast(Reading, SimpleNamespace(expression=parse(latex), probability=probability))


def images(count: int) -> list[PreparedImage]:
    return [PreparedImage(np.zeros((4, 4), np.uint8), 1.0 + n, 0, 0) for n in range(count)]


def test_looks_that_agree_outvote_one_that_is_surer() -> None:
    one, two, three = images(3)
    passes: list[Any] = [
        (one, [read("z", 0.6)]),
        (two, [read("2", 0.4)]),
        (three, [read("2", 0.5)]),
    ]
    found = merged(passes)
    assert [own.reading.expression for own in found] == [parse("2"), parse("z")]
    assert [own.confidence for own in found] == pytest.approx([0.3, 0.2])
    assert found[0].prepared is three  # the pass that is surest of it
    assert found[1].prepared is one


def test_readings_of_beams_are_added_up() -> None:
    one, two = images(2)
    passes: list[Any] = [
        (one, [read("x", 0.5), read("y", 0.4)]),
        (two, [read("y", 0.3), read("x", 0.1)]),
    ]
    found = merged(passes)
    assert [own.reading.expression for own in found] == [parse("y"), parse("x")]
    assert sum(own.confidence for own in found) <= 1


def test_another_size_is_the_same_page() -> None:
    prepared = prepare_ink(quadratic().ink)
    for factor in (0.85, 1.18):
        other = resized(prepared, factor)
        assert set(np.unique(other.picture)) == {0, 255}
        near = other.to_source(Box(*(factor * side for side in (10, 20, 60, 50))))
        assert near == pytest.approx(prepared.to_source(Box(10, 20, 60, 50)))
        share = (other.picture > 0).mean() / (prepared.picture > 0).mean()
        assert 0.9 < share < 1.15  # strokes are as wide as the picture is large


@pytest.fixture
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sure, and however improbable, a reading is followed."""
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 1.1)
    monkeypatch.setattr(second_pass, "USUAL_BEAM", second_pass.Beam(5, 0.0))


def test_rescoring_has_a_say() -> None:
    one, two = images(2)
    found: list[Any] = [
        (one, [read("x+y", 0.5), read("x+x", 0.3)]),
        (two, [read("x+x", 0.3), read("x+y", 0.2)]),
    ]
    assert merged(found)[0].reading.expression == parse("x+y")
    alone = rescored(found, Rescorer(likes({}, RescoringWeights())))
    assert [own.confidence for own in alone] == pytest.approx([0.35, 0.3])
    best, other = rescored(found, Rescorer(likes({"x": 3.0}, RescoringWeights(language_model=1.0))))
    assert best.reading.expression == parse("x+x")
    assert best.confidence > other.confidence
    assert best.confidence + other.confidence < 1


def test_a_sum_that_comes_out_has_a_say_and_that_is_told() -> None:
    (image,) = images(1)
    wavering: list[Any] = [(image, [read("1+6=8", 0.5), read("1+6=7", 0.3)])]
    checked, unchecked = (Rescorer(likes({}, RescoringWeights(sums=own))) for own in (1.0, 0.0))
    best, other = rescored(wavering, checked)
    assert best.reading.expression == parse("1+6=7")
    assert (best.whatever_sums, other.whatever_sums) == (parse("1+6=8"), None)
    assert rescored(wavering, unchecked)[0].reading.expression == parse("1+6=8")
    plain: list[Any] = [(image, [read("1+6=7", 0.5), read("1+6=8", 0.3)])]
    assert rescored(plain, checked)[0].whatever_sums is None  # the ink says so as well
    assert note_of(best) == "read so that the sum comes out; by the ink alone 7 may be 8"


def note_of(candidate: second_pass.Candidate) -> str:
    return sums_note(candidate.reading.expression, candidate.whatever_sums)


def test_a_sum_that_does_not_come_out_is_doubt_enough() -> None:
    assert not second_pass.is_unsure(read("1+6=7", 0.95))
    assert second_pass.is_unsure(read("1+6=8", 0.95))
    assert not second_pass.is_unsure(read("1+6=8", 1e-9))  # hopeless
    assert second_pass.is_unsure(read("x", 0.94))


def test_subscripts_count() -> None:
    trees = [parse("k_{g}"), parse("kg")]
    rescorer = Rescorer(likes({}, RescoringWeights(subscripts=-1.0)))
    assert rescorer.features(trees)[:, -1].tolist() == [1, 0]
    assert rescorer.confidences(trees, [0.4, 0.3])[1] > rescorer.confidences(trees, [0.4, 0.3])[0]


@pytest.mark.slow
@pytest.mark.usefixtures("unsure")
def test_a_photograph_is_cleaned_again_with_thinner_strokes(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = replace(random_page(3), tilt=0, perspective=0)
    prepared = prepare_image(grey_photograph(draw(quadratic().ink), page))
    assert prepared.thinner is not None
    thin = prepared.thinner()
    shares = [(image.picture > 0).mean() for image in (prepared, thin)]
    assert 0.5 * shares[0] < shares[1] < 0.95 * shares[0]
    thick_box, thin_box = (
        image.to_source(Box(0, 0, *image.picture.shape[::-1])) for image in (prepared, thin)
    )
    assert thin_box == pytest.approx(thick_box, abs=6)  # the same place of the photograph
    seen: list[tuple[Any, Any]] = []
    engine = type(reader._engine)
    plain = engine.encode

    def encode(own: Any, images: Any) -> Memory:
        seen.append((own, images))
        return plain(own, images)

    monkeypatch.setattr(engine, "encode", encode)
    (formula,) = reader.read_prepared([prepared])
    copy = resized(thin, second_pass.SCALES[0])
    for (_, (shown,)), image in zip(seen, (prepared, copy, prepared), strict=True):
        assert np.array_equal(shown, second_pass.network_input(image))
    first, again, other = (own for own, _ in seen)
    assert first is again is not other  # who gives a second opinion sees it as it is
    assert formula.prepared.thinner is None  # which would keep the whole image


@pytest.mark.usefixtures("unsure")
def test_what_was_brought_to_size_is_seen_as_it_was_found(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = prepare_ink(quadratic().ink)
    sized = replace(resized(found, 1.3), at_own_size=found)
    seen: list[Any] = []
    engine = type(reader._engine)
    plain = engine.encode

    def encode(own: Any, images: Any) -> Memory:
        seen.extend(images)
        return plain(own, images)

    monkeypatch.setattr(engine, "encode", encode)
    (formula,) = reader.read_prepared([sized])
    for shown, image in zip(seen, (sized, found, sized), strict=True):
        assert np.array_equal(shown, second_pass.network_input(image))
    assert formula.prepared.at_own_size is None  # which would keep it


def test_who_is_sure_looks_once(reader: Recognizer, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = quadratic()
    encoded: list[int] = []
    encode = reader._engine.encode
    monkeypatch.setattr(
        reader._engine, "encode", lambda images: encoded.append(len(images)) or encode(images)
    )
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 0.0)
    first = reader.read(sheet)
    assert encoded == [1]
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 1.1)
    second = reader.read(draw(sheet.ink))
    assert encoded == [1, 1, 1]  # the first picture is not encoded again
    assert second.expression == first.expression
    assert 0 < second.confidence <= 1
    quick = Recognizer(threads=1, quick=True).read(draw(sheet.ink))
    assert encoded == [1, 1, 1]
    off = []
    for symbol, own in zip(second.symbols, quick.symbols, strict=True):
        assert symbol.box is not None
        assert own.box is not None
        off.append(max(abs(a - b) for a, b in zip(symbol.box, own.box, strict=True)))
    *others, worst = sorted(off)
    assert max(others) < 3
    assert worst < 16 / 0.85 / 2  # half a cell: one pass may give a bar of \pm to its neighbour


@pytest.mark.usefixtures("unsure")
@pytest.mark.slow
def test_several_readings_of_several_passes() -> None:
    best = Recognizer(n_best=3).read(quadratic())
    every = [best, *best.alternatives]
    assert len(every) == 3
    assert len({one.latex for one in every}) == 3
    assert [one.confidence for one in every] == sorted((o.confidence for o in every), reverse=True)
    assert sum(one.confidence for one in every) <= 1


@pytest.mark.usefixtures("unsure")
@pytest.mark.slow
def test_the_vote_does_not_depend_on_how_many_are_asked_for() -> None:
    few = Recognizer()
    one = few.read(quadratic())
    assert one.alternatives == ()
    for many in (3, 12):
        best = few.with_beam(many, many).read(quadratic())
        assert (best.latex, best.confidence) == (one.latex, pytest.approx(one.confidence))
        every = [best, *best.alternatives]
        assert len({own.latex for own in every}) == many  # also where the passes found fewer
        sure = [own.confidence for own in every]
        assert sure == sorted(sure, reverse=True)
        assert sum(sure) <= 1


@pytest.mark.usefixtures("unsure")
@pytest.mark.slow
def test_what_nobody_judges_gets_no_second_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rescorer, "can_judge", lambda *_: False)
    monkeypatch.setattr("san.reader.rescoring.read_again.second_pass", pytest.fail)
    assert Recognizer().read(quadratic()).latex == Recognizer(quick=True).read(quadratic()).latex


@pytest.mark.slow
def test_what_is_hopeless_gets_no_second_pass(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[int] = []
    encode = reader._engine.encode
    monkeypatch.setattr(
        reader._engine, "encode", lambda images: encoded.append(len(images)) or encode(images)
    )
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 1.1)
    monkeypatch.setattr(second_pass, "MIN_UNSURE", 1.05)
    reader.read(quadratic())
    assert encoded == [1]


@pytest.mark.usefixtures("unsure")
@pytest.mark.slow
def test_who_has_not_the_memory_gets_the_first_reading(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library says so in its own words, and by an exception of its own."""

    class Full:
        def run(self, *_: object) -> None:
            raise RuntimeError("Failed to allocate memory for requested buffer of size 99")

    quick = Recognizer(threads=1, quick=True).read(quadratic())
    encode, full = reader._engine.encode, []

    def once(images: Sequence[NDArray[np.generic]]) -> Memory:
        if full:
            monkeypatch.setattr(reader._engine, "_encoder", Full())
        full.append(1)
        return encode(images)

    monkeypatch.setattr(reader._engine, "encode", once)
    found = reader.read(quadratic())
    assert (found.latex, found.confidence) == (quick.latex, quick.confidence)
    assert len(full) == 2
    with pytest.raises(SanError, match="too large for the memory at hand"):
        reader.read(quadratic())


@pytest.mark.usefixtures("unsure")
@pytest.mark.slow
def test_pages_side_by_side_are_rescored_one_by_one(reader: Recognizer) -> None:
    sources = [quadratic(), fraction()]
    together = reader.read_prepared([reader.open(source) for source in sources])
    for source, own in zip(sources, together, strict=True):
        alone = reader.read(source)
        assert own.latex == alone.latex
        assert own.confidence == pytest.approx(alone.confidence, abs=1e-5)


@pytest.mark.usefixtures("unsure")
@pytest.mark.slow
def test_who_has_not_the_time_gets_the_first_reading(reader: Recognizer) -> None:
    prepared = reader.open(quadratic())
    quick = Recognizer(threads=1, quick=True).read_prepared([prepared])[0]
    thorough = reader.read_prepared([prepared])[0]
    for calls in (25, 1):  # of the network: after the first pass, and within it
        left = iter(range(calls))

        def watch(left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeepFirstReading

        if calls == 1:
            with pytest.raises(KeepFirstReading):
                reader.read_prepared([prepared], watch)
        else:
            read = reader.read_prepared([prepared], watch)[0]
            assert (read.latex, read.confidence) == (quick.latex, quick.confidence)
            assert read.confidence != thorough.confidence
