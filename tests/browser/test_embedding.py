"""`<san-sheet>` in a page of another origin, as docs/service.md shows it."""

import http.server
import re
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE, Service, free_port
from tests.browser.pen import square, total, write
from tests.conftest import REPOSITORY

DOCUMENT = (REPOSITORY / "docs" / "service.md").read_text("utf-8")
(EMBEDDING,) = re.findall(r"^```html\n(.*?)^```", DOCUMENT, re.S | re.M)
TOKEN = "open-sesame"


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[str, dict[str, str]]]:
    """The origin of a site of somebody else, and its pages, which tests write."""
    pages: dict[str, str] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = pages.get(self.path, "").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", pages
        server.shutdown()


@pytest.fixture(scope="module")
def reader(site: tuple[str, dict[str, str]]) -> Iterator[Service]:
    """A service that lets that site's pages in, and asks for a token."""
    own = Service(free_port())
    own.start("--allowed-origin", site[0], "--token", TOKEN)
    yield own
    own.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 800, "height": 600})
    opened.set_default_timeout(1000 * PATIENCE)
    yield opened
    opened.close()


@pytest.fixture
def embedded(
    context: BrowserContext, site: tuple[str, dict[str, str]], reader: Service
) -> Iterator[Page]:
    origin, pages = site
    pages["/"] = EMBEDDING.replace("http://127.0.0.1:8000/", reader.url).replace(
        "<san-sheet", f'<san-sheet token="{TOKEN}"'
    )
    faults: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{origin}/")
    yield page
    assert faults == []


def test_a_page_of_ten_lines() -> None:
    assert len(EMBEDDING.splitlines()) <= 10


def test_writing_on_a_page_of_another_origin(embedded: Page) -> None:
    write(embedded, square(), "san-sheet canvas")
    expect(embedded.locator("#latex")).to_have_text("x^{2}")
    expect(embedded.locator("san-sheet msup")).to_be_visible()
    assert embedded.evaluate("document.querySelector('san-sheet').latex") == "x^{2}"
    embedded.get_by_role("button", name="Undo").click()
    expect(embedded.locator("#latex")).to_have_text("x")
    embedded.get_by_role("button", name="Redo").click()
    expect(embedded.locator("#latex")).to_have_text("x^{2}")
    embedded.get_by_role("button", name="Clear").click()
    expect(embedded.locator("#latex")).to_have_text("")
    write(embedded, total(), "san-sheet canvas")
    expect(embedded.locator("#latex")).to_have_text("a+b")


def test_a_narrow_sheet_keeps_its_buttons(embedded: Page) -> None:
    embedded.add_style_tag(content="san-sheet { width: 300px; font-size: 30px }")
    sheet = embedded.locator("san-sheet").bounding_box()
    assert sheet
    for button in embedded.get_by_role("button").all():
        box = button.bounding_box()
        assert box
        assert box["x"] + box["width"] <= sheet["x"] + sheet["width"]


def test_ink_has_its_paper_where_the_system_forces_its_colours(embedded: Page) -> None:
    embedded.emulate_media(forced_colors="active", color_scheme="dark")
    paper = "(canvas) => getComputedStyle(canvas).backgroundColor"
    assert embedded.locator("san-sheet canvas").evaluate(paper) == "rgb(255, 253, 248)"


def test_a_sheet_speaks_the_language_around_it(embedded: Page) -> None:
    embedded.evaluate("() => (document.documentElement.lang = 'de-AT')")
    sheet, undo = embedded.locator("san-sheet"), embedded.get_by_role("button").first
    expect(undo).to_have_text("Rückgängig")
    expect(sheet.locator("canvas")).to_have_attribute(
        "aria-label", "Blatt zum Schreiben, 0 Striche"
    )
    sheet.evaluate("(one) => (one.lang = 'zh')")
    expect(undo).to_have_text("撤销")
    sheet.evaluate("(one) => (one.lang = 'fr')")  # which it does not have: the browser's
    expect(undo).to_have_text("Undo")
    sheet.evaluate("""(one) => {
      const around = document.body.appendChild(document.createElement("div"));
      one.removeAttribute("lang");
      around.lang = "zh-Hant";
      around.attachShadow({ mode: "open" }).append(one);
    }""")
    expect(undo).to_have_text("撤销")
    sheet.evaluate("(one) => (one.lang = 'en')")
    expect(undo).to_have_text("Undo")
    sheet.evaluate("(one) => { one.removeAttribute('lang'); document.body.append(one); }")
    expect(undo).to_have_text("Rückgängig")
    sheet.evaluate(
        "(one) => { one.setAttribute('token', 'wrong'); one.strokes = [[[1, 4], [6, 4]]]; }"
    )
    expect(sheet.locator("output")).to_have_text("das Token ist falsch")


def test_without_a_language_a_sheet_speaks_the_browsers(
    browser: Browser, site: tuple[str, dict[str, str]], embedded: Page
) -> None:
    page = browser.new_page(locale="de-DE")
    page.goto(f"{site[0]}/")
    expect(page.get_by_role("button").first).to_have_text("Rückgängig")
    page.close()


def test_a_sheet_whose_texts_do_not_come_says_that_it_speaks_english(embedded: Page) -> None:
    embedded.route("**/texts.de.js", lambda route: route.abort())
    with embedded.expect_event("requestfailed"):
        embedded.evaluate("() => (document.documentElement.lang = 'de')")
    bar = embedded.locator("san-sheet div")
    expect(bar).to_have_attribute("lang", "en")
    expect(bar.get_by_role("button").first).to_have_text("Undo")


def test_a_wrong_token_is_told(embedded: Page) -> None:
    embedded.evaluate(
        """() => {
          const sheet = document.querySelector("san-sheet");
          sheet.addEventListener("trouble", ({ detail }) => (window.told = detail));
          sheet.setAttribute("token", "wrong");
          sheet.strokes = [[[10, 40], [60, 40]]];
        }"""
    )
    expect(embedded.locator("san-sheet output")).to_have_text("the bearer token is wrong")
    assert embedded.evaluate("window.told.status") == 401


def test_the_client_by_itself(embedded: Page, reader: Service) -> None:
    latex = embedded.evaluate(
        """async ([url, token, strokes]) => {
          const { Client } = await import(`${url}static/js/san.js`);
          const client = new Client(url, token);
          const known = [{ symbol: "6", strokes: [strokes.length - 1] }];
          const pages = [await client.readInk(strokes), await client.readInk(strokes, { known })];
          return pages.map(({ formulas }) => formulas[0].latex);
        }""",
        [reader.url, TOKEN, [stroke.tolist() for stroke in total().ink.strokes]],
    )
    assert latex == ["a+b", "a+6"]


def test_each_trouble_of_the_client_is_a_sentence(embedded: Page, reader: Service) -> None:
    troubles = embedded.evaluate(
        """async ([url, nobody]) => {
          const { Client } = await import(`${url}static/js/san.js`);
          const clients = [new Client(nobody), new Client(url, "wrong")];
          const asked = clients.map((one) => one.write({ latex: "x" }).catch((error) => error));
          return (await Promise.all(asked)).map((error) => error.message);
        }""",
        [reader.url, f"http://127.0.0.1:{free_port()}/"],
    )
    assert troubles == ["The server does not answer", "the bearer token is wrong"]
