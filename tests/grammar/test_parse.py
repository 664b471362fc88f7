import json
import re
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from san.grammar import Expression, GrammarError, parse, to_latex, to_tokens
from san.grammar.json import from_json, to_json
from san.grammar.labelgraph import to_labelgraph
from san.grammar.mathml import to_mathml
from san.grammar.productions import by_level, fold, unfold
from san.grammar.symbols import COMMANDS
from san.grammar.text import LEFT_OUT, to_text
from tests.grammar.trees import NAMES, expressions, structure
from tests.work import calls_of

SAME = [
    (r"x_1^2", r"x^2_1"),
    (r"a^2", r"a^{2}"),
    (r"{a}{{b}}", r"ab"),
    (r"{{x}^{{2}}}", r"x^2"),
    (r"\sum\limits_{i}^{n} a", r"\sum^n_i a"),
    (r"\int\limits_a^b", r"\int_a^b"),
    (r"\left( x \right)", r"(x)"),
    (r"\left. x \right|_0", r"x|_0"),
    (r"\left< x \right>", r"\langle x \rangle"),
    (r"\left(a\right)^2", r"(a)^2"),
    (r"\frac12", r"\frac{1}{2}"),
    (r"\dfrac{1}{2}", r"\tfrac{1}{2}"),
    (r"x^\frac12", r"x^{\frac{1}{2}}"),
    (r"\frac\left(a\right)b", r"\frac{(a)}{b}"),
    (r"x'", r"x^{\prime}"),
    (r"x''", r"x^{\prime\prime}"),
    (r"x'^2", r"x^{\prime 2}"),
    (r"x^{\prime}^{\prime}", r"x''"),
    (r"x_1'", r"x'_1"),
    (r"a{}^2", r"a^2"),
    (r"{a+b}^2", r"a+b^2"),
    (r"{\frac{a}{b}}^2", r"\frac{a}{b}^2"),
    (r"x^{}", r"x"),
    (r"{}", r""),
    (r"\mathrm{d}x", r"dx"),
    (r"\text{if }x", r"ifx"),
    (r"a\,b\quad c", r"abc"),
    (r"a \le b", r"a \leq b"),
    (r"a \mod b", r"a \bmod b"),
    (r"\lt", r"<"),
    (r"\vert x \mid", r"|x|"),
    (r"\not=", r"\neq"),
    (r"\not\in", r"\notin"),
    (r"\overset{a}{=}", r"\stackrel{a}{=}"),
    (r"\underset{x}{\lim}", r"\lim_x"),
    (r"\overset{a}{\underset{b}{=}}", r"\underset{b}{\overset{a}{=}}"),
    (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", r"(\begin{array}{cc}a&b\\c&d\\\end{array})"),
    (r"\begin{cases}a\\b\end{cases}", r"\left\{\begin{matrix}a\\b\end{matrix}\right."),
    (r"$x^2$", r"x^2"),
    (r"$$x$$", r"x"),
    (r"\(x\)", r"\[x\]"),
    (r"\sqrt[3] x", r"\sqrt[{3}]{x}"),
    (r"x^{'}", r"x'"),
    (r"x^{''}", r"x''"),
    (r"x^{'2}", r"x'^2"),
    (r"90\degree", r"90^\circ"),
    (r"90°", r"90^{\circ}"),
    ("x²", "x^{2}"),
    ("x¹²", "x^{12}"),
    ("x⁻¹ⁿ", "x^{-1n}"),
    ("x₁₀²", "x_{10}^{2}"),
    ("x²₁", "x_{1}^{2}"),
    ("x^{²}", "x^{2}"),
    ("x^²", "x^{2}"),
    ("²H", "{}^{2}H"),
    ("f'²", "f^{\\prime2}"),
    (r"\frac²3", r"\frac{{}^{2}}{3}"),
    (r"\sum₀³", r"\sum_{0}^{3}"),
    (r"\operatorname*{lcm}_x", r"lcm_x"),
    (r"\begin{matrix}a\\[2pt]b\end{matrix}", r"\begin{matrix}a\\b\end{matrix}"),
    (r"\begin{array}[c]{c@{}c}a&b\end{array}", r"\begin{matrix}a&b\end{matrix}"),
    (r"\begin{aligned}[t]a\end{aligned}", r"\begin{matrix}a\end{matrix}"),
    (r"\begin{aligned}[x]a\end{aligned}", r"\begin{matrix}{[}x]a\end{matrix}"),
    (r"\begin{cases}[x]=1\\y\end{cases}", r"\begin{cases}{[}x]=1\\y\end{cases}"),
    (r"\begin{bmatrix}[t]&1\end{bmatrix}", r"\begin{bmatrix}{[}t]&1\end{bmatrix}"),
    (r"\R", r"\mathbb{R}"),
    (r"{\cal L}", r"\mathcal{L}"),
    (r"\fbox{x}", r"\boxed{x}"),
    (r"α ∑_i^n ≈ →", r"\alpha \sum_{i}^{n} \approx \rightarrow"),
    (r"a\hspace{2em}b\phantom{c}", r"ab"),
]

DIFFERENT = [
    (r"x^2", r"x2"),
    (r"x^2", r"x_2"),
    (r"x^{23}", r"x^2 3"),
    (r"{x^2}^3", r"x^{2^3}"),
    (r"{x^2}^3", r"x^{23}"),
    (r"\frac{a}{b}", r"\frac{b}{a}"),
    (r"\frac{a}{b}", r"\binom{a}{b}"),
    (r"\sqrt[3]{x}", r"\sqrt{3}x"),
    (r"\overline{ab}", r"\overline{a}b"),
    (r"\hat{x}", r"\widehat{x}"),
    (r"\sin x", r"sinx"),
    (r"\overset{a}{=}", r"=^a"),
    (r"\xrightarrow{a}", r"\xrightarrow[a]{}"),
    (r"a_1{}^2", r"a_1^2"),
    (r"{}^2 a", r"a^2"),
    (r"x^{{}'}", r"x^{'}"),
    (r"\begin{matrix}a&b\end{matrix}", r"\begin{matrix}a\\b\end{matrix}"),
    (r"(", r"["),
    (r"\epsilon", r"\varepsilon"),
]

WRONG = [
    (r"\frac{a}", "lacks argument 2", 8),
    (r"\frac", "lacks argument 1", 5),
    (r"x^", "superscript lacks its content", 2),
    (r"x_}", "subscript lacks its content", 2),
    (r"x^_2", "subscript where an argument is missing", 2),
    (r"{a", "'{' is never closed", 0),
    (r"a}", "'}' closes nothing", 1),
    (r"\left(a}", "'}' where", 7),
    (r"\left(a", r"'\left' is never closed", 0),
    (r"a\right)", "closes nothing", 1),
    (r"\left", "lacks its delimiter", 5),
    (r"\left{a\right}", "is no delimiter", 5),
    (r"\sqrt[3{x}", "'[' is never closed", 5),
    (r"\foo", r"unknown command \foo", 0),
    (r"\mathbb{RC}", r"\mathbb takes one letter", 0),
    ("\\\x1b", r"unknown command '\\\x1b'", 0),
    (r"\phantom{x", "'{' is never closed", 8),
    (r"a \begin{foo} b \end{foo}", "unknown environment 'foo'", 2),
    (r"\begin{matrix} a \end{cases}", "where", 17),
    (r"\not x", r"\not stands before nothing", 0),
    (r"\overset{a}{bc}", "needs one plain symbol", 0),
    (r"\overset{a}{\overset{b}{=}}", "two things stand above", 0),
    ("a\x00", "is no symbol", 1),
    ("a $ b", "is no symbol", 2),
    ("ab\\", "is no symbol", 2),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_drawing_has_the_same_tree(one: str, other: str) -> None:
    assert parse(one) == parse(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_drawing_has_another_tree(one: str, other: str) -> None:
    assert parse(one) != parse(other)


@pytest.mark.parametrize(("text", "reason", "position"), WRONG)
def test_what_is_no_formula_is_refused_with_reason_and_place(
    text: str, reason: str, position: int
) -> None:
    with pytest.raises(GrammarError, match=re.escape(reason)) as caught:
        parse(text)
    assert caught.value.position == position
    assert "\n" not in str(caught.value)


@given(expressions())
@pytest.mark.slow
def test_any_tree_comes_back_from_each_form(tree: Expression) -> None:
    steps = unfold(tree)
    texts = (to_latex(tree), to_latex(tree, stretchy=True), " ".join(to_tokens(tree)))
    back = [*map(parse, texts), from_json(to_json(tree)), fold(steps), fold(by_level(steps))]
    assert [structure(other) for other in back] == [structure(tree)] * 6


@given(st.binary(max_size=60))
@example(b"\\")
@example(b"\xff\xfe{")
def test_garbage_is_a_formula_or_a_grammar_error(garbage: bytes) -> None:
    _survives(garbage.decode("utf-8", errors="surrogateescape"))
    _survives(garbage.decode("latin-1"))


_SPECIAL = [*r"{}[]^_&$~'", "\\", r"\left", r"\right", r"\begin{matrix}", r"\end{matrix}", r"\not"]
_SPECIAL += [r"\begin{array}", r"\overset", r"\limits", r"\\", *NAMES, *sorted(COMMANDS)]


@given(st.lists(st.sampled_from(_SPECIAL), max_size=25))
def test_shuffled_tokens_are_a_formula_or_a_grammar_error(tokens: list[str]) -> None:
    _survives(" ".join(tokens))


def _survives(text: str) -> None:
    position: int | None = 0
    try:
        tree = parse(text)
        assert parse(to_latex(tree)) == tree
    except GrammarError as error:
        position = error.position
    assert position is not None
    assert 0 <= position <= len(text)


@pytest.mark.parametrize(
    ("opener", "closer"),
    [
        ("{", "}"),
        ("x^{", "}"),
        ("{}^{", "}"),
        (r"\frac{1}{", "}"),
        (r"\sqrt{", "}"),
        (r"\sqrt[", "]{b}"),
        (r"\xrightarrow[", "]{b}"),
        (r"\hat{", "}"),
        (r"\overset{", "}{=}"),
        (r"\left(", r"\right)"),
        (r"\left(", r"\right)^2"),
        (r"\begin{matrix}", r"\end{matrix}"),
    ],
)
@pytest.mark.slow
def test_a_thousand_levels_are_nothing_special(opener: str, closer: str) -> None:
    depth = 1000
    tree = parse(opener * depth + "x" + closer * depth)
    assert parse(to_latex(tree)) == tree
    assert from_json(to_json(tree)) == tree
    assert fold(by_level(unfold(tree))) == tree
    assert hash(tree) == hash(fold(unfold(tree)))
    text = to_text(tree)  # which leaves out what nobody would look at
    assert "x" in text or LEFT_OUT in text
    assert "x" in to_mathml(tree)
    assert "x" in to_labelgraph(tree)
    assert "x" in repr(tree)


@pytest.mark.parametrize("text", ["\\{}", r"\begin{{{}}}", r"\begin{{matrix}}\end{{{}}}"])
def test_long_names_are_not_echoed_whole(text: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse(text.format("a" * 10_000))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "change",
    [
        {"version": "a" * 10_000},
        {"symbols": [{"symbol": "a" * 10_000}]},
        {"symbols": [{"symbol": "x"}, {"symbol": "x", "parent": 0, "relation": "a" * 10_000}]},
    ],
)
def test_nor_are_those_of_json(change: dict[str, object]) -> None:
    document = {"format": "san-expression", "version": 1, "symbols": []}
    with pytest.raises(GrammarError) as caught:
        from_json(json.dumps(document | change))
    assert len(str(caught.value)) < 200


@pytest.mark.slow
def test_depth_alone_is_no_error_but_a_missing_brace_is() -> None:
    with pytest.raises(GrammarError, match="never closed"):
        parse("x^{" * 30_000)
    with pytest.raises(GrammarError, match="longer than"):
        parse("x" * 100_001)


@pytest.mark.parametrize("text", ["f" + "'" * 50_000, "x^{2}" * 15_000, r"\frac12" * 8_000])
@pytest.mark.slow
def test_long_formulas_come_back(text: str) -> None:
    tree = parse(text)
    assert parse(to_latex(tree)) == tree


@pytest.mark.parametrize("unit", ["'", "x^{2}", r"\frac12"])
def test_twice_as_long_formulas_take_twice_the_work(unit: str) -> None:
    def work(length: int) -> int:
        return calls_of(lambda: to_latex(parse("f" + unit * length)))

    assert work(1000) < 2.2 * work(500)


@pytest.mark.parametrize(
    ("before", "prime", "times"),
    [("", r"^\prime", 14_000), ("", r"'^{\prime}", 9_000), ("{", "'}", 9_000)],
)
def test_primes_are_parsed_in_a_blink_however_they_are_written(
    before: str, prime: str, times: int
) -> None:
    text = before * times + "x" + prime * times
    start = process_time()
    tree = parse(text)
    assert process_time() - start < 2.0
    assert tree == parse("x" + "'" * (times * prime.count("'") + times * prime.count("prime")))


def test_what_labels_say_is_kept_where_latex_would_not_see_it() -> None:
    assert parse("100%,x") == parse(r"100\%,x")  # no comment
    assert parse(r"\begin{matrix}a\end{matrix}") != parse("a")
