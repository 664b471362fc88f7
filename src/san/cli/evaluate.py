"""`san evaluate`: let a network read a corpus, and say how well it did.

torch is imported when the command runs: `san --help` works, and is quick, without it.
"""

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from san.cli.console import account_for, check_outputs, with_progress
from san.cli.data import LabelFile, SkippedFile
from san.cli.score import notes_on, write_figures
from san.data.corpus import open_corpus
from san.data.labels import Labels, demand_all, load_labels
from san.data.pack import Pack, is_pack
from san.data.sample import DataError, Fault, Skip
from san.decoding import Reading, decode
from san.decoding.stack import decode_stacks
from san.errors import SanError, printable
from san.evaluation.compare import compare
from san.evaluation.html import to_html
from san.evaluation.read import NamedPicture, read_all
from san.evaluation.report import score
from san.evaluation.table import tables
from san.evaluation.wrong_readings import Gallery, WrongReading
from san.extras import missing_package
from san.files import write_file
from san.grammar import to_latex
from san.models import find_model

if TYPE_CHECKING:
    from san.model.torch.engine import TorchEngine


BATCH = {"cpu": 1, "cuda": 32}
"""On a CPU, 32 at once took eight times as long as one by one."""
SKIPS_SHOWN = 40
"""In the page; `--skipped` names them all."""


class Device(StrEnum):
    cpu = "cpu"
    cuda = "cuda"


def evaluate(
    weights: Annotated[
        Path, typer.Argument(help="A network's weights (.safetensors), or san or san-paper.")
    ],
    corpus: Annotated[Path, typer.Argument(help="A folder, a zip, or a packed file.")],
    labels: LabelFile = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures as JSON.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what was read, as `san score` takes it (tsv)."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page with tables, curve and errors (html)."),
    ] = None,
    gallery: Annotated[
        int, typer.Option(min=0, metavar="N", help="So many errors are shown in the page.")
    ] = 60,
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Images that are read at once; by default 32 on CUDA, else 1."),
    ] = None,
    device: Annotated[
        Device | None, typer.Option(help="Where to compute; by default on CUDA where it is there.")
    ] = None,
    skipped: SkippedFile = None,
) -> None:
    """Let a network read a corpus: the scores of `san score`, and a page that shows the errors.

    Every labelled expression counts; one that cannot be opened is an error.
    """
    weights = find_model(weights)
    exam = _Exam(corpus, labels)
    check_outputs((json_file, predictions, report, skipped), (weights, *exam.origins()))
    reader = _Reader(weights, device)
    errors = Gallery(gallery if report else 0)
    guesses = _read(reader, exam, batch or BATCH[reader.engine.device.type], errors)
    if not exam.labels:
        raise DataError(f"{corpus}: nothing in it can be evaluated")
    figures = score(guesses, exam.labels)
    notes = notes_on(figures, Labels("", guesses))
    console = Console()
    for table in tables(figures):
        console.print(table)
    for note in (*notes, reader.speed()):
        console.print(note, markup=False, highlight=False, soft_wrap=True)
    account_for(exam.skipped, skipped)
    if json_file is not None:
        write_figures(json_file, figures)
    if predictions is not None:
        lines = (f"{printable(name)}\t{latex}\n" for name, latex in guesses.items())
        write_file(predictions, "".join(lines))
    if report is not None:
        notes += [str(skip) for skip in exam.skipped[:SKIPS_SHOWN]]
        write_file(report, to_html(figures, errors, corpus.name, reader.facts(), notes))


def _read(reader: "_Reader", exam: "_Exam", batch: int, errors: Gallery) -> dict[str, str]:
    """What the network reads, in the order of the labels; wrong readings go to the gallery."""
    guesses: dict[str, str] = {}
    for name, pixels, reading in with_progress(read_all(reader, exam, batch), len(exam), "reading"):
        if reading is None:
            exam.skipped.append(Skip(name, Fault.FILE, "too large for the memory at hand"))
            continue
        guesses[name] = to_latex(reading.expression)
        if name in exam.labels and errors.size:
            pair = compare(exam.labels[name], guesses[name])
            if not pair.exact:
                errors.offer(WrongReading(name, exam.labels[name], pixels, reading, pair))
    return {name: guesses[name] for name in (*exam.labels, *guesses) if name in guesses}


