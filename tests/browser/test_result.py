"""What was read: copied, corrected, linked to the ink, looked at as a tree, taken away as files."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Locator, Page, Route, expect

from san.grammar import parse, to_latex
from san.grammar.formats import Format
from san.grammar.mathml import to_mathml
from san.grammar.text import to_text
from san.ink import read_inkml
from tests.browser.pen import expect_latex, on_screen, square, total, write
from tests.ink.formulas import quadratic

LIT = re.compile(r"\blit\b")


@pytest.fixture
def settings() -> dict[str, Any]:
    return {
        "viewport": {"width": 1280, "height": 800},
        "permissions": ["clipboard-read", "clipboard-write"],
        "accept_downloads": True,
    }


def drawn(page: Page, symbol: int) -> Locator:
    return page.locator(f'#formula [data-symbol="{symbol}"]')


def node(page: Page, symbol: int) -> Locator:
    return page.locator(f'#tree [data-symbol="{symbol}"]')


def copied(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_latex_and_mathml_are_copied(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#notice-text")).to_have_text("LaTeX copied")
    assert copied(page) == "x^{2}"
    page.get_by_role("tab", name="LaTeX").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="MathML")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Control+c")
    expect(page.locator("#notice-text")).to_have_text("MathML copied")
    assert copied(page).startswith("<math xmlns=")
    assert "data-symbol" not in copied(page)
    assert "<msup><mi>x</mi><mrow><mn>2</mn></mrow></msup>" in copied(page)


def test_every_format_has_its_tab(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    shown = page.locator("#source")
    for form in filter(Format.stretchy.__ne__, Format):  # that one is a way to write LaTeX
        page.locator(f'[role=tab][data-format="{form}"]').click()
        expect(shown).not_to_be_empty()
    expect(shown).to_have_text(to_text(parse("x^{2}")))


def test_pointing_at_one_lights_all_three(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    plain = page.locator("#ink").screenshot()
    drawn(page, 1).hover()
    expect(node(page, 1)).to_have_class(LIT)
    assert page.locator("#ink").screenshot() != plain
    page.mouse.move(2, 2)
    expect(node(page, 1)).not_to_have_class(LIT)
    assert page.locator("#ink").screenshot() == plain
    node(page, 2).hover()
    expect(drawn(page, 2)).to_have_class(LIT)
    # And the other way round: the ink lights the formula and the tree.
    stroke = on_screen(page, total())[0]
    page.mouse.move(*stroke[len(stroke) // 2])
    expect(drawn(page, 0)).to_have_class(LIT)
    expect(node(page, 0)).to_have_class(LIT)


def test_a_symbol_is_corrected_from_its_alternatives(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    drawn(page, 0).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Instead of x")
    choice = dialog.locator(".choice").first
    name = choice.get_attribute("data-name") or ""
    assert name != "x"
    expect(choice.locator("math")).to_be_visible()
    choice.click()
    expected = to_latex(parse(f"{name}^{{2}}"))
    expect_latex(page, expected)
    expect(page.locator("#surety")).to_have_text("Corrected by you")
    expect(dialog).to_be_hidden()
    page.keyboard.press("Control+z")
    expect_latex(page, "x^{2}")
    page.keyboard.press("Control+y")
    expect_latex(page, expected)


def test_what_is_typed_is_meant_though_an_alternative_has_the_focus(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    drawn(page, 0).click()
    dialog = page.get_by_role("dialog")
    choices = dialog.locator(".choice")
    expect(choices.first).to_be_focused()
    page.keyboard.press("Tab")
    expect(choices.nth(1)).to_be_focused()
    page.keyboard.type("q")
    expect(page.get_by_label("Another symbol, in LaTeX")).to_have_value("q")
    page.keyboard.press("Enter")
    expect_latex(page, "q^{2}")
    # By a key alone an alternative is still taken.
    drawn(page, 0).click()
    name = choices.first.get_attribute("data-name") or ""
    page.keyboard.press("Space")
    expect_latex(page, to_latex(parse(f"{name}^{{2}}")))


def test_a_symbol_is_typed_or_removed(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    # By keyboard alone, from the tree.
    node(page, 2).focus()
    page.keyboard.press("Enter")
    page.get_by_label("Another symbol, in LaTeX").fill("beta")
    page.keyboard.press("Enter")
    expect_latex(page, r"a+\beta")
    drawn(page, 0).click()
    page.get_by_role("button", name="Remove").click()
    expect_latex(page, r"+\beta")
    # What was known of the others is still known: the beta still lights the ink of the b.
    stroke = on_screen(page, total())[3]
    page.mouse.move(*stroke[len(stroke) // 2])
    expect(drawn(page, 1)).to_have_class(LIT)


def test_what_cannot_be_is_said_and_nothing_changes(page: Page, faults: list[str]) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    drawn(page, 0).click()
    page.get_by_label("Another symbol, in LaTeX").fill("no symbol")
    page.get_by_role("button", name="Use").click()
    expect(page.get_by_role("alert")).to_contain_text("no symbol")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect_latex(page, "x^{2}")
    faults.clear()  # the browser logs every answer of 422


def test_another_reading_is_picked_and_given_back(page: Page) -> None:
    def likely(answer: dict[str, Any]) -> dict[str, Any]:
        first, *others = answer["formulas"][0]["alternatives"]
        first["confidence"] = 0.2
        for one in others:
            one["confidence"] = 0.001
        return answer

    page.route("**/api/v1/page*", lambda route: route.fulfill(json=likely(route.fetch().json())))
    write(page, square())
    expect_latex(page, "x^{2}")
    expect(page.locator(".alternative")).to_have_count(1)  # what nobody would mean is not shown
    expect(page.locator(".alternative .differs").first).to_be_visible()
    other = page.locator(".alternative").first
    expect(other.locator("math")).to_be_visible()
    said = other.locator(".unseen").first.text_content() or ""
    taken = said.strip().removeprefix("Take ").removesuffix(" instead:")
    assert taken != "x^{2}"
    other.click()
    expect_latex(page, taken)
    expect(page.locator("#surety")).to_have_text("Picked by you, 20 %")
    page.reload()
    expect_latex(page, taken)
    expect(page.locator("#surety")).to_have_text("Picked by you, 20 %")
    page.get_by_role("button", name="Take x^{2} instead").click()
    expect_latex(page, "x^{2}")


def test_what_is_of_earlier_ink_is_not_taken(page: Page) -> None:
    held: list[Route] = []

    def likely(route: Route) -> None:
        answer = route.fetch().json()
        for formula in answer["formulas"]:
            for other in formula["alternatives"]:
                other["confidence"] = 0.2
        route.fulfill(json=answer)

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/v1/page*", likely)
    write(page, square())
    expect_latex(page, "x^{2}")
    page.route("**/api/v1/page*", hold)
    page.keyboard.press("F2")
    page.get_by_label("LaTeX of the formula").fill("y")
    expect(page.locator("#formula")).to_have_text("y")
    with page.expect_request("**/api/v1/page*"):
        page.get_by_role("button", name="Undo").click()
    page.locator(".alternative").first.click()
    page.get_by_role("button", name="Done").click()
    expect(page.locator("#editor")).to_be_hidden()
    held[0].continue_()
    expect_latex(page, "x")


def test_the_tree_folds_and_is_walked_by_keys(page: Page) -> None:
    write(page, quadratic())
    expect_latex(page, r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}")
    nodes = page.get_by_role("treeitem")
    expect(nodes).to_have_count(15)
    node(page, 2).locator(".fold").click()
    page.mouse.move(2, 2)  # a tree that moves under a resting mouse is left by it, some time
    expect(nodes).to_have_count(3)
    expect(node(page, 2)).to_have_attribute("aria-expanded", "false")
    expect(node(page, 2)).to_have_accessible_name(re.compile("12 symbols folded$"))
    node(page, 2).focus()
    page.keyboard.press("ArrowRight")
    expect(nodes).to_have_count(15)
    page.keyboard.press("ArrowDown")
    expect(node(page, 3)).to_be_focused()
    expect(node(page, 3)).to_have_accessible_name(re.compile(r"^− -, above of \\frac, 9\d % sure$"))
    expect(drawn(page, 3)).to_have_class(LIT)


def test_arrow_keys_go_through_the_formula(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    page.locator("#formula").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(drawn(page, 1)).to_have_class(LIT)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Instead of +")


def test_a_doubtful_symbol_is_marked_and_leads_to_its_correction(page: Page) -> None:
    def doubt(answer: dict[str, Any]) -> dict[str, Any]:
        answer["formulas"][0]["expression"]["symbols"][1]["probability"] = 0.55
        return answer

    page.route(
        "**/api/v1/page*",
        lambda route: route.fulfill(json=doubt(route.fetch().json())),
    )
    write(page, square())
    expect_latex(page, "x^{2}")
    expect(drawn(page, 1)).to_have_class(re.compile("doubtful"))
    expect(node(page, 1).locator(".badge")).to_have_text("?")
    expect(page.locator("#spoken")).to_contain_text("Look twice at 2")
    page.get_by_role("button", name="Correct: 2 · 55 % sure").click()
    expect(page.get_by_role("dialog")).to_contain_text("Instead of 2")


def answer_with(page: Page, mathml: str) -> None:
    """From now on the server says that it read this."""

    def changed(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "formulas": [{**answer["formulas"][0], "mathml": mathml}]}

    page.route(
        "**/api/v1/page*",
        lambda route: route.fulfill(json=changed(route.fetch().json())),
    )


def test_frames_are_drawn_within_the_security_policy(page: Page) -> None:
    answer_with(page, to_mathml(parse(r"\boxed{x}"), marked=True))
    write(page, square())
    expect(drawn(page, 0)).to_have_css("border-top-style", "solid")


def test_gaps_come_into_the_page_and_what_other_programs_need_does_not(page: Page) -> None:
    answer_with(page, to_mathml(parse(r"\boxed{2}\sin|x|=-1"), marked=True))
    write(page, square())
    expect(drawn(page, 0)).to_be_visible()
    assert page.locator("#formula menclose").count() == 0, "Firefox would draw a second frame"
    assert page.locator("#formula mspace").get_attribute("width") == "0.167em"
    assert page.locator("#formula mo[lspace='0'][rspace='0']").count() == 2
    assert page.locator("#formula mo[form=prefix]").count() == 1


def test_nothing_but_mathml_gets_into_the_page(page: Page, faults: list[str]) -> None:
    hostile = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow onclick="stop()" href="//evil/">'
        '<mi data-symbol="0" style="border: 1px solid; background: url(//evil/)">x</mi>'
        '<script xmlns="http://www.w3.org/1999/xhtml">window.evil = 1</script>'
        "<annotation-xml><p>no</p></annotation-xml></mrow></math>"
    )
    answer_with(page, hostile)
    write(page, square())
    expect(drawn(page, 0)).to_be_visible()
    inside = page.locator("#formula").inner_html()
    assert "evil" not in inside
    assert "onclick" not in inside
    assert page.locator("#formula *").count() == 3, "math, mrow, mi"
    assert page.evaluate("window.evil") is None
    assert all("inline event handler" in fault for fault in faults), "the browser stopped it too"
    faults.clear()


def _downloaded(page: Page, name: str) -> Path:
    with page.expect_download() as taken:
        page.get_by_role("button", name=name).click()
    return taken.value.path()


def test_files(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    drawn(page, 2).click()
    page.get_by_label("Another symbol, in LaTeX").fill("6")
    page.keyboard.press("Enter")
    expect_latex(page, "a+6")
    assert r"\[ a+6 \]" in _downloaded(page, "Download .tex").read_text()
    assert "<mn>6</mn>" in _downloaded(page, "Download .mml").read_text()
    tree = json.loads(_downloaded(page, "Download .json").read_text())
    assert [symbol["symbol"] for symbol in tree["symbols"]] == ["a", "+", "6"]
    # Ink with its truth, corrected: what `san train` can learn from.
    sheet = read_inkml(_downloaded(page, "Download .inkml").read_bytes())
    assert len(sheet.ink.strokes) == 4
    assert parse(sheet.truth or "") == parse("a+6")
    assert [(glyph.label, glyph.strokes) for glyph in sheet.glyphs] == [
        ("a", (0,)),
        ("+", (1, 2)),
        ("6", (3,)),
    ]
