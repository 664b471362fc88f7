"""`san ink`: look at ink."""

from pathlib import Path
from typing import Annotated

import typer

from san.ink import InkError, read_inkml
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
    picture = picture_of(read_inkml(file))
    try:
        picture.save(target)
    except ValueError as error:  # Pillow's word for a suffix that it does not know
        raise InkError(f"{target}: not the name of a picture; try {target.stem}.png") from error
    except OSError as error:
        raise InkError(f"{target}: {(error.strerror or str(error)).lower()}") from error
    typer.echo(target)
