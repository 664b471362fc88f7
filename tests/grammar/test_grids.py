"""Systems, cases, stacked lines and matrices: one tree however they are spelt; writing it."""

import json
from xml.etree import ElementTree

import pytest

from san.grammar import GrammarError, parse, to_latex, to_tokens
from san.grammar.constructs import MATRIX
from san.grammar.grids import find_grids, rows_of, with_alignment
from san.grammar.json import from_json, to_json
from san.grammar.mathml import to_mathml
from san.grammar.tree import Relation
from san.grammar.triples import triple_tree
from san.grammar.typst import to_typst

SYSTEM = r"\begin{cases}x+y=1\\x-y=2\end{cases}"
LINES = r"\begin{aligned}2x&=4\\x&=2\end{aligned}"

SPELLINGS = [
    (SYSTEM, r"\left\{ \begin{matrix} x + y = 1 \\ x - y = 2 \end{matrix} \right."),
    (SYSTEM, r"\left\{\begin{array}{rl}x+y&=1\\x-y&=2\end{array}\right."),
    (SYSTEM, r"\left\{\begin{aligned}x+y&=1\\x-y&=2\\\end{aligned}\right."),
    (SYSTEM, r"\{\begin{matrix}x+y=1\\x-y=2\end{matrix}"),
    (r"\begin{cases}x,x>0\\-x,x<0\end{cases}", r"\begin{cases}x,&x>0\\-x,&x<0\end{cases}"),
    (r"\begin{rcases}a\\b\end{rcases}=c", r"\left.\begin{matrix}a\\b\end{matrix}\right\}=c"),
    (LINES, r"\begin{matrix} 2 x = 4 \\ x = 2 \end{matrix}"),
    (LINES, r"\begin{gathered}2x=4\\x=2\end{gathered}"),
    (LINES, r"\begin{align*}2x&=4\\x&=2\end{align*}"),
    (r"\begin{gathered}2x\\x=2\end{gathered}", r"\begin{matrix} 2 x \\ x = 2 \end{matrix}"),
    (r"\begin{pmatrix}a&b\\c\end{pmatrix}^{2}", r"\left(\begin{matrix}a&b\\c\end{matrix}\right)^2"),
    (r"\begin{bmatrix}a\\b\end{bmatrix}", r"[\begin{array}{c}a\\b\end{array}]"),
    (r"\begin{vmatrix}a&b\\c&d\end{vmatrix}=6", r"|\begin{matrix}a&b\\c&d\end{matrix}|=6"),
    (r"\begin{Vmatrix}a\end{Vmatrix}_{2}", r"\|\begin{matrix}a\end{matrix}\|_2"),
    (r"\begin{Bmatrix}a\\b\end{Bmatrix}", r"\{\begin{matrix}a\\b\end{matrix}\}"),
    (r"\begin{matrix}a&b\\c&d\end{matrix}", r"\begin{smallmatrix}a&b\\c&d\end{smallmatrix}"),
    (r"\begin{cases}{}[a]\\{}[b]\end{cases}", r"\{\begin{matrix}{}[a]\\{}[b]\end{matrix}"),
]  # fmt: skip


@pytest.mark.parametrize(("canonical", "spelt"), SPELLINGS)
def test_every_spelling_of_a_drawing_is_one_tree(canonical: str, spelt: str) -> None:
    tree = parse(spelt)
    assert parse(canonical) == tree
    assert to_latex(tree) == canonical
    assert parse(" ".join(to_tokens(tree))) == tree
    assert from_json(to_json(tree)) == tree


@pytest.mark.parametrize(
    ("spelt", "latex", "typst"),
    [
        (r"a=b\\c=d", r"\begin{aligned}a&=b\\c&=d\end{aligned}", r"a &= b \ c &= d"),
        (r"2x\\x=2", r"\begin{gathered}2x\\x=2\end{gathered}", r"2 x \ x = 2"),
        ("a&b", r"\begin{matrix}a&b\end{matrix}", "mat(delim: #none, a, b)"),
        (r"x_{a\\b}", r"x_{\begin{gathered}a\\b\end{gathered}}", "x_(mat(delim: #none, a ; b))"),
        (r"\frac{a&b}{\sqrt[c\\d]{2}}",
         r"\frac{\begin{matrix}a&b\end{matrix}}"
         r"{\sqrt[{\begin{gathered}c\\d\end{gathered}}]{2}}",
         "frac(mat(delim: #none, a, b), root(mat(delim: #none, c ; d), 2))"),
        (r"\overset{a\\b}{=}", r"\overset{\begin{gathered}a\\b\end{gathered}}{=}",
         "limits(=)^(mat(delim: #none, a ; b))"),
        (r"a\\b&^{2}", r"\begin{matrix}a\\b&^{2}\end{matrix}", 'mat(delim: #none, a ; b ""^(2))'),
        (r"a=b\\", "a=b", "a = b"),  # a line that is ended as well
    ],
)  # fmt: skip
def test_rows_and_cells_outside_of_a_grid_are_one(spelt: str, latex: str, typst: str) -> None:
    """LaTeX has no `&` outside of an alignment."""
    tree = parse(spelt)
    assert to_latex(tree) == latex
    assert to_typst(tree) == typst
    assert parse(latex) == parse(" ".join(to_tokens(tree))) == from_json(to_json(tree)) == tree
    assert to_mathml(tree).count("<mtable") == latex.count(r"\begin")


