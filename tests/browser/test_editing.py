"""Editing what was read: the LaTeX by hand, and corrections that stay while more is written."""

import re
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, expect

from san.ink import Sheet
from tests.browser.pen import expect_latex, on_screen, square, thinned, total, write
from tests.reader.pages.written import lines_of

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
    page.keyboard.press("F2")  # a root without ink, and a 3
    page.get_by_label("LaTeX of the formula").fill(r"\sqrt{\alpha}3+")
    page.keyboard.press("Enter")
    expect_latex(page, r"\sqrt{\alpha}3+")
    draw(page, last)
    expect_latex(page, r"\sqrt{\alpha}3+b")
    expect(page.locator('#tree [data-symbol="1"]')).to_have_class(re.compile("corrected"))
    page.reload()
    expect_latex(page, r"\sqrt{\alpha}3+b")
    page.locator('#tree [data-symbol="2"]').press("Enter")
    page.get_by_role("button", name="Remove").click()
    expect_latex(page, r"\sqrt{\alpha}+b")
    page.reload()  # what was removed again does not come back
    expect_latex(page, r"\sqrt{\alpha}+b")


def test_a_formula_that_was_corrected_is_kept_whole(page: Page) -> None:
    *first, last = on_screen(page, Sheet(lines_of("x+1=2", "a=b")))
    count = len(lines_of("x+1=2").strokes)
    for stroke in first[:count]:
        draw(page, stroke)
    expect_latex(page, "x+1=2")
    surety = page.locator("#surety")
    page.keyboard.press("F2")  # fewer symbols than before, and none the same: they have no ink
    page.get_by_label("LaTeX of the formula").fill(r"5\cdot3")
    page.keyboard.press("Enter")
    expect_latex(page, r"5\cdot3")
    page.reload()
    expect_latex(page, r"5\cdot3")
    expect(surety).to_have_text("Corrected by you")
    for stroke in (*first[count:], last):  # another line
        draw(page, stroke)
    cards = page.locator("#cards button")
    expect(cards).to_have_count(2)
    expect_latex(page, r"5\cdot3")
    expect(surety).to_have_text("Corrected by you")
    expect(cards.nth(0).locator("small")).to_have_text("corrected by you")
    expect(cards.nth(0)).to_have_accessible_name(re.compile("corrected by you"))
    expect(cards.nth(1).locator("small")).to_have_text(re.compile(r"\d %"))


def test_what_is_written_to_a_corrected_formula_is_as_sure_as_it_is_read(page: Page) -> None:
    *first, last = on_screen(page, total())
    for stroke in first:
        draw(page, stroke)
    page.locator('#formula [data-symbol="0"]').click()
    page.get_by_label("Another symbol, in LaTeX").fill("α")
    page.keyboard.press("Enter")
    expect(page.locator("#surety")).to_have_text("Corrected by you")
    draw(page, last)
    expect_latex(page, r"\alpha+b")
    expect(page.locator("#surety")).to_have_text(re.compile(r"Corrected by you in part, \d+ %"))


