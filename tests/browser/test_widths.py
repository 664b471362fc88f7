"""Windows of any width, in every language: nothing is cut off, and no row comes or goes."""

from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, expect

from tests.browser.pen import expect_latex, square, total, write
from tests.browser.test_picture import file_of, png

LANGUAGES = {"English": "en-GB", "German": "de-AT", "Chinese": "zh-CN"}
POINTERS = {"mouse": False, "finger": True}
WIDTHS = (320, 768, 1024, 1200, 1920)
HEIGHT = 800
FORMATS = 7
CUT_OFF = """() => [...document.querySelectorAll(".tools, #formats")].flatMap((row) => {
  const room = row.getBoundingClientRect();
  const [left, right] = [Math.max(room.left, 0) - 1, Math.min(room.right, innerWidth) + 1];
  const cut = ({ left: from, right: to, top, bottom }) =>
    from < left || to > right || top < room.top - 1 || bottom > room.bottom + 1;
  return [...row.querySelectorAll("button")]
    .filter((button) => button.checkVisibility() && cut(button.getBoundingClientRect()))
    .map((button) => `${innerWidth}: ${button.id || button.textContent}`);
})"""


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=POINTERS)
def pointer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def settings(language: str, pointer: str) -> dict[str, Any]:
    size = {"width": 1024, "height": HEIGHT}
    return {"viewport": size, "locale": LANGUAGES[language], "has_touch": POINTERS[pointer]}


def cut_off(page: Page) -> list[str]:
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        found += page.evaluate(CUT_OFF)
    return found


def test_every_tool_and_every_format_is_in_sight(page: Page) -> None:
    page.evaluate("document.fonts.ready")
    place = page.locator("#code").bounding_box()
    write(page, square())
    expect_latex(page, "x^{2}")
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(FORMATS)
    for tab in tabs.all():
        tab.click()
        assert page.locator("#code").bounding_box() == place, "nothing jumps"
    assert cut_off(page) == []


def test_the_tools_of_a_picture_are_in_sight(page: Page) -> None:
    pictures = [file_of(png(sheet)) for sheet in (square(), total())]
    page.set_input_files("#file", pictures)
    page.locator("#read-part").wait_for()
    expect(page.locator("#next-picture")).to_be_visible()
    assert cut_off(page) == []
    page.locator("#read-part").click()
    expect(page.locator("#frame-again")).to_be_visible()
    assert cut_off(page) == []
