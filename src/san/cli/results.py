"""Results of `san read` as text: printed, as tables, JSON lines, Markdown or a LaTeX document.

A source has one formula, or is a page of several; those are called by the source's id and their
number on the page, `photo#2`.
"""

import json
import re
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TextIO
from unicodedata import normalize

from san.cli.results_file import ResultsFile, formula_id
from san.errors import printable
from san.grammar import Expression, to_latex
from san.grammar.definitions import definitions_for
from san.grammar.formats import MULTILINE, WRITERS, Format

if TYPE_CHECKING:
    from san.reader import Formula, Page
    from san.reader.inputs import Input

    Result = Formula | Page

SUFFIXES = (".tsv", ".jsonl", ".md", ".tex")
TEX_HEAD = """\\documentclass{article}
\\usepackage{amsmath,amssymb}
\\begin{document}
"""
TEX_END = "\\end{document}\n"
TEX_NAMES = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''",
    **{letter: f"\\{letter}" for letter in "#$%&_{}"},
}  # fmt: skip
"""Letters of a file's name that LaTeX would take for something else."""
TEX_LACKS = re.compile("[^\x00-\x7fÀ-ÏÑ-ÖØ-Ýß-ïñ-ýÿ–—‘’“”…]+")
"""Letters that stop pdfLaTeX, unless packages bring them."""
MARKDOWN_SIGNS = "\\`*_{}[]<>()#!|$~&"
MAX_PLACES = 5
"""Blocks left out whose places are named."""


class Write(Protocol):
    """Takes one result after the other."""

    def __call__(self, item: "Input", result: "Result") -> None: ...


def formulas_of(result: "Result") -> "tuple[Formula, ...]":
    from san.reader import Formula

    return (result,) if isinstance(result, Formula) else result.formulas


def numbered(item: "Input", result: "Result") -> "list[tuple[str, Formula]]":
    """Formulas with their ids."""
    formulas = formulas_of(result)
    return list(zip(_ids(item, len(formulas)), formulas, strict=True))


def _ids(item: "Input", count: int) -> list[str]:
    return [item.id] if count == 1 else [formula_id(item.id, n + 1) for n in range(count)]


class Line(NamedTuple):
    """What is written on a line of its own: a formula, or all lines of a derivation."""

    expression: Expression
    confidence: float


def lines_of(result: "Result", aligned: bool) -> list[Line]:
    """One for each formula; where they are to be aligned, for each derivation."""
    from san.reader import Page

    formulas = formulas_of(result)
    if not (aligned and isinstance(result, Page)):
        return [Line(formula.expression, formula.confidence) for formula in formulas]
    return [
        Line(expression, prod(formulas[number].confidence for number in numbers))
        for expression, numbers in zip(result.aligned, result.derivations, strict=True)
    ]


def page_notes(page: "Page") -> list[str]:
    """The page's notes, with the places of what was left out."""
    places = [
        f"({', '.join(f'{side:.0f}' for side in block.box)})"
        for block in page.left_out[:MAX_PLACES]
    ]
    more = ", ..." if len(page.left_out) > MAX_PLACES else ""
    return [f"{note}, at {', '.join(places)}{more}" for note in page.notes]


def formula_notes(result: "Result") -> Iterator[str]:
    """Ink that was not read, and doubt; on a page with the number of the formula.

    What holds of all of them, as that the page was turned, is told once.
    """
    from san.reader.wording import doubt_note

    formulas = formulas_of(result)
    notes = [
        [*formula.notes, doubt_note(formula.confidence, formula.doubts)] for formula in formulas
    ]
    first = notes[0] if notes else []
    shared = [note for note in first if note and all(note in own for own in notes)]
    yield from shared
    for number, own in enumerate(notes, 1):
        which = f"formula {number}: " if len(formulas) > 1 else ""
        for note in own:
            if note and note not in shared:
                yield which + note


def ending_of(path: Path) -> str:
    """What a file of this name ends with, behind all results."""
    return TEX_END if path.suffix.lower() == ".tex" else ""


def writer_of(
    file: TextIO | ResultsFile, path: Path, confidence: bool, aligned: bool, many: bool = False
) -> Write:
    """What writes results into a file of this name; `many`: of several sources."""
    suffix = path.suffix.lower()
    if suffix in (".md", ".tex"):
        return _Document(file, suffix == ".tex", aligned, many)
    return _Lines(file, suffix == ".jsonl", confidence, aligned)


