"""Draws one page of a PDF in a process of its own; run by path, it imports nothing of the package.

A PDF is a program of strangers and its library is written in C++: here it can run out of memory or
time, or crash, and takes nobody along.

    python pdf_process.py PAGE DPI MAX_PIXELS MAX_BYTES SECONDS < FILE

PAGE counts from 1. Standard output: a line with the number of pages, width and height, then the
grey pixels. What is wrong with the file is one line on standard error, and the exit status is 3.
"""

import contextlib
import sys

REFUSED = 3
POINTS_PER_INCH = 72
MAX_SIDE = 10_000
"""Pixels: a page that is longer than that is a thread."""


def main() -> None:
    page, dpi, max_pixels, max_bytes, seconds = map(int, sys.argv[1:])
    with contextlib.suppress(ImportError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
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
        pixels = opened.render(scale=scale, grayscale=True).to_numpy()
    except Exception as error:
        print(" ".join(str(error).split()) or type(error).__name__, file=sys.stderr)
        sys.exit(REFUSED)
    rows, columns = pixels.shape[:2]
    sys.stdout.buffer.write(f"{count} {columns} {rows}\n".encode())
    sys.stdout.buffer.write(pixels.reshape(rows, -1)[:, :columns].tobytes())


if __name__ == "__main__":
    main()
