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


@pytest.mark.parametrize("engine", ["pdflatex", "xelatex"])
def test_latex_takes_every_symbol(tmp_path: Path, engine: str) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    names = sorted(
        (COMMANDS | CONSTRUCTS.keys() | DEFINITIONS.keys()) - {MATRIX, CELL, ROW, r"\mathscr"}
    )
    formulas = [to_latex(parse(name + "{a}" * len(construct_of(name).arguments))) for name in names]
    formulas += [r"\begin{rcases}a\\b\end{rcases}", r"\mathscr{B}", "、_{1}。_{2}"]
    formulas += [to_latex(parse(rf"\textcircled{{{name}}}")) for name in sorted(COMMANDS - {ROW})]
    defined = dict.fromkeys(line for latex in formulas for line in definitions_for(latex))
    lines = [
        r"\documentclass{article}\usepackage{amsmath,amssymb}\begin{document}",
        *defined,
        *(rf"\[ x {latex} y \]" for latex in formulas),
        r"\end{document}",
    ]
    (tmp_path / "all.tex").write_text("\n".join(lines), encoding="utf-8")
    command = [engine, "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-500:]
    log = (tmp_path / "all.log").read_text(encoding="utf-8", errors="replace")
    assert "There is no 、" not in log
    assert "There is no 。" not in log
