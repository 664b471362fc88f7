"""The mean of weights of one network, of which the later ones began with earlier ones.

    python -m tools.average before.safetensors after.safetensors --later 0.75 -o mean.safetensors
    python -m tools.average san runs/san/hands/weights.safetensors \\
        --norms configs/san.toml --stage hands -o mean.safetensors

All have equal parts, unless the later one of two is given another. A stage of a configuration may
be such a mean by itself (`mean_of`, docs/training.md); this is to try others. With `--norms` batch
norms are measured anew, on fresh samples of a stage of a configuration as it ends: of its last one
that is no trial, or of the one that is named.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import torch
from rich.progress import track

from san.cli.console import check_outputs
from san.errors import SanError, run_or_exit
from san.model.torch.weights import read_facts, save_weights
from san.models import find_model
from san.training.average import fresh_images, mean_network
from san.training.config import Config, load_config
from san.training.norm_statistics import measure_norms


def average(
    weights: Sequence[Path],
    output: Path,
    later: float | None = None,
    later_encoder: float | None = None,
    norms: Config | None = None,
) -> None:
    """Write the mean of weights; SanError where there is none.

    Args:
        later: The share of the later one of two.
        later_encoder: Its share in the encoder, if another one.
    """
    check_outputs([output], weights)  # before minutes of measuring
    if len(weights) < 2:
        raise SanError("a mean is of two weights or more")
    given = {"later": later, "later_encoder": later_encoder}
    shares = {name: share for name, share in given.items() if share is not None}
    if shares and len(weights) != 2:
        raise SanError(f"--later and --encoder are of two weights; of {len(weights)} all are equal")
    for share in shares.values():
        if not 0 <= share <= 1:
            raise SanError(f"the share of the later weights goes from 0 to 1; {share} does not")
    parts, in_encoder = (
        () if share is None else (1 - share, share) for share in (later, later_encoder)
    )
    mean = mean_network(weights, parts, in_encoder)
    if norms is not None:
        mean.to("cuda" if torch.cuda.is_available() else "cpu")
        measure_norms(mean, track(fresh_images(norms), "measuring batch norms"))
    facts = json.loads(read_facts(weights[-1]).get("facts", "{}"))
    kept = {name: facts[name] for name in ("config", "commit", "stages") if name in facts}
    kept |= shares or {"mean_of": len(weights)}
    save_weights(output, mean.state_dict(), mean.config, mean.vocabulary, kept)


def main() -> None:
    parser = argparse.ArgumentParser(description="The mean of weights of one network.")
    parser.add_argument("weights", type=Path, nargs="+", help="earlier ones first")
    parser.add_argument("--later", type=float, help="share of the later one of two")
    parser.add_argument("--encoder", type=float, help="its share in the encoder, if another one")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--norms", type=Path, metavar="CONFIG", help="measure batch norms anew")
    parser.add_argument("--stage", help="of that configuration; by default its last")
    asked = parser.parse_args()
    norms = load_config(asked.norms, stage=asked.stage) if asked.norms else None
    weights = [find_model(path) for path in asked.weights]
    average(weights, asked.output, asked.later, asked.encoder, norms)
    print(asked.output)


if __name__ == "__main__":
    run_or_exit(main)
