"""Symbols that are known before ink is read."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from san.decoding import decode
from san.decoding.decisions import Numbers
from san.decoding.engine import Memory, Outcome, Rows
from san.decoding.known import KnownCells, KnownSymbolsEngine
from san.errors import SanError
from san.grammar import to_latex
from san.grammar.vocabulary import Vocabulary
from san.ink import Box
from san.ink.alphabet import compose
from san.reader import AnnotatedInk, KnownSymbol, Recognizer

VOCABULARY = Vocabulary(("1", "2", "l", "z"))
FIRST = np.array([[1.0, 0.0]], np.float32)
FOLLOWS = {"1": "2", "l": "z"}  # what is read behind what


class Guessing:
    """Reads l in the first cell; in the second a letter behind a letter, a digit behind a digit."""

    vocabulary = VOCABULARY

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        return Memory(None, np.zeros((1, 1), np.float32), np.zeros((1, 1, 2), np.float32))

    def step(
        self, memory: Memory, image: Numbers, hidden: Rows, path: Rows, partner: Numbers
    ) -> Outcome:
        symbols = np.zeros((len(image), len(VOCABULARY.targets)), np.float32)
        path = np.array(path)
        for slot, number in enumerate(partner.tolist()):
            behind = str(VOCABULARY.partners[number])
            target = FOLLOWS.get(behind, "<empty>" if behind in FOLLOWS.values() else "l")
            symbols[slot, VOCABULARY.number(target)] = 9.0
            path[slot, 0, 0 if target == "l" else 1] += 1.0
        return Outcome(symbols, np.full((len(image), 7), -9, np.float32), hidden, path)


def test_the_rest_of_a_formula_profits() -> None:
    image = np.zeros((1, 2))
    assert to_latex(decode(Guessing(), [image])[0].expression) == "lz"
    held = KnownSymbolsEngine(Guessing(), [[KnownCells("1", FIRST, np.ones((1, 2), np.bool_))]])
    (reading,) = decode(held, [image])
    assert to_latex(reading.expression) == "12"
    assert reading.steps[0].probability > 0.99
    assert reading.steps[0].alternatives == ()  # it is nothing else


def test_a_name_that_the_network_does_not_have_is_passed_over() -> None:
    known = KnownCells("x", FIRST, np.ones((1, 2), np.bool_))
    (reading,) = decode(KnownSymbolsEngine(Guessing(), [[known]]), [np.zeros((1, 2))])
    assert to_latex(reading.expression) == "lz"


@pytest.mark.slow
def test_a_script_is_held_too() -> None:
    ink = compose([("x", Box(0, 30, 40, 70)), ("2", Box(48, 0, 68, 32))]).ink
    known = (KnownSymbol("z", (len(ink.strokes) - 1,)),)
    assert Recognizer(threads=1).read(AnnotatedInk(ink, known)).latex == "x^{z}"


@pytest.mark.slow
@pytest.mark.parametrize("quick", [True, False])
def test_a_known_symbol_is_held_and_the_others_stay(quick: bool) -> None:
    symbols = [("a", Box(0, 30, 40, 70)), ("+", Box(70, 34, 110, 70)), ("b", Box(140, 10, 172, 72))]
    ink = compose(symbols).ink
    reader = Recognizer(threads=1, quick=quick)
    assert reader.read(ink).latex == "a+b"
    known = (KnownSymbol("6", (3,)),)
    assert reader.read(AnnotatedInk(ink, known)).latex == "a+6"
    assert reader.read_page(AnnotatedInk(ink, known)).formulas[0].latex == "a+6"


@pytest.mark.parametrize(
    ("name", "strokes", "said"),
    [("no", (0,), "no symbol"), ("x", (9,), "not among"), ("x", (), "not")],
)
def test_what_cannot_be_known_is_refused(name: str, strokes: tuple[int, ...], said: str) -> None:
    ink = compose([("a", Box(0, 30, 40, 70))]).ink
    with pytest.raises(SanError, match=said):
        AnnotatedInk(ink, (KnownSymbol(name, strokes),)).checked()


@pytest.mark.parametrize("known", ["l", None, 5, ("l",), (("l", 0),), ((1, (0,)),), (("l", "0"),)])
def test_what_is_no_known_symbol_is_one_line(known: Any) -> None:
    ink = compose([("a", Box(0, 30, 40, 70))]).ink
    with pytest.raises(SanError, match=r"known symbols are KnownSymbol\(name, strokes\)$"):
        AnnotatedInk(ink, known).checked()


def test_a_stroke_is_known_as_one_symbol() -> None:
    ink = compose([("a", Box(0, 30, 40, 70))]).ink
    with pytest.raises(SanError, match="stroke 0 is known as x and as y"):
        AnnotatedInk(ink, (KnownSymbol("x", (0,)), KnownSymbol("y", (0,)))).checked()
