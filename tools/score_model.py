"""Lets a model read several corpora, greedily and as it reads by default, and keeps all figures.

    python -m tools.score_model runs/san/model 2014=test2014.bitmaps.zip \\
        held_photos=train_photos.zip=packs/photos-held.npz

Called by recipes/san.sh. A corpus is given with its name, and with labels where those that lie
beside it are not meant: a pack has some, too. Each is `san evaluate`d twice: in one pass of single
precision, and with int8 and the second pass. What is newer than corpus and model already, all
files of it that readings depend on, is not read again; scores.json in the model's folder, written
last, has it all.
"""

import argparse
import json
from pathlib import Path

from san.cli.console import Precision
from san.cli.evaluate import evaluate
from san.decoding.confidence import calibration_path
from san.errors import SanError, run_or_exit
from san.files import write_file
from san.model.onnx.int8_ranges import ranges_path
from san.models import RESCORING, STROKES

WEIGHTS, SCORES = "san.safetensors", "scores.json"
WAYS = {"greedy": (True, Precision.float32), "default": (False, Precision.int8)}
"""Whether in one pass, and in which precision."""


def score_model(folder: Path, corpora: dict[str, tuple[Path, Path | None]]) -> Path:
    weights = folder / WEIGHTS
    if not weights.exists():
        raise SanError(f"{weights}: no such file; name the folder of a model")
    made_of = [
        weights,
        ranges_path(weights),
        calibration_path(weights),
        folder / RESCORING.name,
        folder / STROKES.name,
    ]
    figures: dict[str, dict[str, object]] = {}
    (folder / "scores").mkdir(exist_ok=True)
    for name, (corpus, labels) in corpora.items():
        figures[name] = {}
        for way, (quick, precision) in WAYS.items():
            file = folder / "scores" / f"{name}.{way}.json"
            if not _is_newer(file, [*made_of, corpus, labels or corpus]):
                print(f"{name}, {way}: {corpus}", flush=True)
                evaluate(weights, corpus, labels, json_file=file, quick=quick, precision=precision)
            figures[name][way] = json.loads(file.read_text("utf-8"))
    target = folder / SCORES
    write_file(target, json.dumps(figures, indent=1) + "\n")
    return target


def _is_newer(file: Path, inputs: list[Path]) -> bool:
    if not file.exists():
        return False
    return all(one.stat().st_mtime <= file.stat().st_mtime for one in inputs if one.exists())


def main() -> None:
    parser = argparse.ArgumentParser(description="Lets a model read several corpora.")
    parser.add_argument("model", type=Path, help="its folder")
    parser.add_argument("corpora", nargs="+", metavar="NAME=CORPUS[=LABELS]")
    asked = parser.parse_args()
    corpora: dict[str, tuple[Path, Path | None]] = {}
    for word in asked.corpora:
        name, *paths = word.split("=")
        if len(paths) not in (1, 2) or not all((name, *paths)):
            raise SanError(f"{word!r}: a corpus is given as NAME=CORPUS, or NAME=CORPUS=LABELS")
        corpora[name] = (Path(paths[0]), Path(paths[1]) if paths[1:] else None)
    print(score_model(asked.model, corpora))


if __name__ == "__main__":
    run_or_exit(main)
