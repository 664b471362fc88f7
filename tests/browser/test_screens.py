"""Phones and tablets: everything in reach, nothing cut off, nothing that jumps."""

from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, expect

from san.ink import Sheet
from tests.browser.pen import expect_latex, on_screen, square, strokes_on, write, write_by_touch
from tests.ink.formulas import fraction, quadratic
from tests.reader.pages.written import lines_of

SCREENS = {"phone": (390, 844), "small phone": (320, 568), "tablet": (820, 1180)}
SHIFTS = """new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) window.shifted = (window.shifted ?? 0) + shift.value;
}).observe({ type: "layout-shift", buffered: true })"""


@pytest.fixture
def screen() -> str:
    return "phone"


@pytest.fixture
def settings(screen: str) -> dict[str, Any]:
    width, height = SCREENS[screen]
    size = {"width": width, "height": height}
    return {"viewport": size, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


@pytest.mark.parametrize("screen", list(SCREENS))
def test_a_finger_writes_and_nothing_is_cut_off(page: Page, screen: str) -> None:
    write_by_touch(page, fraction())
    expect_latex(page, r"x=\frac{1}{2}")
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wider) == 0
    for button in page.locator(".tools:visible button:visible").all():
        box = button.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= SCREENS[screen][0]
        assert min(box["width"], box["height"]) >= 36, "a finger needs room"


def test_a_second_finger_does_not_disturb(page: Page) -> None:
    devtools = page.context.new_cdp_session(page)
    room = page.locator("#ink").bounding_box()
    assert room

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [
            {"x": room["x"] + x, "y": room["y"] + y, "id": number}
            for number, (x, y) in enumerate(places)
        ]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (40, 60))
    touch("touchMove", (60, 60))
    touch("touchStart", (60, 60), (200, 200))
    touch("touchMove", (80, 60), (220, 220))
    touch("touchMove", (100, 60), (240, 200))
    touch("touchEnd", (100, 60))
    touch("touchEnd")
    assert strokes_on(page) == 1
    stroke = page.evaluate("JSON.parse(localStorage['san.ink'])[0]")
    assert {point[1] for point in stroke} == {60}


