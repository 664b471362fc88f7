import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given

from san.grammar import Expression, parse
from san.grammar.characters import CHARACTERS, character
from san.grammar.constructs import CONSTRUCTS, MATRIX
from san.grammar.mathml import WIDE_MARKS, to_mathml
from san.grammar.symbols import COMMANDS
from tests.grammar.trees import expressions

CHILDREN = {
    "mfrac": 2,
    "mroot": 2,
    "msub": 2,
    "msup": 2,
    "msubsup": 3,
    "munder": 2,
    "mover": 2,
    "munderover": 3,
}

SMALL = '<mo stretchy="false">'
TIGHT = '<mo stretchy="false" lspace="0" rspace="0">'
APPLIED = '<mo rspace="0.167em">&#x2061;</mo>'


def _body(latex: str) -> str:
    text = to_mathml(parse(latex), display=False)
    return text.removeprefix(
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow>'
    ).removesuffix("</mrow></math>")


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        ("x", "<mi>x</mi>"),
        ("12", "<mn>12</mn>"),
        ("3.14.", "<mn>3.14</mn><mo>.</mo>"),
        ("1.x", "<mn>1</mn><mo>.</mo><mi>x</mi>"),
        (
            "f(x)^2",
            f"<mi>f</mi><msup><mrow>{SMALL}(</mo><mi>x</mi>{SMALL})</mo></mrow>"
            "<mrow><mn>2</mn></mrow></msup>",
        ),
        ("x)^2", f"<mi>x</mi><msup>{SMALL})</mo><mrow><mn>2</mn></mrow></msup>"),
        (  # a browser would stretch those of f(x) to the fraction as well
            r"f(x)=(\frac{a}{b}]",
            f"<mi>f</mi>{SMALL}(</mo><mi>x</mi>{SMALL})</mo><mo>=</mo><mrow><mo>(</mo><mfrac>"
            "<mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac><mo>]</mo></mrow>",
        ),
        (r"\|v|\uparrow", f"{TIGHT}‖</mo><mi>v</mi>{TIGHT}|</mo>{SMALL}↑</mo>"),
        (
            "a-b=-(-c)",
            "<mi>a</mi><mo>−</mo><mi>b</mi><mo>=</mo>"
            f'<mo form="prefix">−</mo>{SMALL}(</mo><mo form="prefix">−</mo><mi>c</mi>{SMALL})</mo>',
        ),
        (r"3\square\infty", "<mn>3</mn><mi>□</mi><mi>∞</mi>"),
        (r"a\bmod b", '<mi>a</mi><mo lspace="0.222em" rspace="0.222em">mod</mo><mi>b</mi>'),
        (
            r"\begin{vmatrix}a\end{vmatrix}",
            "<mrow><mo>|</mo><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable><mo>|</mo></mrow>",
        ),
        ("12^3", "<msup><mn>12</mn><mrow><mn>3</mn></mrow></msup>"),
        ("3.14^2", "<msup><mn>3.14</mn><mrow><mn>2</mn></mrow></msup>"),
        (".5^2", "<mo>.</mo><msup><mn>5</mn><mrow><mn>2</mn></mrow></msup>"),
        ("2^3 4", "<msup><mn>2</mn><mrow><mn>3</mn></mrow></msup><mn>4</mn>"),
        ("x12_3", "<mi>x</mi><msub><mn>12</mn><mrow><mn>3</mn></mrow></msub>"),
        ("<", "<mo>&lt;</mo>"),
        (r"\alpha", "<mi>α</mi>"),
        (r"\sin x", f"<mi>sin</mi>{APPLIED}<mi>x</mi>"),
        (
            r"2\sin\ln x",
            '<mn>2</mn><mspace width="0.167em"></mspace>'
            f"<mi>sin</mi>{APPLIED}<mi>ln</mi>{APPLIED}<mi>x</mi>",
        ),
        (r"\sin(x)", f"<mi>sin</mi>{SMALL}(</mo><mi>x</mi>{SMALL})</mo>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"\frac{a}{b}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"),
        (r"\sqrt{x}", "<msqrt><mrow><mi>x</mi></mrow></msqrt>"),
        (r"\sqrt[3]{x}", "<mroot><mrow><mi>x</mi></mrow><mrow><mn>3</mn></mrow></mroot>"),
        (
            "x_1^2",
            "<msubsup><mi>x</mi><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></msubsup>",
        ),
        (
            r"\lim_x",
            '<munder><mo movablelimits="false">lim</mo><mrow><mi>x</mi></mrow></munder>',
        ),
        (
            r"\hat{x}",
            '<mover accent="true"><mrow><mi>x</mi></mrow><mo stretchy="false">^</mo></mover>',
        ),
        (
            r"\xrightarrow[b]{a}",
            '<munderover><mo stretchy="true">→</mo><mrow><mi>b</mi></mrow><mrow><mi>a</mi></mrow>'
            "</munderover>",
        ),
        (  # programs that know no CSS would drop the line and the frame
            r"\overline{a}\boxed{3}",
            '<mover><mrow style="border-top: 0.07em solid; padding-top: 0.1em"><mi>a</mi></mrow>'
            '<mo style="font-size: 0">¯</mo></mover><menclose notation="box">'
            '<mrow style="border: 0.07em solid; padding: 0.15em"><mn>3</mn></mrow></menclose>',
        ),
        (
            r"\begin{matrix}a&b\\c\end{matrix}",
            "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"
            "<mtr><mtd><mi>c</mi></mtd></mtr></mtable>",
        ),
    ],
)
def test_constructs(latex: str, mathml: str) -> None:
    assert _body(latex) == mathml


