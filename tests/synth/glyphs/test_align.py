"""Which glyph is which symbol: told by the tree and the page, or not at all."""

from itertools import islice
from pathlib import Path

import pytest

from san.grammar import GrammarError, parse
from san.ink import Box, read_many
from san.synth.glyphs.align import align
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.measure import outline


def places(latex: str, *glyphs: tuple[str, Box]) -> list[tuple[int, ...]] | None:
    labels, boxes = [label for label, _ in glyphs], [box for _, box in glyphs]
    return align(outline(parse(latex)), labels, boxes)


def at(label: str, x: float, y: float, width: float = 10, height: float = 10) -> tuple[str, Box]:
    """A glyph around a point."""
    return label, Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def test_a_script_is_told_from_its_like_on_the_line() -> None:
    line = [at("2", 60, 0), at("x", 0, 0), at("+", 40, 0), at("2", 12, -12)]
    assert places("x^{2}+2", *line) == [(1,), (3,), (2,), (0,)]


def test_of_several_bars_each_finds_its_fraction() -> None:
    glyphs = [
        at("-", 50, 40, 30, 1),  # the inner bar, in the denominator
        at("-", 50, 0, 90, 1),  # the outer bar
        at("-", 30, -20, 10, 1),  # a minus in the numerator
        at("1", 50, -20),
        at("1", 50, 25),
        at("1", 50, 55),
    ]
    found = places(r"\frac{-1}{\frac{1}{1}}", *glyphs)
    assert found == [(1,), (2,), (3,), (0,), (4,), (5,)]


def test_a_root_has_its_index_its_content_and_its_power() -> None:
    glyphs = [at("3", 0, -5, 5, 5), at(r"\sqrt", 50, 0, 100, 40), at("3", 60, 0), at("3", 110, -20)]
    # The order of the walk: the root, its superscript, its index, what is inside.
    assert places(r"\sqrt[3]{3}^{3}", *glyphs) == [(1,), (3,), (0,), (2,)]


def test_three_dots_in_a_row_are_one_symbol() -> None:
    dots = [at(".", x, 5, 1, 1) for x in (20, 30, 40)]
    glyphs = [at("1", 0, 0), *dots, at("9", 60, 0), at(".", 70, 5, 1, 1), at("5", 80, 0)]
    found = places(r"1\cdots9.5", *glyphs)
    assert found == [(0,), (1, 2, 3), (4,), (5,), (6,)]


@pytest.mark.parametrize(
    "glyphs",
    [
        [at("x", 0, 0)],  # a symbol is missing
        [at("x", 0, 0), at("2", 12, -12), at("2", 24, 0)],  # one too many
        [at("x", 0, 0), at("3", 12, -12)],  # another one
        [at("x", 0, 0), at("2", -20, 20)],  # no superscript stands there
    ],
)
def test_what_does_not_fit_is_left_alone(glyphs: list[tuple[str, Box]]) -> None:
    assert places("x^{2}", *glyphs) is None


def test_scripts_on_nothing_are_left_alone() -> None:
    assert places("{}^{2}x", at("2", 0, -10), at("x", 10, 0)) is None
    assert places("", *[]) is None


@pytest.mark.slow
def test_our_copybook_is_aligned_in_the_order_in_which_it_was_written() -> None:
    book = Copybook()
    for place in range(len(book)):
        glyphs = book.glyphs(place)
        found = align(
            outline(book.tree(place)), [own.label for own in glyphs], [own.box for own in glyphs]
        )
        assert found == [(number,) for number in range(len(glyphs))], book.ids[place]


@pytest.mark.corpus
@pytest.mark.slow
def test_nearly_all_of_crohme_is_aligned(data_root: Path) -> None:
    sheets = islice(read_many(data_root / "crohme" / "train.inkml.zip", lambda *_: None), 400)
    found = []
    for sheet in sheets:
        try:
            tree = outline(parse(sheet.truth or ""))
        except GrammarError:
            continue
        labels, boxes = [own.label for own in sheet.glyphs], [own.box for own in sheet.glyphs]
        found.append(align(tree, labels, boxes) is not None)
    assert len(found) > 300
    assert sum(found) > 0.96 * len(found)
