from typing import Any

import cv2
import numpy as np
import pytest

from san.images.bitmap import Mask
from san.images.clean.components import find_components
from san.images.clean.strays import (
    MAX_SECOND_BARS,
    MAX_WINDOW_PIXELS,
    has_strokes,
    second_bars,
    without_strays,
)

LEVEL = 0.6


def writing() -> Mask:
    """Four letters, 40 pixels tall, and a dot."""
    ink = np.zeros((120, 300), np.uint8)
    for left in (60, 100, 140, 180):
        ink[40:80, left : left + 4] = 1
        ink[76:80, left : left + 20] = 1
    ink[76:80, 210:214] = 1
    return ink


def kept(ink: Mask, removed: Mask | None = None, bars: Mask | None = None) -> Mask:
    where = np.zeros_like(ink) if removed is None else removed
    return without_strays(ink, LEVEL * ink.astype(np.float32), where, LEVEL, bars=bars)


def test_letters_and_their_dots_stay() -> None:
    assert np.array_equal(kept(writing()), writing())


def test_specks_go() -> None:
    ink = writing()
    ink[20, 120] = ink[60, 90] = 1
    assert np.array_equal(kept(ink), writing())


def test_a_point_that_was_seen_from_nearer_is_no_speck() -> None:
    ink = writing()
    ink[79, 122] = ink[60, 90] = 1  # a point, and dust
    seen = writing()
    seen[78:80, 121:123] = 1
    difference = LEVEL * ink.astype(np.float32)
    cleaned = without_strays(ink, difference, np.zeros_like(ink), LEVEL, seen=seen)
    assert cleaned[79, 122]
    assert not cleaned[60, 90]


def test_feet_of_the_line_above_go_but_letters_at_the_edge_stay() -> None:
    ink = writing()
    ink[:8, 100:110] = 1
    assert np.array_equal(kept(ink), writing())
    cut = writing()[:78]
    assert kept(cut)[:, 60:210].sum() == cut[:, 60:210].sum()


def test_the_edge_of_the_page_goes() -> None:
    ink = writing()
    ink[:3] = 1
    ink[:, :3] = 1
    assert np.array_equal(kept(ink), writing())


def test_a_little_mark_far_away_goes() -> None:
    ink = np.pad(writing(), ((0, 400), (0, 0)))
    expected = ink.copy()
    ink[500:510, 20:24] = 1
    assert np.array_equal(kept(ink), expected)


def test_a_pale_bar_on_a_ruling_stays_beneath_its_like() -> None:
    ink = writing()
    removed = np.zeros_like(ink)
    removed[58:64] = 1
    ink[48:52, 230:260] = 1
    ink[59:63, 231:259] = 1
    difference = LEVEL * ink.astype(np.float32)
    difference[58:64, 225:] *= 0.6
    assert np.array_equal(without_strays(ink, difference, removed, LEVEL, 0.1), ink)
    ink[48:52, 230:260] = 0
    assert not without_strays(ink, difference, removed, LEVEL, 0.1)[:, 225:].any()


def test_a_tall_line_makes_no_tall_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose time would grow with them."""
    ink = np.zeros((3000, 1000), np.uint8)
    ink[10:2990, 200:203] = 1
    sides = [0]

    def box_filter(picture: Mask, depth: int, window: tuple[int, int], **rest: Any) -> Any:
        sides.extend(window)
        return summed(picture, depth, window, **rest)

    def dilate(picture: Mask, kernel: Mask, **rest: Any) -> Any:
        sides.extend(kernel.shape)
        return dilated(picture, kernel, **rest)

    summed, dilated = cv2.boxFilter, cv2.dilate
    monkeypatch.setattr(cv2, "boxFilter", box_filter)
    monkeypatch.setattr(cv2, "dilate", dilate)
    assert np.array_equal(kept(ink), ink)
    assert max(sides) <= 2 * MAX_WINDOW_PIXELS + 1


def test_remains_of_rulings_go() -> None:
    ink = writing()
    removed = np.zeros_like(ink)
    removed[88:94] = 1
    pale = ink.copy()
    pale[90:92, 100:130] = 1
    difference = LEVEL * ink + 0.2 * (pale - ink)
    assert np.array_equal(without_strays(pale, difference.astype(np.float32), removed, LEVEL), ink)
    # A bar that is as dark as the ink was written there.
    dark = LEVEL * pale.astype(np.float32)
    assert np.array_equal(without_strays(pale, dark, removed, LEVEL), pale)


def test_a_blurred_point_on_a_ruling_stays() -> None:
    """Paler than strokes are, and far darker than the ruling."""
    ink = writing()
    removed = np.zeros_like(ink)
    removed[74:82] = 1
    point = np.zeros_like(ink)
    point[76:80, 210:214] = 1
    difference = np.where(point, LEVEL * 0.6, LEVEL * ink).astype(np.float32)
    assert np.array_equal(without_strays(ink, difference, removed, LEVEL, LEVEL / 8), ink)
    without = ink - point
    assert np.array_equal(without_strays(ink, difference, removed, LEVEL, LEVEL / 2), without)


def test_nothing_but_remains_is_nothing() -> None:
    ink = np.zeros((120, 300), np.uint8)
    ink[50:53, 20:60] = ink[50:53, 100:130] = 1
    assert not kept(ink, np.ones_like(ink)).any()


def test_letters_on_lines_stay_where_they_are_darker() -> None:
    ink, removed = writing(), np.zeros_like(writing())
    removed[:, ::8] = removed[::8] = 1
    difference = LEVEL * ink.astype(np.float32)
    pale, dark = LEVEL / 4, LEVEL / 1.2
    assert np.array_equal(without_strays(ink, difference, removed, LEVEL, pale), ink)
    assert not without_strays(ink, difference, removed, LEVEL, dark).any()


def test_what_writing_is() -> None:
    assert has_strokes(writing())
    assert not has_strokes(np.zeros((50, 50), np.uint8))
    blob = np.zeros((200, 200), np.uint8)
    blob[50:120, 50:120] = 1
    assert not has_strokes(blob)
    specks = np.zeros((200, 200), np.uint8)
    specks[::10, ::10] = 1
    assert not has_strokes(specks)


def test_a_line_from_side_to_side_stays_if_it_is_known_as_a_bar() -> None:
    ink = writing()
    bar = np.zeros_like(ink)
    bar[100:104] = 1
    assert np.array_equal(kept(ink | bar), ink)
    assert np.array_equal(kept(ink | bar, bars=bar), ink | bar)


def test_a_second_bar_is_as_long_as_the_first() -> None:
    ink = writing()
    ink[50:54, 225:260] = 1
    ink[64:68, 227:258] = 1
    ink[64:68, 270:295] = 1
    found = find_components(ink)
    flat = found.stats[:, 2] > 5 * found.stats[:, 3]
    lower = flat & (found.stats[:, 1] > 60)
    seconds = second_bars(found, lower, ~lower, 4)
    assert found.stats[seconds][:, 0].tolist() == [227]


def test_dashes_in_numbers_are_no_second_bars() -> None:
    ink = np.zeros((30, 8 * (MAX_SECOND_BARS + 1)), np.uint8)
    ink[[5, 20], :] = np.arange(ink.shape[1]) % 8 < 6
    found = find_components(ink)
    lower = found.stats[:, 1] > 10
    assert not second_bars(found, lower, ~lower, 1).any()
    first = lower & (found.stats[:, 0] == 0)
    assert second_bars(found, first, ~lower, 40).sum() == 1
