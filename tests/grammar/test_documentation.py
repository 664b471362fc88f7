"""docs/grammar.md says what the grammar does: its table and its console samples are run."""

import re

from san.cli.tree import WRITERS, Format
from san.grammar import GrammarError, parse
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "grammar.md").read_text("utf-8")


def test_each_row_of_the_table_is_what_the_parser_does() -> None:
    rows = re.findall(r"^\| [^|]+ \| `([^`]+)` \| `([^`]+)` \|", PAGE, re.MULTILINE)
    assert len(rows) > 25
    for latex, tree in rows:
        assert repr(parse(latex)) == f"Expression({tree})"


def test_each_console_sample_is_what_san_tree_prints() -> None:
    samples = re.findall(r"\$ san tree '([^']+)'(?: --format (\w+))?\n((?:(?!\$|```).*\n)+)", PAGE)
    assert len(samples) >= 6
    for latex, form, output in samples:
        try:
            printed = WRITERS[Format(form or "tree")](parse(latex))
        except GrammarError as error:
            printed = f"san: {error}"
        assert printed == output.rstrip("\n")
