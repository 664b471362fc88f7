"""The paper's tables on equal terms, from the scores that recipes/paper.sh leaves in its runs.

    python -m tools.paper_tables runs/paper

A run's folder is SYSTEM-INK-SEED; it has its weights, and scores.json of tools.paper_scores.
Beside the scores stand the updates, samples, minutes and parameters of each run, and behind the
seeds of a system their mean.
"""

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from safetensors import safe_open

from san.errors import SanError, run_or_exit
from san.evaluation.compare import Difficulty
from san.files import write_file
from san.model.spec import read_metadata, tensor_shapes
from san.training.run_files import WEIGHTS, stage_facts
from san.training.run_log import read_log
from tools.paper_scores import SCORES

SYSTEMS = ("dwap", "dwap-td", "bttr", "san-gs", "san")
TABLES = "tables.md"
YEARS = ("2014", "2016")
RATES = {"ExpRate": "exprate", "<= 1": "le1", "<= 2": "le2", "ESPR": "espr"}
HEAD = ("system", "ink", "seed", "read")
FACTS = ("system", "ink", "seed", "updates", "samples", "minutes", "at once", "parameters")
AT_ONCE = "at_once.txt"
"""In a run's folder: how many runs shared its device at most, which its minutes depend on."""
NOTE = (
    "Percent with 95% intervals; what is no formula is wrong. "
    "Parts are named with the number of their images; the mean of seeds is of two networks. "
    "Minutes are those of a run that shares its device with as many as `at once` says."
)
WAYS = {"": "greedy", "-beam": "beam 10"}
"""How a corpus was read, by the ends of its names in scores.json."""


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
    lines = ["# The systems of the paper on equal terms", "", NOTE, ""]
    for year in YEARS:
        rows = _rows(runs, year)
        if not rows:
            continue
        lines += [f"## CROHME {year}", "", *_scores(rows), ""]
        lines += [f"## CROHME {year}: ExpRate by difficulty and by symbols", "", *_parts(rows), ""]
    lines += ["## The runs", "", *_facts(runs)]
    target = folder / TABLES
    write_file(target, "\n".join(lines) + "\n")
    return target


class Row(NamedTuple):
    """A run as it was read in one way; or the mean of several of the same, but for their seeds."""

    system: str
    ink: str
    seed: str
    way: str
    figures: list[dict[str, Any]]  # of one run, or of each

    @property
    def cells(self) -> list[str]:
        return [self.system, self.ink, self.seed, self.way]


def _rows(runs: list[Run], year: str) -> list[Row]:
    """Those of each run, and behind several seeds their mean."""
    rows: list[Row] = []
    for (system, ink), group in groupby(runs, lambda run: (run.system, run.ink)):
        found = [(run.seed, run.scores()) for run in group]
        for end, way in WAYS.items():
            read = [(seed, scores[year + end]) for seed, scores in found if year + end in scores]
            rows += [Row(system, ink, seed, way, [figures]) for seed, figures in read]
            if len(read) > 1:
                rows.append(Row(system, ink, "mean", way, [figures for _, figures in read]))
    return rows


def _scores(rows: list[Row]) -> list[str]:
    """The figures of all images, and how many readings are no formulas."""
    return _table(
        (*HEAD, *RATES, "no formula"),
        (
            [
                *row.cells,
                *(
                    _rate([(of[key], of[f"{key}_interval"]) for of in row.figures])
                    for key in RATES.values()
                ),
                f"{fmean(of['unparsed'] + of['empty'] for of in row.figures):g}",
            ]
            for row in rows
        ),
    )


def _parts(rows: list[Row]) -> list[str]:
    """ExpRate by difficulty and by length, and how many images each part has."""
    parts = [_parts_of(row.figures[0]) for row in rows]
    names = [f"{name} ({part['n']})" for name, part in parts[0].items()]
    return _table(
        (*HEAD, *names),
        ([*row.cells, *(_part(row, name) for name in parts[0])] for row in rows),
    )


def _parts_of(figures: dict[str, Any]) -> dict[str, dict[str, Any]]:
    parts: dict[str, dict[str, Any]] = {name.value: figures[name.value] for name in Difficulty}
    parts.update(figures["by_length"])
    return parts


def _part(row: Row, name: str) -> str:
    found = [_parts_of(figures)[name] for figures in row.figures]
    if not found[0]["n"]:
        return "-"
    return _rate([(part["exprate"], part["exprate_interval"]) for part in found])


def _rate(found: list[tuple[float, list[float]]]) -> str:
    """With its interval; that of a mean of several runs on the same images is not known."""
    if len(found) > 1:
        return f"{fmean(rate for rate, _ in found):.1f}"
    (rate, (low, high)) = found[0]
    return f"{rate:.1f} ({low:.1f} to {high:.1f})"


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(names)} |", "| --- " * len(names) + "|"]
    return lines + [f"| {' | '.join(cells)} |" for cells in rows]


def _facts(runs: list[Run]) -> list[str]:
    rows = []
    for run in runs:
        facts = stage_facts(run.folder)
        log = read_log(run.folder / "log.jsonl")
        updates = int(log[-1]["step"]) if log else 0
        cells = [
            run.system, run.ink, run.seed, f"{updates:,}", f"{facts.get('samples', 0):,}",
            f"{facts.get('minutes', 0):.1f}", _at_once(run.folder),
            f"{parameters(run.folder / WEIGHTS) / 1e6:.2f} M",
        ]  # fmt: skip
        rows.append(cells)
    return _table(FACTS, rows)


def _at_once(folder: Path) -> str:
    try:
        return (folder / AT_ONCE).read_text("utf-8").strip()
    except OSError:
        return "1"


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
