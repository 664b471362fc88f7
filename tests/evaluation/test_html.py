import io
import re
from base64 import b64decode
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from san.evaluation.html import length_curve, to_html
from san.evaluation.metrics import Rate
from san.evaluation.report import score
from san.evaluation.wrong_reading_html import attention_url, picture_url
from san.evaluation.wrong_readings import Gallery
from tests.evaluation.readings import picture, wrong_reading

VOID = {"meta", "img", "br"}
EVIL = "<img src=x onerror=alert(1)>\"'</title><script>"


class Page(HTMLParser):
    """Checks that what is opened is closed, and remembers tags, attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def _page(label: str, read: str, name: str = "a", corpus: str = "corpus") -> str:
    gallery = Gallery(5)
    gallery.offer(wrong_reading(label, read, name))
    report = score({name: read}, {name: label})
    return to_html(report, gallery, corpus, {"weights": name, name: "b"}, [name])


def test_the_page_has_its_parts_and_needs_nothing_else() -> None:
    html = _page(r"\frac{a}{b}", r"\frac{a}{c}")
    page = Page(html)
    for part in ("ExpRate", "95% interval", "symbols by relation", "read as", "confidence"):
        assert part in page.text
    assert {"svg", "math", "mfrac", "table", "article"} <= set(page.tags)
    assert "<mark>b</mark>" in html
    assert "<mark>c</mark>" in html
    assert "script" not in page.tags
    addresses = [value or "" for name, value in page.attributes if name in ("src", "href")]
    assert addresses
    assert all(address.startswith("data:image/png;base64,") for address in addresses)
    assert "http" not in re.sub(
        r"http://www.w3.org/1998/Math/MathML", "", html.partition("</style>")[2]
    )


def test_the_same_reading_gives_the_same_page() -> None:
    assert _page("x+1", "x-1") == _page("x+1", "x-1")


@pytest.mark.parametrize(
    "label", ["a<script>b", r"\text{</code><script>", r"\frac{ <script>", EVIL]
)
def test_what_strangers_wrote_stays_text(label: str) -> None:
    page = Page(_page(label, "x<y", EVIL, EVIL))
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert EVIL in page.text
    assert page.tags.count("img") == len("x<y") + 1  # one a step


def test_nothing_wrong_and_nothing_read() -> None:
    assert "article" not in Page(to_html(score({"a": "x"}, {"a": "x"}), Gallery(3), "c", {})).tags
    page = Page(_page("x", ""))
    assert "(nothing)" in page.text
    assert "nothing was read" in page.text


def test_a_reading_without_end_does_not_fill_the_page() -> None:
    html = _page("x", "x" * 400)
    assert "and 321 more" in html
    assert len(html) < 100_000


def test_what_is_all_right_is_not_cut_off_at_the_top_of_the_curve() -> None:
    drawn = length_curve({"1-5": Rate(3, 3)})
    value = re.search(r'class="value" [^>]*y="([\d.]+)">100.0<', drawn)
    assert value is not None
    assert float(value[1]) > 13, "letters of 13 pixels stand on it"


def test_the_curve_leaves_out_what_does_not_occur() -> None:
    drawn = length_curve({"1-5": Rate(1, 2), "6-10": Rate(0, 0), "11+": Rate(3, 3)})
    page = Page(drawn)
    assert page.tags.count("circle") == 2
    assert "n = 0" in page.text


def _pixels(url: str) -> Image.Image:
    return Image.open(io.BytesIO(b64decode(url.partition(",")[2])))


def test_pictures_are_dark_on_light_either_way() -> None:
    for pixels in (picture(), 255 - picture()):
        shown = np.asarray(_pixels(picture_url(pixels)).convert("L"))
        assert shown.shape == pixels.shape
        assert np.median(shown) == 255
        assert shown.min() == 0
    assert _pixels(picture_url(picture((600, 1000)))).size == (400, 240)


def test_attention_is_densest_where_it_is_highest() -> None:
    weights = np.array([[0.1, 0.7], [0.0, 0.2]], np.float32)
    veil = np.asarray(_pixels(attention_url(weights)).convert("RGBA"))[..., 3]
    assert veil.argmax() == 1
    assert veil[1, 0] == 0
    even = np.asarray(_pixels(attention_url(np.full((5, 5), 0.04, np.float32))).convert("RGBA"))
    assert even[..., 3].max() < 64
    attention_url(np.full((2, 2), np.nan, np.float32))
