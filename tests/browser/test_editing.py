"""Editing what was read: the LaTeX by hand, and corrections that stay while more is written."""

import re
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, expect

from tests.browser.pen import expect_latex, on_screen, square, thinned, total, write

LIT = re.compile(r"\blit\b")


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"viewport": {"width": 1280, "height": 800}}


def test_the_latex_is_edited_with_a_preview(page: Page, faults: list[str]) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    page.keyboard.press("F2")
    field = page.get_by_label("LaTeX of the formula")
    expect(field).to_be_focused()
    field.fill(r"a+\frac{β}")
    fault = page.locator("#fault")
    expect(fault).to_have_text(re.compile(r"\\frac lacks argument 2"))
    field.fill("a≤β")
    expect(fault).to_be_empty()
    expect(page.locator("#formula")).to_contain_text("≤")  # before it is taken
    page.keyboard.press("Enter")
    expect_latex(page, r"a\leq\beta")
    expect(page.locator("#surety")).to_have_text("Corrected by you")
    stroke = on_screen(page, total())[3]  # of the b, which is a beta now
    page.mouse.move(*stroke[len(stroke) // 2])
    expect(page.locator('#formula [data-symbol="2"]')).to_have_class(LIT)
    page.locator("#edit").focus()
    page.keyboard.press("Control+z")
    expect_latex(page, "a+b")
    page.keyboard.press("Control+y")
    expect_latex(page, r"a\leq\beta")
    faults.clear()  # the browser logs every answer of 422


def test_what_is_typed_is_left_by_escape(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("LaTeX of the formula").fill("y")
    expect(page.locator("#formula")).to_contain_text("y")
    page.keyboard.press("Escape")
    expect_latex(page, "x^{2}")
    expect(page.locator("#formula")).not_to_contain_text("y")
    expect(page.get_by_role("button", name="Edit")).to_be_focused()


def test_a_correction_stays_while_more_is_written(page: Page) -> None:
    sheet = total()
    *first, last = on_screen(page, sheet)
    for stroke in first:
        draw(page, stroke)
    expect(page.locator('#formula [data-symbol="1"]')).to_be_visible()
    page.locator('#formula [data-symbol="0"]').click()
    page.get_by_label("Another symbol, in LaTeX").fill("α")
    page.keyboard.press("Enter")
    expect(page.locator("#source")).to_have_text(re.compile(r"^\\alpha"))
    draw(page, last)
    expect_latex(page, r"\alpha+b")
    expect(page.locator('#tree [data-symbol="0"]')).to_have_class(re.compile("corrected"))
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.locator("#source")).to_have_text(re.compile("^a"))


def draw(page: Page, stroke: list[tuple[float, float]]) -> None:
    page.mouse.move(*stroke[0])
    page.mouse.down()
    for point in thinned(stroke):
        page.mouse.move(*point)
    page.mouse.up()
