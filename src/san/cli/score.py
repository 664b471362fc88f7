"""`san score`: predictions against labels."""

import json
from pathlib import Path
from typing import Annotated

import typer

from san.cli.console import check_outputs, table_console
from san.cli.results_file import source_of
from san.data.labels import Labels, id_of, load_predictions, load_truths, paired
from san.data.sample import DataError
from san.errors import brief, printable
from san.evaluation.paired import Paired, compare_paired
from san.evaluation.report import Report, score
from san.evaluation.table import paired_note, paired_table, tables
from san.files import write_file

ONE = "`san read --one` reads one formula each"


def score_command(
    predictions: Annotated[Path, typer.Argument(help="Predictions: id<TAB>LaTeX, a line each.")],
    labels: Annotated[Path, typer.Argument(help="Labels, in the same form.")],
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures as JSON.")
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Other predictions: which of the two are better?"),
    ] = None,
) -> None:
    """Score predictions: ExpRate, at most 1 and 2 errors, ESPR, each with its interval.

    Every expression of the labels counts; a missing prediction is an error.
    """
    check_outputs([json_file], (predictions, labels, beside))
    console = table_console()
    guesses, truths = load_predictions(predictions), load_truths(labels)
    others = load_predictions(beside) if beside else None
    matched = _matched(guesses, truths)
    other = _matched(others, truths) if others else {}
    report = score(matched, truths.latex)
    for table in tables(report):
        console.print(table)
    notes, compared = notes_on(report, guesses), None
    if beside is not None and others is not None:
        compared = compare_paired(matched, other, truths.latex)
        names = guesses.name, others.name
        if names[0] == names[1]:  # in folders that have the names of their systems
            names = str(predictions), str(beside)
        console.print(paired_table(compared, *names))
        of_others = notes_on(score(other, truths.latex), others)
        notes += [f"{printable(names[1])}: {note}" for note in of_others]
        notes.append(paired_note(compared, names[0]))
    for note in notes:
        console.print(note, markup=False, highlight=False, soft_wrap=True)
    if json_file is not None:
        write_figures(json_file, report, compared)


def _matched(guesses: Labels, truths: Labels) -> dict[str, str]:
    """Predictions by the ids of the labels; DataError where none has one: these are of other files.

    Of a page there are some for a label, which are left out and told.
    """
    matched = paired(guesses.latex, truths.latex)
    labelled = set(map(id_of, truths.latex))
    if matched.keys().isdisjoint(truths.latex) and not any(
        id_of(source_of(name)) in labelled for name in matched
    ):
        ours, theirs = next(iter(guesses.latex)), next(iter(truths.latex))
        raise DataError(
            printable(
                f"{guesses.name}: no prediction has a label of {truths.name} "
                f"({brief(ours)} here, {brief(theirs)} there)"
            )
        )
    return matched


def write_figures(path: Path, report: Report, compared: Paired | None = None) -> None:
    figures = report.to_dict()
    if compared is not None:
        figures["beside"] = compared.to_dict()
    write_file(path, json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


def notes_on(report: Report, guesses: Labels) -> list[str]:
    """What a reader of the table should know, a line each."""
    wrong, file = "which counts as wrong", guesses.name
    passed_over = [skip.name for skip in guesses.skipped]
    missing, no_formulas = set(report.missing), set(report.unparsed_labels)
    unread = set(map(id_of, report.missing))
    of_pages = {name for name in report.unknown if id_of(source_of(name)) in unread}
    remarks = (
        (
            [name for name in report.missing if name not in no_formulas],
            f"label has no prediction, {wrong}",
            f"labels have no prediction, {wrong}",
        ),
        (report.empty, f"prediction is empty, {wrong}", f"predictions are empty, {wrong}"),
        (
            report.unparsed,
            f"prediction is no formula, {wrong}",
            f"predictions are no formulas, {wrong}",
        ),
        (
            [name for name in report.missing if name in no_formulas],
            f"label is no formula and has no prediction, {wrong}",
            f"labels are no formulas and have no prediction, {wrong}",
        ),
        (
            [name for name in report.unparsed_labels if name not in missing],
            "label is no formula: it was compared as text",
            "labels are no formulas: they were compared as text",
        ),
        (
            [name for name in report.unknown if name in of_pages],
            f"prediction is one of a page's and was left out ({ONE})",
            f"predictions are some of a page's each and were left out ({ONE})",
        ),
        (
            [name for name in report.unknown if name not in of_pages],
            "prediction has no label and was left out",
            "predictions have no label and were left out",
        ),
        (passed_over, f"line of {file} was passed over", f"lines of {file} were passed over"),
    )
    return [
        printable(
            f"{len(names)} {plural if names[1:] else singular}: "
            f"{', '.join(names[:3])}{', ...' if names[3:] else ''}"
        )
        for names, singular, plural in remarks
        if names
    ]
