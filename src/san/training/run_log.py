"""A run's record: a line of JSON an epoch, its curve, and what its weights say of themselves."""

import functools
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import san
from san.files import whole_file, write_file
from san.training.config import Config


def add_line(path: Path, line: Mapping[str, float | int]) -> None:
    with path.open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def drop_lines_after(path: Path, epoch: int) -> None:
    """Drop what a killed run wrote after its last saved state: it will be done and logged again."""
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    kept = "".join(line + "\n" for line in text.splitlines() if _is_until(line, epoch))
    if kept != text:
        write_file(path, kept)


def _is_until(line: str, epoch: int) -> bool:
    try:
        return int(json.loads(line)["epoch"]) <= epoch
    except (ValueError, KeyError, TypeError):
        return False  # cut off in the middle


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
    beside = sorted({name for line in lines for name in line if name.startswith("exact_")})
    for name in beside:  # other corpora
        scored = [(line["epoch"], line[name]) for line in lines if name in line]
        label = f"ExpRate of {name.removeprefix('exact_')}, %"
        right.plot(*zip(*scored, strict=True), "s--", label=label, ms=3)
    right.set(ylabel="validation, %", ylim=(0, 100))
    handles = [*left.get_lines(), *right.get_lines()]
    if handles:
        left.legend(handles=handles, fontsize="small", loc="center right")
    with whole_file(picture) as partial:
        figure.savefig(partial, format="png", dpi=110)
    pyplot.close(figure)


def stage_record(
    config: Config,
    scores: Mapping[str, float],
    epochs: int = 0,
    seconds: float = 0.0,
    samples: int = 0,
) -> dict[str, object]:
    """What weights say of the training that made them; a mean of others had none."""
    return {
        "config": config.name,
        "epochs": epochs,
        "minutes": round(seconds / 60, 2),
        "samples": samples,
        "seed": config.training.seed,
        "commit": commit(),
        **{f"validation_{name}": value for name, value in scores.items()},
    }


@functools.cache
def commit() -> str:
    """The short hash, with "-dirty" where files differ from it; empty without a repository."""
    file = Path(san.__file__)
    # An installed copy may lie within someone else's repository, which does not track it.
    if not _git(file.parent, "ls-files", "--error-unmatch", file.name):
        return ""
    return _git(file.parent, "describe", "--always", "--dirty", "--exclude=*")


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            timeout=20,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},  # nothing is written
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
