"""A server that is gone, busy, slow, or wants a token: said plainly, and nothing is lost."""

from collections.abc import Iterator

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Service
from tests.browser.pen import expect_latex, square, strokes_on, total, write


@pytest.fixture(autouse=True)
def _as_it_was(service: Service) -> Iterator[None]:
    """Whatever a test does to the service, the next finds it running."""
    yield
    if not service.running:
        service.start()


def test_the_server_stops_and_comes_back(page: Page, service: Service, faults: list[str]) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Clear the sheet").click()
    service.stop()
    write(page, total())
    notice = page.locator("#notice-text")
    expect(notice).to_contain_text("The server does not answer. Your ink is safe")
    assert strokes_on(page) == 4
    page.wait_for_timeout(1500)  # it is asked again meanwhile, and again there is nobody
    expect(notice).to_contain_text("The server does not answer")
    service.start()
    # By itself, without a hand: the page asks again.
    expect_latex(page, "a+b")
    expect(notice).to_have_text("Read.")
    faults.clear()  # the browser logs every connection that is refused


def test_waiting_can_be_cut_short(page: Page, faults: list[str]) -> None:
    page.route("**/api/v1/page*", lambda route: route.abort(), times=3)
    write(page, total())
    ask = page.get_by_role("button", name="Ask now")
    expect(page.locator("#notice-text")).to_contain_text("again in 4 s")
    ask.click()
    expect_latex(page, "a+b")
    expect(ask).to_be_hidden()
    faults.clear()


def test_a_busy_server_is_asked_when_it_says(page: Page, faults: list[str]) -> None:
    def busy(route: Route) -> None:
        route.fulfill(status=503, headers={"Retry-After": "2"}, json={"detail": "full"})

    page.route("**/api/v1/page*", busy, times=1)
    write(page, total())
    expect(page.locator("#notice-text")).to_have_text("The server is busy; asking again in 2 s.")
    expect_latex(page, "a+b")
    faults.clear()


def test_a_slow_server_is_waited_for(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/v1/page*", lambda route: held.append(route), times=1)
    write(page, total())
    expect(page.locator("#notice-text")).to_contain_text("Still reading")
    held[0].continue_()
    expect_latex(page, "a+b")


def test_a_refusal_is_told_in_the_servers_words(page: Page, faults: list[str]) -> None:
    def no(route: Route) -> None:
        route.fulfill(status=422, json={"detail": "the ink has too many strokes: 3 at most"})

    page.route("**/api/v1/page*", no, times=1)
    write(page, total())
    expect(page.locator("#notice-text")).to_have_text("The ink has too many strokes: 3 at most.")
    assert strokes_on(page) == 4
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Redo").click()
    expect_latex(page, "a+b")
    faults.clear()


def test_a_token_is_asked_for(page: Page, service: Service, faults: list[str]) -> None:
    service.stop()
    service.start("--token", "open-sesame")
    write(page, total())
    expect(page.locator("#notice-text")).to_have_text("This server asks for its token.")
    page.get_by_label("Token").fill("open-sesame")
    page.get_by_label("Token").press("Enter")
    expect_latex(page, "a+b")
    service.stop()
    faults.clear()
