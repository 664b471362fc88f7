"""`san read`: pictures, photographs and ink -> formulas.

The network's runtime is imported when the command runs: `san --help` does not wait for it.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from san.cli.clipboard import clipboard_picture, copy_text
from san.cli.console import (
    PRECISION,
    QUICK,
    Precision,
    check_beside,
    check_outputs,
    leaving_at_once,
    save_picture,
    standard_output,
    with_progress,
)
from san.cli.results import (
    SUFFIXES,
    Printer,
    ending_of,
    formula_notes,
    numbered,
    page_notes,
    text_to_paste,
    writer_of,
)
from san.cli.results_file import LINE_SUFFIXES, ResultsFile
from san.decoding import DecodingLimits
from san.errors import SanError, printable, reason
from san.files import MAX_BYTES, make_folder
from san.grammar.formats import Format
from san.images.open import MAX_PIXELS
from san.ink import InkLimits
from san.models import NETWORK, find_model

if TYPE_CHECKING:
    from san.reader import Failure, Formula, Limits, Page, Recognizer, Source
    from san.reader.inputs import Input

MAX_NAME_BYTES = 200
"""Of a picture's name without its suffix: a disk takes 255."""


def _limit_option(name: str, of: str) -> Any:
    return typer.Option(f"--max-{name}", min=1, metavar="N", help=of, rich_help_panel="Limits")


def read(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="Images, InkML, folders, patterns; `-` is standard input."
        ),
    ] = None,
    clipboard: Annotated[
        bool,
        typer.Option("--clipboard", help="Read the picture in the clipboard; copy the formula."),
    ] = False,
    form: Annotated[
        Format | None, typer.Option("--format", help="How to print formulas; latex by default.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write id<TAB>LaTeX (.tsv), JSON (.jsonl), Markdown (.md) or LaTeX (.tex).",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with a .tsv or .jsonl: what stands there is not read again."
        ),
    ] = False,
    ray: Annotated[
        bool,
        typer.Option("--ray", help="[ADDRESS] IN OUT: many pictures, on all cores of a cluster."),
    ] = False,
    explain: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw pictures of attention, tree and steps."),
    ] = None,
    page: Annotated[
        bool,
        typer.Option("--page", help="A page of formulas, even where it looks like a single one."),
    ] = False,
    one: Annotated[
        bool, typer.Option("--one", help="One formula each, even where it looks like several.")
    ] = False,
    aligned: Annotated[
        bool, typer.Option("--aligned", help="Keep lines of one derivation together as `aligned`.")
    ] = False,
    n_best: Annotated[
        int, typer.Option(min=1, max=100, metavar="N", help="The N most probable readings.")
    ] = 1,
    beam: Annotated[
        int, typer.Option(min=1, max=100, metavar="N", help="The first pass follows N readings.")
    ] = 1,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="WEIGHTS",
            help="Another network: weights, an exported folder, or san-densenet, san-paper.",
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option(min=0, metavar="N", help="Cores to use; 0 for all of them.")
    ] = 0,
    quick: Annotated[bool, QUICK] = False,
    upright: Annotated[
        bool, typer.Option("--upright", help="Pictures lie as they should: none is turned.")
    ] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Tables get a last column that says how sure.")
    ] = False,
    precision: Annotated[Precision | None, PRECISION] = None,
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
    from san.reader import Failure, Limits, Page, Recognizer
    from san.reader.inputs import Input, expand_documents, find_inputs

    limits = Limits(max_bytes, max_pixels, max_strokes, max_points, max_steps)
    arithmetic = precision or Precision.int8
    if ray:
        from san.bulk.reader import ReaderOptions
        from san.cli.read_ray import read_with_ray

        # Its results always have confidences, and it always goes on with what stands there.
        refused = {
            "--clipboard": clipboard, "--format": form, "--output": output, "--explain": explain,
            "--page": page, "--aligned": aligned, "--n-best": n_best > 1, "--beam": beam > 1,
            "--threads": threads,
        }  # fmt: skip
        for name in (name for name, given in refused.items() if given):
            raise SanError(f"--ray takes [ADDRESS] IN OUT, and no {name}")
        options = ReaderOptions(model, quick, arithmetic.value, limits, one, upright)
        read_with_ray(files or [], options)
        return
    if clipboard and (files or output is not None):
        raise SanError("--clipboard reads what lies there, and copies it: no FILE and no --output")
    if not clipboard and not files:
        raise SanError("Missing argument 'FILE...': name what to read, or use --clipboard")
    if one and (page or aligned):
        raise SanError("--one reads one formula each: it takes no --page and no --aligned")
    if output is not None:
        _check_output(output, form, resume, n_best, confidence)
    elif resume:
        raise SanError("--resume goes on with a file of results: name it with --output")
    as_json = form is Format.json or (output is not None and output.suffix.lower() == ".jsonl")
    if aligned and (as_json or n_best > 1):
        raise SanError("--aligned is text, one reading each: it takes no JSON and no --n-best")
    inputs, failures = find_inputs(files or [])
    check_outputs([output], [model, *(item.path for item in inputs)])
    inputs, not_all = expand_documents([_with_stdin(item, limits) for item in inputs], limits)
    failures += not_all
    pasted = [clipboard_picture(limits.bytes)] if clipboard else None
    if clipboard:
        inputs = [Input("clipboard", Path("clipboard"))]
    drawings = _Drawings(explain, inputs) if explain is not None else None
    reader = Recognizer(
        model,
        beam=beam,
        n_best=n_best,
        threads=threads,
        limits=limits,
        precision=arithmetic.value,
        quick=quick,
        upright=upright,
    )
    check_beside(find_model(model or NETWORK), precision)

    for failure in failures:
        _print_failure(failure)
    failed, undrawn, formulas = len(failures), 0, 0
    with leaving_at_once(), _open(output, resume, confidence) as file:
        if isinstance(file, ResultsFile) and resume:
            if one:
                file.check_single([item.id for item in inputs])
            file.drop_unfinished({item.id for item in inputs})
            left = file.not_done(inputs)
            typer.echo(f"{len(inputs) - len(left):,} read before: {output}", err=True)
            inputs = left
        with_confidence = confidence or n_best > 1
        many = len(inputs) + failed > 1
        show = Printer(file, form or Format.latex, many, with_confidence, aligned)
        write = show if output is None else writer_of(file, output, confidence, aligned, many)
        quiet = not isinstance(file, ResultsFile) and file.isatty()
        sources = pasted or (item.source for item in inputs)
        for item, result in _read(reader, inputs, sources, quiet, one):
            if isinstance(result, Failure):
                failed += 1
                _print_failure(Failure(item.name, result.reason))
                continue
            if isinstance(result, Page):
                _print(item, page_notes(result))
                if not result.formulas:
                    failed += 1
                    continue
                result = result if page or len(result) > 1 else result.formulas[0]
            write(item, result)
            formulas += len(result) if isinstance(result, Page) else 1
            _print(item, formula_notes(result))
            if drawings is not None:
                try:
                    drawings.draw(item, result)
                except SanError as error:  # above all a full disk
                    undrawn += 1
                    typer.echo(printable(f"san: {error}"), err=True)
            if clipboard:
                copy_text(text_to_paste(result, form or Format.latex, aligned))
    if output is not None:
        done = len(inputs) + len(failures) - failed
        more = f", {formulas:,} formulas" if formulas != done else ""  # of pages
        kept = " is left as it was" if isinstance(file, ResultsFile) and file.keeps_old else ""
        typer.echo(f"{done:,} read{more}: {output}{kept}", err=True)
    if failed or undrawn:
        raise typer.Exit(1)


