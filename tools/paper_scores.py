"""Lets a network of any kind read several corpora as training reads, greedily and with a beam.

    python -m tools.paper_scores runs/paper/dwap-plain-0 --beam 10 2014=test2014.bitmaps.zip

Called by recipes/paper.sh. scores.json in the run's folder has the figures of `san evaluate` by the
corpora's names, and by NAME-beam those with a beam; NAME.tsv has what was read.
"""

import argparse
import json
from pathlib import Path

import torch

from san.cli.evaluate import Device, evaluate
from san.errors import SanError, run_or_exit
from san.files import write_file
from san.training.run_files import WEIGHTS

SCORES = "scores.json"


def score_run(folder: Path, corpora: dict[str, Path], beam: int = 1) -> Path:
    device = Device.cuda if torch.cuda.is_available() else Device.cpu
    figures: dict[str, object] = {}
    partial = folder / "figures.json"
    for width, ending in {1: "", beam: "-beam" if beam > 1 else ""}.items():
        for name, corpus in corpora.items():
            print(f"{name}, beam {width}: {corpus}", flush=True)
            read = folder / f"{name}{ending}.tsv"
            evaluate(
                folder / WEIGHTS, corpus, json_file=partial, predictions=read, device=device,
                beam=width,
            )  # fmt: skip
            figures[name + ending] = json.loads(partial.read_text("utf-8"))
    partial.unlink()
    target = folder / SCORES
    write_file(target, json.dumps(figures, indent=1) + "\n")
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description="Lets a network read several corpora.")
    parser.add_argument("run", type=Path, help="its folder")
    parser.add_argument("corpora", nargs="+", metavar="NAME=CORPUS")
    parser.add_argument("--beam", type=int, default=1, help="of a second reading; 1: none")
    asked = parser.parse_args()
    corpora: dict[str, Path] = {}
    for word in asked.corpora:
        name, equals, path = word.partition("=")
        if not (name and equals and path):
            raise SanError(f"{word!r}: a corpus is given as NAME=CORPUS")
        corpora[name] = Path(path)
    print(score_run(asked.run, corpora, asked.beam))


if __name__ == "__main__":
    run_or_exit(main)
