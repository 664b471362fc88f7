"""The mathematical font that is served with the page."""

from itertools import pairwise

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("fontTools", reason="fonttools is not installed")

from fontTools.ttLib import TTFont
from playwright.sync_api import Page
from tools.math_font import FONT, drawn_characters

DRAWN = """async (latex) => {
  const { mathElement } = await import("./static/js/mathml.js");
  const { writeLatex } = await import("./static/js/api.js");
  const math = mathElement((await writeLatex(latex)).mathml);
  document.getElementById("formula").replaceChildren(math);
  await document.fonts.load('1em "san math"', "x");
  const rise = (name) => math.querySelector(name).getBoundingClientRect().height;
  return { rise: rise("mo, msqrt"), font: getComputedStyle(math).fontFamily,
    loaded: [...document.fonts].map((face) => [face.family, face.status]) };
}"""


def test_the_font_has_every_character_and_is_small() -> None:
    assert FONT.stat().st_size < 100_000
    font = TTFont(FONT)
    assert drawn_characters() <= set(font.getBestCmap())
    assert font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs


def test_arrows_and_hats_reach_over_a_group() -> None:
    font = TTFont(FONT)
    names, variants = font.getBestCmap(), font["MATH"].table.MathVariants
    wide = dict(
        zip(variants.HorizGlyphCoverage.glyphs, variants.HorizGlyphConstruction, strict=True)
    )
    assert wide[names[0x302]].VariantCount > 1
    for arrow in "→←↔⇒":
        for left, right in pairwise(wide[names[ord(arrow)]].GlyphAssembly.PartRecords):
            overlap = min(left.EndConnectorLength, right.StartConnectorLength)
            assert overlap >= variants.MinConnectorOverlap, "else Chromium does not stretch it"


def test_brackets_and_roots_stretch(scripts: Page) -> None:
    plain = scripts.evaluate(DRAWN, "(x)")
    assert ['"san math"', "loaded"] in plain["loaded"] or ["san math", "loaded"] in plain["loaded"]
    assert plain["font"].startswith('"san math"')
    tall = scripts.evaluate(DRAWN, r"(\frac{a}{\frac{b}{c}})")
    assert tall["rise"] > 2 * plain["rise"]
    root = scripts.evaluate(DRAWN, r"\sqrt{\frac{a}{b}}")
    assert root["rise"] > 1.5 * scripts.evaluate(DRAWN, r"\sqrt{a}")["rise"]


def test_the_page_is_light(scripts: Page) -> None:
    """Everything that the page loads, uncompressed: 350 KB at most."""
    scripts.reload(wait_until="networkidle")
    sizes = scripts.evaluate("""() => Object.fromEntries(
      [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .map((one) => [one.name, one.decodedBodySize]))""")
    assert any(url.endswith(".woff") for url in sizes)
    assert sum(sizes.values()) <= 350_000
