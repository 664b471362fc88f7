"""Ink that was not read is marked and told, and doubt is about something."""

import re
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, Route, expect

from san.ink import Sheet, draw
from tests.browser.pen import expect_latex, square, total, write
from tests.data.drawn import encoded
from tests.reader.pages.written import lines_of

NOTE = "2 strokes were not read: another line below?"


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"viewport": {"width": 1280, "height": 800}}


def answer_with(page: Page, path: str, **fields: Any) -> None:
    """From now on the server says this of whatever it reads."""

    def changed(answer: dict[str, Any]) -> dict[str, Any]:
        if "formulas" not in answer:
            return {**answer, **fields}
        return {**answer, "formulas": [{**one, **fields} for one in answer["formulas"]]}

    page.route(
        f"**/api/v1/{path}*", lambda route: route.fulfill(json=changed(route.fetch().json()))
    )


def test_strokes_that_were_not_read_are_marked_and_told(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    plain = page.locator("#ink").screenshot()
    page.get_by_role("button", name="Clear the sheet").click()
    box = [10, 10, 60, 60]
    unread = [{"box": box, "strokes": [2]}, {"box": box, "strokes": [3]}]
    answer_with(page, "page", unread=unread, notes=[NOTE])
    write(page, total())
    expect_latex(page, "a+b")
    expect(page.locator("#notice")).to_have_attribute("data-mood", "trouble")
    expect(page.locator("#notice-text")).to_have_text(f"{NOTE} Marked on the sheet.")
    expect(page.locator("#spoken")).to_contain_text(NOTE)
    assert page.locator("#ink").screenshot() != plain


def test_parts_of_a_picture_that_were_not_read_are_framed(page: Page) -> None:
    answer_with(page, "page", unread=[{"box": [5, 5, 40, 30]}], notes=[NOTE])
    picture = {"name": "a.png", "mimeType": "image/png", "buffer": encoded(draw(square().ink))}
    page.set_input_files("#file", picture)
    page.get_by_role("button", name=re.compile("^Read")).click()
    expect_latex(page, "x^{2}")
    expect(page.locator("#surface .unread")).to_have_count(1)
    expect(page.locator("#notice-text")).to_contain_text(NOTE)
    page.get_by_role("button", name="Write again").click()
    expect(page.locator("#surface .unread")).to_have_count(0)


def test_blocks_of_a_picture_that_were_left_out_are_framed(page: Page) -> None:
    note, blocks = "1 block is left out (prose)", [{"box": [5, 5, 40, 30], "reason": "prose"}]

    def without_some(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "left_out": blocks, "notes": [note]})

    page.route("**/api/v1/page*", without_some)
    picture = {"name": "a.png", "mimeType": "image/png", "buffer": encoded(draw(square().ink))}
    page.set_input_files("#file", picture)
    page.get_by_role("button", name=re.compile("^Read")).click()
    expect_latex(page, "x^{2}")
    expect(page.locator("#surface .left-out")).to_have_count(1)
    expect(page.locator("#notice-text")).to_have_text(f"{note}. Marked on the sheet.")
    page.get_by_role("button", name="Write again").click()
    expect(page.locator("#surface .left-out")).to_have_count(0)


def test_the_foot_tells_of_all_formulas(page: Page) -> None:
    turned = "turned upside down"
    told: list[dict[str, Any]] = [
        {"notes": [turned]},
        {"notes": [turned, NOTE], "unread": [{"box": [10, 10, 60, 60], "strokes": [2]}]},
        {"notes": [turned], "words": "doubtful", "confidence": 0.3},
    ]

    def changed(route: Route) -> None:
        answer = route.fetch().json()
        formulas = [{**one, **more} for one, more in zip(answer["formulas"], told, strict=False)]
        route.fulfill(json={**answer, "formulas": formulas})

    page.route("**/api/v1/page*", changed)
    write(page, Sheet(lines_of("x+1=2", "a=b", "y=3")))
    said = (
        f"Turned upside down; formula 2: {NOTE}; 1 of 3 formulas is doubtful: number 3."
        " Marked on the sheet."
    )
    expect(page.locator("#notice-text")).to_have_text(said)
    page.locator("#cards button").nth(2).click()
    expect(page.locator("#notice-text")).to_have_text(said)


def test_doubt_without_a_doubtful_symbol_says_what_it_is_about(page: Page) -> None:
    doubts = ["the layout around x", "a long formula, 25 symbols"]
    answer_with(page, "page", confidence=0.4, words="doubtful", doubts=doubts)
    write(page, square())
    expect_latex(page, "x^{2}")
    expect(page.locator("#surety")).to_contain_text("Doubtful")
    said = "In doubt: the layout around x; a long formula, 25 symbols"
    expect(page.locator("#doubtful")).to_have_text(said)
    expect(page.locator("#spoken")).to_contain_text(said)


def test_what_is_crossed_out_turns_faint_and_is_told(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    plain = page.locator("#ink").screenshot()
    page.get_by_role("button", name="Clear the sheet").click()
    note = "1 stroke is crossed out, and left out"
    crossed_out = [{"box": [10, 10, 60, 60], "strokes": [3]}]
    answer_with(page, "page", crossed_out=crossed_out, notes=[note])
    write(page, total())
    expect_latex(page, "a+b")
    expect(page.locator("#notice-text")).to_have_text(f"{note}.")
    assert page.locator("#ink").screenshot() != plain
