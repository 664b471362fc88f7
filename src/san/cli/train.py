"""`san train`: train a network from a configuration.

torch is imported when the command runs: `san --help` works, and is quick, without it.
"""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from san.cli.console import standard_output
from san.cli.evaluate import Device
from san.extras import missing_package

if TYPE_CHECKING:
    from san.training.config import Stage
    from san.training.loop import TrainingRun

DRAW_SECONDS = 30.0
"""From one picture of the curve to the next: drawing takes time from training."""


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
        Device | None, typer.Option(help="cpu or cuda; by default cuda where it is there.")
    ] = None,
    print_config: Annotated[
        bool,
        typer.Option("--print-config", help="Print every value with its description; no training."),
    ] = False,
) -> None:
    """Train a network. The folder gets its weights, its state, a log and a picture of the curve.

    Where the configuration has stages, they are trained in order, each in a folder within that one;
    finished ones are passed over, and one that was interrupted goes on. Trials have to be named.
    """
    try:
        from san.training.config import choose_stages, load_stages, print_stages
        from san.training.rescoring_config import check_sections

        declared = load_stages(config, changes or ())
        check_sections(config)  # of what is trained elsewhere; what is wrong is said here
        stages = choose_stages(declared, stage)
        if print_config:
            shown = _with_origins(declared, stages) if stage is not None else declared
            print(print_stages(shown), end="", file=standard_output())
            return
        from san.model.torch.cuda import demand_cuda
        from san.training.distributed import launched, launched_first
        from san.training.stages import train_stages
        from san.training.start import start
    except ModuleNotFoundError as error:
        raise missing_package(error, "train") from None
    settings = stages[0].config
    if device is Device.cuda and not launched():  # a launcher gives each process its own device
        demand_cuda()
    on = device.value if device else None
    first = launched_first()  # of several processes, one prints
    if stages[0].name:
        folder = output or Path("runs") / Path(settings.name).parent
        with _Bar(first) as bar:
            ended = train_stages(stages, folder, minutes, on, bar.say, bar.watch)
        if first:
            typer.echo(f"{folder}: {'finished' if ended else 'not finished'}")
        return
    folder = output or Path("runs") / settings.name
    with _Bar(first) as bar:
        progress = start(settings, folder, minutes, resume, on, bar.say, bar.watch)
    if first:
        typer.echo(f"{folder}: {progress.step:,} steps, {progress.epoch:,} epochs")


def _with_origins(declared: Sequence["Stage"], stages: Sequence["Stage"]) -> list["Stage"]:
    """Those stages, and the ones before whose weights they take: a file that reads back."""
    needed = {stage.name for stage in stages}
    for stage in reversed(declared):  # a stage begins with an earlier one
        if stage.name in needed:
            needed.update(stage.origins)
    return [stage for stage in declared if stage.name in needed]


@contextmanager
def _interrupted_afterwards() -> Iterator[None]:
    """An interrupt (Ctrl-C) waits until this is over.

    Drawing drops many objects. An exception that arises while Python tells their weak references
    is printed and forgotten, and the training would go on.
    """
    waiting: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if waiting:
        signal.raise_signal(signal.SIGINT)


class _Bar:
    """A bar on the terminal, a line an epoch beside it; the curve is drawn now and then."""

    def __init__(self, shown: bool) -> None:
        self.folder: Path | None = None  # of the run; the run itself would be kept in memory
        self.drawn = time.monotonic()
        self.undrawn = False  # whether the curve lacks something that was said
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

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.bar.stop()
        if kind is not KeyboardInterrupt:  # whoever interrupts does not want to wait
            self.draw()

    def watch(self, run: "TrainingRun") -> None:
        if run.folder != self.folder:
            self.draw()  # of the stage before
        self.folder, line = run.folder, run.line
        facts = []
        if line.get("images"):
            loss = sum(line.get(name, 0.0) for name in ("symbol", "relation"))
            speed = line["images"] / max(line["seconds"], 1e-9)
            facts = [f"loss {loss:.3f}", f"{speed:,.0f} images/s"]
        if "exact" in run.progress.scores:
            facts.append(f"ExpRate {run.progress.scores['exact']:.1f}")
        self.bar.update(
            self.task, completed=run.done, epoch=run.progress.epoch + 1, facts="  ".join(facts)
        )

    def say(self, line: str) -> None:
        with _interrupted_afterwards():
            self.bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        self.undrawn = True
        if time.monotonic() - self.drawn >= DRAW_SECONDS:
            self.draw()

    def draw(self) -> None:
        """Draw the curve, if there is more to draw than before."""
        from san.training.run_files import LOG
        from san.training.run_log import draw_curve

        # Not before the first epoch has ended.
        if self.undrawn and self.folder is not None and (log := self.folder / LOG).exists():
            with _interrupted_afterwards():
                draw_curve(log, self.folder / "curve.png")
            self.drawn, self.undrawn = time.monotonic(), False
