"""The mean of two weights of one network, a later one and the one that it began with.

    python -m tools.average before.safetensors after.safetensors --later 0.75 -o mean.safetensors
    python -m tools.average san runs/san/hands/weights.safetensors --later 0.5 \\
        --norms configs/san.toml --stage hands -o mean.safetensors

A stage of a configuration may be such a mean by itself (`mean_of`, docs/training.md); this is to
try others. With `--norms` batch norms are measured anew, on fresh samples of a stage of a
configuration as it ends: of its last one that is no trial, or of the one that is named.
"""

import argparse
import json
from pathlib import Path

from rich.progress import track

from san.errors import SanError, run_or_exit
from san.model.torch.weights import read_facts, save_weights
from san.models import find_model
from san.training.average import fresh_images, mean_network
from san.training.config import Config, load_config
from san.training.norm_statistics import measure_norms


def average(
    earlier: Path,
    later: Path,
    share: float,
    output: Path,
    encoder_share: float | None = None,
    norms: Config | None = None,
) -> None:
    """Write the mean with `share` of the later one; SanError where there is none."""
    if output.resolve() in (earlier.resolve(), later.resolve()):
        raise SanError(f"{output}: these weights are to be read, not written over")
    mean = mean_network(earlier, later, share, encoder_share)
    if norms is not None:
        measure_norms(mean, track(fresh_images(norms), "measuring batch norms"))
    shares = {"later": share} | ({} if encoder_share is None else {"later_encoder": encoder_share})
    facts = json.loads(read_facts(later).get("facts", "{}"))
    kept = {name: facts[name] for name in ("config", "commit", "stages") if name in facts}
    save_weights(output, mean.state_dict(), mean.config, mean.vocabulary, {**kept, **shares})


def main() -> None:
    parser = argparse.ArgumentParser(description="The mean of two weights of one network.")
    parser.add_argument("earlier", type=Path)
    parser.add_argument("later", type=Path)
    parser.add_argument("--later", dest="share", type=float, default=0.75, help="its share")
    parser.add_argument("--encoder", type=float, help="its share in the encoder, if another one")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--norms", type=Path, metavar="CONFIG", help="measure batch norms anew")
    parser.add_argument("--stage", help="of that configuration; by default its last")
    asked = parser.parse_args()
    norms = load_config(asked.norms, stage=asked.stage) if asked.norms else None
    earlier, later = map(find_model, (asked.earlier, asked.later))
    average(earlier, later, asked.share, asked.output, asked.encoder, norms)
    print(asked.output)


if __name__ == "__main__":
    run_or_exit(main)
