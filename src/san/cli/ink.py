"""`san ink`: look at ink."""

from pathlib import Path
from typing import Annotated

import typer

from san.cli.console import check_outputs, check_picture, save_picture
from san.ink import read_inkml
from san.ink.show import show as picture_of

app = typer.Typer(help="Look at ink.", no_args_is_help=True)


@app.callback()
def _ink() -> None:
    """Look at ink."""


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="An InkML file.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The picture; by default FILE's name, here, as .png."),
    ] = None,
) -> None:
    """Draw an InkML file as a picture, its symbols in colours with their labels."""
    target = output or Path(file.stem + ".png")
    check_picture(target)
    check_outputs([target], [file])
    save_picture(picture_of(read_inkml(file)), target)
    typer.echo(target)
