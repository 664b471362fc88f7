import io
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PIL.TiffImagePlugin import AppendingTiffWriter

from san.images import documents
from san.images.documents import (
    MAX_PAGES,
    NEW_SUBFILE_TYPE,
    PdfLimits,
    count_pages,
    is_document,
    open_counted_page,
    open_document_page,
    page_price,
    several_pages,
)
from san.images.open import MAX_PIXELS, ImageError, open_image
from tests.serve.conftest import waits_for

LEAST_PRIORITY = 19
needs_pdfium = pytest.mark.skipif(find_spec("pypdfium2") is None, reason="pypdfium2 is missing")


def document(form: str, pages: int = 3) -> bytes:
    """Page n is 40 + n pixels wide, and has a level of its own."""
    images = [Image.new("L", (40 + n, 30), 20 * n) for n in range(1, pages + 1)]
    file = io.BytesIO()
    images[0].save(file, form, save_all=True, append_images=images[1:])
    return file.getvalue()


def tiff_of(*kinds: int) -> bytes:
    """The same pages, with what each says of itself (NewSubfileType); 0 stays unsaid."""
    file = io.BytesIO()
    with AppendingTiffWriter(file, True) as writer:  # type: ignore[no-untyped-call, unused-ignore]
        for n, kind in enumerate(kinds, 1):
            image = Image.new("L", (40 + n, 30), 20 * n)
            image.save(writer, "TIFF", tiffinfo={NEW_SUBFILE_TYPE: kind} if kind else {})
            writer.newFrame()  # type: ignore[no-untyped-call, unused-ignore]
    return file.getvalue()


def test_names_tell_documents() -> None:
    assert [is_document(name) for name in ("a.PDF", "b.tiff", "c.png")] == [True, True, False]


def test_each_page_of_a_tiff() -> None:
    content = document("TIFF")
    assert count_pages(content) == 3
    for number in (1, 2, 3):
        grey = open_document_page(content, number, MAX_PIXELS)
        assert grey.shape == (30, 40 + number)
        assert (grey == 20 * number).all()
    with pytest.raises(ImageError, match="no page 4"):
        open_document_page(content, 4, MAX_PIXELS)
    with pytest.raises(ImageError, match="more than 1,289 pixels"):
        open_document_page(content, 3, 1289)


@pytest.mark.parametrize(
    ("kinds", "widths"),
    [
        ((0, 1), [41]),  # a picture and its small copy
        ((0, 4), [41]),  # a picture and its mask
        ((1, 0), [42]),  # the small copy comes first
        ((2, 2), [41, 42]),  # pages that say that they are
        ((0, 1, 0, 5), [41, 43]),
        ((1, 1), [41]),  # no page: the first has to do
    ],
)
def test_small_copies_and_masks_in_a_tiff_are_no_pages(
    kinds: tuple[int, ...], widths: list[int]
) -> None:
    content = tiff_of(*kinds)
    assert count_pages(content) == len(widths)
    pages = [open_document_page(content, n, MAX_PIXELS) for n in range(1, len(widths) + 1)]
    assert [page.shape[1] for page in pages] == widths
    assert several_pages(content) == ("a TIFF of 2 pages" if len(widths) == 2 else "")
    with pytest.raises(ImageError, match=f"no page {len(widths) + 1}"):
        open_document_page(content, len(widths) + 1, MAX_PIXELS)


def test_a_tiff_of_nothing_but_small_copies_ends() -> None:
    assert count_pages(tiff_of(*[0] * 3, *[1] * 120)) == 3
    assert several_pages(document("TIFF", MAX_PAGES + 1)) == "a TIFF of more than 100 pages"


def test_other_images_have_one_page() -> None:
    file = io.BytesIO()
    Image.fromarray(np.zeros((5, 7), np.uint8)).save(file, "PNG")
    assert count_pages(file.getvalue()) == 1
    assert (open_document_page(file.getvalue(), 1, 99) == open_image(file.getvalue())).all()


def test_directories_of_a_tiff_that_lead_in_circles_or_nowhere() -> None:
    content = bytearray(document("TIFF", 1))
    start = int.from_bytes(content[4:8], "little")
    end = start + 2 + 12 * int.from_bytes(content[start : start + 2], "little")
    for leads_to in (start, 0xFFFFFFFF, 3):
        content[end : end + 4] = leads_to.to_bytes(4, "little")
        assert 1 <= count_pages(bytes(content)) <= 2
    assert count_pages(document("TIFF", MAX_PAGES + 20)) == MAX_PAGES + 1


def test_a_pdf_without_its_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    monkeypatch.setattr(documents, "find_spec", lambda name: None)
    with pytest.raises(ImageError, match=r"a PDF: pip install .*pdf"):
        count_pages(document("PDF"))


@needs_pdfium
@pytest.mark.slow
def test_each_page_of_a_pdf() -> None:
    content = document("PDF")
    assert count_pages(content) == 3
    for number in (1, 2, 3):
        grey = open_document_page(content, number, MAX_PIXELS)
        assert abs(int(np.median(grey)) - 20 * number) < 8
        assert abs(grey.shape[1] / grey.shape[0] - (40 + number) / 30) < 0.05
    assert open_document_page(content, 1, 100).size <= 120


