"""A tuned network as a model: weights between those that it began with and those that it came to.

    python -m tools.tuned_model before.safetensors tuned.safetensors -o own-hand.safetensors

What one hand gains, others lose; halfway most of the gain is left, and little is lost. Beside the
weights go the calibration of the network that it began with, and its ranges for int8 where the
layers that are computed so were frozen; else it reads in single precision, and `tools.quantise`
fits ranges of its own. So do the weights of rescoring, with which another network is asked, where
they were fitted for the network that it began with; and the network of strokes that these need,
where it is not the one of san.
"""

import argparse
from pathlib import Path

import torch
from safetensors.numpy import load

from san.decoding.confidence import Calibration, fingerprint
from san.errors import run_or_exit
from san.files import write_file
from san.model.onnx.int8_ranges import load_ranges, save_ranges
from san.model.torch.weights import load_weights
from san.models import RESCORING, STROKES, find_model, rescoring_for
from san.reader.rescoring.rescorer import Rescorer, file_content
from san.reader.rescoring.stroke_terms import strokes_for
from tools.average import average

INT8 = {
    "densenet": (
        "encoder.stem",
        "encoder.blocks.0.",
        "encoder.transitions.0.",
        "encoder.blocks.1.",
    ),
    "residual": ("encoder.",),
}
"""Parts of each encoder whose numbers the ranges depend on."""


def tuned_model(before: Path, tuned: Path, share: float, output: Path) -> None:
    """`share` of the tuned one."""
    average([before, tuned], output, share)
    facts = {"taken_over_from": before.name}
    Calibration.load(before).save(output, facts)
    ranges = load_ranges(before)
    if ranges is not None and _same_layers(before, output):
        save_ranges(ranges, output, facts)
    _take_rescoring(before, output)


def _take_rescoring(before: Path, output: Path) -> None:
    """The rescoring of a network, for its tuned one; what lies there for another network stays."""
    source, target = rescoring_for(before), output.with_name(RESCORING.name)
    rescorer = Rescorer(source)
    if rescorer.fitted_for != fingerprint(before) or target.resolve() == source.resolve():
        return
    if target.is_file() and Rescorer(target).weights != rescorer.weights:
        print(f"{target}: is of another network, and stays")
        return
    arrays, facts = load(source.read_bytes()), (fingerprint(output), rescorer.opinion)
    of_ink = rescorer.ink_weights, rescorer.strokes
    content = file_content(rescorer.vocabulary, arrays, rescorer.weights, *facts, *of_ink)
    write_file(target, content)
    strokes, beside = (path.with_name(STROKES.name) for path in (source, target))
    if strokes_for(source, rescorer) and not (strokes_for(target, rescorer) or beside.exists()):
        write_file(beside, strokes.read_bytes())


def _same_layers(one: Path, other: Path) -> bool:
    """Whether all that is computed in int8 is the same in two networks."""
    networks = [load_weights(path) for path in (one, other)]
    first, second = (network.state_dict() for network in networks)
    names = [name for name in first if name.startswith(INT8[networks[0].config.encoder])]
    return bool(names) and all(torch.equal(first[name], second[name]) for name in names)


def main() -> None:
    parser = argparse.ArgumentParser(description="A tuned network as a model.")
    parser.add_argument("before", type=Path, help="weights that it began with, or their name")
    parser.add_argument("tuned", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the tuned weights")
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    tuned_model(find_model(asked.before), asked.tuned, asked.share, asked.output)


if __name__ == "__main__":
    run_or_exit(main)
