"""A sheet with several formulas: a card each."""

import re
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import FilePayload, Page, Route, expect

from san.ink import Sheet, draw
from tests.browser.pen import around, draw_line, expect_latex, on_screen, square, thinned, write
from tests.data.drawn import encoded
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
    expect(cards.nth(1)).to_have_attribute("aria-pressed", "true")


def test_the_card_stays_as_long_as_its_formula_does(page: Page) -> None:
    strokes = on_screen(page, Sheet(lines_of("x+1=2", "a=b+c")))
    second = strokes[len(lines_of("x+1=2").strokes) :]
    for stroke in strokes[:-1]:
        draw_line(page, thinned(stroke))
    cards = page.locator("#cards button")
    cards.nth(1).click()
    expect_latex(page, "a=b+")
    draw_line(page, thinned(strokes[-1]))
    expect_latex(page, "a=b+c")
    expect(cards.nth(1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("l")
    draw_line(page, around(second))
    (x, y), *_ = second[-1]
    draw_line(page, [(x, y), (x + 20, y + 40)])
    expect(page.locator("#result")).to_have_attribute("aria-busy", "true")
    expect_latex(page, "a=b+c")
    page.get_by_role("button", name="Delete").click()
    expect_latex(page, "x+1=2")


def test_a_card_is_chosen_while_more_is_read(page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    write(page, Sheet(lines_of("x+1=2", "a=b")))
    cards = page.locator("#cards button")
    expect(cards).to_have_count(2)
    page.route("**/api/v1/page*", hold)
    with page.expect_request("**/api/v1/page*"):
        page.keyboard.press("Control+z")
    cards.nth(1).click()
    expect(cards.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#source")).to_have_text("x+1=2")  # until the answer comes
    held[0].continue_()
    expect(page.locator("#result")).to_have_attribute("aria-busy", "false")
    expect(cards.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#source")).to_contain_text("a")


def test_a_card_that_is_chosen_keeps_the_focus(page: Page) -> None:
    write(page, Sheet(lines_of("x+1=2", "a=b")))
    cards = page.locator("#cards button")
    expect(cards).to_have_count(2)
    expect_latex(page, "x+1=2")
    cards.nth(1).focus()
    page.keyboard.press("Enter")
    expect_latex(page, "a=b")
    expect(cards.nth(1)).to_be_focused()


def test_a_card_shows_the_beginning_and_how_sure(page: Page) -> None:
    write(page, Sheet(lines_of("x+1=2", "a=b")))
    cards = page.locator("#cards button")
    expect(cards).to_have_count(2)
    page.evaluate("""() => {
      const [long, tall] = document.querySelectorAll("#cards math");
      long.innerHTML = `<mi>${"x".repeat(99)}</mi>`;
      tall.innerHTML = `<mtable>${"<mtr><mtd><mi>x</mi></mtd></mtr>".repeat(9)}</mtable>`;
    }""")
    for card in cards.all():
        parts = (card, card.locator("mi").first, card.locator("small"))
        room, first, sure = (part.bounding_box() for part in parts)
        assert room
        assert first
        assert sure
        assert room["x"] < first["x"]
        assert room["y"] < first["y"]
        assert sure["y"] + sure["height"] < room["y"] + room["height"]


def test_a_single_formula_has_none(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    expect(page.locator("#cards")).to_be_hidden()


def test_each_line_of_a_picture_has_a_card(page: Page) -> None:
    lines = np.pad(255 - draw(lines_of("x+1=2", "a=b")), 40, constant_values=255)
    picture = {"name": "a.png", "mimeType": "image/png", "buffer": encoded(lines)}
    page.set_input_files("#file", cast(FilePayload, picture))
    page.get_by_role("button", name=re.compile("^Read")).click()
    expect(page.locator("#cards button")).to_have_count(2)
    expect_latex(page, "x+1=2")
    lit = page.locator("#lit-box")
    expect(lit).to_be_hidden()
    page.locator("#cards button").nth(1).click()
    expect_latex(page, "a=b")
    box, whole = lit.bounding_box(), page.locator("#surface").bounding_box()
    assert box
    assert whole
    assert box["y"] > whole["y"] + whole["height"] / 3, "the second line is lit"
    assert box["width"] > whole["width"] / 4, "all of it"


def test_what_is_left_out_is_told(page: Page) -> None:
    note = "1 block is left out (prose)"

    def without_some(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "notes": [note]})

    page.route("**/api/v1/page*", without_some)
    write(page, square())
    expect(page.locator("#notice-text")).to_have_text(f"{note}.")


def test_help_tells_what_is_not_read(page: Page) -> None:
    page.get_by_role("button", name="Help").click()
    page.get_by_text("What is not read").click()
    expect(page.get_by_text("Long division")).to_be_visible()
