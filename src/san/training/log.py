"""A run's log: one line of JSON an epoch."""

import json
from collections.abc import Mapping
from pathlib import Path

from san.files import write_file


def add_line(path: Path, line: Mapping[str, float | int]) -> None:
    with path.open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def forget_after(path: Path, epoch: int) -> None:
    """Drop what a killed run wrote after its last saved state: it will be done, and told, again."""
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    kept = "".join(line + "\n" for line in text.splitlines() if _until(line, epoch))
    if kept != text:
        write_file(path, kept)


def _until(line: str, epoch: int) -> bool:
    try:
        return int(json.loads(line)["epoch"]) <= epoch
    except (ValueError, KeyError, TypeError):
        return False  # cut off in the middle
