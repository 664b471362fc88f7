"""Hostile documents: PDFs and TIFFs of several pages, changed, what claims to be one, and requests.

PDFs are written here, object by object, so that what is changed in one (a word, a number, what a
stream holds when it is unpacked) stands in a file whose table of objects is right again. Each is
drawn by `pdf_process` in a process of its own, which is forked where Python and pdfium are loaded
(`pdf_forks`): to start them would take most of a campaign. Requests are answered by the service,
which does start them.
"""

import io
import json
import random
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw

from dear_documents import form, pdf, stream
from san.images import documents, pdf_process
from san.images.documents import MAX_PAGES, PdfLimits, count_pages, open_counted_page
from san.images.open import OpenCheck
from san.serve.drawing import MAX_PDF_BYTES

Change = Callable[[bytes, random.Random], bytes]
SECONDS = 2
"""Of computing for one page; a sound one takes hundredths of a second."""
MAX_PIXELS = 1_000_000
WORD = re.compile(rb"/?[\w.]+")
ODD_WORDS = (
    *(b"-1", b"0", b"1e38", b"99999999999", b"2147483648", b"0.0000001", b"null", b"true", b"[]"),
    *(b"1 0 R", b"3 0 R", b"5 0 R", b"99 0 R", b"<< >>", b"(", b"<", b"/", b"[" * 300, b"\0", b"%"),
    *(b"/FlateDecode", b"/DCTDecode", b"/JPXDecode", b"/LZWDecode", b"/JBIG2Decode", b"/Crypt"),
    *(b"/ASCII85Decode", b"/CCITTFaxDecode", b"/RunLengthDecode", b"/DeviceCMYK", b"/Indexed"),
)
OPERATORS = (
    *(b"q", b"Q " * 50, b"/F Do", b"/I Do", b"/P scn", b"/S sh", b"BT", b"ET", b"0 0 0 0 0 0 cm"),
    *(b"1e30 0 0 1e30 0 0 cm", b"W n", b"f*", b"[0.0001] 0 d", b"/T 99999 Tf", b"BI ID EI", b"S"),
)
PAGES = ("1", "2", "0", "-1", "1e3", "1000000000", "%31", "", "1&page=2", "9" * 5000, "nan", "٣")
KINDS = (
    *(
        "application/pdf",
        "image/tiff",
        "application/json",
        "text/html",
        "application/pdf;\x7f=\xff",
    ),
    *('multipart/form-data; boundary="a\tb"', "multipart/form-data; boundary=x", ""),
)
NAMES = ("a.pdf", "..\\..\\a", "\0\x1b[2J", "a" * 3000, '"; name="other')


def hostile_document(dice: random.Random, changed: Change) -> bytes:
    """A file, or a request with one."""
    kind = dice.random()
    if kind < 0.03:
        return _request(dice, changed)
    if kind < 0.06:
        claim = dice.randbytes(dice.randrange(60)) + documents.PDF_MARK + b"1.7\n"
        return claim + dice.randbytes(dice.randrange(300))
    if kind < 0.45:
        return _tiff(dice, changed)
    return _pdf(dice, changed)


def read_document(content: bytes, ask: Callable[[bytes], None]) -> None:
    """As the service draws a page of it; which one, the content says."""
    if content.startswith(b"POST "):
        ask(content)
        return
    number = 1 + zlib.crc32(content) % 4
    if not documents.looks_like_pdf(content):
        count = count_pages(content)
        assert 1 <= count <= MAX_PAGES + 1
        assert open_counted_page(content, number, MAX_PIXELS)[0] == count
        return
    limits = PdfLimits(MAX_PDF_BYTES, SECONDS)
    started, documents._finished = documents._finished, _forked
    try:
        count, grey = open_counted_page(content, number, MAX_PIXELS, limits=limits)
    finally:
        documents._finished = started
    assert number <= count
    assert 0 < grey.size <= MAX_PIXELS + 2 * pdf_process.MAX_SIDE  # sides are rounded up


def _forked(
    command: list[str], content: bytes, seconds: float, check: OpenCheck | None
) -> tuple[int, bytes, bytes]:
    """What `documents._finished` gives, without starting Python."""
    _, program, *arguments = command
    with ExitStack() as open_files:
        given, output, said = (
            open_files.enter_context(tempfile.NamedTemporaryFile()) for _ in range(3)
        )
        given.write(content)
        given.flush()
        helper = _helper(program)
        assert helper.stdin is not None
        assert helper.stdout is not None
        files = (given.name, output.name, said.name)
        helper.stdin.write(json.dumps([*arguments, *files]) + "\n")
        helper.stdin.flush()
        return int(helper.stdout.readline()), output.read(), said.read()


@cache
def _helper(program: str) -> "subprocess.Popen[str]":
    """Ends with this process, by the end of its input."""
    command = [sys.executable, str(Path(__file__).with_name("pdf_forks.py")), program]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


