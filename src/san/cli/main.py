"""The `san` command: gathers its commands, and turns every foreseeable failure into one line.

Exit codes: 0 done, 1 some of many inputs failed, 2 bad input or bad usage, 130 interrupted, 141
nobody takes the output any more (`san ... | head`).
"""

import io
import os
import sys
from typing import Annotated

import typer

from san import __version__
from san.cli import data, ink
from san.cli.evaluate import evaluate
from san.cli.export import export
from san.cli.read import read
from san.cli.score import score_command
from san.cli.serve import serve
from san.cli.train import train
from san.cli.tree import tree
from san.errors import SanError

ENCODING = "PYTHONIOENCODING"
"""Python's variable for the encoding of what is printed, with `:` and what to do with the rest."""

app = typer.Typer(
    name="san",
    help="Reads handwritten mathematics.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # which says <bool> beside every flag
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(read)
app.command()(serve)
# A formula may begin with a minus sign, which is no option.
app.command(context_settings={"ignore_unknown_options": True})(tree)
app.command("score")(score_command)
app.command()(evaluate)
app.command()(train)
app.command()(export)
app.add_typer(ink.app, name="ink")
app.add_typer(data.app, name="data")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"san {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Reads handwritten mathematics."""


def main() -> None:
    """Entry point of the `san` command."""
    _fill_closed()
    _set_encodings()
    try:
        code = app(prog_name="san", standalone_mode=False)
        sys.stdout.flush()
    except SanError as error:
        code = _print_error(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except (ImportError, RuntimeError) as error:  # what imports may make of an interrupt
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        code = 130
    except BrokenPipeError:
        code = 141
        _discard_output()
    except UnicodeEncodeError as error:
        if not _asked_encoding():
            raise  # not the output's, which is UTF-8
        lacking = f"{_asked_encoding()} has no U+{ord(error.object[error.start]):04X}"
        code = _print_error(f"cannot write the output: {lacking}; unset {ENCODING}")
    except OSError as error:
        # A file's troubles are SanErrors by now; this is the output's: a full disk, say.
        code = _print_error(f"cannot write the output: {error.strerror or error}")
        _discard_output()
    except Exception as error:
        # Usage errors have no public common class in Typer; they do have this method.
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()
        if type(error).__name__ == "NoArgsIsHelpError":  # no public class either; many lines
            print(message, file=sys.stderr)
            code = 2
        else:
            # "Value error" is pydantic's word, inside Typer.
            line = " ".join(message.split())
            code = _print_error(line.replace(": Value error, ", ": ", 1))
    sys.exit(code if isinstance(code, int) else 0)


def _fill_closed() -> None:
    """Standard streams that are closed lead nowhere: else libraries print into the file that is
    opened next and gets their number, or stumble over None."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # the lowest that is free is opened, and this is it
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _set_encodings() -> None:
    """Of what is printed: a formula that is kept must not be damaged in silence.

    A terminal that knows no Greek still gets the rest of the line. A file or a pipe gets UTF-8, or
    what was asked for, which is refused where it lacks a sign.
    """
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream is sys.stderr or stream.isatty():
            stream.reconfigure(errors="replace")
        elif not _asked_encoding():
            stream.reconfigure(encoding="utf-8", errors="replace")  # of a file's name, then


def _asked_encoding() -> str:
    return os.environ.get(ENCODING, "").partition(":")[0]


def _print_error(line: str) -> int:
    if line:
        print(f"san: {line}", file=sys.stderr)
    return 2


def _discard_output() -> None:
    """Drop what is left of the output, else Python reports the broken pipe once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
