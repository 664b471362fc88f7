"""Draws one page of a PDF in a process of its own; run by path, it imports nothing of the package.

A PDF is a program of strangers and its library is written in C++: here it can run out of memory or
time, or crash, and takes nobody along. It yields to everybody else, and ends with who has asked for
it. Nothing but pdfium is imported: numpy alone would take twice as long, and memory for each core.

    python pdf_process.py PAGE DPI MAX_PIXELS MAX_BYTES SECONDS < FILE

PAGE counts from 1. Standard output: a line with the number of pages, width and height, then the
grey pixels. What is wrong with the file is one line on standard error, and the exit status is 3.
"""

import contextlib
import ctypes
import os
import signal
import sys

REFUSED = 3
POINTS_PER_INCH = 72
MAX_SIDE = 10_000
"""Pixels: a page that is longer than that is a thread."""
NICENESS = 10
"""Whoever reads beside it has nine tenths of a core that both want."""
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
MEANINGS = {
    "PDFium: Incorrect password": "it needs a password",
    "PDFium: Success": "it has no pages",
}
"""Of what pdfium says that does not speak for itself."""


def main() -> None:
    page, dpi, max_pixels, max_bytes, seconds = map(int, sys.argv[1:])
    with contextlib.suppress(ImportError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        system = ctypes.CDLL(None)
        system.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # also where nobody is left to end it
        system.prctl(PR_SET_DUMPABLE, 0)  # a program that gathers crashes minds no RLIMIT_CORE
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    import pypdfium2  # type: ignore[import-not-found, import-untyped, unused-ignore]

    try:
        document = pypdfium2.PdfDocument(sys.stdin.buffer.read())
        count = len(document)
        if not 1 <= page <= count:
            raise ValueError(f"it has {count} pages, and no page {page}")
        opened = document[page - 1]
        width, height = opened.get_size()
        if not (width > 0 and height > 0):
            raise ValueError("a page without a size")
        scale = min(
            dpi / POINTS_PER_INCH,
            (max_pixels / (width * height)) ** 0.5,
            MAX_SIDE / max(width, height),
        )
        drawn = opened.render(scale=scale, grayscale=True)
    except Exception as error:
        print(_why(error), file=sys.stderr)
        sys.exit(REFUSED)
    sys.stdout.buffer.write(f"{count} {drawn.width} {drawn.height}\n".encode())
    rows = memoryview(drawn.buffer).cast("B")
    for begin in range(0, drawn.height * drawn.stride, drawn.stride):
        sys.stdout.buffer.write(rows[begin : begin + drawn.width])


def _why(error: Exception) -> str:
    said = " ".join(str(error).split())
    for words, meant in MEANINGS.items():
        if words in said:
            return meant
    return said or type(error).__name__


if __name__ == "__main__":
    main()
