"""Draws PDFs as `san.images.pdf_process` does, each in a process that is forked from this one.

    python benchmarks/pdf_forks.py src/san/images/pdf_process.py

Python and pdfium are loaded once, instead of for each page: so a campaign tries ten times as many.
The program is the same, and so are its limits. A line of standard input is a list in JSON: what the
program is given, then the files of its input, its output and its errors; its exit status answers.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Callable

import pypdfium2  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: F401


def main() -> None:
    spec = importlib.util.spec_from_file_location("pdf_process", sys.argv[1])
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    for line in sys.stdin:
        *arguments, given, output, said = json.loads(line)
        child = os.fork()
        if not child:
            sys.argv[1:] = arguments
            _run(program.main, given, output, said)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _run(program: Callable[[], None], *files: str) -> None:
    """In the forked process, which ends here."""
    status = 1
    try:
        for number, file in enumerate(files):
            os.dup2(os.open(file, os.O_RDWR), number)
        sys.stdin = os.fdopen(0)  # what the other has read ahead is not for this one
        program()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
