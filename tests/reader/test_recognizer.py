import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import san
from san.errors import SanError
from san.grammar import parse
from san.ink import Box, Ink, Sheet, draw, write_inkml
from san.ink.alphabet import compose
from san.reader import Failure, Formula, Limits, Recognizer, Source, recognizer
from tests.data.drawn import encoded
from tests.ink.formulas import fraction, quadratic


def row(*names: str) -> Sheet:
    return compose([(name, Box(60 * n, 0, 60 * n + 40, 60)) for n, name in enumerate(names)])


SHEETS = [fraction(), quadratic(), row("a", "+", "b"), row("2", "x"), row("3")]


@pytest.mark.slow
def test_reads_our_own_hand(reader: Recognizer) -> None:
    for sheet in SHEETS[:2]:
        assert sheet.truth is not None
        for source in (sheet, draw(sheet.ink), 255 - draw(sheet.ink)):
            assert reader.read(source).expression == parse(sheet.truth)


@pytest.mark.slow
def test_many_come_in_order_and_one_bad_one_stops_nobody(
    reader: Recognizer, tmp_path: Path
) -> None:
    path = tmp_path / "x.inkml"
    path.write_bytes(write_inkml(SHEETS[3]))
    sources: list[Source] = [*SHEETS, b"nonsense", path, tmp_path / "none.png", draw(SHEETS[2].ink)]
    alone = [reader.read(source).latex for source in (*SHEETS, path, draw(SHEETS[2].ink))]
    for wide in (reader, Recognizer(threads=3)):
        for batch in (None, 1, 2):
            results = list(wide.read_many(sources, batch))
            read = [result for result in results if isinstance(result, Formula)]
            assert [result.latex for result in read] == alone
            bad = [result for result in results if isinstance(result, Failure)]
            assert [results.index(failure) for failure in bad] == [5, 7]
            assert str(bad[1]) == f"{tmp_path / 'none.png'}: no such file or directory"


