"""JSON, label graph and the drawing in the terminal."""

import json

import pytest

from san.grammar import GrammarError, parse
from san.grammar.json import from_json, to_dict, to_json
from san.grammar.labelgraph import to_labelgraph
from san.grammar.text import to_text


def test_json_is_flat_and_versioned() -> None:
    assert to_dict(parse("x^2+1")) == {
        "format": "san-expression",
        "version": 1,
        "latex": "x^{2}+1",
        "symbols": [
            {"id": 0, "symbol": "x", "parent": None, "relation": None},
            {"id": 1, "symbol": "2", "parent": 0, "relation": "sup"},
            {"id": 2, "symbol": "+", "parent": 0, "relation": "right"},
            {"id": 3, "symbol": "1", "parent": 2, "relation": "right"},
        ],
    }


def test_json_may_carry_more_beside_each_symbol() -> None:
    document = to_dict(parse("x^2"))
    document["symbols"][1]["probability"] = 0.9
    assert from_json(json.dumps(document)) == parse("x^2")


def _with_symbols(*symbols: object) -> str:
    return json.dumps({"format": "san-expression", "version": 1, "symbols": list(symbols)})


X = {"id": 0, "symbol": "x", "parent": None, "relation": None}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an expression"),
        ('{"format": "san-expression", "version": 9}', "version 9"),
        ('{"format": "san-expression", "version": 1}', "list"),
        (_with_symbols(1), "symbol 0 has no name"),
        (_with_symbols({"symbol": "xy"}), "is no symbol"),
        (_with_symbols({"symbol": "\\mathx}"}), "is no symbol"),
        (_with_symbols({"symbol": "\\mathbb{9}"}), "is no symbol"),
        (_with_symbols(X, {"symbol": "y", "parent": 1, "relation": "sup"}), "no earlier symbol"),
        (_with_symbols(X, {"symbol": "y", "parent": True, "relation": "sup"}), "no earlier symbol"),
        (_with_symbols(X, {"symbol": "y", "parent": 0, "relation": "left"}), "unknown relation"),
        (
            _with_symbols(X, {"symbol": "y", "parent": 0, "relation": "inside"}),
            "stand inside 'x'",
        ),
        (
            _with_symbols(
                X,
                {"symbol": "y", "parent": 0, "relation": "sup"},
                {"symbol": "z", "parent": 0, "relation": "sup"},
            ),
            "two things cannot stand in the superscript of 'x'",
        ),
    ],
)
def test_bad_json_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(GrammarError, match=reason):
        from_json(text)


def test_json_of_nothing() -> None:
    assert from_json(to_json(parse(""))) == parse("")


def test_label_graph() -> None:
    assert to_labelgraph(parse(r"\sqrt[3]{x},x")).splitlines() == [
        "# Objects(5):",
        r"O, \sqrt_1, \sqrt, 1.0, \sqrt_1",
        "O, 3_1, 3, 1.0, 3_1",
        "O, x_1, x, 1.0, x_1",
        "O, COMMA_1, COMMA, 1.0, COMMA_1",
        "O, x_2, x, 1.0, x_2",
        "# Relations(4):",
        r"R, \sqrt_1, 3_1, Above, 1.0",
        r"R, \sqrt_1, x_1, Inside, 1.0",
        r"R, \sqrt_1, COMMA_1, Right, 1.0",
        "R, COMMA_1, x_2, Right, 1.0",
    ]


def test_terminal_drawing() -> None:
    assert to_text(parse(r"a+\sum_{i=1}^n\frac{x_i}{2}=b")).splitlines() == [
        "a +",
        r"\sum  ∑",
        "├─ above  n",
        "└─ below  i = 1",
        r"\frac",
        "├─ above  x",
        "│         └─ sub  i",
        "└─ below  2",
        "= b",
    ]
    assert to_text(parse("{}^2C")).splitlines() == ["(nothing)", "└─ sup  2", "C"]
    assert to_text(parse("")) == ""


@pytest.mark.slow
def test_an_outline_does_not_grow_with_the_square_of_its_depth() -> None:
    drawn, deeper = (to_text(parse("x^{" * depth + "y" + "}" * depth)) for depth in (100, 20_000))
    assert drawn.splitlines()[-1].endswith("sup  y")
    assert deeper.splitlines()[-1].endswith("└─ …")
    assert len(deeper) < 100_000
    # What comes behind the deep part is drawn.
    assert to_text(parse(r"\frac{" + "x^{" * 200 + "y" + "}" * 200 + "}{z}+1")).endswith("z\n+ 1")
