"""The paper's tables on equal terms, from the scores that recipes/paper.sh leaves in its runs.

    python -m tools.paper_tables runs/paper

A run's folder is SYSTEM-INK-SEED; it has its weights, and scores.json of tools.paper_scores.
Beside the scores stand the updates, samples, minutes and parameters of each run.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from safetensors import safe_open

from san.errors import SanError, run_or_exit
from san.files import write_file
from san.model.spec import read_metadata, tensor_shapes
from san.training.run_files import WEIGHTS, stage_facts
from san.training.run_log import read_log
from tools.paper_scores import SCORES

SYSTEMS = ("dwap", "dwap-td", "bttr", "san-gs", "san")
TABLES = "tables.md"
PARTS = ("easy", "moderate", "hard")


class Run(NamedTuple):
    """A system, the ink that it was trained on, and its seed."""

    folder: Path
    system: str
    ink: str
    seed: str

    def scores(self) -> dict[str, dict[str, Any]]:
        scores: dict[str, dict[str, Any]] = json.loads((self.folder / SCORES).read_text("utf-8"))
        return scores


def find_runs(folder: Path) -> list[Run]:
    """Those that are scored, in the order of the tables."""
    runs = []
    for scored in folder.glob(f"*/{SCORES}"):
        system, _, rest = scored.parent.name.partition("-plain-")
        ink, seed = "plain", rest
        if not rest:
            system, _, seed = scored.parent.name.partition("-composed-")
            ink = "composed"
        if system in SYSTEMS and seed:
            runs.append(Run(scored.parent, system, ink, seed))
    return sorted(runs, key=lambda run: (run.ink != "plain", SYSTEMS.index(run.system), run.seed))


def write_tables(folder: Path) -> Path:
    runs = find_runs(folder)
    if not runs:
        raise SanError(f"{folder}: no run in it is scored")
    lines = ["# The systems of the paper on equal terms", ""]
    for year in ("2014", "2016"):
        lines += [f"## CROHME {year}", "", *_scores(runs, year), ""]
    lines += ["## The runs", "", *_facts(runs)]
    target = folder / TABLES
    write_file(target, "\n".join(lines) + "\n")
    return target


def _scores(runs: list[Run], year: str) -> list[str]:
    names = ("system", "ink", "seed", "read", "ExpRate", "95%", "<= 1", "<= 2", "ESPR", *PARTS)
    lines = [f"| {' | '.join(names)} |", "| --- " * len(names) + "|"]
    for run in runs:
        for way, name in (("greedy", year), ("beam 10", f"{year}-beam")):
            found = run.scores().get(name)
            if found is None:
                continue
            low, high = found["exprate_interval"]
            rates = [found[part]["exprate"] for part in PARTS]
            cells = [
                run.system, run.ink, run.seed, way, f"{found['exprate']:.1f}",
                f"{low:.1f} to {high:.1f}",
                *(f"{value:.1f}" for value in (found["le1"], found["le2"], found["espr"], *rates)),
            ]  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _facts(runs: list[Run]) -> list[str]:
    lines = [
        "| system | ink | seed | updates | samples | minutes | parameters |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for run in runs:
        facts = stage_facts(run.folder)
        log = read_log(run.folder / "log.jsonl")
        updates = int(log[-1]["step"]) if log else 0
        cells = [
            run.system, run.ink, run.seed, f"{updates:,}", f"{facts.get('samples', 0):,}",
            f"{facts.get('minutes', 0):.1f}", f"{parameters(run.folder / WEIGHTS) / 1e6:.2f} M",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def parameters(weights: Path) -> int:
    """How many numbers of a network are trained, those of reading."""
    with safe_open(weights, "np") as file:
        config, vocabulary = read_metadata(file.metadata() or {}, str(weights))
    shapes = tensor_shapes(config, vocabulary)
    return sum(math.prod(shape) for name, shape in shapes.items() if "running_" not in name)


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the paper's tables.")
    parser.add_argument("runs", type=Path, help="folder of the runs")
    asked = parser.parse_args()
    print(write_tables(asked.runs))


if __name__ == "__main__":
    run_or_exit(main)
