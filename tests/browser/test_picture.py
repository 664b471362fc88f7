"""Pictures: opened, dropped or pasted, cropped, read; the ink waits meanwhile."""

import base64
import io

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from PIL import Image
from playwright.sync_api import FilePayload, Page, Route, expect

from san.ink import Pen, Sheet, draw, write_inkml
from tests.browser.pen import expect_latex, square, strokes_on, total, write
from tests.ink.formulas import fraction, quadratic
from tests.reader.pages.written import lines_of

READ = "Read this part"
GIVE = """([kind, encoded, name, type]) => {
  const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name, { type }));
  const given = { bubbles: true, cancelable: true };
  if (kind === "paste") dispatchEvent(new ClipboardEvent(kind, { clipboardData: data, ...given }));
  else dispatchEvent(new DragEvent(kind, { dataTransfer: data, ...given }));
}"""


def png(*sheets: Sheet) -> bytes:
    """Black on white, one formula beside the other."""
    pictures = [
        Image.fromarray(255 - draw(sheet.ink, Pen(margin=60, height=60))) for sheet in sheets
    ]
    wide = sum(picture.width for picture in pictures)
    page = Image.new("L", (wide, max(picture.height for picture in pictures)), 255)
    left = 0
    for picture in pictures:
        page.paste(picture, (left, 0))
        left += picture.width
    file = io.BytesIO()
    page.save(file, "PNG")
    return file.getvalue()


def pages_of(form: str, *pictures: bytes) -> bytes:
    """A PDF or a TIFF with a page for each picture."""
    images = [Image.open(io.BytesIO(picture)) for picture in pictures]
    file = io.BytesIO()
    images[0].save(file, form, save_all=True, append_images=images[1:])
    return file.getvalue()


def file_of(content: bytes, name: str = "formula.png") -> FilePayload:
    return {"name": name, "mimeType": "image/png", "buffer": content}


def test_an_opened_picture_is_read(page: Page) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Picture", exact=True).click()
    chooser.value.set_files(file_of(png(quadratic())))
    page.get_by_role("button", name=READ).click()
    expect_latex(page, r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}")
    # A symbol of the formula shows its box in the picture.
    page.locator('#formula [data-symbol="0"]').hover()
    expect(page.locator("#lit-box")).to_be_visible()
    expect(page.get_by_role("button", name=".inkml")).to_be_disabled()


def test_the_next_picture_is_opened_beside_the_one_that_was_read(page: Page) -> None:
    page.set_input_files("#file", file_of(png(square())))
    another = page.get_by_role("button", name="Picture", exact=True)
    page.get_by_role("button", name=READ).wait_for()
    expect(another).to_be_hidden()  # this one first
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "x^{2}")
    with page.expect_file_chooser() as chooser:
        another.click()
    chooser.value.set_files(file_of(png(total())))
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "a+b")


def test_while_a_picture_is_framed_the_formula_before_it_is_faint(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    formula = page.locator("#formula")
    expect(formula).to_have_css("opacity", "1")
    page.set_input_files("#file", file_of(png(square())))
    page.get_by_role("button", name=READ).wait_for()
    expect(formula).not_to_have_css("opacity", "1")
    page.keyboard.press("Escape")
    expect(formula).to_have_css("opacity", "1")
    expect_latex(page, "a+b")


def test_the_formulas_before_a_picture_stay_faint_while_it_is_framed(page: Page) -> None:
    write(page, Sheet(lines_of("x+1=2", "a=b")))
    expect_latex(page, "x+1=2")
    page.keyboard.press("F2")
    page.get_by_label("LaTeX of the formula").fill("y")
    expect(page.locator("#formula")).to_have_text("y")
    page.set_input_files("#file", file_of(png(square())))
    page.get_by_role("button", name=READ).wait_for()
    expect(page.get_by_role("button", name="Done")).to_be_hidden()
    page.locator("#cards button").nth(1).click()
    expect(page.locator("#source")).to_have_text("a=b")
    expect(page.locator("#formula")).to_have_css("opacity", "0.4")
    page.locator("#formula [data-symbol]").first.click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "x^{2}")


@pytest.mark.parametrize("kind", ["paste", "drop"])
def test_a_pasted_or_dropped_picture_is_read(page: Page, kind: str) -> None:
    given = png(fraction()), "formula.png", "image/png"
    if kind == "paste":  # TIFF: the server draws it
        given = pages_of("TIFF", png(fraction())), "scan.tif", "image/tiff"
    content, *named = given
    page.evaluate(GIVE, [kind, base64.b64encode(content).decode(), *named])
    page.get_by_role("button", name=READ).wait_for()
    page.keyboard.press("Enter")
    expect_latex(page, r"x=\frac{1}{2}")


def test_only_the_framed_part_is_read(page: Page) -> None:
    page.set_input_files("#file", file_of(png(square(), total())))
    page.get_by_role("button", name=READ).wait_for()
    room = page.locator("#surface").bounding_box()
    assert room
    with (
        Image.open(io.BytesIO(png(square()))) as first,
        Image.open(io.BytesIO(png(square(), total()))) as both,
    ):
        half = first.width / both.width
    page.mouse.move(room["x"] + 24, room["y"] + 24)  # beside the corner's handle
    page.mouse.down()
    page.mouse.move(room["x"] + half * room["width"], room["y"] + room["height"] - 2, steps=4)
    page.mouse.up()
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "x^{2}")