@cache
def _objects() -> tuple[tuple[bytes, ...], ...]:
    """Of some sound files: the objects of each."""
    picture = Image.effect_noise((40, 30), 60)
    jpeg = io.BytesIO()
    picture.save(jpeg, "JPEG")
    image = "/Type /XObject /Subtype /Image /Width 40 /Height 30 /BitsPerComponent 8"
    packed = stream(picture.tobytes(), f"{image} /ColorSpace /DeviceGray")
    as_jpeg = stream(jpeg.getvalue(), f"{image} /ColorSpace /DeviceGray /Filter /DCTDecode", 0)
    tile = "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9"
    function = b"<< /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >>"
    shading = (
        b"<< /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 90 90] /Function 6 0 R "
        b"/Extend [true true] >>"
    )
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    inner = form(b"1 0 0 RG 0 0 m 50 60 70 20 90 90 c S")
    drawings = (
        (b"BT /T 20 Tf 9 9 Td (x = 1) Tj ET", "/Font << /T 5 0 R >>", font),
        (b"q 90 0 0 60 0 0 cm /I Do Q", "/XObject << /I 5 0 R >>", packed),
        (b"q 90 0 0 60 0 0 cm /I Do Q", "/XObject << /I 5 0 R >>", as_jpeg),
        (b"/F Do 2 w [3 2] 0 d 0 0 m 90 90 l S", "/XObject << /F 5 0 R >>", inner),
        (
            b"/Pattern cs /P scn 0 0 90 90 re f",
            "/Pattern << /P 5 0 R >>",
            stream(b"0 0 4 4 re f", tile),
        ),
        (b"/S sh", "/Shading << /S 5 0 R >>", shading, function),
    )
    return tuple(_of_pages(*drawing) for drawing in drawings)


def _of_pages(content: bytes, resources: str, *others: bytes) -> tuple[bytes, ...]:
    """Three pages, all of them the same."""
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R "
        f"/Resources << {resources} >> >>"
    )
    kids = b"<< /Type /Pages /Kids [3 0 R 3 0 R 3 0 R] /Count 3 >>"
    catalogue = b"<< /Type /Catalog /Pages 2 0 R >>"
    return (catalogue, kids, page.encode(), stream(content), *others)


def _pdf(dice: random.Random, changed: Change) -> bytes:
    objects = list(dice.choice(_objects()))
    for _ in range(dice.randint(1, 3)):
        place = dice.randrange(len(objects))
        objects[place] = _changed_object(objects[place], dice, changed)
    if dice.random() < 0.1:
        objects.insert(dice.randrange(len(objects)), dice.choice(objects))
    content = pdf(*objects)
    return changed(content, dice) if dice.random() < 0.2 else content


def _changed_object(content: bytes, dice: random.Random, changed: Change) -> bytes:
    """A word of it, or what is in its stream."""
    head, mark, rest = content.partition(b"stream\n")
    if mark and dice.random() < 0.5:
        data = rest.removesuffix(b"\nendstream")
        try:
            text = zlib.decompress(data)
        except zlib.error:  # a JPEG, or changed before
            return head + mark + changed(data, dice) + b"\nendstream"
        at = dice.randrange(len(text) + 1)
        text = text[:at] + b" " + dice.choice(OPERATORS) + b" " + text[at:]
        data = zlib.compress(text if dice.random() < 0.5 else changed(text, dice))
        head = re.sub(rb"/Length \d+", b"/Length %d" % len(data), head)
        return head + mark + data + b"\nendstream"
    words = list(WORD.finditer(head))
    if not words:
        return dice.choice(ODD_WORDS)
    word = dice.choice(words)
    return head[: word.start()] + dice.choice(ODD_WORDS) + head[word.end() :] + mark + rest


@cache
def _sound_tiff(compression: str) -> bytes:
    pages = []
    for number in range(4):
        image = Image.new("L", (60 + number, 40), 255)
        ImageDraw.Draw(image).line((0, 0, 59, 39), 30 * number, 3)
        pages.append(image.convert("1") if compression.startswith("group") else image)
    file = io.BytesIO()
    pages[0].save(file, "TIFF", save_all=True, append_images=pages[1:], compression=compression)
    return file.getvalue()


def _tiff(dice: random.Random, changed: Change) -> bytes:
    """Bytes changed, or its directories led elsewhere: in circles, into each other, out of it."""
    content = _sound_tiff(dice.choice(("raw", "group4", "tiff_lzw", "tiff_adobe_deflate")))
    if dice.random() < 0.5:
        return changed(content, dice)
    changing = bytearray(content)
    starts = documents._tiff_pages(content)
    for _ in range(dice.randint(1, 3)):
        start = dice.choice(starts)
        count = int.from_bytes(content[start : start + 2], "little")
        link = start + 2 + 12 * count
        target = dice.choice((*starts, 4, start + 1, len(content) - 1, 0, 2**32 - 1))
        changing[link : link + 4] = target.to_bytes(4, "little")
        if dice.random() < 0.3:
            changing[start : start + 2] = dice.choice((0, 1, count + 1, 65_535)).to_bytes(
                2, "little"
            )
    return bytes(changing)


def _request(dice: random.Random, changed: Change) -> bytes:
    """With a page that is none, a kind that it is not, or a name with orders to a terminal."""
    make = _tiff if dice.random() < 0.7 else _pdf
    body, kind = make(dice, changed), dice.choice(KINDS)
    if kind.startswith("multipart"):
        name = dice.choice(NAMES).encode()
        part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="' + name
        body = part + b'"\r\n\r\n' + body + b"\r\n--x--\r\n"
    head = (
        f"POST /api/v1/document?page={dice.choice(PAGES)} HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Length: {len(body)}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n"
    )
    return head.encode("utf-8" if dice.random() < 0.5 else "latin-1", "replace") + body
