"""A run's log as a picture: losses and ExpRate over epochs, drawn anew whenever there is news."""

import json
from pathlib import Path

from san.files import whole_file

LOSSES = ("symbol", "relation", "reversed", "regularisation", "attention")
SCORES = (
    ("exact", "ExpRate", "black"),
    ("steps", "steps right", "tab:purple"),
    ("blank", "steps right without an image", "tab:gray"),
)


def read_log(path: Path) -> list[dict[str, float]]:
    """The lines of a `log.jsonl`; one that was cut off by a crash is passed over."""
    lines: list[dict[str, float]] = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and "epoch" in line:
            lines.append(line)
    return lines


def draw_curve(log: Path, picture: Path) -> None:
    """Left axis, logarithmic: the losses. Right axis: percent of the validation corpus."""
    # Imported here: reading a log needs no library, and a picture is drawn rarely.
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines = read_log(log)
    figure, left = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for name in LOSSES:
        points = [(line["epoch"], line[name]) for line in lines if line.get(name, 0) > 0]
        if points:
            left.plot(*zip(*points, strict=True), label=f"{name} loss", linewidth=1)
    left.set(xlabel="epoch", ylabel="loss")
    if left.lines:
        left.set_yscale("log")
    right = left.twinx()
    for name, label, colour in SCORES:
        scored = [(line["epoch"], line[name]) for line in lines if name in line]
        if scored:
            right.plot(*zip(*scored, strict=True), "o-", label=f"{label}, %", color=colour, ms=3)
    right.set(ylabel="validation, %", ylim=(0, 100))
    handles = [*left.get_lines(), *right.get_lines()]
    if handles:
        left.legend(handles=handles, fontsize="small", loc="center right")
    with whole_file(picture) as partial:
        figure.savefig(partial, format="png", dpi=110)
    pyplot.close(figure)
