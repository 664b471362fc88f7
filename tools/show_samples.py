"""Read samples/ and show each formula as its tree and its LaTeX: what `make run` prints.

python -m tools.show_samples [FOLDER]
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.progress import track
from rich.table import Table
from rich.text import Text

from san.errors import SanError, run_or_exit
from san.grammar import parse
from san.ink import read_inkml
from san.reader import Failure, Formula, Recognizer
from san.reader.explain.steps import in_percent

COLUMN = 38
"""Characters that a panel needs at least."""
PICTURES = (".png", ".jpg")

NEXT = (
    ("PHOTO", "a picture, a photograph or ink of your own"),
    ("samples/photo-quadratic.jpg --explain explained", "how it was understood, as one picture"),
    ("samples/basel.png --format mathml", "or typst, json, tokens, lg, tree"),
)


def main(folder: Path, console: Console) -> None:
    files = sorted(file for file in folder.glob("*") if file.suffix in PICTURES)
    if not files:
        raise SanError(f"{folder}: no pictures here")
    recognizer = Recognizer()
    hidden = not console.is_terminal
    readings = track(
        recognizer.read_many(files), "reading", len(files), transient=True, disable=hidden
    )
    shown = [_panel(file, read) for file, read in zip(files, readings, strict=True)]
    console.print(_columns([panel for panel, _ in shown], console.width))
    right = sum(is_right for _, is_right in shown)
    console.print(f"[bold]{right} of {len(files)}[/] pictures are read right.\n\nTry next")
    for words, what in NEXT:
        command = f"  .venv/bin/san read {words}"
        console.print(f"{command:<70} [dim]{what}[/]", soft_wrap=True, highlight=False)


def _panel(file: Path, read: Formula | Failure) -> tuple[RenderableType, bool]:
    """What was read of a file, and whether it is what its writer meant."""
    if isinstance(read, Failure):
        return Panel(Text(read.reason), title=file.name, border_style="red"), False
    truth = read_inkml(file.with_name(file.stem.removeprefix("photo-") + ".inkml")).truth or ""
    is_right = read.expression == parse(truth)
    lines = [Text(read.latex, "bold", overflow="fold")]
    if not is_right:
        lines.append(Text(f"written {truth}", "red", overflow="fold"))
    lines.append(Text(read.tree, overflow="fold"))
    panel = Panel(
        Group(*lines),
        title=f"{'[green]✓' if is_right else '[red]✗'}[/] {file.name}",
        title_align="left",
        subtitle=f"[dim]{in_percent(read.confidence)} sure[/]",
        subtitle_align="right",
        border_style="dim" if is_right else "red",
    )
    return panel, is_right


def _columns(panels: Sequence[RenderableType], width: int) -> Table:
    """As many columns as there is room for, filled one after the other where each is shortest."""
    count = max(width // COLUMN, 1)
    console = Console(width=width // count)
    columns: list[list[RenderableType]] = [[] for _ in range(count)]
    heights = [0] * count
    for panel in panels:
        place = heights.index(min(heights))
        columns[place].append(panel)
        heights[place] += len(console.render_lines(panel))
    grid = Table.grid(expand=True)
    for _ in columns:
        grid.add_column(ratio=1)
    grid.add_row(*(Group(*column) for column in columns))
    return grid


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "samples")
    run_or_exit(lambda: main(folder, Console()))
