"""The paper's figures on our own systems: what a step is given, strings that break, failures.

    python -m tools.paper_figures runs/paper/figures san=runs/paper/san-plain-0 \\
        san-gs=runs/paper/san-gs-plain-0 dwap=runs/paper/dwap-plain-0

Each NAME=RUN is a run's folder, or weights, or `san-paper`; one of them is of kind san. All read
samples of our own ink (`tools.paper_samples`), greedily. The folder gets

- attention.png: attention step by step, of SAN, which is given that of its path, and of each system
  with coverage of all steps before;
- strings.png: formulas that SAN reads and a decoder of strings does not;
- failures.png: formulas that SAN does not read, with the place that is wrong;
- README.md: what the pictures show, and how many of the samples each system reads.

A picture for which there is no sample is not made, and README.md says so.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from rich.progress import track

from san.decoding.reading import Reading
from san.errors import SanError, run_or_exit
from san.evaluation.compare import Comparison, compare, skeleton
from san.files import whole_file, write_file
from san.grammar.languages import STRING_KINDS, Kind
from san.grammar.tree import Relation
from san.model.torch.readers import NetworkReader, StepReader, open_reader
from san.model.torch.weights import load_weights
from san.models import find_model
from san.reader.symbols import symbols_and_unread
from san.training.run_files import WEIGHTS
from tools.paper_drawing import draw_attention, draw_failures, draw_strings
from tools.paper_looks import looks_of
from tools.paper_samples import OwnSample, own_samples

HANDS = 5
MAX_CASES = 6
"""In a picture of strings or failures."""
MAX_LOOKS = 24
"""Steps of the formula whose attention is shown."""
COVERED: tuple[Kind, ...] = ("san-gs", "dwap")
"""Kinds that are given the attention of all steps before, and tell it."""


class System(NamedTuple):
    name: str
    kind: Kind
    reader: NetworkReader


class Read(NamedTuple):
    """A sample as all systems read it, by their names."""

    sample: OwnSample
    readings: dict[str, Reading]

    def compared(self, name: str) -> Comparison:
        return compare(self.sample.label, self.readings[name].latex)

    def is_right(self, name: str) -> bool:
        return self.readings[name].expression == self.sample.tree


def open_system(given: str) -> System:
    name, _, weights = given.partition("=")
    if not weights:
        raise SanError(f"{given}: a name and a run, as san=runs/paper/san-plain-0")
    path = Path(weights)
    network = load_weights(path / WEIGHTS if path.is_dir() else find_model(path))
    return System(name, network.config.kind, open_reader(network))


def read_samples(systems: Sequence[System], samples: Sequence[OwnSample]) -> list[Read]:
    found = []
    for sample in track(samples, "reading", transient=True):
        readings = {
            system.name: system.reader.read(system.reader.encode([sample.pixels]))[0][0]
            for system in systems
        }
        found.append(Read(sample, readings))
    return found


def _branches(read: Read) -> int:
    visits = read.sample.tree.walk()
    return sum(visit.relation not in (None, Relation.RIGHT) for visit in visits)


def attention_case(reads: Sequence[Read], names: Sequence[str]) -> Read | None:
    """What all of them read, of few steps and many branches."""
    right = [
        read
        for read in reads
        if all(map(read.is_right, names)) and read.readings[names[0]].step_count <= MAX_LOOKS
    ]
    return max(right, key=_branches, default=None)


def string_cases(reads: Sequence[Read], tree: str, strings: Sequence[str]) -> list[Read]:
    """Strings that are no formula first, then those of another structure, then short ones."""

    def rank(read: Read) -> tuple[bool, bool, int]:
        wrong = [read.readings[name] for name in strings if not read.is_right(name)]
        wanted = skeleton(read.sample.tree)
        return (
            all(reading.parses for reading in wrong),
            all(skeleton(reading.expression) == wanted for reading in wrong),
            len(read.sample.tree),
        )

    cases = [read for read in reads if read.is_right(tree)]
    cases = [read for read in cases if not all(map(read.is_right, strings))]
    return _one_of_each(sorted(cases, key=rank))


def failure_cases(reads: Sequence[Read], tree: str) -> list[Read]:
    """The nearest misses: first those of another structure, then those of another symbol."""
    wrong = [(read, read.compared(tree)) for read in reads if not read.is_right(tree)]
    wrong.sort(key=lambda pair: pair[1].edits)
    parts = ([read for read, found in wrong if found.structure is same] for same in (False, True))
    structure, symbols = (_one_of_each(part) for part in parts)
    room = max(MAX_CASES // 2, MAX_CASES - len(symbols))
    return _one_of_each([*structure[:room], *symbols])


def _one_of_each(reads: Sequence[Read]) -> list[Read]:
    """Of each formula one hand, and no more than a picture has room for."""
    by_label: dict[str, Read] = {}
    for read in reads:
        by_label.setdefault(read.sample.label, read)
    return list(by_label.values())[:MAX_CASES]


def make_figures(folder: Path, systems: Sequence[System], hands: int) -> Path:
    tree = next((system for system in systems if system.kind == "san"), None)
    if tree is None:
        raise SanError("one of the networks has to be of kind san")
    folder.mkdir(parents=True, exist_ok=True)
    reads = read_samples(systems, list(own_samples(hands)))
    covered = [system for system in systems if system.kind in COVERED]
    strings = [system.name for system in systems if system.kind in STRING_KINDS]
    drawn: dict[str, tuple[str, Image.Image | None]] = {}

    if covered:
        seen = [tree, *covered]
        case = attention_case(reads, [system.name for system in seen])
        picture = None
        if case is not None:
            blocks = []
            for system in seen:
                assert isinstance(system.reader, StepReader)
                looks = looks_of(system.reader, case.sample.pixels)
                way = "the steps on its path" if system is tree else "all steps before"
                blocks.append((f"{system.name}: given the attention of {way}", looks))
            picture = draw_attention(case.sample.image.picture, case.sample.label, blocks)
        named = " and ".join(system.name for system in covered)
        drawn["attention"] = (f"Attention of {tree.name}, by path, and of {named}", picture)
    if strings:
        cases = string_cases(reads, tree.name, strings)
        rows = [
            (read.sample, {name: read.readings[name] for name in (*strings, tree.name)})
            for read in cases
        ]
        words = f"Read by {tree.name} and not by {' or '.join(strings)}"
        drawn["strings"] = (words, draw_strings(rows) if rows else None)
    misses = []
    for read in failure_cases(reads, tree.name):
        reading = read.readings[tree.name]
        misses.append((read.sample, reading, symbols_and_unread(reading, read.sample.image)))
    drawn["failures"] = (f"Not read by {tree.name}", draw_failures(misses) if misses else None)
    return _write(folder, systems, reads, drawn)


def _write(
    folder: Path,
    systems: Sequence[System],
    reads: Sequence[Read],
    drawn: dict[str, tuple[str, Image.Image | None]],
) -> Path:
    lines = ["# Figures from samples of our own ink", "", "| system | kind | read right | of |"]
    lines.append("| --- | --- | --- | --- |")
    for system in systems:
        right = sum(read.is_right(system.name) for read in reads)
        lines.append(f"| {system.name} | {system.kind} | {right} | {len(reads)} |")
    for name, (words, picture) in drawn.items():
        file = folder / f"{name}.png"
        file.unlink(missing_ok=True)
        lines += ["", f"{words}:" if picture else f"{words}: no sample is like that.", ""]
        if picture is not None:
            with whole_file(file) as partial:
                picture.save(partial, format="PNG", optimize=True)
            lines.append(f"![{words}]({file.name})")
    index = folder / "README.md"
    write_file(index, "\n".join(lines).rstrip("\n") + "\n")
    return index


def main() -> None:
    parser = argparse.ArgumentParser(description="Draws the paper's figures from our own systems.")
    parser.add_argument("folder", type=Path, help="gets the pictures")
    parser.add_argument("networks", nargs="+", metavar="NAME=RUN")
    parser.add_argument("--hands", type=int, default=HANDS, help="that write each formula")
    asked = parser.parse_args()
    if asked.hands < 1:
        raise SanError("--hands is a number from 1 on")
    print(make_figures(asked.folder, [open_system(one) for one in asked.networks], asked.hands))


if __name__ == "__main__":
    run_or_exit(main)
