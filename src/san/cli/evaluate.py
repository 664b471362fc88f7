"""`san evaluate`: let a network read a corpus as `san read` would, and say how well it did.

With `--device` torch reads instead, as in training: pictures as they are, in one pass of float32.
Both are imported when the command runs: `san --help` is quick, and works without torch.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

import numpy as np
import typer
from numpy.typing import NDArray

from san.cli.console import (
    PRECISION,
    QUICK,
    Precision,
    account_for,
    check_beside,
    check_outputs,
    leaving_at_once,
    table_console,
    with_progress,
    write_each,
)
from san.cli.data import LabelFile, SkippedFile
from san.cli.score import notes_on, write_figures
from san.data.corpus import open_corpus
from san.data.labels import Labels, demand_all, load_labels
from san.data.pack import Pack, is_pack
from san.data.sample import DataError, Fault, Skip
from san.decoding import Reading
from san.errors import SanError, printable
from san.evaluation.compare import compare
from san.evaluation.html import to_html
from san.evaluation.read import NamedPicture, Pixels, read_all
from san.evaluation.report import score
from san.evaluation.table import tables
from san.evaluation.wrong_readings import Gallery, WrongReading
from san.extras import missing_package
from san.files import read_file, write_file
from san.grammar import to_latex
from san.models import find_model, is_folder

if TYPE_CHECKING:
    from san.model.torch.readers import NetworkReader
    from san.reader import Source


BATCH = {"cpu": 1, "cuda": 32}
"""On a CPU, 32 at once took eight times as long as one by one."""
GALLERY = 60
"""Errors in the page."""
SKIPS_SHOWN = 40
"""In the page; `--skipped` names them all."""


class Device(StrEnum):
    cpu = "cpu"
    cuda = "cuda"


def evaluate(
    weights: Annotated[
        Path,
        typer.Argument(
            help="A network's weights (.safetensors), or san, san-densenet or san-paper."
        ),
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
        int | None,
        typer.Option(min=0, metavar="N", help=f"Errors shown in the page; {GALLERY} by default."),
    ] = None,
    quick: Annotated[bool, QUICK] = False,
    precision: Annotated[Precision | None, PRECISION] = None,
    device: Annotated[
        Device | None,
        typer.Option(help="Read with torch, in one pass of float32; by default as `san read`."),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="With torch, images at once; by default 32 on CUDA, else 1."),
    ] = None,
    beam: Annotated[
        int, typer.Option(min=1, max=100, metavar="N", help="The first pass follows N readings.")
    ] = 1,
    skipped: SkippedFile = None,
) -> None:
    """Let a network read a corpus: the scores of `san score`, and a page that shows the errors.

    Every labelled expression counts; one that cannot be opened is an error.
    """
    if batch is not None and device is None:
        raise SanError("--batch is how much torch reads at once: name its --device, too")
    if precision is Precision.int8 and device is not None:
        raise SanError("--device reads in float32: it takes no --precision int8")
    if gallery is not None and report is None:
        raise SanError("--gallery is a part of the page: name its file with --report")
    weights = find_model(weights)
    test_set = _TestSet(corpus, labels)
    check_outputs((json_file, predictions, report, skipped), (weights, *test_set.origins()))
    console = table_console()
    reader: _Reader
    if device is None:
        reader = _DefaultReader(weights, quick, precision or Precision.int8, beam)
        check_beside(weights, precision)
    else:
        reader = _Torch(weights, device, batch, beam)
    shown = GALLERY if gallery is None else gallery
    errors = Gallery(shown if report else 0)
    begin = perf_counter()
    with leaving_at_once():
        guesses = _read(reader, test_set, errors)
    seconds = perf_counter() - begin
    if not test_set.labels:
        raise DataError(f"{corpus}: nothing in it can be evaluated")
    figures = score(guesses, test_set.labels)
    notes = notes_on(figures, Labels("", guesses))
    for table in tables(figures):
        console.print(table)
    for note in (*notes, _speed(len(guesses), seconds, device or Device.cpu)):
        console.print(note, markup=False, highlight=False, soft_wrap=True)
    writes: list[Callable[[], None]] = [partial(account_for, test_set.skipped, skipped)]
    if json_file is not None:
        writes.append(partial(write_figures, json_file, figures))
    if predictions is not None:
        lines = (f"{printable(name)}\t{latex}\n" for name, latex in guesses.items())
        writes.append(partial(write_file, predictions, "".join(lines)))
    if report is not None:
        notes += [str(skip) for skip in test_set.skipped[:SKIPS_SHOWN]]
        page = to_html(figures, errors, corpus.name, _facts(weights), notes)
        writes.append(partial(write_file, report, page))
    write_each(*writes)


class _Item(NamedTuple):
    """A sample of a test set."""

    id: str
    source: "Source"  # as `san read` takes it
    picture: Callable[[], Pixels]  # as training does


class _Result(NamedTuple):
    """What was read of a sample; without a reading, why not."""

    id: str
    pixels: Pixels | None = None
    reading: Reading | None = None
    failure: str = ""


class _Reader(Protocol):
    def read(self, items: Iterable[_Item]) -> Iterator[_Result]: ...


def _read(reader: _Reader, test_set: "_TestSet", errors: Gallery) -> dict[str, str]:
    """What the network reads, in the order of the labels; wrong readings go to the gallery."""
    guesses: dict[str, str] = {}
    results = with_progress(reader.read(test_set), len(test_set), "reading")
    for name, pixels, reading, failure in results:
        if reading is None or pixels is None:
            test_set.skipped.append(Skip(name, Fault.FILE, failure))
            continue
        guesses[name] = reading.latex
        if name in test_set.labels and errors.size:
            pair = compare(test_set.labels[name], guesses[name])
            if not pair.exact:
                errors.offer(WrongReading(name, test_set.labels[name], pixels, reading, pair))
    return {name: guesses[name] for name in (*test_set.labels, *guesses) if name in guesses}


class _TestSet:
    """The samples of a corpus, and the labels by id: all of them once it has been iterated.

    A file of labels is the measure, to the letter. Without one it is what the pack or the ink says.
    """

    def __init__(self, source: Path, labels: Path | None) -> None:
        self.labels: dict[str, str] = {}
        self.skipped: list[Skip] = []
        self._pack = Pack.load(source) if is_pack(source) else None
        self._corpus = None if self._pack else open_corpus(source, labels)
        loaded = self._corpus.labels if self._corpus else load_labels(labels) if labels else None
        self._labelled = loaded is not None
        self._given = [source, loaded.path if loaded else None]
        if loaded is not None:
            self.labels.update(demand_all(loaded).latex)

    def __len__(self) -> int:
        return len(self._pack or self._corpus or ())

    def origins(self) -> Iterator[Path | None]:
        """The files that are read."""
        yield from self._given
        if self._corpus:
            yield from self._corpus.origins()

    def __iter__(self) -> Iterator[_Item]:
        if self._pack is not None:
            yield from self._of_pack(self._pack)
        elif self._corpus is not None:
            for sample in self._corpus:
                if not self._labelled:
                    self.labels[sample.id] = to_latex(sample.tree)
                source = sample.ink if sample.ink is not None else sample.encoded or sample.image
                assert source is not None
                yield _Item(sample.id, source, sample.picture)
            self.skipped += self._corpus.skipped

    def _of_pack(self, pack: Pack) -> Iterator[_Item]:
        for place, name in enumerate(pack.ids):
            if not self._labelled:
                self.labels[name] = pack.latex[place]
            try:
                image = pack.image(place)
            except DataError as error:
                self.skipped.append(Skip(name, Fault.FILE, str(error)))
                continue
            yield _Item(name, image, partial(np.asarray, image))


class _DefaultReader:
    """Reads as `san read` does."""

    def __init__(self, weights: Path, quick: bool, precision: Precision, beam: int) -> None:
        from san.reader import Recognizer

        self._recognizer = Recognizer(weights, beam=beam, quick=quick, precision=precision.value)

    def read(self, items: Iterable[_Item]) -> Iterator[_Result]:
        from san.reader import Failure, Source

        ids: deque[str] = deque()  # of those that are in work

        def sources() -> Iterator[Source]:
            for item in items:
                ids.append(item.id)
                yield item.source

        for result in self._recognizer.read_many(sources()):
            if isinstance(result, Failure):
                yield _Result(ids.popleft(), failure=result.reason)
            else:
                yield _Result(ids.popleft(), result.prepared.picture, result.reading)


class _Torch:
    """Reads as training does."""

    def __init__(self, weights: Path, device: Device, batch: int | None, beam: int) -> None:
        try:
            from san.model.torch.weights import load_weights
        except ModuleNotFoundError as error:
            raise missing_package(error, "train") from None
        self._network = load_weights(weights)
        self._reader = self._on(device)
        self._batch, self._beam = batch or BATCH[device], beam

    def _on(self, device: Device) -> "NetworkReader":
        from san.model.torch.cuda import demand_cuda
        from san.model.torch.readers import open_reader

        if device is Device.cuda:
            demand_cuda()
        return open_reader(self._network, device.value)

    def read(self, items: Iterable[_Item]) -> Iterator[_Result]:
        pictures = (NamedPicture(item.id, item.picture()) for item in items)
        for name, pixels, reading in read_all(self._decode, pictures, self._batch):
            yield _Result(name, pixels, reading, "too large for the memory at hand")

    def _decode(self, images: Sequence[NDArray[np.generic]]) -> list[Reading]:
        memory = self._reader.encode(images)
        return [readings[0] for readings in self._reader.read(memory, beam=self._beam)]


def _speed(images: int, seconds: float, device: Device) -> str:
    rate = images / seconds if seconds else 0.0
    noun = "image" if images == 1 else "images"
    return f"{images:,} {noun} read in {seconds:.1f} s on {device}: {rate:.1f} images/s"


def _facts(weights: Path) -> dict[str, str]:
    """What the weights say of themselves, for people."""
    from san.model.onnx.weights import read_facts
    from san.model.spec import MAX_BYTES, count_parameters, read_metadata

    facts = {"weights": weights.name}
    if is_folder(weights):  # of ONNX files, which say nothing
        return facts
    metadata = read_facts(read_file(weights, MAX_BYTES))
    config, vocabulary = read_metadata(metadata, weights.name)
    facts["parameters"] = f"{count_parameters(config, vocabulary):,}"
    facts["symbols"] = f"{len(vocabulary.symbols):,}"
    for part in ("network", "facts"):
        for name, value in _object(metadata.get(part, "")).items():
            facts[name] = value if isinstance(value, str) else json.dumps(value)
    return facts


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
