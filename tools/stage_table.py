"""A table of the stages of one configuration: what each was trained with, and what it validates at.

    python -m tools.stage_table configs/ablation.toml runs/ablation

A stage whose folder has no weights is left out; one that is not finished is marked.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from san.errors import SanError, run_or_exit
from san.training.config import load_stages
from san.training.run_files import stage_facts

EXACT = "validation_exact"
COLUMNS = (
    ("minutes", ".1f"),
    ("samples", ","),
    ("seed", ""),
    (EXACT, ".2f"),
    ("validation_cross_entropy", ".4f"),
)
"""What the weights say, and how it is written."""


def table(config: Path, folder: Path) -> str:
    """Markdown, with a row for each stage in the order of the file."""
    trained = {stage.name: stage_facts(folder / stage.name) for stage in load_stages(config)}
    rows = {name: facts for name, facts in trained.items() if facts}
    if not rows:
        raise SanError(f"{folder}: no stage of {config} has weights in it")
    beside = sorted(
        {key for facts in rows.values() for key in facts if key.startswith(f"{EXACT}_")}
    )
    heads = ["stage", "minutes", "samples", "seed", "ExpRate", "cross entropy"]
    heads += [key.removeprefix(f"{EXACT}_") for key in beside]
    lines = [heads, ["---"] * len(heads)]
    for name, facts in rows.items():
        mark = "" if facts.get("finished") else " (not finished)"
        cells = [_cell(facts, key, form) for key, form in COLUMNS]
        cells += [_cell(facts, key, ".2f") for key in beside]
        lines.append([name + mark, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(facts: Mapping[str, Any], key: str, form: str) -> str:
    """Empty where the weights do not say it: those of other tools, or of an older version."""
    return format(facts[key], form) if key in facts else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("folder", type=Path, help="which has a folder for each stage")
    asked = parser.parse_args()
    print(table(asked.config, asked.folder))


if __name__ == "__main__":
    run_or_exit(main)
