"""The README's samples are run as they stand."""

import re

from san.cli.tree import WRITERS, Format
from san.grammar import parse, to_latex
from tests.conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text("utf-8")


def test_the_tree_is_what_san_tree_prints() -> None:
    found = re.search(r"\$ san tree '([^']+)'\n(.*?)\n```", README, re.DOTALL)
    assert found is not None
    assert WRITERS[Format.tree](parse(found[1])) == found[2]


def test_the_sample_of_the_language_says_the_truth() -> None:
    tree = parse(r"x^2_1 + \sum\limits_{i}^{n} a_i")
    assert tree == parse(r"x_{1}^{2}+\sum_i^n{a_i}")
    assert repr(to_latex(tree)) in README


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert len(links) >= 5
    for link in links:
        assert (REPOSITORY / link).exists(), link
