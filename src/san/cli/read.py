"""`san read`: pictures, photographs and ink -> formulas.

The network's runtime is imported when the command runs: `san --help` does not wait for it.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from san.cli.console import (
    PRECISION,
    QUICK,
    Precision,
    check_outputs,
    save_picture,
    with_progress,
)
from san.cli.results_file import LINE_SUFFIXES, ResultsFile
from san.decoding import DecodingLimits
from san.errors import SanError, printable, reason
from san.files import MAX_BYTES
from san.grammar.formats import MULTILINE, WRITERS, Format
from san.images.open import MAX_PIXELS
from san.ink import InkLimits

if TYPE_CHECKING:
    from san.reader import Failure, Formula, Limits, Recognizer, Source
    from san.reader.inputs import Input

SUFFIXES = (".tsv", ".jsonl")


def _limit_option(name: str, of: str) -> Any:
    return typer.Option(f"--max-{name}", min=1, metavar="N", help=of, rich_help_panel="Limits")


def read(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE", help="Images, InkML, folders, patterns; `-` is standard input."
        ),
    ],
    form: Annotated[
        Format | None, typer.Option("--format", help="How to print formulas; latex by default.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write id<TAB>LaTeX (.tsv) or JSON (.jsonl)."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with FILE: what stands there is not read again.")
    ] = False,
    explain: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw pictures of attention, tree and steps."),
    ] = None,
    n_best: Annotated[
        int, typer.Option(min=1, max=100, metavar="N", help="The N most probable readings.")
    ] = 1,
    beam: Annotated[
        int, typer.Option(min=1, max=100, metavar="N", help="The first pass follows N readings.")
    ] = 1,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="WEIGHTS", help="Another network: weights, an exported folder, or san-paper."
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option(min=0, metavar="N", help="Cores to use; 0 for all of them.")
    ] = 0,
    quick: Annotated[bool, QUICK] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Tables get a column that says how sure.")
    ] = False,
    precision: Annotated[Precision, PRECISION] = Precision.int8,
    max_bytes: Annotated[int, _limit_option("bytes", "Of a file.")] = MAX_BYTES,
    max_pixels: Annotated[int, _limit_option("pixels", "Of an image.")] = MAX_PIXELS,
    max_strokes: Annotated[int, _limit_option("strokes", "Of ink.")] = InkLimits.strokes,
    max_points: Annotated[int, _limit_option("points", "Of ink.")] = InkLimits.points,
    max_steps: Annotated[int, _limit_option("steps", "Of a reading.")] = DecodingLimits.steps,
) -> None:
    """Read formulas from pictures, photographs and ink.

    Exit code 0: all were read; 1: some could not be, and each is named on standard error. Ink that
    was not read and formulas that are doubtful are told there, too.
    """
    from san.reader import Failure, Limits, Recognizer
    from san.reader.inputs import find_inputs

    if output is not None and form is not None:
        raise SanError("--output writes LaTeX (.tsv) or JSON (.jsonl): it takes no --format")
    if output is not None and output.suffix.lower() not in SUFFIXES:
        raise SanError(f"{output}: not the name of results; try {output.stem}.tsv or .jsonl")
    if resume and (output is None or output.suffix.lower() not in LINE_SUFFIXES):
        raise SanError("--resume goes on with a file of results: name it with --output")
    limits = Limits(max_bytes, max_pixels, max_strokes, max_points, max_steps)
    inputs, failures = find_inputs(files)
    check_outputs([output], [model, *(item.path for item in inputs)])
    drawings = _Drawings(explain, inputs) if explain is not None else None
    reader = Recognizer(
        model,
        beam=beam,
        n_best=n_best,
        threads=threads,
        limits=limits,
        precision=precision.value,
        quick=quick,
    )

    for failure in failures:
        _print_failure(failure)
    failed = len(failures)
    with _open(output, resume) as file:
        if isinstance(file, ResultsFile) and resume:
            left = [item for item in inputs if not file.has(printable(item.id))]
            typer.echo(f"{len(inputs) - len(left):,} were read before: {output}", err=True)
            inputs = left
        with_confidence = confidence or n_best > 1
        show = _Printer(file, form or Format.latex, len(inputs) + failed > 1, with_confidence)
        write = show if output is None else _Writer(file, output, confidence)
        for item, result in _read(reader, inputs, quiet=output is None and sys.stdout.isatty()):
            if isinstance(result, Failure):
                failed += 1
                _print_failure(Failure(_display_name(item), result.reason))
                continue
            write(item, result)
            _print_notes(item, result)
            if drawings is not None:
                drawings.draw(item, result)
    if output is not None:
        typer.echo(f"{len(inputs) + len(failures) - failed:,} read: {output}", err=True)
    if failed:
        raise typer.Exit(1)


def _read(
    reader: "Recognizer", inputs: "Sequence[Input]", quiet: bool
) -> "Iterator[tuple[Input, Formula | Failure]]":
    results = zip(inputs, reader.read_many(_sources(inputs, reader.limits)), strict=True)
    if quiet or len(inputs) == 1:  # a bar among the formulas would only be in their way
        return results
    return iter(with_progress(results, len(inputs), "reading"))


def _sources(inputs: "Iterable[Input]", limits: "Limits") -> "Iterator[Source]":
    for item in inputs:
        yield _stdin(limits.bytes) if str(item.path) == "-" else item.path


def _stdin(max_bytes: int) -> bytes:
    if sys.stdin is None:
        raise SanError("standard input is closed")
    try:
        # One more than is allowed, so that it is refused.
        return sys.stdin.buffer.read(max_bytes + 1)
    except OSError as error:
        raise SanError(f"standard input: {reason(error)}") from error


def _display_name(item: "Input") -> str:
    return "standard input" if str(item.path) == "-" else str(item.path)


def _print_failure(failure: "Failure") -> None:
    typer.echo(f"san: {failure}", err=True)


def _print_notes(item: "Input", formula: "Formula") -> None:
    """What who only sees the formula has to know: ink that was not read, and doubt."""
    from san.reader.wording import doubt_note

    for note in (*formula.notes, doubt_note(formula.confidence, formula.doubts)):
        if note:
            typer.echo(printable(f"san: {_display_name(item)}: {note}"), err=True)


@contextmanager
def _open(output: Path | None, resume: bool) -> "Iterator[TextIO | ResultsFile]":
    if output is None:
        yield sys.stdout
        return
    with ResultsFile(output, resume) as file:
        yield file


class _Writer:
    """Results for programs: `san score` takes either form."""

    def __init__(self, file: TextIO | ResultsFile, path: Path, confidence: bool) -> None:
        self._file = file
        self._lines = path.suffix.lower() == ".jsonl"
        self._confidence = confidence

    def __call__(self, item: "Input", formula: "Formula") -> None:
        columns = [printable(item.id), formula.latex]
        if self._confidence:
            columns.append(f"{formula.confidence:.4f}")
        line = json_line(item, formula) if self._lines else "\t".join(columns)
        self._file.write(line + "\n")
        self._file.flush()  # who stops a long run keeps what was read


def json_line(item: "Input", formula: "Formula") -> str:
    document = {"id": printable(item.id), "file": printable(str(item.path)), **formula.to_dict()}
    return json.dumps(document, ensure_ascii=False)


class _Printer:
    """Results for people: the formula alone, where only one is asked for; else which it is."""

    def __init__(
        self, file: TextIO | ResultsFile, form: Format, many: bool, confidence: bool
    ) -> None:
        self._file, self._form, self._many, self._confidence = file, form, many, confidence

    def __call__(self, item: "Input", formula: "Formula") -> None:
        if self._form is Format.json:
            alone = json.dumps(formula.to_dict(), ensure_ascii=False, indent=2)
            self._print(json_line(item, formula) if self._many else alone)
            return
        for other in (formula, *formula.alternatives):
            head = [printable(item.id)] if self._many else []
            if self._confidence:
                head.append(f"{other.confidence:.4f}")
            text = WRITERS[self._form](other.expression).rstrip("\n")
            if self._form not in MULTILINE:
                self._print("\t".join([*head, text]))
            elif head:
                self._print(f"# {'  '.join(head)}\n{text}\n")
            else:
                self._print(text)

    def _print(self, text: str) -> None:
        print(text, file=self._file, flush=True)  # whoever waits behind a pipe gets it at once


class _Drawings:
    """A folder of pictures, one for each formula, under its id."""

    def __init__(self, folder: Path, inputs: "Sequence[Input]") -> None:
        self._folder = folder
        read = {os.path.realpath(item.path) for item in inputs}
        for item in inputs:
            if os.path.realpath(self._path(item)) in read:
                raise SanError(
                    f"{self._path(item)}: would overwrite what is read; name another DIR"
                )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SanError(f"{folder}: {reason(error)}") from error

    def draw(self, item: "Input", formula: "Formula") -> None:
        from san.reader.explain.figure import explain

        prepared = formula.prepared
        picture = explain(
            prepared.picture,
            formula.reading,
            printable(item.id),
            formula.confidence,
            [prepared.box_to_picture(place.box) for place in formula.unread],
            formula.notes,
        )
        save_picture(picture, self._path(item))

    def _path(self, item: "Input") -> Path:
        return self._folder / (item.id.replace("/", "_") + ".png")
