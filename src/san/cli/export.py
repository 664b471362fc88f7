"""`san export`: a network as ONNX files, for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from san.cli.console import check_outputs
from san.models import FACTS, find_model


def export(
    weights: Annotated[
        Path,
        typer.Argument(
            help="A network's weights (.safetensors), or san, san-densenet or san-paper."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder; made if need be.")
    ],
) -> None:
    """Write a network as ONNX: its encoder, one step of its decoder, and what their numbers mean.

    `san read --model DIR` reads with them.
    """
    from san.model.onnx.models import ENCODER, STEP, build_models, write_models

    weights = find_model(weights)
    if output.is_dir():
        check_outputs([output / name for name in (ENCODER, STEP, FACTS)], [weights])
    for path in write_models(build_models(weights), output):
        typer.echo(path)
