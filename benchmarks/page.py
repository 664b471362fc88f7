"""What the page costs: bytes, time to its first paint, and time from the last stroke to LaTeX.

    python benchmarks/page.py [--runs 5]

`san serve` runs as a process of its own, and the system's Chromium opens its page anew each time,
without a cache, and writes a formula of our own. Medians are told. Needs playwright.
"""

import argparse
import shutil
import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.browser.conftest import BROWSERS, Service, free_port
from tests.browser.pen import expect_latex, total, write

LOADED = """() => {
  const all = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind));
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [all.length, all.reduce((sum, one) => sum + one.transferSize, 0), paint.startTime];
}"""
MAX_TRANSFERRED = 350_000
"""Bytes of everything that the page loads."""


def opened_once(browser: Browser, url: str) -> tuple[int, int, float, float]:
    """Files, bytes, milliseconds to the first paint, and from the last stroke to LaTeX."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(url, wait_until="networkidle")
    files, transferred, painted = page.evaluate(LOADED)
    write(page, total())
    began = time.perf_counter()
    expect_latex(page, "a+b")
    read = 1000 * (time.perf_counter() - began)
    context.close()
    return files, transferred, painted, read


def main(runs: int) -> int:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        print("no Chromium here", file=sys.stderr)
        return 2
    service = Service(free_port())
    service.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, chromium_sandbox=False)
            measured = [opened_once(browser, service.url) for _ in range(runs)]
            browser.close()
    finally:
        service.stop()
    files, transferred, painted, read = map(statistics.median, zip(*measured, strict=True))
    print(f"{files:.0f} files, {transferred / 1000:.0f} KB transferred")
    print(f"first paint after {painted:.0f} ms; LaTeX {read:.0f} ms after the last stroke")
    return int(transferred > MAX_TRANSFERRED)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs is a number from 1 on")
    sys.exit(main(options.runs))
