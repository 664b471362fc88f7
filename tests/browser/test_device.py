"""What this device keeps: a history that is searched and deleted, and a collection to train on."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import BrowserContext, Page, expect

from san.data.corpus import open_corpus
from san.grammar import parse
from tests.browser.pen import expect_latex, square, strokes_on, total, write
from tests.browser.test_picture import file_of, png
from tests.cli.console import san


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"viewport": {"width": 1280, "height": 800}, "accept_downloads": True}


def test_corrections_become_a_corpus_that_packs(page: Page, tmp_path: Path) -> None:
    write(page, total())
    expect_latex(page, "a+b")
    page.locator('#formula [data-symbol="2"]').click()
    page.get_by_label("Another symbol, in LaTeX").fill("6")
    page.keyboard.press("Enter")
    expect_latex(page, "a+6")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator("#notice-text")).to_have_text("Kept on this device, to train on.")
    page.set_input_files("#file", file_of(png(square())))
    page.get_by_role("button", name="Read this part").click()
    expect_latex(page, "x^{2}")
    page.locator("#ink-again").focus()
    page.keyboard.press("k")
    expect(page.locator("#notice-text")).to_have_text("Kept on this device, to train on.")
    page.keyboard.press("h")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 formulas with their ink or picture")
    with page.expect_download() as taken:
        dialog.get_by_role("button", name="Export").click()
    corpus = tmp_path / "san-corpus.zip"
    corpus.write_bytes(taken.value.path().read_bytes())
    assert zipfile.ZipFile(corpus).testzip() is None
    done = san("data", "pack", corpus, "--clean", "-o", tmp_path / "own.npz")
    assert "2 expressions" in done.stdout
    samples = {sample.tree: sample for sample in open_corpus(corpus)}
    assert set(samples) == {parse("a+6"), parse("x^2")}
    ink = samples[parse("a+6")].ink
    assert ink is not None
    assert len(ink.strokes) == 4


def test_two_tabs_of_one_sheet_are_two_in_the_history(page: Page, context: BrowserContext) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    other = context.new_page()
    other.goto("")
    expect_latex(other, "x^{2}")
    other.locator('#formula [data-symbol="1"]').click()
    other.get_by_label("Another symbol, in LaTeX").fill("3")
    other.keyboard.press("Enter")
    expect_latex(other, "x^{3}")
    page.locator('#formula [data-symbol="1"]').click()
    page.get_by_label("Another symbol, in LaTeX").fill("5")
    page.keyboard.press("Enter")
    expect_latex(page, "x^{5}")
    page.get_by_role("button", name="History").click()
    for latex in ("x^{3}", "x^{5}"):
        expect(page.get_by_role("button", name=f"Open {latex}")).to_be_visible()


def test_what_was_read_is_found_again_and_deleted(page: Page) -> None:
    write(page, square())
    expect_latex(page, "x^{2}")
    page.get_by_role("button", name="Clear the sheet").click()
    write(page, total())
    expect_latex(page, "a+b")
    page.get_by_role("button", name="History").click()
    dialog = page.get_by_role("dialog")
    entries = dialog.get_by_role("listitem")
    expect(entries).to_have_count(2)  # one for each sheet, not for each pause of the pen
    expect(entries.first).to_contain_text("b")
    dialog.get_by_role("searchbox").fill("X^")
    expect(entries).to_have_count(1)
    dialog.get_by_role("button", name="Open x^{2}").click()
    expect_latex(page, "x^{2}")
    assert strokes_on(page) == 3
    page.keyboard.press("Control+z")
    expect_latex(page, "a+b")
    page.reload()
    expect_latex(page, "a+b")
    page.get_by_role("button", name="History").click()
    expect(entries).to_have_count(2)  # the same two sheets, however often each was read
    delete = dialog.locator("[data-part=forget]")
    delete.click()
    expect(delete).to_have_text("Really delete all?")
    delete.click()
    expect(entries).to_have_count(0)
    expect(dialog).to_contain_text("Nothing was read here yet.")
    assert page.evaluate("indexedDB.databases().then((all) => all.length)") == 1


def test_it_works_where_nothing_may_be_kept(context: BrowserContext, faults: list[str]) -> None:
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.add_init_script("""
      const forbidden = { get() { throw new DOMException("no", "SecurityError"); } };
      for (const name of ["localStorage", "sessionStorage", "indexedDB"])
        Object.defineProperty(window, name, forbidden);""")
    page.goto("")
    write(page, square())
    expect_latex(page, "x^{2}")
    expect(page.locator("#notice-text")).to_contain_text("Your ink is not kept")
    page.get_by_role("button", name="Undo").click()
    expect_latex(page, "x")
    expect(page.locator("#notice-text")).to_have_text("Read.")  # once is enough
    expect(page.locator("footer")).to_contain_text("Your ink is not kept")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator("#notice-text")).to_contain_text("It could not be kept")
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog")).to_contain_text("nothing is kept")
    assert faults == []


def test_ink_that_has_no_room_is_said_to_be_lost(page: Page) -> None:
    footer = page.locator("footer")
    page.evaluate("""() => {
      for (let size = 1 << 20; size > 1; size /= 2) {
        try {
          for (;;) localStorage.setItem(`${size} ${localStorage.length}`, "x".repeat(size));
        } catch {}
      }
    }""")
    write(page, square())
    expect(footer.get_by_text("Your ink is not kept")).to_be_visible()
    expect(footer.get_by_text("kept on this device only")).to_be_hidden()
    expect_latex(page, "x^{2}")
    expect(page.locator("#notice-text")).to_contain_text("its storage is full")
    page.evaluate("localStorage.clear()")
    page.get_by_role("button", name="Undo").click()
    expect(footer.get_by_text("kept on this device only")).to_be_visible()


def test_zips_hold_what_was_put_in(scripts: Page) -> None:
    made = scripts.evaluate("""async () => {
      const { zip } = await import("./static/js/zip.js");
      const blob = await zip([{ name: "α.txt", content: "beta" },
        { name: "b", content: new Blob(["c"]) }]);
      return [...new Uint8Array(await blob.arrayBuffer())];
    }""")
    opened = zipfile.ZipFile(io.BytesIO(bytes(made)))
    assert opened.testzip() is None
    assert {name: opened.read(name) for name in opened.namelist()} == {"α.txt": b"beta", "b": b"c"}