@needs_pdfium
@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.4 and nothing",
        document("PDF")[:400],
        document("PDF").replace(b"/Kids", b"/Kidz"),
    ],
)
def test_a_damaged_pdf_is_one_line(content: bytes) -> None:
    with pytest.raises(ImageError, match="page 1 of the PDF cannot be drawn") as caught:
        open_document_page(content, 1, 10_000)
    assert "\n" not in str(caught.value)


@needs_pdfium
@pytest.mark.slow
def test_what_is_wrong_with_a_sound_pdf_is_said() -> None:
    locked = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >> /ID [<00> <00>] "
    with pytest.raises(ImageError, match="it needs a password"):
        count_pages(document("PDF").replace(b"/Root", locked % (b"00" * 32, b"11" * 32) + b"/Root"))
    none = document("PDF", 1).replace(b"/Count 1", b"/Count 0").replace(b"[ 1 0 R ]", b"[       ]")
    with pytest.raises(ImageError, match="it has no pages"):
        count_pages(none)


@needs_pdfium
@pytest.mark.slow
def test_a_page_like_a_thread_is_bounded() -> None:
    content = document("PDF").replace(b"/MediaBox [ 0 0 ", b"/MediaBox [ 0 9999999 ")
    assert open_document_page(content, 1, 10_000).size <= 11_000


@needs_pdfium
@pytest.mark.slow
def test_a_pdf_that_takes_too_long_or_too_much() -> None:
    with pytest.raises(ImageError, match="cannot be drawn"):
        open_counted_page(document("PDF"), 1, MAX_PIXELS, limits=PdfLimits(bytes=1 << 20))
    with pytest.raises(ImageError, match="page 1 of the PDF"):
        open_counted_page(document("PDF"), 1, MAX_PIXELS, limits=PdfLimits(seconds=0))


@needs_pdfium
@pytest.mark.slow
def test_a_pdf_that_nobody_waits_for_is_drawn_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "POLL_SECONDS", 0.001)
    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        open_document_page(document("PDF"), 1, MAX_PIXELS, check)
    assert open_counted_page(document("PDF"), 2, MAX_PIXELS)[0] == 3


@needs_pdfium
@pytest.mark.slow
def test_a_pdf_reaches_a_process_that_is_slow_to_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a pipe holds, and its process has not begun when it is first asked for."""
    monkeypatch.setattr(documents, "POLL_SECONDS", 0.001)
    noise = np.random.default_rng(0).integers(0, 256, (900, 900), np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PDF")
    assert len(file.getvalue()) > 1 << 17
    assert open_counted_page(file.getvalue(), 1, MAX_PIXELS)[0] == 1


@needs_pdfium
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ends processes as Linux does")
def test_the_process_that_draws_yields_and_does_not_outlive_who_asked_for_it() -> None:
    """Even where that was killed: its input would never end."""
    reading, writing = os.pipe()
    worker = str(Path(documents.__file__).with_name("pdf_process.py"))
    asks = (
        "import subprocess, sys, time; "
        "print(subprocess.Popen([sys.executable, *sys.argv[1:]]).pid, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", asks, worker, "1", "200", "1000", str(1 << 29), "10"]
    with subprocess.Popen(command, stdin=reading, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        drawing = int(parent.stdout.readline())
        own = os.getpriority(os.PRIO_PROCESS, 0)
        yields = waits_for(lambda: os.getpriority(os.PRIO_PROCESS, drawing) > own)
        parent.kill()

    def is_gone() -> bool:
        try:
            return ") Z" in Path(f"/proc/{drawing}/stat").read_text()
        except OSError:
            return True

    gone = waits_for(is_gone, 5)
    os.close(writing)
    os.close(reading)
    assert gone
    assert yields or own == LEAST_PRIORITY


@needs_pdfium
@pytest.mark.slow
def test_the_process_that_draws_imports_no_more_than_it_needs() -> None:
    """numpy takes as long as all the rest, and memory for every core of the machine."""
    worker = Path(documents.__file__).with_name("pdf_process.py")
    command = [
        sys.executable,
        "-X",
        "importtime",
        str(worker),
        "1",
        "72",
        "9999",
        "1" + 9 * "0",
        "9",
    ]
    done = subprocess.run(command, input=document("PDF"), capture_output=True, check=True)
    assert done.stdout.startswith(b"3 41 30\n")
    assert b"pypdfium2" in done.stderr
    assert b"numpy" not in done.stderr


def test_what_a_page_costs_is_known_before_it_is_opened() -> None:
    images = [Image.new("L", (10, 10)), Image.new("L", (900, 900))]
    file = io.BytesIO()
    images[0].save(file, "TIFF", save_all=True, append_images=images[1:])
    small, large, none = (page_price(file.getvalue(), number) for number in (1, 2, 3))
    assert small < 900 * 900 < large
    assert none == 0
    assert page_price(b"%PDF-1.7", 1) > large
