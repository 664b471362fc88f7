from unicodedata import category

import pytest
from hypothesis import given, settings

from san.grammar import Expression, parse
from san.grammar.characters import character
from san.grammar.typst import to_typst
from tests.grammar.trees import expressions


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        ("", ""),
        ("x^2+1", "x^(2) + 1"),
        ("12ab", "12 a b"),
        ("12.5^2+.5", "12.5^(2) + . 5"),
        ("1^2.5", "1^(2) . 5"),
        ("x_1^2", "x_(1)^(2)"),
        (r"\frac{a,b}{c}", r"frac(a\, b, c)"),
        ("f(x,y)^2", "f (x, y)^(2)"),
        ("[0,1)", "[0, 1)"),
        ("(x", r"\( x"),
        (r"\sqrt[3]{x}\sqrt{y}", "root(3, x) sqrt(y)"),
        (r"\sum_{i=1}^n", "∑_(i = 1)^(n)"),
        (r"\lim_{x\to0}\sin x", "lim_(x → 0) sin x"),
        (r"\argmax_x", 'op("argmax", limits: #true)_(x)'),
        (r"\overset{!}{=}", "limits(=)^(!)"),  # without `limits` most are drawn as x^a is
        (r"\underset{b}{\overset{a}{x}}", "limits(x)_(b)^(a)"),
        (r"\overset{a}{x}_1^2", "attach(limits(x), t: a, tr: 2, br: 1)"),
        (r"\overset{a}{(}\overset{b}{,}", r"limits(\()^(a) limits(\,)^(b)"),
        (r"a\bmod b", "a mod b"),
        (r"x\overset{a}{,}", r"x limits(\,)^(a)"),  # not the variable xlimits
        (r"\hat{x}\overline{ab}", "hat(x) overline(a b)"),
        (r"a\sim_n^2b=_1", "a scripts(∼)_(n)^(2) b scripts(=)_(1)"),  # else below and above
        (r"\det_2A", "scripts(det)_(2) A"),
        (r"\underbrace{a+b}_c", "limits(underbrace(a + b))_(c)"),
        (r"\overbrace{ab}^n_2", "attach(limits(overbrace(a b)), t: n, br: 2)"),
        (r"\underbrace{ab}^2", "underbrace(a b)^(2)"),
        (r"\underrightarrow{ab}_c", r"accent(a b, \u{20EF})_(c)"),
        (r"\xrightarrow[b]{a}", "stretch(→)_(b)^(a)"),
        (r"\begin{matrix}a&b\\c\end{matrix}", "mat(delim: #none, a, b ; c)"),
        (
            r"\begin{bmatrix}\boxed{a}\\b\end{bmatrix}",
            'mat(delim: "[", #box(stroke: 0.5pt, inset: 3pt, $a$) ; b)',  # `;` ends code
        ),
        (r"\boxed{x}", "#box(stroke: 0.5pt, inset: 3pt, $x$)"),
        ("{}^{14}C", '""^(14) C'),
        (r"a/b\#", r"a \/ b \#"),
        (r"2\surd x", r"2 \√ x"),  # else it is the root of what follows
        ("[|x|]", "[ | x | ]"),  # `[|` is a bracket of typst's
        ("⟦x", r"\⟦ x"),
    ],
)
def test_constructs(latex: str, typst: str) -> None:
    assert to_typst(parse(latex)) == typst


@given(expressions())
@pytest.mark.slow
def test_every_symbol_that_is_drawn_by_a_character_is_there(tree: Expression) -> None:
    text = to_typst(tree)
    for visit in tree.walk():
        face = character(visit.symbol.name)
        # An accent is a function of typst's, though unicode takes a caron for a letter (Lm).
        if len(face) == 1 and face.isalnum() and category(face) != "Lm":
            assert face in text


@settings(max_examples=60, deadline=None)
@given(expressions())
def test_typst_itself_takes_it(tree: Expression) -> None:
    typst = pytest.importorskip("typst", reason="typst is not installed")
    typst.compile(f"#set page(width: auto, height: auto)\n$ {to_typst(tree)} $".encode())
