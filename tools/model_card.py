"""Writes the card of a model from what lies in its folder: weights, calibration, ranges, scores.

    python -m tools.model_card runs/san/model -o runs/san/model/san.md

Called by recipes/san.sh. The prose is recipes/model_card.md. What a stage was trained with the
weights say themselves; scores are those that `tools/score_model.py` leaves.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from san.decoding.confidence import fingerprint
from san.errors import SanError, run_or_exit
from san.files import read_file, write_file
from san.model.onnx.weights import read_facts
from san.model.spec import MAX_BYTES, count_parameters, read_metadata
from tools.score_model import SCORES, WEIGHTS

TEMPLATE = Path(__file__).resolve().parents[1] / "recipes" / "model_card.md"
ROWS = {
    "2014": ("CROHME 2014", "validation"),
    "val_photos": ("HME100K, val_photos", "validation"),
    "held_photos": ("HME100K, held photographs", "validation"),
    "val_lines": ("MLHME, held photographs of lines", "validation"),
    "2016": ("CROHME 2016", "test"),
    "test_photos": ("HME100K, test photographs", "test"),
    "test_lines": ("MLHME, test photographs of lines", "test"),
}
"""Of the table of scores, by the names of the files."""
DIFFICULTIES = ("easy", "moderate", "hard")

Figures = Mapping[str, Any]


def load_json(path: Path) -> Figures:
    try:
        content = json.loads(read_file(path))
    except ValueError as error:
        raise SanError(f"{path}: not JSON ({error})") from None
    if not isinstance(content, dict):
        raise SanError(f"{path}: no object of figures")
    return content


def with_interval(figures: Figures) -> str:
    low, high = figures["exprate_interval"]
    return f"{figures['exprate']:.2f} ({low:.1f} - {high:.1f})"


def score_rows(scores: Figures) -> Iterator[str]:
    """A row for each corpus."""
    for name, (title, role) in ROWS.items():
        if name in scores:
            greedy, default = scores[name]["greedy"], scores[name]["default"]
            rest = " | ".join(f"{greedy[key]:.2f}" for key in ("le1", "le2", "espr"))
            yield (
                f"| {title} ({greedy['n']:,}) | {role} | {with_interval(greedy)} | {rest} "
                f"| {with_interval(default)} |"
            )


def length_rows(scores: Figures) -> Iterator[str]:
    """A row of ExpRates for each corpus: by length, and by difficulty."""
    for name, (title, _) in ROWS.items():
        if name in scores:
            greedy = scores[name]["greedy"]
            parts = [*greedy["by_length"].values(), *(greedy[key] for key in DIFFICULTIES)]
            cells = [f"{part['exprate']:.1f}" if part["n"] else "-" for part in parts]
            yield f"| {title} | {' | '.join(cells)} |"


def stage_row(stage: Figures) -> str:
    scores = [
        f"{stage[key]:.2f}" if key in stage else "-"
        for key in (
            "validation_exact",
            "validation_exact_val-photos",
            "validation_exact_photos-held",
            "validation_exact_val-lines",
        )
    ]
    name = str(stage["config"]).rpartition("/")[2]
    cells = [name, stage["commit"] or "-", stage["seed"], stage["minutes"], f"{stage['samples']:,}"]
    return f"| {' | '.join(map(str, [*cells, *scores]))} |"


def card(folder: Path) -> str:
    """The card of the model in a folder."""
    weights = folder / WEIGHTS
    metadata = read_facts(read_file(weights, MAX_BYTES))
    config, vocabulary = read_metadata(metadata, weights.name)
    stages: Sequence[Figures] = json.loads(metadata["facts"]).get("stages", [])
    if not stages:
        raise SanError(f"{weights}: it does not say how it was trained")
    scores = load_json(folder / SCORES)
    lengths = next(iter(scores.values()))["greedy"]["by_length"]
    ranges = load_json(folder / "san.int8.json")["checked_on"]
    calibration = load_json(folder / "san.calibration.json")
    checked = calibration["checked_on"]
    return Template(read_file(TEMPLATE).decode("utf-8")).substitute(
        encoder={"densenet": "DenseNet", "residual": "residual"}[config.encoder],
        parameters=f"{count_parameters(config, vocabulary) / 1e6:.1f}",
        symbols=len(vocabulary.symbols),
        megabytes=f"{weights.stat().st_size / 1e6:.1f}",
        sha256=fingerprint(weights),
        scores="\n".join(score_rows(scores)),
        lengths=" | ".join(lengths),
        dashes=" | ".join("---" for _ in lengths),
        by_length="\n".join(length_rows(scores)),
        minutes=f"{sum(stage['minutes'] for stage in stages):.1f}",
        samples=f"{sum(stage['samples'] for stage in stages):,}",
        stages="\n".join(map(stage_row, stages)),
        int8=(
            f"On {ranges['corpus']} {ranges['differing']} of {ranges['n']} trees differ from "
            f"single precision's, and ExpRate is {ranges['exprate']:.2f} instead of "
            f"{ranges['exprate_exact']:.2f}."
        ),
        calibration=(
            f"Fitted on {calibration['fitted_on']['corpus']}, for photographs on the held ones and "
            f"val_photos ({calibration['photographed']:.2f} in log odds); on {checked['corpus']}, "
            "which had no part in it, the expected calibration error is "
            f"{checked['ece_mass']:.3f}, and of the surest half "
            f"{checked['surest_half_right']:.1%} are right."
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the card of a model.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    write_file(asked.output, card(asked.folder))
    print(asked.output)


if __name__ == "__main__":
    run_or_exit(main)