@pytest.mark.slow
def test_torch_reads_the_same_and_many_at_once(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    exact = Recognizer(threads=1, precision="float32", quick=True)
    on_device = Recognizer(threads=1, quick=True, device="cpu")
    images = [exact.open(sheet) for sheet in SHEETS]
    together = on_device.read_prepared(images)
    for image, mine in zip(images, together, strict=True):
        theirs = exact.read_prepared([image])[0]
        assert mine.latex == theirs.latex
        assert mine.confidence == pytest.approx(theirs.confidence, abs=1e-3)
        assert [one.box for one in mine.symbols] == [one.box for one in theirs.symbols]
    with pytest.raises(SanError, match=r"no folder of ONNX graphs"):
        Recognizer(tmp_path, device="cpu")
    if not torch.cuda.is_available():
        with pytest.raises(SanError, match="no device cuda"):
            Recognizer(device="cuda")


def no_memory() -> cv2.error:
    error = cv2.error("OpenCV: Failed to allocate 3600000000 bytes")
    error.code = cv2.Error.StsNoMem
    return error


@pytest.mark.parametrize(
    ("trouble", "line"),
    [
        (MemoryError(), "too large for the memory at hand"),
        (no_memory(), "too large for the memory at hand"),
        (cv2.error("an\nassertion"), "an error of ours (error: an assertion)"),
        (ZeroDivisionError("division"), "an error of ours (ZeroDivisionError: division)"),
    ],
)
def test_whatever_one_picture_raises_the_others_are_read(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch, trouble: Exception, line: str
) -> None:
    prepare, ink = recognizer.open_source, row("x").ink

    def stumble(source: Source, *rest: Any) -> Any:
        if source == b"bad":
            raise trouble
        return prepare(source, *rest)

    monkeypatch.setattr(recognizer, "open_source", stumble)
    first, bad, last = reader.read_many([ink, b"bad", ink])
    assert isinstance(first, Formula)
    assert isinstance(last, Formula)
    assert bad == Failure("bytes", line)


def test_what_is_no_source_costs_the_others_nothing(reader: Recognizer) -> None:
    ink = row("x").ink
    sources: list[Any] = [ink, None, {"ink": ink}, ink]  # OpenCV gives None for a file that is none
    first, none, other, last = reader.read_many(sources)
    assert isinstance(first, Formula)
    assert isinstance(last, Formula)
    assert str(none) == "image: no path, bytes, open file, array, image or ink: NoneType"
    assert str(other) == "image: no path, bytes, open file, array, image or ink: dict"


def test_sources_are_taken_as_they_are_needed(reader: Recognizer) -> None:
    taken = 0

    def endless() -> Iterator[Source]:
        nonlocal taken
        while True:
            taken += 1
            yield SHEETS[4]

    stream = reader.read_many(endless(), batch=3)
    assert len(list(islice(stream, 4))) == 4
    assert taken <= 8
    stream.close()  # type: ignore[attr-defined]


def test_the_n_best_are_different_and_sorted() -> None:
    reader = Recognizer(n_best=4, threads=1)
    best = reader.read(SHEETS[3])
    all_of_them = [best, *best.alternatives]
    assert len({formula.expression for formula in all_of_them}) == len(all_of_them) == 4
    sure = [formula.confidence for formula in all_of_them]
    assert sure == sorted(sure, reverse=True)
    assert [entry["latex"] for entry in best.to_dict()["alternatives"]] == [
        other.latex for other in best.alternatives
    ]


@pytest.mark.parametrize("seed", [0, 6, 8])
def test_how_many_are_asked_for_does_not_change_the_best(reader: Recognizer, seed: int) -> None:
    """Not even of scribbles, which are read once and without hope."""
    strokes = np.random.default_rng(seed).uniform(0, 200, (6, 8, 2))
    alone, *lists = (reader.with_beam(1, n).read(Ink.of(strokes.tolist())) for n in (1, 2, 5))
    for best in lists:
        assert best.expression == alone.expression
        assert best.confidence == pytest.approx(alone.confidence, abs=1e-4)
        sure = [best.confidence, *(other.confidence for other in best.alternatives)]
        assert sure == sorted(sure, reverse=True)


@pytest.mark.parametrize("sheet", [SHEETS[3], SHEETS[4]], ids=["unsure", "sure"])
@pytest.mark.slow
def test_of_a_photograph_it_is_less_sure_and_reads_the_same(sheet: Sheet) -> None:
    reader = Recognizer(n_best=3, threads=1)
    prepared = reader.open(sheet)
    ink, photograph = (
        reader.read_prepared([replace(prepared, photographed=taken)])[0] for taken in (False, True)
    )
    assert photograph.confidence < ink.confidence
    (alone,) = Recognizer(threads=1).read_prepared([replace(prepared, photographed=True)])
    assert alone.confidence == pytest.approx(photograph.confidence, abs=1e-4)
    assert photograph.expression == ink.expression
    assert [one.expression for one in photograph.alternatives] == [
        one.expression for one in ink.alternatives
    ]


def test_a_reading_ends_where_its_limit_is() -> None:
    short = Recognizer(threads=1, limits=Limits(steps=4)).read(SHEETS[2])
    assert len(short.reading.steps) <= 4


@pytest.mark.parametrize(
    "options",
    [
        {"beam": 0},
        {"n_best": 101},
        {"threads": -1},
        {"threads": 100_000},
        {"n_best": 2.5},
        {"n_best": "3"},
        {"threads": 1.5},
        {"limits": 5},
        {"limits": None},
    ],
)
def test_bad_options_are_one_line(options: dict[str, object]) -> None:
    with pytest.raises(SanError):
        Recognizer(**options)  # type: ignore[arg-type]


def test_one_source_is_not_several(reader: Recognizer) -> None:
    for one in ("scan.png", Path("scan.png"), b"<ink/>"):
        for read in (reader.read_many, reader.read_pages):
            with pytest.raises(TypeError, match="several sources are wanted"):
                read(one)  # type: ignore[arg-type]


def test_the_text_of_a_file_is_no_name(reader: Recognizer) -> None:
    text = write_inkml(fraction()).decode()
    with pytest.raises(SanError, match="not its name: read its bytes, or name it") as caught:
        reader.read(text)
    assert len(str(caught.value)) < 200
    with pytest.raises(SanError, match=r"^an empty name: no file is named$"):
        reader.read("")


@pytest.mark.slow
def test_bytes_of_every_kind_are_read(reader: Recognizer) -> None:
    content = write_inkml(fraction())
    expected = reader.read(content).expression
    for kind in (bytearray, memoryview):
        assert reader.read(kind(content)).expression == expected


def test_what_cannot_be_read_is_one_line(reader: Recognizer, tmp_path: Path) -> None:
    path = tmp_path / "a\nb.png"
    path.write_bytes(encoded(np.zeros((9, 9), np.uint8)))
    with pytest.raises(SanError, match="no ink found") as caught:
        reader.read(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(SanError, match="cannot be opened"):
        Recognizer(tmp_path / "none.safetensors")


@pytest.mark.slow
def test_exact_or_fast_our_own_hand_is_read_alike(reader: Recognizer) -> None:
    exact = Recognizer(threads=1, precision="float32")
    for sheet in SHEETS[:3]:
        assert exact.read(sheet).expression == reader.read(sheet).expression


@pytest.mark.slow
def test_threads_share_one_reader() -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(san.read(SHEETS[0]).latex)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [san.read(draw(SHEETS[0].ink)).latex] * 4


@pytest.mark.slow
def test_importing_san_brings_nothing_heavy_and_reading_no_torch(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(encoded(draw(SHEETS[0].ink)))
    program = f"""
import sys
for name in ("torch", "onnx", "safetensors.torch", "matplotlib"):
    sys.modules[name] = None
import san
from san import grammar
assert not {{"numpy", "onnxruntime", "PIL", "cv2"}} & set(sys.modules)
from san import Recognizer, read
print(read({str(path)!r}).latex)
try:
    san.nonsense
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        r"x=\frac{1}{2}",
        "module 'san' has no attribute 'nonsense'",
    ], done.stderr


def test_models_that_come_with_it_are_known_by_name(tmp_path: Path) -> None:
    sheet = fraction()
    assert sheet.truth is not None
    assert Recognizer("san-paper").read(sheet).expression == parse(sheet.truth)
    with pytest.raises(SanError, match="no-such-model"):
        Recognizer("no-such-model")
