"""`san train`: train a network from a configuration.

torch is imported when the command runs: `san --help` works, and is quick, without it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from san.extras import missing_package

if TYPE_CHECKING:
    from san.training.loop import TrainingRun


def train(
    config: Annotated[Path, typer.Argument(help="A configuration (.toml); see configs/.")],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value: training.epochs=3"),
    ] = None,
    stage: Annotated[
        str | None, typer.Option(metavar="NAME", help="Train this stage of the file alone.")
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
    """Train a network. The folder gets its weights, its state, a log and a picture of the curve.

    Where the configuration has stages, they are trained in order, each in a folder within that one;
    finished ones are passed over, and one that was interrupted goes on.
    """
    try:
        from san.training.config import choose_stages, load_stages, print_stages

        stages = choose_stages(load_stages(config, changes or ()), stage)
        if print_config:
            typer.echo(print_stages(stages), nl=False)
            return
        from san.training.distributed import launched_first
        from san.training.stages import train_stages
        from san.training.start import start
    except ModuleNotFoundError as error:
        raise missing_package(error, "train") from None
    settings = stages[0].config
    first = launched_first()  # of several processes, one prints
    if stages[0].name:
        folder = output or Path("runs") / Path(settings.name).parent
        with _Bar(first) as bar:
            ended = train_stages(stages, folder, minutes, device, bar.say, bar.watch)
        if first:
            typer.echo(f"{folder}: {'finished' if ended else 'not finished'}")
        return
    folder = output or Path("runs") / settings.name
    with _Bar(first) as bar:
        progress = start(settings, folder, minutes, resume, device, bar.say, bar.watch)
    if first:
        typer.echo(f"{folder}: {progress.step:,} steps, {progress.epoch:,} epochs")


class _Bar:
    """A bar on the terminal, a line an epoch beside it; the curve is drawn with each line."""

    def __init__(self, shown: bool) -> None:
        self.run: TrainingRun | None = None
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
        self.run, line = run, run.line
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
        from san.training.run_files import LOG
        from san.training.run_log import draw_curve

        self.bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        # Not before the first epoch has ended.
        if self.run is not None and (log := self.run.folder / LOG).exists():
            draw_curve(log, self.run.folder / "curve.png")