def test_a_tree_that_is_sent_with_rows_outside_of_a_grid_is_one() -> None:
    names = ["a", r"\\", "b"]
    symbols = [
        {"symbol": name, "parent": n - 1, "relation": "right"} for n, name in enumerate(names)
    ]
    symbols[0] = {"symbol": "a"}
    sent = json.dumps({"format": "san-expression", "version": 1, "symbols": symbols})
    assert from_json(sent) == parse(r"a\\b")
    assert triple_tree(names, [-1, 0, 1], [Relation.RIGHT] * 3) == parse(r"a\\b")


@pytest.mark.parametrize("latex", [r"\overset{a}{&}", r"\underset{a}{\\}", r"\left\\a\right)"])
def test_nothing_but_scripts_stands_on_what_parts_cells(latex: str) -> None:
    with pytest.raises(GrammarError, match=r"needs one plain symbol|is no delimiter"):
        parse(latex)


def test_tokens_name_one_environment_whatever_the_fences() -> None:
    tokens = to_tokens(parse(SYSTEM))
    assert tokens[:2] == [r"\{", r"\begin{matrix}"]
    assert "&" not in to_tokens(parse(LINES))


@pytest.mark.parametrize(
    ("latex", "environments"),
    [
        (
            r"|\begin{matrix}a&b\end{matrix}|\begin{matrix}c\\d\end{matrix}|",
            ["vmatrix", "gathered"],
        ),
        (r"\{\begin{matrix}a\\b\end{matrix}+1\}", ["gathered"]),
        (r"\{\begin{matrix}a&b\\c&d\end{matrix}", ["matrix"]),
        (r"(\begin{matrix}a\end{matrix}^{2})", ["matrix"]),
        (r"\overset{!}{(}\begin{matrix}a&b\end{matrix})", ["matrix"]),
        (r"[\begin{matrix}a&b\end{matrix})", ["matrix"]),
    ],
)
def test_fences_that_no_environment_draws_stay_symbols(latex: str, environments: list[str]) -> None:
    tree = parse(latex)
    assert [grid.environment for grid in find_grids(tree.symbols)] == environments
    assert parse(to_latex(tree)) == tree


def test_rows_and_cells() -> None:
    (grid,) = parse(r"\begin{matrix}a&\\b\\&c^2d\end{matrix}").symbols
    assert grid.name == MATRIX
    rows = rows_of(grid.branch(Relation.INSIDE))
    names = [[[symbol.name for symbol in cell] for cell in row] for row in rows]
    assert names == [[["a"], []], [["b"]], [[], ["c", "d"]]]


def test_lines_are_aligned_at_their_first_relation() -> None:
    lines = parse(LINES).symbols[0].branch(Relation.INSIDE)
    names = [symbol.name for symbol in with_alignment(lines).symbols]
    assert names == ["2", "x", "&", "=", "4", r"\\", "x", "&", "=", "2"]


def test_mathml_stretches_fences_to_the_grid_alone() -> None:
    root = ElementTree.fromstring(to_mathml(parse(rf"f(x)={SYSTEM}")))
    (table,) = (element for element in root.iter() if element.tag.endswith("mtable"))
    assert [len(row) for row in table] == [1, 1]
    assert table.get("columnalign") == "left"
    rows = [element for element in root.iter() if table in list(element)]
    assert rows[0][0].text == "{"
    stretching = "".join(part.text or "" for part in root[0] if part.get("stretchy") != "false")
    assert "(" not in stretching
    assert "{" not in stretching


def test_mathml_aligns_lines_at_their_first_relation() -> None:
    text = to_mathml(parse(LINES), marked=True)
    (table,) = (part for part in ElementTree.fromstring(text).iter() if part.tag.endswith("mtable"))
    assert table.get("columnalign") == "right left"
    cells = [["".join(cell.itertext()) for cell in row] for row in table]
    assert cells == [["2x", "=4"], ["x", "=2"]]
    numbers = [part.get("data-symbol") for part in table.iter() if part.get("data-symbol")]
    assert numbers == ["0", "1", "2", "3", "4", "6", "7", "8"]  # \\ has no ink


def test_mathml_centres_cells_of_a_matrix() -> None:
    text = to_mathml(parse(r"\begin{pmatrix}a&b\\c&d\end{pmatrix}^{T}"))
    assert "columnalign" not in text
    assert text.count("<mtd>") == 4
    assert "<msup><mrow><mo>(</mo><mtable>" in text


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        (SYSTEM, "cases(x + y = 1, x - y = 2)"),
        (r"\begin{rcases}a,b\\c;\end{rcases}", r"cases(reverse: #true, a\, b, c \;)"),
        (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}^{2}", 'mat(delim: "(", a, b ; c, d)^(2)'),
        (r"\begin{vmatrix}a&b\end{vmatrix}", 'mat(delim: "|", a, b)'),
        (LINES, r"2 x &= 4 \ x &= 2"),
        (r"=1\\a=2", r"&= 1 \ a &= 2"),
        (r"a,b\\c", r"a, b \ c"),
        (rf"y+{LINES}", "y + mat(delim: #none, 2 x &= 4 ; x &= 2)"),
    ],
)
def test_typst(latex: str, typst: str) -> None:
    assert to_typst(parse(latex)) == typst
