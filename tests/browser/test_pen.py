"""A pen, and the hand that holds it: it presses, and the palm neither writes nor disturbs."""

from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import CDPSession, Page

from tests.browser.pen import expect_latex, on_screen, square, strokes_on


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"viewport": {"width": 1280, "height": 800}, "has_touch": True}


def pen(devtools: CDPSession, kind: str, x: float, y: float, force: float) -> None:
    buttons = {"button": "left", "buttons": 0 if kind == "mouseReleased" else 1}
    place = {"x": x, "y": y, "force": force, "pointerType": "pen", "clickCount": 1}
    devtools.send("Input.dispatchMouseEvent", {"type": kind, **place, **buttons})


def touch(devtools: CDPSession, kind: str, *places: tuple[float, float]) -> None:
    """What touches the sheet from now on, in pixels from its corner."""
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def corner_of_sheet(page: Page) -> tuple[float, float]:
    room = page.locator("#ink").bounding_box()
    assert room
    return room["x"], room["y"]


@pytest.fixture
def devtools(page: Page) -> CDPSession:
    return page.context.new_cdp_session(page)


def test_a_pen_presses_and_the_palm_rests(page: Page, devtools: CDPSession) -> None:
    for stroke in on_screen(page, square()):
        pen(devtools, "mousePressed", *stroke[0], 0.2)
        for number, point in enumerate(stroke[1::2]):
            pen(devtools, "mouseMoved", *point, min(1.0, 0.2 + 0.05 * number))
        pen(devtools, "mouseReleased", *stroke[-1], 0.0)
    expect_latex(page, "x^{2}")
    kept = page.evaluate("JSON.parse(localStorage['san.ink'])")
    weights = [point[2] for point in kept[0]]
    assert max(weights) - min(weights) > 0.1
    # Once there is a pen, a finger leaves no mark.
    x, y = corner_of_sheet(page)
    touch(devtools, "touchStart", (x + 200, y + 200))
    touch(devtools, "touchEnd")
    assert strokes_on(page) == 3


def test_a_palm_that_comes_before_the_pen_takes_no_stroke(page: Page, devtools: CDPSession) -> None:
    x, y = corner_of_sheet(page)
    touch(devtools, "touchStart", (x + 60, y + 250))
    pen(devtools, "mousePressed", x + 50, y + 50, 0.5)
    pen(devtools, "mouseMoved", x + 90, y + 60, 0.5)
    pen(devtools, "mouseReleased", x + 90, y + 60, 0.0)
    touch(devtools, "touchEnd")
    (stroke,) = page.evaluate("JSON.parse(localStorage['san.ink'])")
    assert stroke[0][:2] == [50, 50]


def test_a_palm_that_touches_twice_moves_nothing_under_the_pen(
    page: Page, devtools: CDPSession
) -> None:
    x, y = corner_of_sheet(page)
    palm = (x + 60, y + 250)
    pen(devtools, "mousePressed", x + 50, y + 50, 0.5)
    touch(devtools, "touchStart", palm)
    touch(devtools, "touchStart", palm, (palm[0] + 30, palm[1]))
    touch(devtools, "touchMove", (palm[0] + 20, palm[1]), (palm[0] + 80, palm[1]))
    pen(devtools, "mouseMoved", x + 90, y + 60, 0.5)
    pen(devtools, "mouseReleased", x + 90, y + 60, 0.0)
    touch(devtools, "touchEnd")
    (stroke,) = page.evaluate("JSON.parse(localStorage['san.ink'])")
    assert [stroke[0][:2], stroke[-1][:2]] == [[50, 50], [90, 60]]