def test_the_frame_obeys_the_arrow_keys(page: Page) -> None:
    page.set_input_files("#file", file_of(png(square())))
    corner = page.get_by_role("button", name="Top left corner of the frame")
    corner.wait_for()
    before = page.locator("#frame").bounding_box()
    corner.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    after = page.locator("#frame").bounding_box()
    assert before
    assert after
    assert (after["x"] - before["x"], after["y"] - before["y"]) == pytest.approx((8, 8), abs=0.5)
    assert after["width"] == pytest.approx(before["width"] - 8, abs=0.5)


def test_a_picture_can_be_turned(page: Page) -> None:
    with Image.open(io.BytesIO(png(square()))) as upright:
        lying = io.BytesIO()
        upright.rotate(90, expand=True).save(lying, "PNG")
    page.set_input_files("#file", file_of(lying.getvalue()))
    page.get_by_role("button", name="Turn").click()
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "x^{2}")


def test_the_ink_waits_under_the_picture(page: Page) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    page.set_input_files("#file", file_of(png(square())))
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Write again").click()
    expect_latex(page, "a+b")
    assert strokes_on(page) == 4
    page.get_by_role("button", name="Undo").click()
    expect_latex(page, "x^{2}")


def test_pages_of_a_pdf_come_one_after_the_other(page: Page, faults: list[str]) -> None:
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
    content = pages_of("PDF", png(square()), png(total()))
    page.set_input_files("#file", file_of(content, "lesson.pdf"))
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "x^{2}")
    page.locator('#formula [data-symbol="0"]').hover()
    expect(page.locator("#lit-box")).to_be_visible()
    second = "**/api/v1/document?page=2"
    page.route(second, lambda route: route.fulfill(status=503))
    page.get_by_role("button", name="Next picture, 1 left").click()
    expect(page.locator("#notice-text")).to_contain_text("lesson.pdf cannot be opened")
    page.unroute(second)
    page.get_by_role("button", name="Next picture, 1 left").click()
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "a+b")
    page.get_by_role("button", name="Another part").click()
    expect(page.get_by_role("button", name=READ)).to_be_visible()
    page.keyboard.press("Escape")
    page.set_input_files("#file", file_of(content[:300], "torn.pdf"))
    expect(page.locator("#notice-text")).to_contain_text("torn.pdf: Page 1 of the PDF cannot be")
    expect_latex(page, "a+b")
    faults.clear()  # the browser logs every answer of 422


def test_what_is_no_picture_is_said_plainly(page: Page, faults: list[str]) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.set_input_files("#file", file_of(b"no picture at all", "letter.png"))
    expect(page.locator("#notice-text")).to_contain_text("letter.png: Not a PNG")
    expect_latex(page, "x^{2}")
    assert strokes_on(page) == 3
    page.set_input_files("#file", [file_of(b"nor this", name) for name in ("a.png", "b.docx")])
    for name in ("a.png", "b.docx"):
        expect(page.locator("#notice-text")).to_contain_text(f"{name}: Not a PNG")
    faults.clear()  # the browser logs every answer of 422


def test_what_is_no_picture_is_still_said_when_the_ink_is_read(
    page: Page, faults: list[str]
) -> None:
    held: list[Route] = []
    page.route("**/api/v1/page*", lambda route: held.append(route), times=1)
    write(page, square())
    notice = page.locator("#notice-text")
    expect(notice).to_have_text("Reading …")
    page.set_input_files("#file", file_of(b"no picture at all", "letter.png"))
    expect(notice).to_contain_text("letter.png: Not a PNG")
    held[0].continue_()
    expect_latex(page, "x^{2}")
    expect(notice).to_contain_text("letter.png: Not a PNG")
    page.get_by_role("button", name="Undo").click()
    expect(notice).to_have_text("Read.")  # once is enough
    faults.clear()  # the browser logs every answer of 422


def test_an_empty_picture_is_said_plainly(page: Page, faults: list[str]) -> None:
    blank = io.BytesIO()
    Image.new("L", (300, 200), 255).save(blank, "PNG")
    page.set_input_files("#file", file_of(blank.getvalue()))
    page.get_by_role("button", name=READ).click()
    expect(page.locator("#notice")).to_have_attribute("data-mood", "trouble")
    expect(page.locator("#notice-text")).not_to_be_empty()
    expect(page.get_by_role("button", name="Write again")).to_be_visible()
    faults.clear()  # the browser logs every answer of 422


def test_several_files_come_one_after_the_other(page: Page) -> None:
    page.set_input_files("#file", [file_of(png(square())), file_of(png(total()), "second.png")])
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Next picture, 1 left").click()
    page.get_by_role("button", name=READ).click()
    expect_latex(page, "a+b")
    expect(page.locator("#next-picture")).to_be_hidden()
    page.get_by_role("button", name="Another part").click()  # of the same file, not opened again
    expect(page.get_by_role("button", name=READ)).to_be_visible()
    page.keyboard.press("Escape")
    expect_latex(page, "a+b")


def test_ink_files_come_back_as_ink(page: Page) -> None:
    content = write_inkml(square())
    page.set_input_files("#file", file_of(content, "formula.inkml"))
    expect_latex(page, "x^{2}")
    assert strokes_on(page) == 3
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Write here")).to_be_visible()
