"""PDFs and TIFFs that are small to send and dear to draw, written by hand.

Each is what an attacker would think of first: little to send, and as much as possible to compute or
to hold. `benchmarks/siege.py` sends them to a service, and what one of them costs is told by

    python benchmarks/dear_documents.py [laughs zeros ...]
"""

import io
import multiprocessing
import resource
import struct
import sys
import time
import zlib
from collections.abc import Callable
from functools import cache

from PIL import Image

MEGABYTE = 1 << 20
TIFF_TAGS = {256: 0, 257: 0, 258: 8, 259: 8, 262: 2, 273: 0, 277: 4, 278: 0, 279: 0, 338: 2}
"""Of a picture in colours with transparency, packed by deflate; sizes and places are filled in."""


def stream(data: bytes, entries: str = "", packed: int = 1) -> bytes:
    """An object of bytes, which have been packed once or, with what came before, more often."""
    data = zlib.compress(data, 9) if packed else data
    filters = f"/Filter [{'/FlateDecode ' * packed}]" if packed else ""
    head = f"<< /Length {len(data)} {filters} {entries} >>\nstream\n"
    return head.encode() + data + b"\nendstream"


def repeated(byte: bytes, count: int) -> bytes:
    """So many times the same byte, packed, without holding all of them."""
    packing = zlib.compressobj(1)
    parts = [packing.compress(byte * MEGABYTE) for _ in range(count // MEGABYTE)]
    return b"".join((*parts, packing.compress(byte * (count % MEGABYTE)), packing.flush()))


def pdf(*objects: bytes) -> bytes:
    """A file of these objects, of which the first is the catalogue; they are numbered from 1."""
    file, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    begin, size = len(file), len(objects) + 1
    file += f"xref\n0 {size}\n0000000000 65535 f \n".encode()
    file += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    file += f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{begin}\n%%EOF\n".encode()
    return bytes(file)


def page(content: bytes, *others: bytes, resources: str = "", box: str = "0 0 400 400") -> bytes:
    """A file of one page; `content` is its stream, object 4, and `others` are those from 5 on."""
    kids = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    only = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents 4 0 R "
        f"/Resources << {resources} >> >>"
    )
    return pdf(b"<< /Type /Catalog /Pages 2 0 R >>", kids, only.encode(), content, *others)


def form(data: bytes, resources: str = "") -> bytes:
    return stream(data, f"/Type /XObject /Subtype /Form /BBox [0 0 400 400] {resources}")


def laughs() -> bytes:
    """Forms in forms: each draws the next ten times, twelve deep."""
    last = form(b"0 0 399 399 re f\n")
    deep = [
        form(b"/F Do\n" * 10, f"/Resources << /XObject << /F {number} 0 R >> >>")
        for number in range(6, 18)
    ]
    return page(stream(b"/F Do\n" * 10), *deep, last, resources="/XObject << /F 5 0 R >>")


def zeros() -> bytes:
    """A page's content of 900 MB of spaces, packed twice."""
    return page(stream(repeated(b" ", 900 * MEGABYTE), packed=2))


def canvas() -> bytes:
    """A picture of 900 million pixels, all of them black."""
    entries = (
        "/Type /XObject /Subtype /Image /Width 30000 /Height 30000 "
        "/ColorSpace /DeviceGray /BitsPerComponent 8"
    )
    black = stream(repeated(b"\0", 30_000 * 30_000), entries, packed=2)
    return page(stream(b"400 0 0 400 0 0 cm /I Do"), black, resources="/XObject << /I 5 0 R >>")


def tiles() -> bytes:
    """A pattern of tiny tiles, each of which is filled with a pattern of tiny tiles."""
    tile = "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 400 400]"
    small = "/XStep 0.01 /YStep 0.01"
    outer = f"{tile} {small} /Resources << /Pattern << /P 6 0 R >> >>"
    filled = b"/Pattern cs /P scn 0 0 400 400 re f"
    inner = stream(b"0 0 399 399 re f", f"{tile} {small}")
    return page(stream(filled), stream(filled, outer), inner, resources="/Pattern << /P 5 0 R >>")


def shades() -> bytes:
    """Shadings by a long program, which is run for every pixel; on the largest page, many times."""
    program = b"{ " + b"sin cos exp " * 3000 + b"}"
    function = stream(
        b"{ add " + program[1:-1] + b" }",
        "/FunctionType 4 /Domain [0 14400 0 14400] /Range [0 1]",
    )
    shading = (
        b"<< /ShadingType 1 /ColorSpace /DeviceGray /Domain [0 14400 0 14400] /Function 6 0 R >>"
    )
    return page(
        stream(b"/S sh\n" * 1000),
        shading,
        function,
        resources="/Shading << /S 5 0 R >>",
        box="0 0 14400 14400",
    )


def dashes() -> bytes:
    """Long lines in the shortest dashes."""
    line = b"[0.0001] 0 d 0.1 w 0 0 m 399 399 l S\n"
    return page(stream(line * 10_000))


def layers() -> bytes:
    """Transparent groups in each other, each with a canvas of its own, on a page of the largest
    size."""
    group = "/Group << /S /Transparency /I true /K true >>"
    deep = [
        form(
            b"/G gs /F Do",
            f"{group} /Resources << /ExtGState << /G << /ca 0.5 >> >> "
            f"/XObject << /F {number} 0 R >> >>",
        ).replace(b"400 400", b"14400 14400")
        for number in range(6, 36)
    ]
    return page(
        stream(b"/G gs /F Do"),
        *deep,
        form(b"0 0 9 9 re f", group),
        resources="/XObject << /F 5 0 R >> /ExtGState << /G << /ca 0.5 >> >>",
        box="0 0 14400 14400",
    )


def brackets() -> bytes:
    """Lists in lists, a million deep, and forms that contain themselves."""
    deep = b"[" * 1_000_000 + b"]" * 1_000_000
    itself = form(b"/F Do /F Do", "/Resources << /XObject << /F 5 0 R >> >>")
    return page(stream(b"/F Do"), itself, deep, resources="/XObject << /F 5 0 R >> /X 6 0 R")


def book() -> bytes:
    """A hundred thousand pages, each of them the same."""
    count = 100_000
    kids = f"<< /Type /Pages /Kids [{'3 0 R ' * count}] /Count {count} >>"
    only = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"
    return pdf(b"<< /Type /Catalog /Pages 2 0 R >>", kids.encode(), only)


def noise() -> bytes:
    """Little to send, and nothing of the picture that is made of it can be packed."""
    file = io.BytesIO()
    Image.effect_noise((2400, 2400), 200).save(file, "JPEG", quality=5)
    return file.getvalue()


PDFS: dict[str, Callable[[], bytes]] = {
    "laughs": laughs,
    "zeros": zeros,
    "canvas": canvas,
    "tiles": tiles,
    "shades": shades,
    "dashes": dashes,
    "layers": layers,
    "brackets": brackets,
    "book": book,
}


def tiff(width: int = 5000, height: int = 5000, pages: int = 100) -> bytes:
    """So many pages of one picture, of the largest allowed size and the dearest kind."""
    pixels = zlib.compress(bytes(4 * width * height), 9)
    tags = {**TIFF_TAGS, 256: width, 257: height, 278: height, 273: 8, 279: len(pixels)}
    file = bytearray(b"II*\0" + struct.pack("<L", 8 + len(pixels)) + pixels)
    for number in range(pages):
        file += struct.pack("<H", len(tags))
        file += b"".join(struct.pack("<HHLL", tag, 4, 1, tags[tag]) for tag in sorted(tags))
        file += struct.pack("<L", 0 if number == pages - 1 else len(file) + 4)
    return bytes(file)


@cache
def made(name: str) -> bytes:
    """Made once: some take seconds to pack."""
    return {**PDFS, "tiff": tiff, "noise": noise}[name]()


def main() -> None:
    """What each costs, or those that are named, where it is drawn for the service."""
    print("| file | bytes | seconds | by the clock | MB | |")
    print("| --- | --- | --- | --- | --- | --- |")
    every = (*PDFS, "tiff", "noise")
    if unknown := set(sys.argv[1:]) - {*every}:
        sys.exit(f"{min(unknown)}: no such document; there are: {', '.join(every)}")
    for name in sys.argv[1:] or every:
        process = multiprocessing.get_context("fork").Process(target=measured, args=(name,))
        process.start()  # of its own: so the largest of its processes is that of this file
        process.join()


def measured(name: str) -> None:
    """Print a row."""
    from san.errors import SanError
    from san.reader.source import DocumentPage
    from san.serve.drawing import draw_page
    from san.serve.settings import Settings

    content = made(name)
    began, own = time.monotonic(), time.process_time()
    try:
        drawn = draw_page(DocumentPage(content, 1), Settings(), lambda: None).to_dict()
        outcome = f"{drawn['pages']} pages, {len(drawn['image']):,} bytes"
    except SanError as error:
        outcome = str(error)
    wall, used = time.monotonic() - began, time.process_time() - own
    used_of = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    used += used_of[1].ru_utime + used_of[1].ru_stime
    memory = max(one.ru_maxrss for one in used_of) // 1024
    print(
        f"| {name} | {len(content):,} | {used:.1f} | {wall:.1f} | {memory} | {outcome} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
