"""Contact sheets: a few samples of many, each where it should be."""

import numpy as np

from san.data.contact_sheet import COLUMNS, GAP, HEIGHT, WIDTH, ContactSheet


def sheet_of(total: int, max_samples: int = 40) -> np.ndarray:
    """Samples that are small black squares."""
    sheet = ContactSheet(total, max_samples)
    for _ in range(total):
        sheet.add(np.zeros((20, 20), np.uint8), "")
    return np.asarray(sheet.picture())


def squares(sheet: np.ndarray) -> int:
    return int((sheet == 0).sum()) // 400


def test_few_are_all_shown() -> None:
    assert squares(sheet_of(7)) == 7
    assert sheet_of(7).shape[1] == COLUMNS * (WIDTH + GAP) + GAP


def test_of_many_some_are_shown_spread_evenly() -> None:
    sheet = ContactSheet(1000, max_samples=10)
    for number in range(1000):
        sheet.add(np.full((20, 20), number * 255 // 1000, np.uint8), "")
    values = set(np.unique(np.asarray(sheet.picture()))) - {255}
    assert values == {number * 255 // 1000 for number in range(0, 1000, 100)}


def test_large_pictures_are_made_to_fit() -> None:
    sheet = ContactSheet(1)
    sheet.add(np.zeros((3000, 100), np.uint8), "")
    rows, columns = np.nonzero(np.asarray(sheet.picture()) == 0)
    assert rows.max() < GAP + HEIGHT
    assert 1 <= columns.max() - columns.min() + 1 <= 5


def test_labels_stand_below_and_endless_ones_are_cut() -> None:
    for latex in ("x", "x+" * 5000, "\\text{汉}\n"):
        sheet = ContactSheet(2)
        for _ in range(2):
            sheet.add(np.full((20, 20), 255, np.uint8), latex)
        below = np.asarray(sheet.picture())[GAP + HEIGHT :]
        assert below[:, GAP : GAP + WIDTH].min() < 128
        assert below[:, GAP + WIDTH + 1 : GAP + WIDTH + GAP - 1].min() == 255


def test_an_empty_sheet_is_a_picture() -> None:
    assert ContactSheet(0).picture().size[1] > 0