class _Exam:
    """The pictures of a corpus, and the labels by id: all of them once it has been iterated.

    A file of labels is the measure, to the letter. Without one it is what the pack or the ink says.
    """

    def __init__(self, source: Path, labels: Path | None) -> None:
        self.labels: dict[str, str] = {}
        self.skipped: list[Skip] = []
        self._pack = Pack.load(source) if is_pack(source) else None
        self._corpus = None if self._pack else open_corpus(source, labels)
        found = self._corpus.labels if self._corpus else load_labels(labels) if labels else None
        self._labelled = found is not None
        self._given = [source, found.path if found else None]
        if found is not None:
            self.labels.update(demand_all(found).latex)

    def __len__(self) -> int:
        return len(self._pack or self._corpus or ())

    def origins(self) -> Iterator[Path | None]:
        """The files that are read."""
        yield from self._given
        if self._corpus:
            yield from self._corpus.origins()

    def __iter__(self) -> Iterator[NamedPicture]:
        if self._pack is not None:
            yield from self._of_pack(self._pack)
        elif self._corpus is not None:
            for sample in self._corpus:
                if not self._labelled:
                    self.labels[sample.id] = to_latex(sample.tree)
                yield NamedPicture(sample.id, sample.picture())
            self.skipped += self._corpus.skipped

    def _of_pack(self, pack: Pack) -> Iterator[NamedPicture]:
        for place, name in enumerate(pack.ids):
            if not self._labelled:
                self.labels[name] = pack.latex[place]
            try:
                yield NamedPicture(name, pack.image(place))
            except DataError as error:
                self.skipped.append(Skip(name, Fault.FILE, str(error)))


class _Reader:
    """A network as a decoder, with a watch."""

    def __init__(self, weights: Path, device: Device | None) -> None:
        try:
            from san.model.torch.weights import load_weights, read_facts
        except ModuleNotFoundError as error:
            raise missing_package(error, "train") from None
        self.weights = weights
        self.network = load_weights(weights)
        self.metadata = read_facts(weights)
        self.engine = self._engine(device)
        self.images = 0
        self.seconds = 0.0

    def _engine(self, device: Device | None) -> "TorchEngine":
        from san.model.torch.engine import TorchEngine

        if device is not Device.cpu:
            try:
                return TorchEngine(self.network, "cuda")
            except (AssertionError, RuntimeError) as error:  # built without it; none there
                if device is Device.cuda:
                    reason = str(error).partition("\n")[0]
                    raise SanError(f"no CUDA device can be used ({reason})") from None
        return TorchEngine(self.network, "cpu")

    def __call__(self, images: Sequence[NDArray[np.generic]]) -> list[Reading]:
        begin = perf_counter()
        if self.network.config.coverage == "all":  # then the order of steps matters: no frontier
            readings = decode_stacks(self.engine, images)
        else:
            readings = decode(self.engine, images)
        self.seconds += perf_counter() - begin
        self.images += len(images)
        return readings

    def speed(self) -> str:
        rate = self.images / self.seconds if self.seconds else 0.0
        return (
            f"{self.images:,} images read in {self.seconds:.1f} s on {self.engine.device.type}: "
            f"{rate:.1f} images/s"
        )

    def facts(self) -> dict[str, str]:
        """What the weights say of themselves, for people."""
        parameters = sum(parameter.numel() for parameter in self.network.parameters())
        facts = {"weights": self.weights.name, "parameters": f"{parameters:,}"}
        facts["symbols"] = f"{len(self.network.vocabulary.symbols):,}"
        for part in ("network", "facts"):
            for name, value in _object(self.metadata.get(part, "")).items():
                facts[name] = value if isinstance(value, str) else json.dumps(value)
        return facts


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
