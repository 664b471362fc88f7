"""`san train`: train a network from a configuration.

torch is imported when the command runs: `san --help` works, and is quick, without it.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from san.config import to_toml
from san.extras import missing_package

if TYPE_CHECKING:
    from san.training.loop import TrainingRun


def train(
    config: Annotated[Path, typer.Argument(help="A configuration (.toml); see configs/.")],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value: training.epochs=3"),
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0, help="Stop in time and save; 0 trains to the end.")
    ] = 0.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in OUTPUT.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The run's folder; else runs/NAME.")
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="cpu or cuda; by default cuda where it is there.")
    ] = None,
    print_config: Annotated[
        bool,
        typer.Option("--print-config", help="Print every value with its description; no training."),
    ] = False,
) -> None:
    """Train a network. The folder gets its weights, its state, a log and a picture of the curve."""
    try:
        from san.training.config import load_config

        settings = load_config(config, changes or ())
        if print_config:
            typer.echo(to_toml(settings), nl=False)
            return
        from san.training.start import start
    except ModuleNotFoundError as error:
        raise missing_package(error, "train") from None
    folder = output or Path("runs") / settings.name
    first = os.environ.get("RANK", "0") == "0"  # of several processes, one prints
    with _Bar(folder, first) as bar:
        progress = start(settings, folder, minutes, resume, device, bar.say, bar.watch)
    if first:
        typer.echo(f"{folder}: {progress.step:,} steps, {progress.epoch:,} epochs")


class _Bar:
    """A bar on the terminal, a line an epoch beside it; the curve is drawn with each line."""

    def __init__(self, folder: Path, shown: bool) -> None:
        self.folder = folder
        console = Console(stderr=True)
        self.bar = Progress(
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(),
            TextColumn("{task.percentage:.0f}%"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[facts]}"),
            console=console,
            transient=True,
            disable=not (shown and console.is_terminal),
        )
        self.task = self.bar.add_task("", total=1.0, epoch=1, facts="")

    def __enter__(self) -> "_Bar":
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def watch(self, run: "TrainingRun") -> None:
        line = run.line
        facts = []
        if line:
            loss = sum(line.get(name, 0.0) for name in ("symbol", "relation"))
            speed = line["images"] / max(line["seconds"], 1e-9)
            facts = [f"loss {loss:.3f}", f"{speed:,.0f} images/s"]
        if run.scores is not None:
            facts.append(f"ExpRate {run.scores.exact:.1f}")
        self.bar.update(
            self.task, completed=run.done, epoch=run.progress.epoch + 1, facts="  ".join(facts)
        )

    def say(self, line: str) -> None:
        from san.training.run_log import draw_curve

        self.bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        if (log := self.folder / "log.jsonl").exists():  # not before the first epoch has ended
            draw_curve(log, self.folder / "curve.png")
