"""The sheet of notebooks in a browser, with a model as notebooks have one."""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from san.notebook.modules import single_module
from san.notebook.reading import SheetReading, answer, read_sheet
from tests.browser.conftest import PATIENCE
from tests.browser.pen import square, total, write
from tests.serve.conftest import recognizer

pytestmark = pytest.mark.slow

NOTEBOOK = "http://notebook.test/"
START = """async ([text, strokes]) => {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const widget = (await import(address)).default;
  const listeners = new Map();
  const state = { _shown: { strokes, by_program: false }, height: 300 };
  const tell = (name, content) => [...(listeners.get(name) ?? [])].forEach((one) => one(content));
  window.model = {
    get: (name) => state[name],
    on: (name, call) => listeners.set(name, [...(listeners.get(name) ?? []), call]),
    off: (name, call) => listeners.set(name, listeners.get(name).filter((one) => one !== call)),
    send: (content) => window.asked(content).then((said) => said && tell("msg:custom", said)),
    change: (shown) => { state._shown = shown; tell("change:_shown"); },
  };
  await widget.render({ model: window.model, el: document.body });
}"""


class Kernel:
    """The side of Python."""

    def __init__(self) -> None:
        self.readings: list[SheetReading] = []

    def asked(self, content: object) -> dict[str, Any] | None:
        sent: list[dict[str, Any]] = []

        def read(strokes: list[Any]) -> SheetReading:
            self.readings.append(read_sheet(strokes, recognizer()))
            return self.readings[-1]

        answer(content, read, sent.append)
        return sent[0] if sent else None


@pytest.fixture
def kernel() -> Kernel:
    return Kernel()


@pytest.fixture
def cell(browser: Browser, kernel: Kernel) -> Iterator[Page]:
    """A notebook that shows an empty sheet."""
    context = browser.new_context(viewport={"width": 800, "height": 600})
    context.set_default_timeout(1000 * PATIENCE)
    context.route(NOTEBOOK, lambda route: route.fulfill(body="<!doctype html><title>n</title>"))
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.expose_function("asked", kernel.asked)
    page.goto(NOTEBOOK)
    _show(page)
    yield page
    assert faults == []
    context.close()


def _show(page: Page, strokes: list[Any] | None = None) -> None:
    script = (files("san.notebook") / "sheet.js").read_text("utf-8")
    page.evaluate(START, [single_module("san.js", script), strokes or []])


def test_what_is_written_is_read_in_python(cell: Page, kernel: Kernel) -> None:
    write(cell, square(), "san-sheet canvas")
    expect(cell.locator("san-sheet msup")).to_be_visible()
    assert kernel.readings[-1].latex == "x^{2}"
    cell.get_by_role("button", name="Clear").click()
    expect(cell.locator("san-sheet output")).to_be_empty()
    assert kernel.readings[-1] == SheetReading()
    cell.get_by_role("button", name="Undo").click()
    expect(cell.locator("san-sheet msup")).to_be_visible()


def test_strokes_of_a_program_are_shown_and_read(cell: Page, kernel: Kernel) -> None:
    strokes = [stroke.tolist() for stroke in total().ink.strokes]
    change = "strokes => window.model.change({ strokes, by_program: true })"
    cell.evaluate(change, strokes)
    expect(cell.locator("san-sheet canvas")).to_have_attribute(
        "aria-label", f"Sheet to write on, {len(strokes)} strokes"
    )
    expect(cell.locator("san-sheet output math")).to_be_visible()
    assert kernel.readings[-1].latex == "a+b"


def test_news_of_earlier_strokes_take_nothing_away(cell: Page, kernel: Kernel) -> None:
    write(cell, square(), "san-sheet canvas")
    expect(cell.locator("san-sheet msup")).to_be_visible()
    cell.evaluate("() => window.model.change({ strokes: [[[1, 2]]], by_program: false })")
    assert cell.evaluate("() => document.querySelector('san-sheet').strokes.length") == 3


def test_what_cannot_be_read_is_told(cell: Page, kernel: Kernel) -> None:
    broken = "{ strokes: [[[1, null], [2, 3]]], by_program: true }"
    cell.evaluate(f"() => window.model.change({broken})")
    expect(cell.locator("san-sheet output.trouble")).to_contain_text("a coordinate is not a number")


def test_two_sheets_on_one_page(cell: Page, kernel: Kernel) -> None:
    _show(cell, [stroke.tolist() for stroke in square().ink.strokes])
    expect(cell.locator("san-sheet")).to_have_count(2)
    expect(cell.locator("san-sheet >> nth=1").locator("msup")).to_be_visible()


def test_a_sheet_speaks_the_language_of_the_notebook(cell: Page) -> None:
    cell.evaluate("() => (document.documentElement.lang = 'de')")
    expect(cell.get_by_role("button").first).to_have_text("Rückgängig")
