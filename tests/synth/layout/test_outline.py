"""A tree as flat lists."""

from san.grammar import Relation, parse
from san.synth.layout.outline import outline


def test_ranges_chains_and_branches() -> None:
    flat = outline(parse(r"a+\frac{x^{2}}{yz}-b"))
    assert flat.names == ["a", "+", r"\frac", "x", "2", "y", "z", "-", "b"]
    assert flat.sizes == [1, 1, 5, 2, 1, 1, 1, 1, 1]
    assert flat.chain(0) == [0, 1, 2, 7, 8]
    assert flat.chain(5) == [5, 6]
    assert flat.parts[2] == {Relation.ABOVE: 3, Relation.BELOW: 5}
    assert flat.parts[3] == {Relation.SUP: 4}
    assert flat.parents[7] == 2
    assert len(flat) == 9


def test_nothing_is_nothing() -> None:
    assert len(outline(parse(""))) == 0
