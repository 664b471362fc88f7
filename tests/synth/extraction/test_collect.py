"""Rows of glyphs and masks, without outliers."""

from pathlib import Path

import numpy as np
import pytest

from san.data.pack import Pack, write_pack
from san.grammar import parse, to_latex
from san.ink.alphabet import compose
from san.ink.strokes import Box, box_of
from san.synth.extraction.collect import glyph_rows, masks_without_outliers
from san.synth.extraction.extract import ExtractedPhoto
from san.synth.glyphs.photo_glyphs import rows_of
from san.synth.layout.measure import outline


def gathered(
    latex: str, placed: list[tuple[str, Box]], without: tuple[int, ...] = ()
) -> ExtractedPhoto:
    sheet = compose(placed)
    strokes = [[sheet.ink.strokes[stroke] for stroke in own.strokes] for own in sheet.glyphs]
    for place in without:
        strokes[place] = []
    nowhere = np.zeros((1, 1), np.uint8)
    return ExtractedPhoto(outline(parse(latex)), strokes, [1.0] * len(strokes), nowhere)


def squares(count: int, script: float = 0.5) -> list[ExtractedPhoto]:
    """x^2+3 in many sizes, the exponent smaller by this factor."""
    found = []
    for number in range(count):
        size = 20.0 * (1 + number / count)
        small = size * script
        found.append(
            gathered(
                "x^{2}+3",
                [
                    ("x", Box(0, 0, size, size)),
                    ("2", Box(size * 1.2, -small, size * 1.2 + small, 0)),
                    ("+", Box(size * 2.5, size * 0.2, size * 3.1, size * 0.8)),
                    ("3", Box(size * 3.5, 0, size * 4.1, size)),
                ],
            )
        )
    return found


def test_a_row_holds_every_symbol_at_one_size(tmp_path: Path) -> None:
    samples = list(glyph_rows([f"p{number}" for number in range(9)], squares(9)))
    assert [to_latex(own.tree) for own in samples] == ["x2+3"] * 9
    write_pack(samples, tmp_path / "photo-glyphs.npz")
    read = rows_of(Pack.load(tmp_path / "photo-glyphs.npz"))
    assert [own.names for own in read] == [["x", "2", "+", "3"]] * 9
    for place in range(4):
        # However large a photograph was written, in em its symbols are all alike.
        heights = [box_of(own.strokes[place]).height / own.em for own in read]
        assert max(heights) < 1.1 * min(heights)
    x, two = (box_of(read[0].strokes[place]).height for place in (0, 1))
    assert two > 0.7 * x  # it was half as large, but so is the em of an exponent


def test_what_is_far_from_usual_is_left_out() -> None:
    found = squares(12)
    wide = found[5].strokes[3]
    found[5].strokes[3] = [stroke * np.array((6, 1), np.float32) for stroke in wide]
    samples = list(glyph_rows([str(number) for number in range(12)], found))
    assert [len(own.glyphs) for own in samples] == [5] * 5 + [4] + [5] * 6


def test_bars_are_symbols_and_photographs_of_next_to_nothing_have_no_row() -> None:
    boxes = [(r"\frac", Box(0, 30, 30, 31)), ("2", Box(5, 0, 20, 20)), ("3", Box(5, 40, 20, 60))]
    full, poor = gathered(r"\frac{2}{3}", boxes), gathered(r"\frac{2}{3}", boxes, without=(0,))
    (sample,) = glyph_rows(["full", "poor"], [full, poor])
    assert sample.id == "full"
    assert to_latex(sample.tree) == r"\frac{}{}23"
    assert not list(glyph_rows(["poor"], [gathered(r"\frac{2}{3}", boxes, without=(0, 1, 2))]))


@pytest.mark.parametrize("place", [0, 1, 3])
def test_symbols_that_were_not_found_do_not_disturb_the_others(place: int) -> None:
    found = squares(9)
    for own in found[::2]:
        own.strokes[place] = []
    samples = list(glyph_rows([str(number) for number in range(9)], found))
    assert [len(own.glyphs) - 1 for own in samples] == [3, 4] * 4 + [3]


def page(wide: int = 20) -> np.ndarray:
    """The mask of 2x3, side by side, the last one so wide."""
    labels = np.zeros((60, 200), np.uint8)
    labels[10:40, 10:30], labels[10:40, 40:60] = 1, 2
    labels[10:40, 70 : 70 + wide] = 3
    return labels


def test_what_is_as_wide_as_two_loses_its_mask() -> None:
    trees = [outline(parse("2 x 3"))] * 12
    pages = [page(20 + number % 3) for number in range(11)] + [page(90)]
    kept = masks_without_outliers(trees, pages)
    for own, before in zip(kept[:-1], pages, strict=False):
        assert np.array_equal(own, before)
    assert {*np.unique(kept[-1])} == {0, 1, 2}


def test_roots_and_photographs_without_masks_are_left_alone() -> None:
    trees = [outline(parse(r"\sqrt{2}"))] * 6
    pages = [np.zeros((9, 9), np.uint8) for _ in trees]
    for number, own in enumerate(pages[1:]):
        own[1:3, 1 : 2 + number] = 1
    kept = masks_without_outliers(trees, pages)
    assert all(np.array_equal(own, before) for own, before in zip(kept, pages, strict=True))
