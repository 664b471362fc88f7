import pytest

from san.grammar.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\frac{a}{b}", [r"\frac", "{", "a", "}", "{", "b", "}"]),
        (r"\frac { a } { b }", [r"\frac", "{", "a", "}", "{", "b", "}"]),
        (r"x_1^{2}", ["x", "_", "1", "^", "{", "2", "}"]),
        (r"\begin {matrix} a", [r"\begin{matrix}", "a"]),
        (r"\mathbb R\mathbb{ Q }\mathbbm", [r"\mathbb{R}", r"\mathbb{Q}", r"\mathbbm"]),
        (r"\{a\}\\b\,", [r"\{", "a", r"\}", r"\\", "b", r"\,"]),
        (" \n\t", []),
        ("种 \\", ["种", "\\"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert [token.text for token in tokenize(text)] == expected


def test_positions_point_into_the_text() -> None:
    text = r"  \alpha + \mathbb {R}"
    assert [token.position for token in tokenize(text)] == [2, 9, 11]
