"""Makes the pictures of the page in the documentation, with ink of our own.

san serve --port 8000 &
python -m tests.browser.pictures http://127.0.0.1:8000/ docs/figures
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import BROWSERS
from tests.browser.pen import expect_latex, write
from tests.ink.formulas import quadratic


def take(browser: Browser, url: str, size: tuple[int, int], scheme: str, file: Path) -> None:
    viewport = {"width": size[0], "height": size[1]}
    context = browser.new_context(
        viewport=viewport,  # type: ignore[arg-type]
        color_scheme=scheme,  # type: ignore[arg-type]
        device_scale_factor=1.5,
        has_touch=size[0] < size[1],
        is_mobile=size[0] < size[1],
    )
    page = context.new_page()
    page.goto(url)
    write(page, quadratic())
    expect_latex(page, r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}")
    page.locator('#formula [data-symbol="7"]').hover()
    page.screenshot(path=file)
    context.close()


FONTS = """async (latex) => {
  const { mathElement } = await import("./static/js/mathml.js");
  const { writeLatex } = await import("./static/js/api.js");
  const { mathml } = await writeLatex(latex);
  const room = document.createElement("div");
  for (const font of ["Liberation Serif", "san math"]) {
    const math = mathElement(mathml);
    math.style.fontFamily = `"${font}"`;
    math.style.display = "inline math";
    math.style.fontSize = "34px";
    math.style.margin = "30px";
    room.append(math);
  }
  document.body.replaceChildren(room);
  await document.fonts.load('1em "san math"', "x");
  room.style.width = "max-content";
}"""
LATEX = r"(1+\frac{1}{\sqrt{\frac{x}{y}}})^{n}=\sum_{k=0}^{n}\binom{n}{k}"


def compare_fonts(browser: Browser, url: str, file: Path) -> None:
    """A formula with a font of text, and with the page's own."""
    page = browser.new_page(device_scale_factor=1.5, bypass_csp=True)
    page.goto(url)
    page.evaluate(FONTS, LATEX)
    page.locator("body > div").screenshot(path=file)
    page.close()


def main(url: str, folder: Path) -> None:
    path = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        take(browser, url, (1280, 800), "light", folder / "page-desktop.png")
        take(browser, url, (390, 844), "dark", folder / "page-phone.png")
        compare_fonts(browser, url, folder / "page-font.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
