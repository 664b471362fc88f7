"""Our own hands write all of our own alphabet."""

import pytest

from san.grammar.tree import Relation
from san.ink.alphabet import SHAPES, WORDS
from san.synth.glyphs.copybook import Copybook

pytestmark = pytest.mark.slow  # its fixtures take seconds to make


def test_every_symbol_and_every_relation_is_there() -> None:
    book = Copybook()
    names, relations = set(), set()
    for place in range(len(book)):
        for visit in book.tree(place).walk():
            names.add(visit.symbol.name)
            relations.add(visit.relation)
    assert names == {*SHAPES, *WORDS}
    assert relations == {None, *Relation}
    assert len(set(book.ids)) == len(book)