class _Lines:
    """Results for programs: `san score` takes either form."""

    def __init__(
        self, file: TextIO | ResultsFile, as_json: bool, confidence: bool, aligned: bool
    ) -> None:
        self._file, self._as_json = file, as_json
        self._confidence, self._aligned = confidence, aligned

    def __call__(self, item: "Input", result: "Result") -> None:
        for line in [json_line(item, result)] if self._as_json else self._rows(item, result):
            self._file.write(line + "\n")
        self._file.flush()  # who stops a long run keeps what was read

    def _rows(self, item: "Input", result: "Result") -> Iterator[str]:
        lines = lines_of(result, self._aligned)
        for name, line in zip(_ids(item, len(lines)), lines, strict=True):
            columns = [name, to_latex(line.expression)]
            if self._confidence:
                columns.append(f"{line.confidence:.4f}")
            yield "\t".join(columns)


class _Document:
    """Results for people: one display a line, under the name of its source if there are several."""

    def __init__(self, file: TextIO | ResultsFile, tex: bool, aligned: bool, many: bool) -> None:
        self._file, self._aligned, self._tex, self._many = file, aligned, tex, many
        self._begin, self._end = (r"\[", r"\]") if tex else ("$$", "$$")
        self._defined: set[str] = set()
        self._is_begun = False

    def __call__(self, item: "Input", result: "Result") -> None:
        if self._tex and not self._is_begun:
            self._file.write(TEX_HEAD)
        self._is_begun = True
        if self._many:
            self._file.write(f"{_heading(printable(item.name), self._tex)}\n\n")
        for line in lines_of(result, self._aligned):
            latex = to_latex(line.expression)
            for definition in definitions_for(latex) if self._tex else ():
                if definition not in self._defined:
                    self._file.write(f"{definition}\n")
                    self._defined.add(definition)
            self._file.write(f"{self._begin} {latex} {self._end}\n\n")
        self._file.flush()


def _heading(name: str, tex: bool) -> str:
    if tex:
        plain = "".join(TEX_NAMES.get(letter, letter) for letter in normalize("NFC", name))
        return rf"\subsection*{{{TEX_LACKS.sub(_where_tex_knows_unicode, plain)}}}"
    return "## " + "".join(f"\\{one}" if one in MARKDOWN_SIGNS else one for one in name)


def _where_tex_knows_unicode(letters: re.Match[str]) -> str:
    return rf"\ifdefined\Umathcode {letters[0]}\else {'?' * len(letters[0])}\fi{{}}"


def json_line(item: "Input", result: "Result") -> str:
    document = {"id": item.id, "file": str(item.path), **result.to_dict()}
    line = json.dumps(document, ensure_ascii=False)
    if line.isprintable():
        return line
    # A name may hold orders to the terminal, and bytes that are no text: JSON has its own way to
    # say them, which `os.fsencode` takes back to the name.
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in line)


def text_to_paste(result: "Result", form: Format, aligned: bool) -> str:
    """The most probable reading and nothing else; of a page one below the other."""
    if form is Format.json:
        return _json(result)
    lines = lines_of(result, aligned)
    return "\n".join(WRITERS[form](line.expression).rstrip("\n") for line in lines)


def _json(result: "Result") -> str:
    return json.dumps(result.to_dict(), ensure_ascii=False, indent=2)


class Printer:
    """Results for people: the formula alone, where only one is asked for; else which it is."""

    def __init__(
        self,
        file: TextIO | ResultsFile,
        form: Format,
        many: bool,
        confidence: bool,
        aligned: bool = False,
    ) -> None:
        self._file, self._form, self._many, self._confidence = file, form, many, confidence
        self._aligned = aligned

    def __call__(self, item: "Input", result: "Result") -> None:
        if self._form is Format.json:
            self._print(json_line(item, result) if self._many else _json(result))
        elif self._aligned:
            lines = lines_of(result, aligned=True)
            for name, line in zip(_ids(item, len(lines)), lines, strict=True):
                self._write(name if self._many else "", line)
        else:
            formulas = numbered(item, result)
            # On a page nothing else says where the readings of a formula end.
            several = len(formulas) > 1 and any(formula.alternatives for _, formula in formulas)
            for name, formula in formulas:
                for other in (formula, *formula.alternatives):
                    line = Line(other.expression, other.confidence)
                    self._write(name if self._many or several else "", line)

    def _write(self, name: str, line: Line) -> None:
        head = [name] if name else []
        sure = [f"{line.confidence:.4f}"] if self._confidence else []
        text = WRITERS[self._form](line.expression).rstrip("\n")
        if self._form not in MULTILINE:
            self._print("\t".join([*head, text, *sure]))  # as in tables: `san score` takes it
        elif head or sure:
            self._print(f"# {'  '.join(head + sure)}\n{text}\n")
        else:
            self._print(text)

    def _print(self, text: str) -> None:
        print(text, file=self._file, flush=True)  # whoever waits behind a pipe gets it at once
