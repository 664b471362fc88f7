from time import process_time

import pytest

from san.grammar import parse, to_latex, to_tokens

CANONICAL = [
    (r"\frac 1 2", r"\frac{1}{2}", r"\frac { 1 } { 2 }"),
    (r"x^2_1", r"x_{1}^{2}", r"x _ { 1 } ^ { 2 }"),
    (r"\sin x", r"\sin x", r"\sin x"),
    (r"\alpha 2", r"\alpha2", r"\alpha 2"),
    (r"\pi 中", r"\pi 中", r"\pi 中"),
    (r"\sqrt[\sqrt[3]{2}]{x}", r"\sqrt[{\sqrt[3]{2}}]{x}", None),
    (r"\sqrt[{x^{]}}]{x}", r"\sqrt[x^{]}]{x}", None),
    (r"\sum \limits ^n _i a", r"\sum_{i}^{n}a", r"\sum _ { i } ^ { n } a"),
    (r"\sqrt [3] x", r"\sqrt[3]{x}", r"\sqrt [ 3 ] { x }"),
    (r"\sqrt[{]}]{x}", r"\sqrt[{]}]{x}", r"\sqrt [ { ] } ] { x }"),
    (r"f''(x)", r"f''(x)", r"f ^ { \prime \prime } ( x )"),
    (r"f'^2", r"f^{\prime2}", r"f ^ { \prime 2 }"),
    (r"\overset a =", r"\overset{a}{=}", r"\overset { a } { = }"),
    (r"{}^{14}C", r"{}^{14}C", r"{ } ^ { 1 4 } C"),
    (r"\xrightarrow[a] b", r"\xrightarrow[a]{b}", r"\xrightarrow [ a ] { b }"),
    (r"\textcircled{1a}", r"\textcircled{1a}", r"\textcircled { 1 a }"),
    (r"\textcircled{<}^2", r"\textcircled{\text{\(<\)}}^{2}", r"\textcircled { < } ^ { 2 }"),
    (r"\textcircled{x_1}", r"\textcircled{\text{\(x_{1}\)}}", None),
    (r"\underbrace{x}_n", r"\underbrace{x}_{n}", r"\underbrace { x } _ { n }"),
    (
        r"\begin{bmatrix}a&b\\c&d\end{bmatrix}",
        r"\begin{bmatrix}a&b\\c&d\end{bmatrix}",
        r"[ \begin{matrix} a & b \\ c & d \end{matrix} ]",
    ),
    (r"\begin{matrix}a\\{}[b]\end{matrix}", r"\begin{gathered}a\\{}[b]\end{gathered}", None),
]


@pytest.mark.parametrize(("source", "latex", "tokens"), CANONICAL)
def test_canonical_forms(source: str, latex: str, tokens: str | None) -> None:
    tree = parse(source)
    assert to_latex(tree) == latex
    if tokens is not None:
        assert " ".join(to_tokens(tree)) == tokens


STRETCHY = [
    (r"(x)", r"(x)"),
    (r"f'(x')", r"f'(x')"),
    (r"(x^2)", r"\left(x^{2}\right)"),
    (r"[0,\frac12)", r"\left[0,\frac{1}{2}\right)"),
    (r"(a(\frac bc)^2", r"(a\left(\frac{b}{c}\right)^{2}"),
    (r"((x_1)+1)", r"\left(\left(x_{1}\right)+1\right)"),
    (r"\langle\sum_i a\rangle", r"\left\langle\sum_{i}a\right\rangle"),
    (r"\{\sqrt x\}", r"\left\{\sqrt{x}\right\}"),
    (r"\begin{pmatrix}(\frac ab&c)\end{pmatrix}", r"\begin{pmatrix}(\frac{a}{b}&c)\end{pmatrix}"),
    (r"x^{(\frac ab)}", r"x^{\left(\frac{a}{b}\right)}"),
]


@pytest.mark.parametrize(("source", "latex"), STRETCHY)
def test_brackets_around_what_is_tall_may_grow(source: str, latex: str) -> None:
    assert to_latex(parse(source), stretchy=True) == latex
    assert parse(latex) == parse(source)


def test_brackets_that_grow_take_time_in_proportion_to_the_formula() -> None:
    tree = parse("(" * 20_000 + "x^2" + ")" * 20_000)
    begin = process_time()
    assert to_latex(tree, stretchy=True).count(r"\left(") == 20_000
    assert process_time() - begin < 10  # with the square of it, a minute
