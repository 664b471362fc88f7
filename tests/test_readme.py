"""The README says what is true: its samples run, its commands exist, its links lead somewhere."""

import io
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from rich.console import Console
from tools.show_samples import main as show_samples
from typer.main import get_command

from san.cli.main import app
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
    claims = 0
    for sample in samples:
        names: dict[str, object] = {}
        exec(sample, names)
        for line, said in re.findall(r"^(\w.*?)  +# ('.*?'|True|False)", sample, re.MULTILINE):
            assert repr(eval(line, names)).startswith(said.partition("...")[0].rstrip("'")), line
            claims += 1
    assert claims >= 6


@pytest.mark.slow
def test_make_run_prints_what_is_shown(tmp_path: Path) -> None:
    """The symbols and the frame; how sure the network is may differ from weights to weights."""
    found = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert found is not None
    for name in ("photo-quadratic.jpg", "quadratic.inkml"):
        shutil.copy(REPOSITORY / "samples" / name, tmp_path)
    console = Console(file=io.StringIO(), width=40, force_terminal=False)
    show_samples(tmp_path, console)
    assert isinstance(console.file, io.StringIO)
    printed = console.file.getvalue().splitlines()
    shown = found[1].splitlines()
    assert [line.rstrip() for line in printed[: len(shown) - 1]] == shown[:-1]
    assert "sure ─╯" in printed[len(shown) - 1]


def test_every_command_is_one_of_san() -> None:
    verbs = get_command(app).commands  # type: ignore[attr-defined]
    used = set(re.findall(r"^(?:\$ )?san (\w+)", README, re.MULTILINE))
    assert {"read", "tree", "train"} <= used <= set(verbs)


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 130


def test_terms_of_the_weights_come_before_the_first_command_that_uses_them() -> None:
    assert README.index("research and non-commercial use only") < README.index("\nsan read")
    metadata = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert metadata["license"] == "Apache-2.0 AND LicenseRef-san-weights AND OFL-1.1"
    texts = [(REPOSITORY / name).read_text("utf-8") for name in metadata["license-files"]]
    assert any("LicenseRef-san-weights" in text for text in texts)
    for card in sorted((REPOSITORY / "src" / "san" / "models").glob("*.md")):
        assert "non-commercial" in card.read_text("utf-8"), card.name
