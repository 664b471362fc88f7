"""`san data`: pack a corpus for training, and look at one."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from san.data.corpus import open_corpus
from san.data.pack import Pack, is_pack
from san.data.packing import write_pack
from san.data.sample import DataError, Skip
from san.data.sheet import ContactSheet
from san.data.statistics import Statistics
from san.data.tables import print_tables
from san.grammar import Expression, to_latex
from san.images.open import SUFFIXES
from san.ink.draw import Picture

app = typer.Typer(help="Pack a corpus for training, and look at one.", no_args_is_help=True)

NAMED = 5
"""So many of the skipped are named for each reason; `--skipped` writes them all."""

Source = Annotated[Path, typer.Argument(help="A folder or a zip of InkML files or images.")]
LabelFile = Annotated[
    Path | None,
    typer.Option("--labels", "-l", help="Their labels (tsv, jsonl); else found in or beside them."),
]
SkippedFile = Annotated[
    Path | None, typer.Option("--skipped", help="Write here what was skipped, and why.")
]
Item = TypeVar("Item")


@app.command()
def pack(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="The packed file (.npz).")],
    labels: LabelFile = None,
    skipped: SkippedFile = None,
) -> None:
    """Make one compact file of a corpus, which training loads at once."""
    _check_output(output, source, labels)
    corpus = open_corpus(source, labels)
    count = write_pack(_with_progress(corpus, len(corpus), "packing"), output)
    _account_for(corpus.skipped, skipped, f"{source}: nothing to pack" if not count else "")
    typer.echo(f"{output}: {count:,} expressions, {output.stat().st_size / 1e6:.1f} MB")


@app.command()
def show(
    source: Annotated[Path, typer.Argument(help="A folder, a zip, or a packed file.")],
    labels: LabelFile = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a contact sheet here (.png).")
    ] = None,
    skipped: SkippedFile = None,
) -> None:
    """Print what a corpus is like: counts, lengths, depths, symbols, relations."""
    if output is not None:
        _check_output(output, source, labels)
        if output.suffix.lower() not in SUFFIXES:
            raise DataError(f"{output}: not the name of a picture; try {output.stem}.png")
    if is_pack(source):
        packed = Pack.load(source)
        pictures = ((packed.tree(place), packed.image(place)) for place in range(len(packed)))
        statistics, sheet = _look(pictures, len(packed))
    else:
        corpus = open_corpus(source, labels)
        drawn = ((sample.tree, sample.picture()) for sample in corpus)
        statistics, sheet = _look(drawn, len(corpus))
        failure = "" if statistics.lengths else f"{source}: nothing to show"
        _account_for(corpus.skipped, skipped, failure)
    print_tables(statistics)
    if output is not None:
        try:
            sheet.picture().save(output)
        except OSError as error:
            raise DataError(f"{output}: {(error.strerror or str(error)).lower()}") from error
        typer.echo(output)


def _look(
    samples: Iterable[tuple[Expression, Picture]], total: int
) -> tuple[Statistics, ContactSheet]:
    statistics, sheet = Statistics(), ContactSheet(total)
    for tree, picture in _with_progress(samples, total, "reading"):
        statistics.add(tree, picture.shape)
        sheet.add(picture, to_latex(tree))
    return statistics, sheet


def _with_progress(items: Iterable[Item], total: int, doing: str) -> Iterable[Item]:
    """The same items, with a bar on the terminal; none where standard error is a file."""
    console = Console(stderr=True)
    hidden = not console.is_terminal
    return track(items, doing, total, console=console, transient=True, disable=hidden)


def _check_output(output: Path, source: Path, labels: Path | None) -> None:
    """What can be known before the work begins."""
    if not output.absolute().parent.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent}; make it first")
    if output.is_dir():
        raise DataError(f"{output}: is a folder; name a file")
    for origin in (source, labels):
        if origin is not None and origin.exists() and output.exists() and output.samefile(origin):
            raise DataError(f"{output}: would overwrite what is read; name another file")


def _account_for(skips: list[Skip], path: Path | None, failure: str = "") -> None:
    """Tell what was left out: how many and the first few, and all of them in a file if wanted.

    A failure is told in one line, as an error.
    """
    if path is not None:
        try:
            path.write_text("".join(f"{skip}\n" for skip in skips), "utf-8")
        except OSError as error:
            raise DataError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    counts = Counter(skip.fault for skip in skips).most_common()
    kinds = ", ".join(f"{count:,} {fault.value}" for fault, count in counts)
    if failure:
        raise DataError(f"{failure}; skipped {len(skips):,} ({kinds}), the first: {skips[0]}")
    if skips:
        typer.echo(f"skipped {len(skips):,} ({kinds}):", err=True)
    for fault, count in counts:
        for skip in [skip for skip in skips if skip.fault is fault][:NAMED]:
            typer.echo(f"  {skip}", err=True)
        if count > NAMED:
            typer.echo(f"  and {count - NAMED:,} more: --skipped FILE names all", err=True)
