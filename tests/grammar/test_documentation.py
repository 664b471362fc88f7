"""docs/grammar.md says what the grammar does: its table and its console samples are run."""

import re

import pytest

from san.cli.tree import tree
from san.grammar import GrammarError, parse
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "grammar.md").read_text("utf-8")


def test_each_row_of_the_table_is_what_the_parser_does() -> None:
    rows = re.findall(r"^\| [^|]+ \| `([^`]+)` \| `([^`]+)` \|", PAGE, re.MULTILINE)
    assert len(rows) > 25
    for latex, expected in rows:
        assert repr(parse(latex)) == f"Expression({expected})"


def test_each_console_sample_is_what_san_tree_prints(capsys: pytest.CaptureFixture[str]) -> None:
    samples = re.findall(r"\$ san tree '([^']+)'(?: --format (\w+))?\n((?:(?!\$|```).*\n)+)", PAGE)
    assert len(samples) >= 6
    for latex, form, output in samples:
        try:
            tree(latex, form or "tree")
        except GrammarError as error:
            print(f"san: {error}")
        assert capsys.readouterr().out == output