def _check_output(
    output: Path, form: Format | None, resume: bool, n_best: int, confidence: bool
) -> None:
    """SanError for what a file of this name has no place for."""
    suffix = output.suffix.lower()
    if form is not None:
        raise SanError("--output goes by the name of its file: it takes no --format")
    if suffix not in SUFFIXES:
        raise SanError(
            f"{output}: not the name of results; try {output.stem}.tsv, .jsonl, .md or .tex"
        )
    if resume and suffix not in LINE_SUFFIXES:
        raise SanError(f"{output}: --resume goes on with .tsv and .jsonl alone")
    if confidence and suffix not in LINE_SUFFIXES:
        raise SanError(f"{output}: --confidence goes into .tsv and .jsonl alone")
    if n_best > 1 and suffix != ".jsonl":
        raise SanError(f"{output}: has one reading each; --n-best goes into .jsonl alone")


def _read(
    reader: "Recognizer",
    inputs: "Sequence[Input]",
    sources: "Iterable[Source]",
    quiet: bool,
    one: bool,
) -> "Iterator[tuple[Input, Formula | Page | Failure]]":
    read = reader.read_many(sources) if one else reader.read_pages(sources)
    results = zip(inputs, read, strict=True)
    if quiet or len(inputs) == 1:  # a bar among the formulas would only be in their way
        return results
    return iter(with_progress(results, len(inputs), "reading"))


def _with_stdin(item: "Input", limits: "Limits") -> "Input":
    """With what comes from standard input, which may have several pages."""
    return item._replace(content=_stdin(limits.bytes)) if item.is_stdin else item


def _stdin(max_bytes: int) -> bytes:
    if sys.stdin is None:
        raise SanError("standard input is closed")
    try:
        # One more than is allowed, so that it is refused.
        return sys.stdin.buffer.read(max_bytes + 1)
    except OSError as error:
        raise SanError(f"standard input: {reason(error)}") from error


def _print_failure(failure: "Failure") -> None:
    typer.echo(f"san: {failure}", err=True)


def _print(item: "Input", notes: Iterable[str]) -> None:
    """What who only sees the formulas has to know."""
    for note in notes:
        typer.echo(printable(f"san: {item.name}: {note}"), err=True)


@contextmanager
def _open(output: Path | None, resume: bool, confidence: bool) -> "Iterator[TextIO | ResultsFile]":
    if output is None:
        yield standard_output()
        return
    with ResultsFile(output, resume, confidence, ending_of(output)) as file:
        yield file


class _Drawings:
    """A folder of pictures, one for each formula, under its id, as far as a name may hold it."""

    def __init__(self, folder: Path, inputs: "Sequence[Input]") -> None:
        self._folder = folder
        self._names: dict[str, str] = {}  # of pictures, by id
        self._taken: set[str] = set()
        read = {os.path.realpath(item.path) for item in inputs}
        for item in inputs:
            if os.path.realpath(path := self._path(item.id)) in read:
                raise SanError(f"{path}: would overwrite what is read; name another DIR")
        make_folder(folder)

    def draw(self, item: "Input", result: "Formula | Page") -> None:
        for name, formula in numbered(item, result):
            save_picture(formula.explain(name), self._path(name))

    def _path(self, id: str) -> Path:
        if id not in self._names:
            # The end says which of a folder it is.
            plain = id.replace("/", "_").encode()[-MAX_NAME_BYTES:].decode(errors="ignore")
            more = (f"{plain}~{number}" for number in count(2))
            name = next(name for name in chain([plain], more) if name not in self._taken)
            self._names[id] = name
            self._taken.add(name)
        return self._folder / f"{self._names[id]}.png"
