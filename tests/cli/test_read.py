import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from PIL import Image
from typer.testing import CliRunner, Result

from san.cli.read import read
from san.data.labels import load_labels
from san.errors import SanError
from san.grammar.formats import Format
from san.grammar.json import from_json
from san.ink import Box, Ink, Sheet, draw, write_inkml
from san.ink.alphabet import compose
from san.models import NETWORK
from san.reader import Formula, Limits, Page, Recognizer
from tests.cli.console import complaint, san
from tests.data.drawn import encoded, fill
from tests.ink.formulas import fraction, quadratic
from tests.reader.lost_line import lost_line
from tests.reader.pages.written import lines_of

pytestmark = pytest.mark.slow

FRACTION, QUADRATIC = r"x=\frac{1}{2}", r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}"


def _row(*names: str) -> Sheet:
    return compose([(name, Box(60 * n, 0, 60 * n + 40, 60)) for n, name in enumerate(names)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three that can be read, two that cannot, one that is not meant."""
    files: dict[str, bytes | str] = {
        "fraction.png": encoded(draw(fraction().ink)),
        "quadratic.inkml": write_inkml(quadratic()),
        "sub/scan.jpg": encoded(255 - draw(fraction().ink), "JPEG"),
        "broken.png": "no picture",
        "empty.png": encoded(np.full((90, 120), 255, np.uint8)),
        "readme.txt": "no picture either",
    }
    return fill(tmp_path / "in", files)


def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
    """In this process, which has imported everything already."""
    app = typer.Typer()
    app.command()(read)
    done = CliRunner().invoke(app, [*map(str, arguments), "--threads", "1"], input=stdin)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_one_file_prints_its_formula_alone(folder: Path) -> None:
    done = san("read", folder / "fraction.png")
    assert (done.returncode, done.stdout, done.stderr) == (0, FRACTION + "\n", "")


def test_a_folder_names_each_and_what_failed(folder: Path) -> None:
    done = run(folder)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"fraction\t{FRACTION}",
        f"quadratic\t{QUADRATIC}",
        f"scan\t{FRACTION}",
    ]
    assert done.stderr.splitlines() == [
        f"san: {folder / 'broken.png'}: not a PNG, JPEG, WebP, BMP, TIFF, GIF or HEIC image, "
        "nor a PDF or InkML",
        f"san: {folder / 'empty.png'}: no ink found",
    ]


def test_patterns_and_standard_input(folder: Path) -> None:
    done = run(folder / "[fq]*", folder / "nothing*", "-", stdin=encoded(draw(fraction().ink)))
    assert done.exit_code == 1
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [
        "fraction",
        "quadratic",
        "stdin",
    ]
    assert done.stderr == f"san: {folder / 'nothing*'}: no file fits this pattern\n"
    assert run("-", stdin=write_inkml(fraction())).stdout == FRACTION + "\n"
    assert run("-").stderr.startswith("san: standard input: the file is empty")


@pytest.mark.parametrize("form", Format)
def test_formats(folder: Path, form: Format) -> None:
    alone = run(folder / "fraction.png", "--format", form).stdout
    both = run(folder / "fraction.png", folder / "quadratic.inkml", "--format", form).stdout
    match form:
        case Format.latex | Format.stretchy | Format.tokens:
            assert alone.replace(" ", "") == FRACTION + "\n"
            assert both.replace(" ", "") == f"fraction\t{FRACTION}\nquadratic\t{QUADRATIC}\n"
        case Format.mathml:
            assert ElementTree.fromstring(alone).tag.endswith("math")
        case Format.json:
            assert json.loads(alone)["latex"] == FRACTION
            lines = [json.loads(line) for line in both.splitlines()]
            assert [line["id"] for line in lines] == ["fraction", "quadratic"]
            assert all(symbol["box"] for line in lines for symbol in line["expression"]["symbols"])
        case Format.typst:
            assert alone == "x = frac(1, 2)\n"
        case Format.tree:
            assert alone == "x =\n\\frac\n├─ above  1\n└─ below  2\n"
            assert both.startswith(f"# fraction\n{alone}\n# quadratic\n")
        case Format.lg:
            assert "R, \\frac_1, 1_1, Above, 1.0" in alone.splitlines()


def test_the_n_best(folder: Path) -> None:
    lines = run(folder / "fraction.png", "--n-best", "3").stdout.splitlines()
    sure = [float(line.split("\t")[1]) for line in lines]
    assert len(sure) == 3
    assert sure == sorted(sure, reverse=True)
    assert lines[0].startswith(f"{FRACTION}\t")
    assert run(folder / "fraction.png", "--beam", "3").stdout == FRACTION + "\n"


def test_results_are_what_san_score_takes(folder: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text(f"fraction\t{FRACTION}\nquadratic\t{QUADRATIC}\nscan\ty\nempty\tx\n")
    for name, more in (("out.tsv", ()), ("out.jsonl", ("--n-best", "2"))):
        done = run(folder, "--output", tmp_path / name, *more)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.endswith(f"3 read: {tmp_path / name}\n")
        san("score", tmp_path / name, labels, "--json", tmp_path / "score.json")
        figures = json.loads((tmp_path / "score.json").read_text("utf-8"))
        assert (figures["n"], figures["missing"]) == (4, 1)
        assert figures["exprate"] == 50.0
    entries = [
        json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    ]
    assert [from_json(json.dumps(entry["expression"])) is not None for entry in entries] == [
        True
    ] * 3
    assert len(entries[0]["alternatives"]) == 1
    assert entries[2]["file"] == str(folder / "sub" / "scan.jpg")


def test_pictures_that_explain(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "explained"
    assert run(folder, "--explain", out).exit_code == 1
    assert sorted(path.name for path in out.iterdir()) == [
        "fraction.png",
        "quadratic.png",
        "scan.png",
    ]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in out.iterdir())


def test_each_picture_that_explains_has_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "/".join(["a folder with a long name" * 4] * 4)
    names = ("a.png", "in/a.png", "in_a.png", f"{long}/b.png", "b.png")
    fill(tmp_path, dict.fromkeys(names, encoded(draw(_row("2", "x").ink))))
    monkeypatch.chdir(tmp_path)
    done = run(*names, "--explain", "out", "--quick")
    assert (done.exit_code, done.stderr) == (0, "")
    assert len(list(Path("out").iterdir())) == 5
    assert {"a.png", "in_a.png", "in_a~2.png"} <= {path.name for path in Path("out").iterdir()}


def test_a_picture_that_cannot_be_drawn_costs_no_reading(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "fraction.png").mkdir(parents=True)  # as a full disk, where nobody is too mighty
    done = run(folder / "fraction.png", folder / "quadratic.inkml", "--explain", out)
    assert done.exit_code == 1
    assert done.stdout == f"fraction\t{FRACTION}\nquadratic\t{QUADRATIC}\n"
    assert done.stderr == f"san: {out / 'fraction.png'}: cannot be written (is a directory)\n"
    assert (out / "quadratic.png").is_file()


def test_limits_are_options(folder: Path) -> None:
    for option, file, why in (
        (("--max-bytes", "50"), "fraction.png", "larger than 50 bytes"),
        (("--max-pixels", "50"), "fraction.png", "more than 50 pixels"),
        (("--max-strokes", "5"), "quadratic.inkml", "more than 5 strokes"),
        (("--max-points", "5"), "quadratic.inkml", "more than 5 points"),
    ):
        done = run(folder / file, *option)
        assert done.exit_code == 1
        assert why in done.stderr
    for more in ((), ("--beam", "3")):
        cut = run(folder / "quadratic.inkml", "--max-steps", "4", *more)
        assert len(cut.stdout) < len(QUADRATIC)
        assert "the limit of steps was reached" in cut.stderr


def test_bad_usage_is_one_line_and_nothing_is_overwritten(folder: Path, tmp_path: Path) -> None:
    weights = tmp_path / "no.safetensors"
    (folder / "a.tsv").write_bytes(encoded(draw(fraction().ink)))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for arguments, why in (
        ((folder, "--output", tmp_path / "out.txt"), "try out.tsv, .jsonl, .md or .tex"),
        ((folder, "--output", tmp_path / "out.tsv", "--format", "tree"), "takes no --format"),
        ((folder, "--output", tmp_path / "no" / "out.tsv"), "there is no folder"),
        ((folder, "-o", tmp_path / "out.tsv", "--n-best", "3"), "into .jsonl alone"),
        ((folder, "-o", tmp_path / "out.md", "--n-best", "3"), "into .jsonl alone"),
        ((folder, "-o", tmp_path / "out.tex", "--confidence"), "into .tsv and .jsonl alone"),
        ((folder, "-o", tmp_path / "out.jsonl", "--aligned"), "--aligned is text"),
        ((folder, "--format", "json", "--aligned"), "--aligned is text"),
        ((folder, "--n-best", "3", "--aligned"), "no --n-best"),
        ((folder, folder / "a.tsv", "--output", folder / "a.tsv"), "would overwrite"),
        ((folder, "--explain", folder), "would overwrite"),
        ((folder / "fraction.png", "--explain", folder / "readme.txt"), "is no folder"),
        ((folder, "--model", weights), "no.safetensors: cannot be opened"),
        (
            (folder, "--model", "no-such-model"),
            "no-such-model: .* those are: san, san-densenet, san-paper",
        ),
        ((folder, "--max-steps", "99999999"), "a limit of steps is at most"),
    ):
        with pytest.raises(SanError, match=why) as caught:
            run(*arguments)
        assert "\n" not in str(caught.value)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert "Missing argument" in complaint("read")
    assert "--n-best" in complaint("read", folder, "--n-best", "0")


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    command = '"$0" -c "from san.cli.main import main; main()" read "$@" | head -1'
    files = [str(folder / "fraction.png")] * 2 + [str(folder / "quadratic.inkml")]
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, *files, str(folder)], capture_output=True, text=True
    )
    assert done.stdout == f"fraction\t{FRACTION}\n"
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
def test_who_interrupts_a_long_run_keeps_what_was_read(tmp_path: Path) -> None:
    picture = encoded(draw(_row("2", "x").ink))
    folder = fill(tmp_path / "in", {f"{number}.png": picture for number in range(2000)})
    out = tmp_path / "out.tsv"
    # Where tests run in the background, interrupts are ignored by all that they start.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    program = heard + "from san.cli.main import main; main()"
    child = subprocess.Popen(
        [sys.executable, "-c", program, "read", str(folder), "-o", str(out), "--threads", "1"],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (out.exists() and out.stat().st_size):
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in errors
    lines = out.read_text("utf-8").splitlines()
    assert 0 < len(lines) < 2000
    assert len({line.partition("\t")[2] for line in lines}) == 1  # each line is whole


@pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
def test_who_interrupts_does_not_wait_for_a_hard_picture(folder: Path, tmp_path: Path) -> None:
    begun, out = tmp_path / "begun", tmp_path / "out.tsv"
    hard = f"""
import pathlib, signal, time
from san.cli.main import main
from san.reader import Recognizer
def read(reader, source, name, easy=Recognizer._read_page):
    if name.endswith(".inkml"):
        pathlib.Path({str(begun)!r}).touch()
        time.sleep(60)
    return easy(reader, source, name)
Recognizer._read_page = read
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
    words = ["read", folder / "fraction.png", folder / "quadratic.inkml", "-o", out]
    child = subprocess.Popen([sys.executable, "-c", hard, *words], stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (begun.exists() and out.stat().st_size):
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=20)
    assert (child.returncode, errors) == (130, b"")
    assert out.read_text() == f"fraction\t{FRACTION}\n"


def test_single_precision_is_another_arithmetic_and_the_same_formula(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def spy(*arguments: Any, precision: Any, **options: Any) -> Recognizer:
        asked.append(precision)
        return Recognizer(*arguments, precision=precision, **options)

    monkeypatch.setattr("san.reader.Recognizer", spy)
    plain, exact = (
        json.loads(run(folder / "quadratic.inkml", "--format", "json", *more).stdout)
        for more in ((), ("--precision", "float32"))
    )
    assert asked == ["int8", "float32"]
    assert plain["latex"] == exact["latex"] == QUADRATIC
    assert plain["confidence"] == pytest.approx(exact["confidence"], abs=0.01)


def test_weights_without_what_lies_beside_them_are_told(folder: Path, tmp_path: Path) -> None:
    weights = tmp_path / "copy.safetensors"
    weights.write_bytes(NETWORK.read_bytes())
    words = (folder / "fraction.png", "--quick", "--model", weights)
    told = f"san: {weights}: its calibration, copy.calibration.json, is not beside it: "
    assert run(*words).stderr == f"{told}confidences are as the network has them\n"
    with pytest.raises(SanError, match=r"without its ranges beside it, copy.int8.json; it takes"):
        run(*words, "--precision", "int8")
    for name in ("calibration", "int8"):
        beside = NETWORK.with_suffix(f".{name}.json").read_bytes()
        weights.with_suffix(f".{name}.json").write_bytes(beside)
    assert run(*words, "--precision", "int8").stderr == ""


def test_models_that_come_with_san_are_named(folder: Path) -> None:
    assert run(folder / "fraction.png", "--model", "san-paper").stdout == f"{FRACTION}\n"
    for verb in ("read", "export", "evaluate"):
        assert "san-paper" in san(verb, "--help").stdout


def test_quick_is_one_pass(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def spy(*arguments: Any, quick: bool, **options: Any) -> Recognizer:
        asked.append(quick)
        return Recognizer(*arguments, quick=quick, **options)

    monkeypatch.setattr("san.reader.Recognizer", spy)
    for more in ((), ("--quick",)):
        assert run(folder / "quadratic.inkml", *more).stdout.strip() == QUADRATIC
    assert asked == [False, True]


def test_pictures_that_are_known_to_be_upright(folder: Path) -> None:
    upside_down = folder / "upside-down.png"
    Image.open("samples/gravity.png").rotate(180).save(upside_down)
    for more in ((), ("--one",)):
        assert "turned upside down" in run(upside_down, *more).stderr
        assert "turned" not in run(upside_down, "--upright", *more).stderr


class _Lines:
    """A recognizer that has read one of two lines."""

    limits = Limits()

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def read_many(self, sources: Iterable[object]) -> Iterator[Formula]:
        for number, _ in enumerate(sources):
            yield lost_line(sure=0.4) if number else lost_line()


def test_what_was_not_read_and_what_is_doubtful_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("san.reader.Recognizer", _Lines)
    sure, doubtful = folder / "fraction.png", folder / "quadratic.inkml"
    done = run(sure, doubtful, "--one")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == ["fraction\tx=2", "quadratic\tx=2"]
    note = "4 strokes were not read: another line below?"
    first, second, third = done.stderr.splitlines()
    assert first == f"san: {sure}: {note}"
    assert second == f"san: {doubtful}: {note}"
    assert third.startswith(f"san: {doubtful}: doubtful, 40% sure: x may be z; ")


def test_tables_tell_the_confidence_where_it_is_asked_for(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("san.reader.Recognizer", _Lines)
    files = folder / "fraction.png", folder / "quadratic.inkml", "--one"
    table = tmp_path / "results.tsv"
    run(*files, "--confidence", "--output", table)
    assert table.read_text() == "fraction\tx=2\t0.9900\nquadratic\tx=2\t0.4000\n"
    assert run(*files, "--confidence").stdout == table.read_text()
    assert run(files[0], "--one", "--confidence").stdout == "x=2\t0.9900\n"
    trees = run(*files, "--confidence", "--format", "tree").stdout
    assert trees.startswith("# fraction  0.9900\n")
    assert load_labels(table).latex == {"fraction": "x=2", "quadratic": "x=2"}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Three lines, as a scan; the first two are near to one another."""
    upper, lower = lines_of("x+1=2", "x=1", gap=0.8), lines_of("a+b", gap=0.8)
    far = np.array([0, 500], np.float32)
    ink = Ink.of([*upper.strokes, *(stroke + far for stroke in lower.strokes)])
    path = tmp_path / "page.png"
    path.write_bytes(encoded(255 - draw(ink)))
    return path


LINES = ["x+1=2", "x=1", "a+b"]


def test_a_page_prints_a_formula_a_line(page: Path) -> None:
    assert run(page).stdout.splitlines() == LINES
    assert len(run(page, "--one").stdout.splitlines()) == 1
    many = run(page, page.parent / "none.png")
    assert many.stdout.splitlines() == [f"page#{n}\t{line}" for n, line in enumerate(LINES, 1)]


def test_lines_of_a_derivation_are_aligned_on_request(page: Path) -> None:
    assert run(page, "--aligned").stdout.splitlines() == [
        r"\begin{aligned}x+1&=2\\x&=1\end{aligned}",
        "a+b",
    ]


def test_a_page_as_json_has_a_list(page: Path) -> None:
    document = json.loads(run(page, "--format", "json").stdout)
    assert (document["format"], document["version"]) == ("san-page", 1)
    assert [formula["latex"] for formula in document["formulas"]] == LINES
    assert document["derivations"] == [[0, 1], [2]]
    tops = [formula["box"][1] for formula in document["formulas"]]
    assert tops == sorted(tops)


def test_one_formula_is_a_page_where_that_is_asked_for(folder: Path) -> None:
    done = run(folder / "fraction.png", "--page", "--format", "json")
    (formula,) = json.loads(done.stdout)["formulas"]
    assert formula["latex"] == FRACTION


@pytest.mark.parametrize(
    ("suffix", "first", "last"),
    [
        ("md", "$$ x+1=2 $$", "$$ a+b $$"),
        ("tex", r"\[ x+1=2 \]", r"\end{document}"),
        ("tsv", "page#1\tx+1=2", "page#3\ta+b"),
    ],
)
def test_a_page_in_a_file(page: Path, tmp_path: Path, suffix: str, first: str, last: str) -> None:
    output = tmp_path / f"out.{suffix}"
    done = run(page, "-o", output)
    assert (done.exit_code, done.stderr) == (0, f"1 read, 3 formulas: {output}\n")
    lines = [line for line in output.read_text().splitlines() if line]
    assert first in lines
    assert lines[-1] == last


def test_one_and_page_contradict_each_other(page: Path) -> None:
    with pytest.raises(SanError, match="--one"):
        run(page, "--one", "--page")


def test_pages_of_a_document(page: Path, tmp_path: Path) -> None:
    scans = [Image.open(page), Image.fromarray(255 - draw(fraction().ink))]
    path = tmp_path / "scans.tif"
    scans[0].save(path, save_all=True, append_images=scans[1:])
    done = run(path)
    first = [f"scans.p1#{n}\t{line}" for n, line in enumerate(LINES, 1)]
    assert done.stdout.splitlines() == [*first, f"scans.p2\t{FRACTION}"]
    piped = run("-", stdin=path.read_bytes())
    assert piped.stdout == done.stdout.replace("scans", "stdin")
    pages = Recognizer(threads=1).read_document(path)
    assert [len(one) for one in pages if isinstance(one, Page)] == [3, 1]


def test_a_page_of_standard_input_that_cannot_be_read_is_named(page: Path, tmp_path: Path) -> None:
    scans = [Image.open(page), Image.new("L", (90, 120), 255)]
    path = tmp_path / "scans.tif"
    scans[0].save(path, save_all=True, append_images=scans[1:])
    content = path.read_bytes()
    assert run("-", stdin=content).stderr == "san: standard input, page 2: no ink found\n"
    refused = run("-", "--max-bytes", "100", stdin=content)
    assert refused.stderr == "san: standard input: larger than 100 bytes\n"


def test_a_pdf_by_another_name_is_told_what_to_do(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    path = tmp_path / "notes"
    Image.open(page).save(path, "PDF", save_all=True, append_images=[Image.open(page)])
    assert f"{path}: a PDF of 2 pages: `san read NAME.pdf`" in run(path).stderr
