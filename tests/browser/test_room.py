"""Room to write: the sheet moves and zooms, a lasso chooses strokes, scratching out erases."""

import re
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, expect

from tests.browser.pen import (
    around,
    corners,
    draw_line,
    expect_latex,
    on_screen,
    square,
    strokes_on,
    total,
    write,
)


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"viewport": {"width": 1280, "height": 800}, "has_touch": True}


def ink(page: Page) -> list[list[list[float]]]:
    kept: list[list[list[float]]] = page.evaluate("JSON.parse(localStorage['san.ink'] ?? '[]')")
    return kept


def test_strokes_are_chosen_moved_copied_and_read(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    a, *_, b = on_screen(page, total())
    page.get_by_role("button", name="Choose").click()
    draw_line(page, around([a]))
    bar = page.get_by_role("toolbar", name="The chosen strokes")
    bar.get_by_role("button", name="Read only this").click()
    expect_latex(page, "a")
    assert strokes_on(page) == 4
    page.keyboard.press("Control+z")
    expect_latex(page, "a+b")
    draw_line(page, around([b]))
    before = ink(page)
    x, y = b[len(b) // 2]
    draw_line(page, [(x, y), (x + 50, y + 5)])
    expect_latex(page, "a+b")
    after = ink(page)
    assert after[:3] == before[:3]
    assert after[3][0][0] == pytest.approx(before[3][0][0] + 50, abs=1)
    expect(bar).to_be_visible()  # what was moved is still chosen
    bar.get_by_role("button", name="Copy").click()
    assert strokes_on(page) == 5
    page.locator("#ink").focus()
    page.keyboard.press("Delete")  # the copy, which is chosen now
    assert strokes_on(page) == 4
    expect(bar).to_be_hidden()


@pytest.mark.parametrize("tool", ["Erase", "Point", "Choose"])
def test_a_sheet_that_is_cleared_is_written_on(page: Page, tool: str) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name=tool).click()
    page.get_by_role("button", name="Clear the sheet").click()
    expect(page.get_by_text("Write here")).to_be_visible()
    write(page, total())
    expect_latex(page, "a+b")


def test_an_example_is_read_and_left(page: Page) -> None:
    page.get_by_role("button", name="Example: e").click()
    expect_latex(page, r"e^{i\pi}+1=0")
    page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Example: e")).to_be_visible()


def test_scratching_out_erases(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    left, top, right, bottom = corners([on_screen(page, square())[2]], 4)
    across = [(right if turn % 2 else left, top + turn * (bottom - top) / 9) for turn in range(10)]
    draw_line(page, across)
    expect_latex(page, "x")
    assert strokes_on(page) == 2
    page.get_by_role("button", name="Undo").click()
    expect_latex(page, "x^{2}")


def test_the_sheet_moves_and_zooms(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    room = page.locator("#ink").bounding_box()
    assert room
    paper = page.locator("#paper")
    page.mouse.move(room["x"] + 200, room["y"] + 150)
    page.mouse.wheel(400, 0)
    expect(paper).to_have_class(re.compile("more-left"))  # the ink is out of sight, and it is said
    x, y = room["x"] + 100, room["y"] + 100
    draw_line(page, [(x, y), (x + 60, y)])
    stroke = ink(page)[3]
    assert stroke[0][0] == pytest.approx(500, abs=1.5)  # beyond the first window
    page.keyboard.press("Control+z")
    page.locator("#whole-sheet").click()
    expect(paper).not_to_have_class(re.compile("more-left"))
    # Two fingers zoom, and leave no ink.
    devtools = page.context.new_cdp_session(page)
    for kind, wide in (("touchStart", 40), ("touchMove", 60), ("touchMove", 80), ("touchEnd", 0)):
        places = [{"x": x + side * wide, "y": y, "id": side} for side in (0, 1)] if wide else []
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
    assert strokes_on(page) == 3
    unit = "document.getElementById('paper').style.getPropertyValue('--unit')"
    assert float(page.evaluate(unit).removesuffix("px")) == pytest.approx(52, abs=1)
    page.get_by_role("button", name="Another paper").click()
    expect(paper).to_have_attribute("data-kind", "ruled")
    page.reload()
    expect(paper).to_have_attribute("data-kind", "ruled")


def test_a_phone_that_lies_gives_its_space_to_the_ink(page: Page) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    expect(page.locator("#grove")).to_be_hidden()
    sheet = page.locator("#sheet").bounding_box()
    assert sheet
    assert sheet["height"] > 0.9 * 390
    assert sheet["width"] > 0.6 * 844
    result = page.locator("#result").bounding_box()
    assert result
    assert result["y"] + result["height"] <= 390
    page.get_by_role("button", name="How it was understood").click()
    expect(page.locator("#grove")).to_be_visible()


def test_which_strokes_are_enclosed_or_scratched_out(scripts: Page) -> None:
    found = scripts.evaluate("""async () => {
      const { enclosed, scratched, shifted } = await import("./static/js/lasso.js");
      const { Viewport } = await import("./static/js/viewport.js");
      const line = (x) => [[x, 0, 0.5], [x, 10, 0.5], [x, 20, 0.5]];
      const box = [[-5, -5], [15, -5], [15, 25], [-5, 25]];
      const zigzag = (turns) => Array.from({ length: turns }, (_, at) =>
        [at % 2 ? 25 : -5, -2 + (at * 24) / (turns - 1), 0.5]);
      const view = new Viewport();
      view.zoom(2, 100, 50);
      return {
        enclosed: enclosed([line(0), line(10), line(40)], box),
        scratched: scratched(zigzag(9), [line(0), line(10), line(40)]),
        crossed: scratched([[-5, 10, 0.5], [25, 12, 0.5]], [line(0)]),
        shifted: shifted([line(0), line(5)], [1], 2, 3)[1][0],
        stays: view.toInk(100, 50), corner: view.toInk(0, 0),
        beyond: view.beyond([0, 0, 60, 30], 200, 100),
      };
    }""")
    assert found == {
        "enclosed": [0, 1],
        "scratched": [0, 1],
        "crossed": [],
        "shifted": [7, 3, 0.5],
        "stays": [100, 50],
        "corner": [50, 25],
        "beyond": {"left": True, "top": True, "right": False, "bottom": False},
    }