def test_a_symbol_is_corrected_by_tapping(page: Page) -> None:
    write_by_touch(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Point").tap()
    stroke = on_screen(page, square())[2]
    page.touchscreen.tap(*stroke[len(stroke) // 2])
    expect(page.get_by_role("dialog")).to_contain_text("Instead of 2")
    field = page.locator("#correct [data-part=field]")
    assert (field.bounding_box() or {"width": 0})["width"] >= 200, "a command needs room"
    rows = {(choice.bounding_box() or {"y": 0})["y"] for choice in page.locator(".choice").all()}
    assert len(rows) == 1
    page.get_by_label("Another symbol, in LaTeX").fill("3")
    page.get_by_role("button", name="Use").tap()
    expect_latex(page, "x^{3}")
    assert strokes_on(page) == 3


def test_turned_upright_the_ink_is_still_all_there(page: Page) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    write(page, quadratic())
    page.set_viewport_size({"width": 390, "height": 844})
    expect_latex(page, r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}")
    # The last stroke is shown within the sheet: where it was is beyond the sheet's edge now.
    inked = page.evaluate("""() => {
      const sheet = document.getElementById("ink");
      const { data, width } = sheet.getContext("2d").getImageData(0, 0, sheet.width, sheet.height);
      let last = 0;
      for (let at = 3; at < data.length; at += 4) {
        if (data[at] > 0) last = Math.max(last, ((at - 3) / 4) % width);
      }
      return last / width;
    }""")
    assert 0.9 < inked < 1
    before = strokes_on(page)
    write(page, square())  # and what is written on the smaller sheet lands under the pen
    assert strokes_on(page) == before + 3


@pytest.mark.parametrize("width", [320, 360, 390])
def test_the_hint_and_its_examples_fit_an_empty_sheet(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    expect(page.locator(".example").first).to_be_visible()
    paper, zoom = (page.locator(name).bounding_box() for name in ("#paper", "#zoom"))
    assert paper
    assert zoom
    for part in page.locator("#hint > p, .example:visible").all():
        box = part.bounding_box()
        assert box
        assert paper["y"] <= box["y"]
        assert box["y"] + box["height"] <= zoom["y"]


def test_a_page_at_400_percent_is_a_column(page: Page) -> None:
    """Such as 1280 x 1024 pixels are then."""
    write_by_touch(page, square())
    expect_latex(page, "x^{2}")
    page.set_viewport_size({"width": 320, "height": 256})
    sheet = page.locator("#ink").bounding_box()
    assert sheet
    assert sheet["width"] > 250
    page.locator('#formula [data-symbol="0"]').tap()
    dialog = page.get_by_role("dialog").bounding_box()
    assert dialog
    assert dialog["height"] < 256, "what does not fit scrolls"


@pytest.mark.parametrize("screen", ["small phone"])
def test_what_is_too_long_for_a_row(page: Page) -> None:
    write_by_touch(page, quadratic())
    expect_latex(page, r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}")
    doubt = "In doubt: several small doubts; the least sure symbol is \\sqrt"
    hidden = page.locator("#doubtful").evaluate(
        """(row, doubt) => {
          row.firstElementChild.textContent = doubt;
          return row.scrollWidth - row.clientWidth;
        }""",
        doubt,
    )
    assert hidden == 0, "a sentence has two lines"
    begins = page.locator("#alternatives").evaluate(
        """(room) => {
          const wide = `<math><mi>${"x".repeat(99)}</mi></math>`;
          room.innerHTML = `<button class="alternative">${wide}</button>`;
          return room.querySelector("math").getBoundingClientRect().left;
        }"""
    )
    assert begins > 0, "another reading is seen from its beginning"
    page.get_by_role("button", name="History").tap()
    entry, time = (page.locator(name).bounding_box() for name in (".entry", ".entry small"))
    assert entry
    assert time
    assert time["x"] + time["width"] <= entry["x"] + entry["width"]


@pytest.mark.parametrize("screen", ["phone", "tablet"])
def test_nothing_jumps_when_the_formula_arrives(page: Page) -> None:
    page.evaluate(SHIFTS)
    write_by_touch(page, square())
    expect_latex(page, "x^{2}")
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifted ?? 0") < 0.01


@pytest.mark.parametrize("screen", ["tablet"])
def test_cards_stand_under_the_formula(page: Page) -> None:
    write_by_touch(page, Sheet(lines_of("x+1=2", "a=b")))
    cards = page.locator("#cards")
    expect(cards).to_be_visible()
    places = [page.locator(name).bounding_box() for name in ("#reading", "#cards", "#confidence")]
    tops = [place["y"] for place in places if place]
    assert len(tops) == 3
    assert tops == sorted(tops)


def test_the_menu_and_the_formats_of_a_phone_that_lies(page: Page) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    expect(page.get_by_role("heading", level=1)).to_have_text("san")  # whoever hears the page
    write_by_touch(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("tab", name="MathML").tap()
    expect(page.get_by_role("tab", name="MathML")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Copy for other programs").tap()
    expect(page.get_by_role("menuitemcheckbox")).to_be_in_viewport(ratio=1)
    expect(page.locator("#copy-menu kbd:visible")).to_have_count(0)


def test_the_editor_of_a_phone_that_lies_is_seen_whole(page: Page, faults: list[str]) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    write_by_touch(page, square())
    expect_latex(page, "x^{2}")
    page.locator("#edit").tap()
    page.locator("#typed").fill("x_^2")
    expect(page.locator("#fault")).to_contain_text("at character")
    for part in ("#typed", "#fault", "#editor .primary"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    faults.clear()  # the browser logs every answer of 422


def test_a_long_formula_keeps_its_margin(scripts: Page) -> None:
    """Letters are not as much narrower as they are smaller."""
    found = scripts.evaluate(
        """async (formulas) => {
      const { writeLatex } = await import("./static/js/api.js");
      const { Formula } = await import("./static/js/formula.js");
      const { Link } = await import("./static/js/link.js");
      await document.fonts.load('1em "san math"', "x");
      const frame = document.getElementById("formula");
      const formula = new Formula(frame, new Link());
      const beyond = [];
      for (const latex of formulas) {
        const written = await writeLatex(latex);
        for (let width = 260; width < 480; width += 20) {
          frame.style.width = `${width}px`;
          formula.show(written);
          const size = parseFloat(frame.style.getPropertyValue("--size"));
          if (size > 18 && frame.scrollWidth > frame.clientWidth) beyond.push([latex, width, size]);
        }
      }
      return beyond;
    }""",
        ["a^2+b^2=c^2E=mc^2", "x_1+x_2+x_3+x_4=0", "a+b+c+d+e+f+g=1"],
    )
    assert found == []


@pytest.mark.parametrize("seen", [0, 10])
def test_what_is_said_is_seen_where_the_sheet_is_not(page: Page, seen: int) -> None:
    write_by_touch(page, square())
    expect_latex(page, "x^{2}")
    said = page.locator("#notice-text")
    page.locator("#notice").evaluate(
        "(line, seen) => scrollTo(0, line.getBoundingClientRect().bottom - seen)", seen
    )
    expect(said).not_to_be_in_viewport()  # though its line may be, with an edge
    page.locator("#collect").tap()
    expect(said).to_have_text("Kept on this device, to train on.")
    expect(said).to_be_in_viewport(ratio=1)
    expect(said).not_to_be_in_viewport()  # after a moment
    page.evaluate("scrollTo(0, 0)")
    expect(said).to_be_in_viewport(ratio=1)
