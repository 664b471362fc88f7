"""What people take away: copies for other programs, pictures, and a whole sheet."""

import io
import json
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from PIL import Image, ImageChops, ImageDraw, ImageFilter
from playwright.sync_api import Page, expect

from san.ink import Sheet
from tests.browser.pen import expect_latex, write
from tests.ink.formulas import fraction
from tests.reader.pages.written import lines_of

CLIPBOARD = """async () => {
  const [item] = await navigator.clipboard.read();
  const text = async (type) => (await item.getType(type)).text();
  return Object.fromEntries(await Promise.all(item.types.map(async (type) =>
    [type, type.startsWith("text") ? await text(type) : (await item.getType(type)).size])));
}"""


@pytest.fixture
def settings() -> dict[str, Any]:
    return {
        "viewport": {"width": 1280, "height": 800},
        "permissions": ["clipboard-read", "clipboard-write"],
        "accept_downloads": True,
    }


def copied_as(page: Page, letter: str, said: str) -> dict[str, Any]:
    """What is in the clipboard after an item of the menu was chosen by its letter."""
    page.locator("#ink").focus()
    page.keyboard.press("c")
    expect(page.locator("#copy-menu")).to_be_visible()
    page.keyboard.press(letter)
    expect(page.locator("#notice-text")).to_have_text(said)
    page.evaluate("document.getElementById('notice-text').textContent = ''")
    found: dict[str, Any] = page.evaluate(CLIPBOARD)
    return found


def downloaded(page: Page, kind: str) -> bytes:
    with page.expect_download() as taken:
        page.locator(f'[data-download="{kind}"]').click()
    return taken.value.path().read_bytes()


def evenly_filled(path: str, size: tuple[int, int]) -> Image.Image:
    """A path of closed polygons as large as the PNG, by the rule of even and odd."""
    finer = 6  # Pillow's polygons are half a pixel larger than they should be, on every side
    filled = Image.new("1", (finer * size[0], finer * size[1]))
    for part in path.split("M")[1:]:
        pairs = map(str.split, part[:-1].split("L"))
        points = [(3 * finer * float(x), 3 * finer * float(y)) for x, y in pairs]
        polygon = Image.new("1", filled.size)
        ImageDraw.Draw(polygon).polygon(points, fill=1)
        filled = ImageChops.logical_xor(filled, polygon)
    return filled.convert("L").reduce(finer)


def test_a_formula_for_other_programs(page: Page) -> None:
    write(page, fraction())
    expect_latex(page, r"x=\frac{1}{2}")
    expect(page.locator("#of-one")).to_be_hidden()
    assert copied_as(page, "i", "LaTeX copied") == {"text/plain": r"$x=\frac{1}{2}$"}
    assert copied_as(page, "d", "LaTeX copied") == {"text/plain": "\\[\nx=\\frac{1}{2}\n\\]"}
    assert copied_as(page, "t", "Typst copied") == {"text/plain": "x = frac(1, 2)"}
    word = copied_as(page, "w", "MathML copied")
    assert set(word) == {"text/html", "text/plain"}
    assert ElementTree.fromstring(word["text/plain"]).tag.endswith("math")
    assert "<mfrac>" in word["text/html"]
    assert copied_as(page, "p", "Picture copied")["image/png"] > 1000
    # By hand in the LaTeX, then with brackets that grow.
    page.keyboard.press("F2")
    page.get_by_label("LaTeX of the formula").fill(r"(\frac{1}{2})")
    page.keyboard.press("Enter")
    expect_latex(page, r"(\frac{1}{2})")
    page.get_by_role("button", name="Copy for other programs").click()
    page.get_by_role("menuitemcheckbox").click()
    expect(page.get_by_role("menuitemcheckbox")).to_have_attribute("aria-checked", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#copy-more")).to_be_focused()
    expect_latex(page, r"\left(\frac{1}{2}\right)")
    page.keyboard.press("Control+c")
    expect(page.locator("#notice-text")).to_have_text("LaTeX copied")
    assert page.evaluate(CLIPBOARD) == {"text/plain": r"\left(\frac{1}{2}\right)"}
    # Pictures: the formula drawn with the page's font, and the ink as curves.
    drawn = Image.open(io.BytesIO(downloaded(page, "png"))).convert("L")
    inked = [count for value, count in enumerate(drawn.histogram()) if value < 128]
    assert 0.02 < sum(inked) / (drawn.width * drawn.height) < 0.5
    # In outlines: what any program fills is what the browser drew.
    found = ElementTree.fromstring(downloaded(page, "svg"))
    assert found.findtext("{*}title") == r"(\frac{1}{2})"
    assert [one.tag.rpartition("}")[2] for one in found] == ["title", "path"]
    filled = evenly_filled(found.findall("{*}path")[0].attrib["d"], drawn.size)
    dark = drawn.point(lambda value: 255 * (value < 128))
    for one, other in (
        (filled, dark),
        (dark, filled),
    ):  # but for a pixel, by which bars are rounded
        near = ImageChops.multiply(one, other.filter(ImageFilter.MaxFilter(5)))
        assert sum(near.histogram()[128:]) > 0.99 * sum(one.histogram()[128:]) > 1000
    ink = ElementTree.fromstring(downloaded(page, "ink.svg"))
    assert len(ink.findall(".//{*}path")) == len(fraction().ink.strokes)
    assert Image.open(io.BytesIO(downloaded(page, "ink.png"))).width > 300


def test_a_sheet_as_markdown_and_aligned(page: Page) -> None:
    write(page, Sheet(lines_of("x+1=2", "a=b")))
    expect(page.locator("#cards button")).to_have_count(2)
    markdown = "$$\nx+1=2\n$$\n\n$$\na=b\n$$\n"
    assert copied_as(page, "m", "Markdown of the sheet copied") == {"text/plain": markdown}
    assert downloaded(page, "md").decode() == markdown
    aligned = "\\begin{aligned}x+1&=2\\\\\na&=b\\end{aligned}"
    assert copied_as(page, "a", "LaTeX copied") == {"text/plain": aligned}
    # All of it in files that can hold it; the others, and copies, say of which formula they are.
    page.locator("#cards button").nth(1).click()
    expect_latex(page, "a=b")
    assert "\\[ x+1=2 \\]\n\\[ a=b \\]\n" in downloaded(page, "tex").decode()
    assert downloaded(page, "typ").decode() == "$ x + 1 = 2 $\n\n$ a = b $\n"
    assert [len(one["symbols"]) for one in json.loads(downloaded(page, "json"))] == [5, 3]
    expect(page.locator("#of-all")).to_have_text("All 2 formulas")
    expect(page.locator("#of-one")).to_have_text("Only formula 2")
    assert copied_as(page, "i", "LaTeX of formula 2 copied") == {"text/plain": "$a=b$"}
    page.get_by_role("button", name="History").click()
    entry = page.get_by_role("dialog").get_by_role("listitem")
    expect(entry.locator("small")).to_contain_text("and 1 more · ")  # no "+ 1" behind the formula
