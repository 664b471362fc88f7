"""What the commands share: options, a progress bar, checks of outputs, reports of skipped files."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, TypeVar

import typer
from PIL import Image
from rich.console import Console
from rich.progress import track

from san.data.pack import PACK_SUFFIX
from san.data.sample import DataError, Skip
from san.errors import SanError, reason
from san.files import FileError, check_place, whole_file, write_file
from san.images.open import is_image
from san.models import is_folder

PRECISION: Any = typer.Option(
    show_default=False, help="Of the arithmetic; int8 by default, float32 takes twice the time."
)
QUICK: Any = typer.Option("--quick", help="One pass alone: a third of the time, more errors.")
MAX_SKIPS_SHOWN = 5
"""So many of the skipped are named for each reason; `--skipped` writes them all."""

Item = TypeVar("Item")


class Precision(StrEnum):
    int8 = "int8"
    float32 = "float32"


def standard_output() -> TextIO:
    """Where results are printed; DataError where there was none (`san ... >&-`)."""
    if sys.__stdout__ is None:
        raise DataError("standard output is closed: there is nothing to print to")
    return sys.stdout


def table_console() -> Console:
    """For tables on standard output: of these no sign (`≤`) is worth more than the rest of them."""
    output = standard_output()
    if isinstance(output, TextIOWrapper) and output.errors == "strict":
        output.reconfigure(errors="replace")
    return Console(file=output)


def check_beside(weights: Path, precision: Precision | None) -> None:
    """Tell of a network whose calibration does not lie beside its weights, as of a copy of the file
    alone; SanError where int8 was asked for and there is none."""
    from san.decoding.confidence import Calibration, calibration_path
    from san.model.onnx.int8_ranges import load_ranges, ranges_path

    as_folder = is_folder(weights)
    if precision is Precision.int8 and (as_folder or load_ranges(weights) is None):
        lacking = "" if as_folder else f" without its ranges beside it, {ranges_path(weights).name}"
        raise SanError(f"{weights}: is read in float32{lacking}; it takes no --precision int8")
    if not as_folder and Calibration.load(weights) == Calibration():
        lacking = f"its calibration, {calibration_path(weights).name}, is not beside it"
        typer.echo(f"san: {weights}: {lacking}: confidences are as the network has them", err=True)


def with_progress(items: Iterable[Item], total: int, doing: str) -> Iterable[Item]:
    """The same items, with a bar on the terminal; none where standard error is a file."""
    console = Console(stderr=True)
    hidden = not console.is_terminal
    return track(items, doing, total, console=console, transient=True, disable=hidden)


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """Who interrupts does not wait for what is being read: Python itself would, until each thread
    is done with its picture."""
    try:
        yield
    except KeyboardInterrupt:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(130)


def check_outputs(outputs: Iterable[Path | None], reads: Iterable[Path | None]) -> None:
    """What can be known before the work begins; `reads` are the files that it reads."""
    wanted = [output for output in outputs if output is not None]
    standing = [output for output in wanted if _stands(output)]
    for origin in reads if standing else ():
        for output in standing:
            if origin is not None and _same(output, origin):
                raise DataError(f"{output}: would overwrite what is read; name another file")
    for place, output in enumerate(wanted):
        if output.absolute() in (other.absolute() for other in wanted[:place]):
            raise DataError(f"{output}: two results cannot go into one file")


def check_picture(output: Path) -> None:
    """Not every suffix that Pillow knows: some it only reads, and on others it stumbles."""
    if not is_image(output.name):
        raise DataError(f"{output}: not the name of a picture; try {output.stem}.png")


def check_pack(output: Path) -> None:
    """Commands know a pack by its suffix."""
    if output.suffix.lower() != PACK_SUFFIX:
        raise DataError(f"{output}: not the name of a pack; try {output.stem}{PACK_SUFFIX}")


def save_picture(picture: Image.Image, path: Path) -> None:
    kind = Image.registered_extensions()[path.suffix.strip().lower()]
    with whole_file(path) as partial:
        picture.save(partial, kind)


def write_each(*writes: Callable[[], object]) -> None:
    """Results of long work: where one cannot be written the others are, before its SanError."""
    faults = []
    for write in writes:
        try:
            write()
        except SanError as error:
            faults.append(str(error))
    if faults:
        raise SanError("; ".join(faults))


def account_for(skips: list[Skip], path: Path | None, failure: str = "") -> None:
    """Tell what was left out: how many and the first few, and all of them in a file if wanted.

    A failure is told in one line, as an error.
    """
    if path is not None:
        write_file(path, "".join(f"{skip}\n" for skip in skips))
    counts = Counter(skip.fault for skip in skips).most_common()
    kinds = ", ".join(f"{count:,} {fault.value}" for fault, count in counts)
    if failure and not skips:
        raise DataError(failure)
    if failure:
        raise DataError(f"{failure}; skipped {len(skips):,} ({kinds}), the first: {skips[0]}")
    if skips:
        typer.echo(f"skipped {len(skips):,} ({kinds}):", err=True)
    for fault, count in counts:
        for skip in [skip for skip in skips if skip.fault is fault][:MAX_SKIPS_SHOWN]:
            typer.echo(f"  {skip}", err=True)
        if count > MAX_SKIPS_SHOWN:
            typer.echo(
                f"  and {count - MAX_SKIPS_SHOWN:,} more: --skipped FILE names all", err=True
            )


def _stands(output: Path) -> bool:
    """Whether there is a file to be replaced; DataError where none can be."""
    try:
        if not output.absolute().parent.is_dir():
            raise DataError(f"{output}: there is no folder {output.parent}; make it first")
        if output.is_dir():
            raise DataError(f"{output}: is a folder; name a file")
        if output.exists() and not output.is_file():
            raise DataError(f"{output}: is no regular file; name another")
        if output.exists():
            return True
        check_place(output)
        return False
    except FileError as error:
        raise DataError(str(error)) from error
    except OSError as error:  # above all a name that is too long
        raise DataError(f"{output}: {reason(error)}") from error


def _same(output: Path, origin: Path) -> bool:
    try:
        return output.samefile(origin)
    except OSError:  # an origin that is not there: whoever reads it will say so
        return False
