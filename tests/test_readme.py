"""The README says what is true: its samples are run, its links lead somewhere."""

import re

import pytest

from san.cli.tree import WRITERS, Format
from san.grammar import parse
from tests.conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text("utf-8")


def test_the_tree_is_what_san_tree_prints() -> None:
    found = re.search(r"\$ san tree '([^']+)'\n(.*?)\n```", README, re.DOTALL)
    assert found is not None
    assert WRITERS[Format.tree](parse(found[1])) == found[2]


def test_the_python_samples_run_and_come_to_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    samples = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(samples) >= 2
    for sample in samples:
        names: dict[str, object] = {}
        exec(sample, names)
        for line, said in re.findall(r"^(\w.*?)  +# ('.*?'|True|False)", sample, re.MULTILINE):
            assert repr(eval(line, names)).startswith(said.partition("...")[0].rstrip("'")), line


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert len(links) >= 5
    for link in links:
        assert (REPOSITORY / link).exists(), link
