"""Stacked sheets: one writer, one formula below the other, the same by their seed."""

import itertools
from pathlib import Path

import numpy as np

from san.data.stacked_sheets import INDENT, formulas_by_writer, stack, stacked_sheets
from san.ink import Ink, Sheet, write_inkml
from san.ink.draw import BITMAP_PEN, scale_of
from tests.ink.formulas import fraction, quadratic


def test_formulas_stand_below_one_another_in_their_size() -> None:
    formulas = [fraction(), quadratic(), fraction()]
    for seed in range(4):
        sheet = stack(formulas, np.random.default_rng(seed), (0.5, 0.7))
        boxes = [
            Ink(tuple(np.array(sheet.ink.strokes, object)[sheet.owners == number])).box
            for number in range(3)
        ]
        letter = np.mean([BITMAP_PEN.height / scale_of(one.ink) for one in formulas])
        for box, formula in zip(boxes, formulas, strict=True):
            assert np.isclose(box.height, formula.ink.box.height, rtol=1e-3)
            assert 0 <= box.left <= INDENT * letter
        for above, below in itertools.pairwise(boxes):
            assert 0.49 < (below.top - above.bottom) / letter < 0.71


def test_a_sheet_is_by_one_writer(tmp_path: Path) -> None:
    for number in range(10):
        formula = (fraction, quadratic)[number % 2]()
        named = Sheet(formula.ink, formula.glyphs, formula.truth, writer=str(number % 2))
        (tmp_path / f"{number}.inkml").write_bytes(write_inkml(named))
    assert sorted(formulas_by_writer(tmp_path)) == ["0", "1"]
    sheets = list(stacked_sheets(tmp_path, 6, seed=3))
    for sheet, again in zip(sheets, stacked_sheets(tmp_path, 6, seed=3), strict=True):
        assert 2 <= len(sheet.formulas) <= 4
        assert len({formula.writer for formula in sheet.formulas}) == 1
        assert np.array_equal(sheet.ink.points, again.ink.points)
