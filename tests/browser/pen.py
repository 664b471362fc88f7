"""A hand for the tests: it writes on the page's sheet and waits for what is read."""

from collections.abc import Iterable

from playwright.sync_api import CDPSession, Page, expect

from san.ink import Box, Sheet
from san.ink.alphabet import compose
from san.ink.strokes import Points

MARGIN = 30.0
Line = list[tuple[float, float]]


def square() -> Sheet:
    """x^2: three strokes."""
    return compose([("x", Box(0, 30, 40, 70)), ("2", Box(48, 0, 68, 32))], truth="x^{2}")


def total() -> Sheet:
    """a + b: four strokes."""
    symbols = [("a", Box(0, 30, 40, 70)), ("+", Box(70, 34, 110, 70)), ("b", Box(140, 10, 172, 72))]
    return compose(symbols, truth="a+b")


def on_screen(page: Page, sheet: Sheet, canvas: str = "#ink") -> list[list[tuple[float, float]]]:
    """Where a sheet's strokes lie on the page, as large as they fit but no larger than written."""
    room = page.locator(canvas).bounding_box()
    assert room
    corner, size = (room["x"], room["y"]), (room["width"], room["height"])
    return placed_on(corner, size, sheet)


def placed_on(
    corner: tuple[float, float], size: tuple[float, float], sheet: Sheet
) -> list[list[tuple[float, float]]]:
    """The same, where it is known where the canvas lies."""
    box = sheet.ink.box
    across, down = size[0] - 2 * MARGIN, size[1] - 2 * MARGIN
    scale = min(1.2, across / max(box.width, 1), down / max(box.height, 1))
    left, top = corner[0] + MARGIN, corner[1] + MARGIN

    def placed(stroke: Points) -> list[tuple[float, float]]:
        return [
            (left + scale * (x - box.left), top + scale * (y - box.top)) for x, y in stroke.tolist()
        ]

    return [placed(stroke) for stroke in sheet.ink.strokes]


def write(page: Page, sheet: Sheet, canvas: str = "#ink") -> None:
    """Stroke by stroke, with the mouse."""
    for stroke in on_screen(page, sheet, canvas):
        page.mouse.move(*stroke[0])
        page.mouse.down()
        for point in thinned(stroke):
            page.mouse.move(*point)
        page.mouse.up()


def write_by_touch(page: Page, sheet: Sheet) -> None:
    """Stroke by stroke, with a finger."""
    devtools: CDPSession = page.context.new_cdp_session(page)

    def touch(kind: str, points: Iterable[tuple[float, float]]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    for stroke in on_screen(page, sheet):
        touch("touchStart", stroke[:1])
        for point in thinned(stroke):
            touch("touchMove", [point])
        touch("touchEnd", [])


def thinned(stroke: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Every third point: about as dense as a mouse reports them."""
    return [*stroke[1:-1:3], stroke[-1]]


def expect_latex(page: Page, latex: str) -> None:
    """The formula is read, and what is shown is not of earlier ink."""
    expect(page.locator("#source")).to_have_text(latex)
    expect(page.locator("#result")).to_have_attribute("aria-busy", "false")


def strokes_on(page: Page) -> int:
    """How many strokes the sheet says that it holds."""
    label = page.locator("#ink").get_attribute("aria-label")
    assert label
    return int(label.split(", ")[1].split()[0])


def draw_line(page: Page, points: Line) -> None:
    """With the mouse."""
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=3)
    page.mouse.up()


def corners(strokes: list[Line], margin: float = 12) -> tuple[float, float, float, float]:
    points = [point for stroke in strokes for point in stroke]
    xs, ys = zip(*points, strict=True)
    return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin


def around(strokes: list[Line]) -> Line:
    """A lasso around them."""
    left, top, right, bottom = corners(strokes)
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top + 2)]
