"""Several lines: a reading with rows of different lengths, or with a row of ink left, is not taken
while there is one that is whole."""

import numpy as np
import pytest

from san.decoding import Reading
from san.grammar import parse
from san.ink.draw import draw
from san.reader import Recognizer
from san.reader.prepared import PreparedImage
from san.reader.rescoring import whole
from san.reader.rescoring.second_pass import Candidate, Pass
from san.reader.rescoring.whole import is_whole, whole_candidates
from tests.ink.formulas import quadratic
from tests.reader.rescoring.test_second_pass import images, read

REGULAR, RAGGED = r"\begin{pmatrix}x&y\\2&3\end{pmatrix}", r"\begin{pmatrix}x&y\\23\end{pmatrix}"
SHORT = r"\begin{pmatrix}x&y\end{pmatrix}"


@pytest.fixture
def left_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading of one row leaves half of the ink."""

    class Ink:
        def __init__(self, reading: Reading, _: PreparedImage) -> None:
            self.unread_share = 0.5 if reading.expression == parse(SHORT) else 0.0

    monkeypatch.setattr(whole, "symbols_and_unread", Ink)


@pytest.mark.usefixtures("left_over")
def test_what_is_whole() -> None:
    (image,) = images(1)
    assert is_whole(read(REGULAR, 0.1), image)
    assert not is_whole(read(RAGGED, 0.9), image)
    assert not is_whole(read(SHORT, 0.9), image)
    passes: list[Pass] = [(image, [read(RAGGED, 0.5), read(SHORT, 0.3), read(REGULAR, 0.1)])]
    assert [one.reading.expression for one in whole_candidates(passes)] == [parse(REGULAR)]
    assert whole_candidates([(image, [read(RAGGED, 0.5)])]) == []


@pytest.mark.usefixtures("left_over")
@pytest.mark.parametrize(
    ("first", "others", "taken"),
    [
        (RAGGED, (REGULAR,), REGULAR),
        (SHORT, (REGULAR,), REGULAR),
        (RAGGED, (SHORT,), RAGGED),  # none is whole: what was read first stays
        (REGULAR, None, REGULAR),  # whole already: no second pass
    ],
)
def test_only_what_is_not_whole_is_read_again(
    first: str, others: tuple[str, ...] | None, taken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Recognizer()
    beams = []

    def again(*asked: object) -> list[Pass]:
        assert others is not None
        beams.append(asked[-1])
        return [(image, [read(latex, 0.01) for latex in others])]

    monkeypatch.setattr("san.reader.rescoring.read_again.second_pass", again)
    (image,) = images(1)
    found: list[Candidate] = reader._of_both_passes(
        reader._engine,
        image,
        None,
        [read(first, 0.4)],  # type: ignore[arg-type]
        None,
    )
    assert found[0].reading.expression == parse(taken)
    assert beams == ([] if others is None else [whole.WIDE_BEAM])
    assert found[0].confidence >= found[-1].confidence
    if taken != first:
        assert found[-1].reading.expression == parse(first)  # still an alternative


def test_single_formulas_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> bool:
        raise AssertionError

    monkeypatch.setattr("san.reader.rescoring.read_again.is_whole", asked)
    assert Recognizer().read(np.asarray(draw(quadratic().ink))).latex