@given(expressions())
@pytest.mark.slow
def test_always_well_formed_with_the_children_that_browsers_expect(tree: Expression) -> None:
    root = ElementTree.fromstring(to_mathml(tree))
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        if tag in CHILDREN:
            assert len(element) == CHILDREN[tag]
        assert tag not in ("mi", "mn", "mo") or element.text


def test_every_command_that_is_no_word_has_a_character() -> None:
    words = {name for name in COMMANDS | set(CONSTRUCTS) if character(name).isalpha()}
    drawn_otherwise = {r"\frac", r"\binom", r"\sqrt", r"\boxed", r"\fbox", r"\textcircled", MATRIX}
    unnamed = {name for name in (COMMANDS | set(CONSTRUCTS)) - words if name not in CHARACTERS}
    assert unnamed - drawn_otherwise <= {r"\\"}
    functions = {name for name in words - drawn_otherwise if name not in CHARACTERS}
    assert all((name[1:].isalpha() and name[1:].islower()) or name == r"\Pr" for name in functions)


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        ("12", '<mn data-symbol="0">1</mn><mn data-symbol="1">2</mn>'),
        (
            r"\sum_i^n",  # JSON has what stands above first, MathML what stands below
            '<munderover><mo movablelimits="false" largeop="true" data-symbol="0">∑</mo>'
            '<mrow><mi data-symbol="2">i</mi></mrow><mrow><mi data-symbol="1">n</mi></mrow>'
            "</munderover>",
        ),
        (
            r"\sqrt[3]{x}y",
            '<mroot data-symbol="0"><mrow><mi data-symbol="2">x</mi></mrow>'
            '<mrow><mn data-symbol="1">3</mn></mrow></mroot><mi data-symbol="3">y</mi>',
        ),
        (
            "(x)^2",
            f'<msup><mrow>{SMALL[:-1]} data-symbol="0">(</mo><mi data-symbol="1">x</mi>'
            f'{SMALL[:-1]} data-symbol="2">)</mo></mrow>'
            '<mrow><mn data-symbol="3">2</mn></mrow></msup>',
        ),
    ],
)
def test_marks_are_the_numbers_of_json(latex: str, mathml: str) -> None:
    assert f"<mrow>{mathml}</mrow></math>" in to_mathml(parse(latex), marked=True)


@given(expressions())
@pytest.mark.slow
def test_every_symbol_but_the_parting_of_a_grid_is_marked_once(tree: Expression) -> None:
    drawn = to_mathml(tree, marked=True)
    root = ElementTree.fromstring(drawn)
    marks = [int(own) for e in root.iter() if (own := e.get("data-symbol")) is not None]
    assert len(marks) == len(set(marks))
    names = [visit.symbol.name for visit in tree.walk()]
    assert {names[number] for number in set(range(len(names))) - set(marks)} <= {"&", r"\\"}
    for element in root.iter():
        text, mark = element.text, element.get("data-symbol")
        if mark is not None and text:
            name = names[int(mark)]
            assert text == WIDE_MARKS.get(name) or text == character(name)
    plain = re.sub(r' data-symbol="\d+"', "", drawn)
    assert re.sub("</?mn>", "", plain) == re.sub("</?mn>", "", to_mathml(tree))
