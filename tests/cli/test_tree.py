import json
import xml.etree.ElementTree as ElementTree

import pytest

from tests.cli.console import complaint, san


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("tree", "\\frac\n├─ above  a\n└─ below  b\n"),
        ("latex", "\\frac{a}{b}\n"),
        ("tokens", "\\frac { a } { b }\n"),
    ],
)
@pytest.mark.slow
def test_formats(form: str, expected: str) -> None:
    assert san("tree", r"\frac ab", "--format", form).stdout == expected


@pytest.mark.slow
def test_formats_that_programs_read() -> None:
    assert json.loads(san("tree", "x^2", "--format", "json").stdout)["latex"] == "x^{2}"
    assert ElementTree.fromstring(san("tree", "x^2", "--format", "mathml").stdout).tag.endswith(
        "math"
    )
    assert "R, x_1, 2_1, Sup, 1.0" in san("tree", "x^2", "--format", "lg").stdout.splitlines()
    steps = san("tree", "x^2", "--format", "steps").stdout.splitlines()
    assert steps[2].split() == ["1", "0", "1", "x", "<extend>", "sup"]


@pytest.mark.slow
def test_a_formula_may_begin_with_a_minus_and_come_from_standard_input() -> None:
    assert san("tree", "-x", "--format", "latex").stdout == "-x\n"
    assert san("tree", "-a-f(x)", "--format", "latex").stdout == "-a-f(x)\n"
    assert san("tree", "-", "--format", "latex", stdin="$a_1$\n").stdout == "a_{1}\n"


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        (r"\frac{a}", r"\frac lacks argument 2 at the end"),
        (r"\foo", r"unknown command \foo"),
        ("", "the formula is empty"),
        ("$ $", "the formula is empty"),
    ],
)
@pytest.mark.slow
def test_what_is_no_formula_is_one_line(formula: str, reason: str) -> None:
    assert reason in complaint("tree", formula)
    assert reason in complaint("tree", "-", stdin=formula)


@pytest.mark.slow
def test_input_without_an_end_is_one_line() -> None:
    assert "larger than 1,000,000 bytes" in complaint("tree", "-", stdin=b"0" * 1_000_001)


@pytest.mark.slow
def test_input_that_is_no_text_is_one_line() -> None:
    assert "not UTF-8" in complaint("tree", "-", stdin=b"\xff\xfe\xff")
