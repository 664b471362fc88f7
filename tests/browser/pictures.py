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


def main(url: str, folder: Path) -> None:
    path = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        take(browser, url, (1280, 800), "light", folder / "page-desktop.png")
        take(browser, url, (390, 844), "dark", folder / "page-phone.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
