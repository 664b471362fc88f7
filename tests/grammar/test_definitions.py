import shutil
import subprocess
from pathlib import Path

import pytest

from san.grammar import parse, to_latex
from san.grammar.constructs import CELL, CONSTRUCTS, MATRIX, ROW, construct_of
from san.grammar.definitions import DEFINITIONS, definitions_for
from san.grammar.symbols import COMMANDS


def test_a_formula_gets_what_it_needs_and_nothing_else() -> None:
    assert definitions_for(r"a\xlongequal{f}b") == [DEFINITIONS[r"\xlongequal"]]
    assert definitions_for("1、2") == [DEFINITIONS["、"]]
    assert definitions_for(to_latex(parse(r"\begin{rcases}a\\b\end{rcases}")))
    assert definitions_for(r"\xrightarrow{f}+\sqrt{x}\begin{cases}a\\b\end{cases}") == []


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_takes_every_symbol(tmp_path: Path) -> None:
    names = sorted((COMMANDS | CONSTRUCTS.keys() | DEFINITIONS.keys()) - {MATRIX, CELL, ROW})
    formulas = [to_latex(parse(name + "{a}" * len(construct_of(name).arguments))) for name in names]
    formulas.append(r"\begin{rcases}a\\b\end{rcases}")
    formulas += [to_latex(parse(rf"\textcircled{{{name}}}")) for name in sorted(COMMANDS - {ROW})]
    defined = dict.fromkeys(line for latex in formulas for line in definitions_for(latex))
    lines = [
        r"\documentclass{article}\usepackage{amsmath,amssymb}\begin{document}",
        *defined,
        *(rf"\[ x {latex} y \]" for latex in formulas),
        r"\end{document}",
    ]
    (tmp_path / "all.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-500:]
