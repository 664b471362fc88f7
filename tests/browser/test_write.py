"""Writing: ink becomes LaTeX, and nothing that was written is lost."""

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.pen import expect_latex, on_screen, square, strokes_on, total, write
from tests.ink.formulas import quadratic


def test_a_formula_is_read_as_it_is_written(page: Page) -> None:
    expect(page.get_by_text("Write here")).to_be_visible()
    write(page, quadratic())
    expect_latex(page, r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}")
    expect(page.locator("#formula mfrac")).to_be_visible()
    expect(page.locator("#surety")).to_contain_text("Sure, 9")
    expect(page.get_by_text("Write here")).to_be_hidden()
    # What a screen reader hears.
    expect(page.locator("#spoken")).to_contain_text("Sure")


def test_the_ink_reaches_the_server_as_it_was_written(page: Page) -> None:
    with page.expect_request("**/api/v1/page*") as asked:
        write(page, total())
    strokes = asked.value.post_data_json["strokes"]
    room = page.locator("#ink").bounding_box()
    assert room
    assert len(strokes) == 4
    for sent, drawn in zip(strokes, on_screen(page, total()), strict=True):
        for at in (0, -1):
            assert abs(sent[at][0] + room["x"] - drawn[at][0]) <= 1.5
            assert abs(sent[at][1] + room["y"] - drawn[at][1]) <= 1.5


def test_undo_redo_and_clear_by_keys(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.keyboard.press("Control+z")
    expect_latex(page, "x")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("Control+y")
    expect_latex(page, "x^{2}")
    assert asked == [], "what was read before is not read again"
    page.locator("#ink").focus()
    page.keyboard.press("Delete")
    expect(page.get_by_text("Write here")).to_be_visible()
    expect_latex(page, "")
    page.keyboard.press("Control+z")
    expect_latex(page, "x^{2}")


def test_erasing_takes_whole_strokes(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Erase").click()
    stroke = on_screen(page, square())[2]
    page.mouse.move(stroke[0][0] - 40, stroke[0][1])
    page.mouse.down()
    page.mouse.move(*stroke[0], steps=5)
    page.mouse.up()
    expect_latex(page, "x")
    assert strokes_on(page) == 2
    page.get_by_role("button", name="Undo").click()
    expect_latex(page, "x^{2}")
    assert strokes_on(page) == 3


def test_ink_survives_a_reload_on_this_device_only(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.reload()
    expect_latex(page, "x^{2}")
    assert strokes_on(page) == 3
    assert page.context.cookies() == []
    expect(page.get_by_text("kept on this device only")).to_be_visible()
    page.get_by_role("button", name="Clear the sheet").click()
    page.reload()
    expect(page.get_by_text("Write here")).to_be_visible()


def test_the_latest_ink_wins_over_a_slow_answer(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/v1/page*", lambda route: held.append(route), times=1)
    first, second = square(), total()
    write(page, first)
    expect(page.locator("#notice-text")).to_have_text("Reading …")
    page.get_by_role("button", name="Clear the sheet").click()
    write(page, second)
    expect_latex(page, "a+b")
    assert len(held) == 1
    held[0].fulfill(json={"latex": "late"})
    page.wait_for_timeout(200)
    expect_latex(page, "a+b")


def test_the_sheet_invites_once_it_can_be_written_on(context: BrowserContext) -> None:
    page = context.new_page()
    held: list[Route] = []
    page.route("**/js/main.js", lambda route: held.append(route))
    page.goto("", wait_until="commit")
    expect(page.get_by_role("button", name="Erase")).to_be_visible()
    expect(page.locator("#hint")).to_be_hidden()
    held[0].continue_()
    expect(page.get_by_text("Write here")).to_be_visible()


def test_who_writes_over_an_example_writes(page: Page) -> None:
    example = page.locator(".example").nth(1)
    box = example.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for far in (-90, 30):  # beyond it, and within
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + far, y + 10, steps=8)
        page.mouse.up()
        assert strokes_on(page) == 1
        begin, *_, end = page.evaluate("JSON.parse(localStorage['san.ink'])[0]")
        assert end[0] - begin[0] == pytest.approx(far, abs=1)
        page.get_by_role("button", name="Undo").click()
    example.click()
    assert strokes_on(page) > 10