def test_a_correction_is_undone(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    page.locator('#formula [data-symbol="0"]').click()
    page.get_by_label("Another symbol, in LaTeX").fill("α")
    page.keyboard.press("Enter")
    expect_latex(page, r"\alpha+b")
    page.keyboard.press("Control+z")
    expect_latex(page, "a+b")


def draw(page: Page, stroke: list[tuple[float, float]]) -> None:
    page.mouse.move(*stroke[0])
    page.mouse.down()
    for point in thinned(stroke):
        page.mouse.move(*point)
    page.mouse.up()


def test_a_relation_is_changed_by_keys_by_dragging_and_undone(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    node = page.locator('#tree [data-symbol="2"]')
    node.focus()
    page.keyboard.press("Alt+ArrowUp")
    expect_latex(page, "a+^{b}")
    expect(node).to_be_focused()
    page.keyboard.press("Alt+ArrowRight")  # out again
    expect_latex(page, "a+b")
    page.keyboard.press("Alt+ArrowLeft")  # there is no root to go into
    expect(page.locator("#notice-text")).to_have_text("It cannot stand there.")
    # The b is dragged to the upper right of the a; its ink goes with it.
    drag(page, 2, 0, (26, -26))
    expect_latex(page, "a^{b}+")
    page.mouse.move(2, 2)
    stroke = on_screen(page, total())[3]
    page.mouse.move(*stroke[len(stroke) // 2])
    expect(page.locator('#formula [data-symbol="1"]')).to_have_class(LIT)
    for latex in ("a+b", "a+^{b}", "a+b"):
        page.keyboard.press("Control+z")
        expect_latex(page, latex)
    for latex in ("a+^{b}", "a+b", "a^{b}+"):
        page.keyboard.press("Control+y")
        expect_latex(page, latex)


def test_a_moved_symbol_stays_while_more_is_written(page: Page) -> None:
    sheet = total()
    *first, last = on_screen(page, sheet)
    for stroke in first:
        draw(page, stroke)
    expect_latex(page, "a+")
    page.locator('#tree [data-symbol="1"]').focus()
    page.keyboard.press("Alt+ArrowUp")
    expect_latex(page, "a^{+}")
    draw(page, last)
    expect_latex(page, "a^{+}b")
    page.reload()
    expect_latex(page, "a^{+}b")


def drag(page: Page, symbol: int, target: int, beside: tuple[float, float]) -> None:
    """A node of the tree to a place beside another one."""
    centres = []
    for number in (symbol, target):
        box = page.locator(f'#tree [data-symbol="{number}"] > circle').first.bounding_box()
        assert box
        centres.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    page.mouse.move(*centres[0])
    page.mouse.down()
    page.mouse.move(centres[1][0] + beside[0], centres[1][1] + beside[1], steps=4)
    page.mouse.up()


def test_symbols_are_inserted_moved_and_removed_by_the_dialog(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.locator('#formula [data-symbol="1"]').click()
    page.get_by_role("button", name="Out of x").click()
    expect_latex(page, "x2")
    page.locator('#formula [data-symbol="0"]').click()
    page.get_by_label("Another symbol, in LaTeX").fill(r"\sqrt{y}")
    page.get_by_role("button", name="Before").click()
    expect_latex(page, r"\sqrt{y}x2")
    page.locator('#formula [data-symbol="2"]').click()
    page.get_by_role("button", name=r"Into \sqrt").click()
    expect_latex(page, r"\sqrt{yx}2")
    page.locator('#tree [data-symbol="0"] .glyph').click()
    page.get_by_role("button", name="Remove").click()
    expect_latex(page, "yx2")
    page.reload()  # the 2 still stands where it was moved to, and the y, without ink, before the x
    expect_latex(page, "yx2")


def test_edits_of_trees(scripts: Page) -> None:
    """Moves, removals and insertions, without a server."""
    found = scripts.evaluate("""async () => {
      const { moved, removed, inserted, neighbours } = await import("./static/js/edits.js");
      const { placeAt } = await import("./static/js/treedrag.js");
      const one = ([symbol, parent, relation], id) => ({ id, symbol, parent, relation });
      const of = (list) => list.map(one);
      const told = (list) => list && list.map((one) => [one.symbol, one.parent, one.relation]);
      const row = of([["x", null, null], ["2", 0, "right"], ["+", 1, "right"]]);
      const root = of([["r", null, null], ["a", 0, "inside"], ["b", 1, "right"],
        ["c", 0, "right"]]);
      const sides = [[30, 0], [30, -30], [30, 30], [-30, 0], [-5, -30]];
      return {
        raised: told(moved(row, 1, 0, "sup")),
        first: told(moved(row, 2, 0, "before")),
        out: told(moved(root, 2, 0, "right")),
        behind: told(moved(root, 3, 0, "inside")),
        never: moved(root, 0, 1, "sup"),
        bare: told(removed(root, 0)),
        more: told(inserted(root, 1, row.slice(0, 2), "right")),
        near: neighbours(root, 2),
        places: sides.map(([x, y]) => placeAt(x, y, 2, [])),
        over: [placeAt(0, -30, 2, ["above", "below"]), placeAt(0, 0, 0, ["inside"])],
      };
    }""")
    assert found["raised"] == [["x", None, None], ["2", 0, "sup"], ["+", 0, "right"]]
    assert found["first"] == [["+", None, None], ["x", 0, "right"], ["2", 1, "right"]]
    assert found["out"] == [
        ["r", None, None], ["a", 0, "inside"], ["b", 0, "right"], ["c", 2, "right"]
    ]  # fmt: skip
    assert found["behind"] == [
        ["r", None, None], ["a", 0, "inside"], ["b", 1, "right"], ["c", 2, "right"]
    ]  # fmt: skip
    assert found["never"] is None
    assert found["bare"] == [["a", None, None], ["b", 0, "right"], ["c", 1, "right"]]
    assert [name for name, *_ in found["more"]] == ["r", "a", "x", "2", "b", "c"]
    assert found["near"] == {"before": 1, "owner": 0}
    assert found["places"] == ["right", "sup", "sub", "before", "sup"]
    assert found["over"] == ["above", "inside"]


def test_inserted_symbols_are_known_by_the_ink_around_them(scripts: Page) -> None:
    found = scripts.evaluate("""async () => {
      const { insertions, leftOf, withInserted } = await import("./static/js/inserted.js");
      const { keepInk } = await import("./static/js/align.js");
      const { writeLatex } = await import("./static/js/api.js");
      const of = async (latex) => writeLatex(latex);
      const inked = async (latex) => {
        const written = await of(latex);
        const ink = (one) => ({ ...one, strokes: [one.id], box: [0, 0, 1, 1] });
        return { ...written, expression: { symbols: written.expression.symbols.map(ink) } };
      };
      const after = async (before, edited, more) => {
        const read = (await inked(before)).expression.symbols;
        const records = insertions(keepInk(read, (await of(edited)).expression.symbols));
        const { formulas, left } = await withInserted([await inked(more)], records);
        return [formulas[0].latex, left.length];
      };
      const [root] = insertions(keepInk((await inked("ab")).expression.symbols,
        (await of("\\\\sqrt{ab}")).expression.symbols));
      const without = (...gone) => leftOf(root, (stroke) => !gone.includes(stroke));
      return {
        beside: await after("a+", "2a+", "a+b"),
        alone: await after("a", "a^{n}", "a+b"),
        around: await after("a+b", "\\\\sqrt{a+b}", "a+b+c"),
        both: await after("ab", "\\\\frac{1}{\\\\sqrt{a}}b", "abc"),
        fraction: await after("ab", "\\\\frac{a}{b}", "ab+c"),
        base: await after("a+", "x^{a}+", "a+b"),
        nowhere: await after("abc", "abc2", "ab"),
        one: without(1).branches[0].names.length,
        none: without(0, 1),
      };
    }""")
    assert found == {
        "beside": ["2a+b", 0],
        "alone": ["a^{n}+b", 0],
        "around": [r"\sqrt{a+b}+c", 0],
        "both": [r"\frac{1}{\sqrt{a}}bc", 0],
        "fraction": [r"\frac{a}{b}+c", 0],
        "base": ["x^{a}+b", 0],
        "nowhere": ["ab", 1],
        "one": 1,
        "none": None,
    }
