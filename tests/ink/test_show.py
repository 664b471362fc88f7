"""The picture for people: colours by symbol, grey for the rest, labels, a caption."""

import numpy as np

from san.ink import Glyph, Ink, Sheet
from san.ink.show import GREY, MAX_SIDE, show
from tests.ink.formulas import fraction


def colours(sheet: Sheet) -> set[tuple[int, ...]]:
    """The colours of more than a few pixels, white aside."""
    values, counts = np.unique(np.asarray(show(sheet)).reshape(-1, 3), axis=0, return_counts=True)
    return {tuple(value.tolist()) for value in values[counts > 60]} - {(255, 255, 255)}


def test_each_symbol_has_its_own_colour() -> None:
    sheet = Sheet(fraction().ink, fraction().glyphs)
    assert len(colours(sheet)) == len(sheet.glyphs) == 5


def test_strokes_of_no_symbol_are_grey() -> None:
    assert colours(Sheet(fraction().ink)) == {GREY}


def test_labels_are_written() -> None:
    sheet = fraction()
    bare = [Glyph(" ", glyph.strokes, glyph.box) for glyph in sheet.glyphs]
    with_labels = np.asarray(show(Sheet(sheet.ink, sheet.glyphs)))
    without = np.asarray(show(Sheet(sheet.ink, tuple(bare))))
    assert with_labels.shape == without.shape
    assert (with_labels != without).any(axis=2).sum() > 5 * 20


def test_the_truth_is_the_caption() -> None:
    plain, captioned = show(Sheet(fraction().ink)), show(Sheet(fraction().ink, truth="x=1/2"))
    assert captioned.height > plain.height
    assert (np.asarray(captioned)[plain.height :] < 128).any()


def test_odd_ink_and_odd_text_are_shown_within_bounds() -> None:
    far = Ink.of([[[0, 0], [0, 1]], [[1e6, 1e6]]])
    glyph = Glyph("a\nb " * 500, (0,), far.box)
    picture = show(Sheet(far, (glyph,), truth="\\sum " * 5000))
    assert max(picture.size) < MAX_SIDE + 200
    assert show(Sheet(Ink.of([[[3, 3]]]))).getpixel((30, 30)) == GREY
