"""A sheet with several formulas: a card each."""

from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, expect

from san.ink import Sheet
from tests.browser.pen import expect_latex, square, write
from tests.reader.pages.written import lines_of


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"viewport": {"width": 1280, "height": 800}}


def test_each_formula_of_a_sheet_has_a_card(page: Page) -> None:
    write(page, Sheet(lines_of("x+1=2", "a=b")))
    cards = page.locator("#cards button")
    expect(cards).to_have_count(2)
    expect_latex(page, "x+1=2")
    cards.nth(1).click()
    expect_latex(page, "a=b")
    expect(page.locator("#cards button[aria-pressed=true]")).to_have_count(1)
    expect(page.locator("[data-download=inkml]")).to_be_disabled()
    page.keyboard.press("Control+z")  # the last stroke is gone, and is read anew
    expect(cards.nth(0)).to_have_attribute("aria-pressed", "true")


def test_a_single_formula_has_none(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    expect(page.locator("#cards")).to_be_hidden()
