"""For everybody: axe-core finds no serious fault, and every control is reached by keyboard."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, expect

from san.ink import Sheet
from tests.browser.pen import expect_latex, square, write
from tests.browser.test_picture import file_of, png
from tests.ink.formulas import fraction
from tests.reader.pages.written import lines_of

RULES = "{ rules: { 'label-content-name-mismatch': { enabled: true } } }"  # it is off by itself
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def settings() -> dict[str, Any]:
    # axe comes in from outside, which the page's security policy rightly forbids.
    return {"viewport": {"width": 1280, "height": 800}, "bypass_csp": True}


def faults_in(page: Page) -> list[str]:
    if not AXE.is_file():
        pytest.skip("axe-core is not here: npm ci --prefix tests/browser")
    page.add_script_tag(path=AXE)
    found = page.evaluate(f"axe.run({RULES})")["violations"]
    page.emulate_media(color_scheme="dark")  # where nothing but the colours is different
    found += page.evaluate("axe.run({ runOnly: ['color-contrast'] })")["violations"]
    return [
        f"{fault['id']}: {fault['help']} ({node['html']})"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def test_the_empty_page(page: Page) -> None:
    assert faults_in(page) == []


def test_a_formula_with_its_tree(page: Page) -> None:
    write(page, fraction())
    expect_latex(page, r"x=\frac{1}{2}")
    page.mouse.move(2, 2)
    assert faults_in(page) == []


def test_the_cards_of_several_formulas(page: Page) -> None:
    write(page, Sheet(lines_of("x+1=2", "a=b")))
    expect(page.get_by_role("button", name="Formula 2: a=b 9")).to_be_visible()
    page.mouse.move(2, 2)
    assert faults_in(page) == []


def test_what_is_chosen_is_told_in_the_systems_colours(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    write(page, square())
    expect_latex(page, "x^{2}")
    page.locator('#formula [data-symbol="0"]').hover()
    chosen = ['button[data-tool="write"]', '[data-format="latex"]', '#formula [data-symbol="0"]']
    others = ['button[data-tool="erase"]', '[data-format="mathml"]', '#formula [data-symbol="1"]']
    behind = "(one) => getComputedStyle(one).backgroundColor"
    for one, other in zip(chosen, others, strict=True):
        assert page.locator(one).evaluate(behind) != page.locator(other).evaluate(behind), one


def test_a_correction(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.locator('#formula [data-symbol="0"]').click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert faults_in(page) == []


def test_the_menu_and_what_the_device_keeps(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Copy for other programs").click()
    expect(page.get_by_role("menu")).to_be_visible()
    assert faults_in(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("listitem")).to_be_visible()
    assert faults_in(page) == []


def test_the_help(page: Page) -> None:
    page.get_by_role("button", name="Help").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert faults_in(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("button", name="Help")).to_be_focused()


def test_a_picture_and_its_frame(page: Page) -> None:
    page.set_input_files("#file", file_of(png(square())))
    page.get_by_role("button", name="Read this part").wait_for()
    assert faults_in(page) == []


def test_the_arrow_keys_say_and_show_the_symbol_they_come_to(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    formula = page.locator("#formula")
    page.add_style_tag(content="#formula { width: 60px !important }")
    formula.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#spoken")).to_contain_text("2, sup of x, 9")
    room, symbol = (one.bounding_box() for one in (formula, formula.locator("mn")))
    assert room
    assert symbol
    assert symbol["x"] + symbol["width"] <= room["x"] + room["width"]


def test_the_focus_is_not_lost_with_what_had_it(page: Page) -> None:
    page.locator(".example").first.press("Enter")
    expect(page.locator("#ink")).to_be_focused()
    expect_latex(page, r"e^{i\pi}+1=0")
    page.get_by_role("button", name="History").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Delete e").press("Enter")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()


def test_every_control_is_reached_by_the_tab_key(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    wanted = page.evaluate("""() => [...document.querySelectorAll("button, [tabindex='0']")]
      .filter((one) => one.tabIndex === 0 && !one.disabled && one.checkVisibility()).length""")
    assert wanted > 15
    page.locator("body").evaluate("body => { body.tabIndex = -1; body.focus(); }")
    reached = set()
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("""() => {
              const all = [...document.querySelectorAll("button, [tabindex='0']")];
              return all.indexOf(document.activeElement);
            }""")
        )
    assert len(reached - {-1}) == wanted
