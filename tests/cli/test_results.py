"""How results are printed."""

import io
import json
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from san.cli.results import Printer, ending_of, json_line, writer_of
from san.cli.results_file import ResultsFile
from san.grammar import parse
from san.grammar.formats import Format
from san.reader.inputs import Input

PHOTO = Input("photo", Path("photo.png"))


def reading(latex: str, *others: str) -> Any:
    alternatives = [reading(other) for other in others]
    return SimpleNamespace(expression=parse(latex), confidence=0.5, alternatives=alternatives)


def printed(*formulas: Any, confidence: bool = False) -> list[str]:
    file = io.StringIO()
    page: Any = SimpleNamespace(formulas=formulas)
    Printer(file, Format.latex, many=False, confidence=confidence)(PHOTO, page)
    return file.getvalue().splitlines()


def test_the_readings_of_a_page_say_which_formula_they_are_of() -> None:
    page = reading("x", "y"), reading("z", "2")
    lines = ["photo#1\tx\t0.5000", "photo#1\ty\t0.5000", "photo#2\tz\t0.5000", "photo#2\t2\t0.5000"]
    assert printed(*page, confidence=True) == lines


def test_one_formula_and_lines_of_a_page_are_formulas_alone() -> None:
    assert printed(reading("x", "y")) == ["x", "y"]
    assert printed(reading("x"), reading("z")) == ["x", "z"]


def test_a_latex_file_defines_what_its_packages_do_not() -> None:
    file = io.StringIO()
    page: Any = SimpleNamespace(formulas=[reading(r"a\xlongequal{f}b")] * 2)
    write = writer_of(file, Path("out.tex"), confidence=False, aligned=False)
    write(PHOTO, page)
    text = file.getvalue()
    assert text.count(r"\providecommand{\xlongequal}") == 1
    assert text.index(r"\begin{document}") < text.index(r"\providecommand") < text.index(r"\[")


def test_names_that_latex_lacks_do_not_stop_it(tmp_path: Path) -> None:
    """Those of Macs are taken apart: an e and its accent."""
    page: Any = SimpleNamespace(formulas=[reading("x")])
    path = tmp_path / "out.tex"
    with ResultsFile(path, ending=ending_of(path)) as file:
        write = writer_of(file, Path("out.tex"), confidence=False, aligned=False, many=True)
        for name in ('<a>|"b".png', "作业 1.png", "re\u0301sume\u0301 ß.png", "\udcff\n.png"):
            write(PHOTO._replace(path=Path(name)), page)
            # Whoever stops a long run has a file that compiles.
            assert path.read_text("utf-8").endswith("\\]\n\n\\end{document}\n")
    text = path.read_text(encoding="utf-8")
    assert text.count(r"\end{document}") == 1
    assert r"\subsection*{\textless{}a\textgreater{}\textbar{}''b''.png}" in text
    assert r"\subsection*{\ifdefined\Umathcode 作业\else ??\fi{} 1.png}" in text
    assert r"\subsection*{résumé ß.png}" in text
    if shutil.which("pdflatex"):
        command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "out.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-500:]


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("out.md", ["## photo.png", r"## a\_b\#2\$\(1\).png"]),
        ("out.tex", [r"\subsection*{photo.png}", r"\subsection*{a\_b\#2\$(1).png}"]),
    ],
)
def test_formulas_of_several_sources_stand_under_their_names(
    name: str, headings: list[str]
) -> None:
    page: Any = SimpleNamespace(formulas=[reading("x")])
    other = PHOTO._replace(path=Path("a_b#2$(1).png"))
    for many in (True, False):
        file = io.StringIO()
        write = writer_of(file, Path(name), confidence=False, aligned=False, many=many)
        for item in (PHOTO, other):
            write(item, page)
        lines = file.getvalue().splitlines()
        assert [line in lines for line in headings] == [many, many]


def test_json_has_the_very_name_of_a_file() -> None:
    result: Any = SimpleNamespace(to_dict=lambda: {"latex": "x"})
    for name in ("ü.png", "a\tb\nc.png", "\x1b[31mred.png", os.fsdecode(b"caf\xe8.png")):
        line = json_line(PHOTO._replace(path=Path(name)), result)
        assert line.isprintable()  # no orders to a terminal
        line.encode()
        assert json.loads(line)["file"] == name
    assert '"ü.png"' in json_line(PHOTO._replace(path=Path("ü.png")), result)
