"""Imports point one way: each part of the package imports only those that it stands on."""

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

SOURCE = REPOSITORY / "src" / "san"

STANDS_ON: dict[str, set[str]] = {
    "grammar": set(),
    "ink": set(),
    "images": {"ink"},
    "models": set(),
    "decoding": {"grammar"},
    "data": {"grammar", "ink", "images"},
    "evaluation": {"grammar", "decoding", "model"},
    "model": {"grammar", "decoding", "models"},
    "reader": {"grammar", "ink", "images", "decoding", "model", "models"},
    "notebook": {"ink", "reader"},
    "": {"reader", "notebook", "cli"},  # `from san import read, sheet`; `python -m san`
    "serve": {"grammar", "ink", "images", "reader"},
    "bulk": {"ink", "images", "reader"},
    "synth": {"grammar", "ink", "images", "data", "decoding"},
    "training": {"grammar", "data", "synth", "decoding", "model", "models"},
    "cli": {
        "grammar", "ink", "images", "data", "synth", "evaluation", "decoding", "model", "models",
        "reader", "serve", "bulk", "training"
    },
}  # fmt: skip
EVERYWHERE = {"errors", "files", "cores", "config", ""}  # modules that belong to no part
TORCH = ("training", "model/torch", "model/kernels")

FILES = sorted(SOURCE.rglob("*.py"))


def _imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: imports are absolute"
            names.add(node.module or "")
            if node.module == "san":
                names.update(f"san.{alias.name}" for alias in node.names)
    return names


def test_every_part_has_its_place() -> None:
    parts = {file.relative_to(SOURCE).parts[0] for file in FILES if file.parent != SOURCE}
    assert parts <= set(STANDS_ON)
    assert len(FILES) > 30


def test_what_a_part_stands_on_is_what_it_imports_and_what_the_map_says() -> None:
    imported: dict[str, set[str]] = {part: set() for part in STANDS_ON if part}
    for file in FILES:
        if file.parent != SOURCE:
            imported[file.relative_to(SOURCE).parts[0]] |= _imported(file)
    said = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
    for part, names in imported.items():
        parts = {name.split(".")[1] for name in names if name.startswith("san.")}
        assert (parts - {part}) & imported.keys() == STANDS_ON[part], part
        row = re.search(rf"^\| `{part}/` \|.*\| (.*) \|$", said, re.MULTILINE)
        assert row, part
        if part != "cli":  # which stands on all
            assert set(re.findall(r"`(\w+)`", row[1])) == STANDS_ON[part], part


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_point_one_way(file: Path) -> None:
    inside = file.relative_to(SOURCE)
    part = inside.parts[0] if len(inside.parts) > 1 else ""
    allowed = STANDS_ON.get(part, set()) | EVERYWHERE | {part}
    for name in _imported(file):
        top, _, rest = name.partition(".")
        if top == "san":
            first = rest.partition(".")[0]
            assert first in allowed or not (SOURCE / first).is_dir(), f"{part} imports san.{first}"
        if part == "grammar":
            assert top not in ("numpy", "cv2", "PIL", "torch"), "the grammar is pure Python"
        if top == "torch":
            assert inside.as_posix().startswith(TORCH), "the reader has no torch"
