"""`san data`: pack a corpus for training, and look at one."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from san.cli.console import (
    account_for,
    check_outputs,
    check_pack,
    check_picture,
    save_picture,
    standard_output,
    with_progress,
)
from san.data.contact_sheet import ContactSheet
from san.data.corpus import open_corpus
from san.data.held_out import without_held_out
from san.data.pack import Pack, is_pack, write_pack
from san.data.sample import DataError, Sample
from san.data.statistics import Statistics, counted, print_tables
from san.grammar import Expression, to_latex
from san.ink.draw import Picture

app = typer.Typer(help="Pack a corpus for training, and look at one.", no_args_is_help=True)

HELD_OUT_SHARE = 1 / 6
"""Of a corpus."""

Source = Annotated[Path, typer.Argument(help="A folder or a zip of InkML files or images.")]
LabelFile = Annotated[
    Path | None,
    typer.Option("--labels", "-l", help="Their labels (tsv, jsonl); else found in or beside them."),
]
SkippedFile = Annotated[
    Path | None, typer.Option("--skipped", help="Write here what was skipped, and why.")
]


@app.command()
def pack(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="The packed file (.npz).")],
    labels: LabelFile = None,
    skipped: SkippedFile = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="Clean photographs, as they are when they are read.")
    ] = False,
    held_out: Annotated[
        Path | None,
        typer.Option(help="Keep a part for validation, packed here, out of the packed file."),
    ] = None,
    held_out_share: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="How much of the corpus that part is; a sixth by default."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Another seed holds out other samples.")
    ] = None,
) -> None:
    """Make one compact file of a corpus, which training loads at once."""
    for option, given in (("--held-out-share", held_out_share), ("--seed", seed)):
        if given is not None and held_out is None:
            raise DataError(f"{option} is of what is held out: name its file with --held-out")
    corpus = open_corpus(source, labels, clean)
    check_outputs((output, skipped, held_out), corpus.origins())
    for wanted in filter(None, (output, held_out)):
        check_pack(wanted)
    kept_out: list[Sample] = []
    samples = with_progress(corpus, len(corpus), "packing")
    if held_out is not None:
        share = HELD_OUT_SHARE if held_out_share is None else held_out_share
        samples = without_held_out(samples, share, seed or 0, kept_out)
    count = write_pack(samples, output)
    failure = "" if count else f"{source}: nothing to pack"
    if kept_out and not count:
        failure = f"{source}: --held-out-share holds out all of {len(kept_out):,}"
    account_for(corpus.skipped, skipped, failure)
    if held_out is not None and not kept_out:
        raise DataError(f"{source}: --held-out-share holds out none of {count:,}")
    _say_packed(output, count)
    if held_out is not None:
        _say_packed(held_out, write_pack(kept_out, held_out))


def _say_packed(path: Path, count: int) -> None:
    typer.echo(f"{path}: {counted(count)}, {path.stat().st_size / 1e6:.1f} MB")


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
    file = standard_output()
    if output is not None:
        check_picture(output)
    if is_pack(source):
        if labels or skipped:
            raise DataError(f"{source}: a pack carries its own labels: no --labels, no --skipped")
        check_outputs([output], [source])
        packed = Pack.load(source)
        pictures = ((packed.tree(place), packed.image(place)) for place in range(len(packed)))
        statistics, sheet = _look(pictures, len(packed))
    else:
        corpus = open_corpus(source, labels)
        check_outputs((output, skipped), corpus.origins())
        drawn = ((sample.tree, sample.picture()) for sample in corpus)
        statistics, sheet = _look(drawn, len(corpus))
        failure = "" if statistics.lengths else f"{source}: nothing to show"
        account_for(corpus.skipped, skipped, failure)
    print_tables(statistics, file)
    if output is not None:
        save_picture(sheet.picture(), output)
        typer.echo(output)


def _look(
    samples: Iterable[tuple[Expression, Picture]], total: int
) -> tuple[Statistics, ContactSheet]:
    statistics, sheet = Statistics(), ContactSheet(total)
    for tree, picture in with_progress(samples, total, "reading"):
        statistics.add(tree, picture.shape)
        sheet.add(picture, to_latex(tree))
    return statistics, sheet
