import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from san.cli.evaluate import _facts, evaluate
from san.data.corpus import open_corpus
from san.data.pack import write_pack
from san.errors import SanError
from san.files import MAX_BYTES, FileError
from san.grammar import parse
from san.grammar.languages import STRING_KINDS, Kind
from san.grammar.vocabulary import Vocabulary
from san.ink import Box, Sheet, write_inkml
from san.ink.alphabet import compose
from san.models import NETWORK
from tests.cli.console import san
from tests.data.drawn import bitmap, encoded, fill
from tests.evaluation.test_html import Page
from tests.ink.formulas import fraction, quadratic
from tests.model.torch.test_kinds import OTHERS

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")

EVIL = "<img src=x onerror=alert(1)>"
LABELS = {
    "fraction": r"x = \frac{1}{2}",
    "quadratic": r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}",
    "row": "a+b",
    "tall": r"\sum^n_{i=1} i",
    EVIL: "a<script>b",
    "broken": "n + 1",
    "absent": "n",
    "unclosed": r"\frac{a}",
}


def _row(*names: str) -> Sheet:
    return compose([(name, Box(60 * n, 0, 60 * n + 40, 60)) for n, name in enumerate(names)])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight labels, of which five have a picture that opens and a formula that parses."""
    files: dict[str, bytes | str] = {
        "fraction.inkml": write_inkml(fraction()),
        "quadratic.inkml": write_inkml(quadratic()),
        "row.inkml": write_inkml(_row("a", "+", "b")),
        "tall.png": encoded(bitmap(height=70, width=20)),
        f"{EVIL}.inkml": write_inkml(_row("a", "b")),
        "broken.inkml": "<ink",
        "unclosed.inkml": write_inkml(_row("a")),
        "labels.tsv": "".join(f"{name}\t{latex}\n" for name, latex in LABELS.items()),
    }
    return fill(tmp_path_factory.mktemp("corpus"), files)


def _save(path: Path, kind: Kind = "san") -> Path:
    from san.model.torch import NetworkConfig
    from san.model.torch.kinds import build_network
    from san.model.torch.weights import save_weights

    torch.manual_seed(5)
    torch.set_num_threads(1)
    config = NetworkConfig(
        stem=8, growth=4, layers=2, hidden=16, embedding=16, attention=24,
        coverage_kernel=5, merge=12, kind=kind, heads=4,
    )  # fmt: skip
    trees = [parse(LABELS[name]) for name in ("quadratic", "tall", "row")]
    network = build_network(config, Vocabulary.gather(trees))
    for parameter in network.decoder.parameters():
        parameter.data.normal_(0, 0.5)
    network.decoder.symbol_head.bias.data[0] += 3.0  # else noise never ends
    facts = {"epochs": 3, "recipe": EVIL}
    save_weights(path, network.state_dict(), network.config, network.vocabulary, facts)
    return path


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _save(tmp_path_factory.mktemp("weights") / "small.safetensors")


def run(*arguments: str | Path, torch: bool = True) -> Result:
    """In this process: importing torch takes seconds."""
    app = typer.Typer()
    app.command()(evaluate)
    options = ["--device", "cpu"] if torch else []
    done = CliRunner().invoke(app, [*map(str, arguments), *options])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def _predictions(path: Path) -> dict[str, str]:
    return dict(line.split("\t") for line in path.read_text("utf-8").splitlines())


@pytest.fixture(scope="module")
def done(
    weights: Path, corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Result, Path]:
    out = tmp_path_factory.mktemp("out")
    files = {"--json": "out.json", "--predictions": "out.tsv", "--report": "out.html"}
    options = [part for name, file in files.items() for part in (name, out / file)]
    return run(weights, corpus, *options), out


def test_figures_are_those_of_san_score(done: tuple[Result, Path], corpus: Path) -> None:
    out = done[1]
    assert set(_predictions(out / "out.tsv")) == set(LABELS) - {"broken", "absent", "unclosed"}
    scored = san("score", out / "out.tsv", corpus / "labels.tsv", "--json", out / "score.json")
    assert scored.returncode == 0
    figures = json.loads((out / "out.json").read_text("utf-8"))
    assert figures == json.loads((out / "score.json").read_text("utf-8"))
    assert (figures["n"], figures["missing"]) == (8, 3)


def test_prints_scores_speed_and_what_was_skipped(done: tuple[Result, Path]) -> None:
    result = done[0]
    assert result.exit_code == 0
    assert "ExpRate" in result.stdout
    assert "2 labels have no prediction" in result.stdout
    assert "1 label is no formula and has no prediction, which counts as wrong" in result.stdout
    assert "compared as text" not in result.stdout
    assert "5 images read in" in result.stdout
    assert "images/s" in result.stdout
    for name in ("broken.inkml: does not open", "absent: labelled", "unclosed: its label"):
        assert name in result.stderr


def test_the_report_shows_every_error(done: tuple[Result, Path]) -> None:
    page = Page((done[1] / "out.html").read_text("utf-8"))
    assert page.tags.count("article") == 5
    assert "broken.inkml: does not open" in page.text
    for fact in ("small.safetensors", "epochs", "growth", EVIL):
        assert fact in page.text
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_neither_batches_nor_packing_change_a_reading(
    done: tuple[Result, Path], weights: Path, corpus: Path, tmp_path: Path
) -> None:
    expected = _predictions(done[1] / "out.tsv")
    out, pack = tmp_path / "out.tsv", tmp_path / "corpus.npz"
    run(weights, corpus, "--predictions", out, "--batch", "1")
    assert _predictions(out) == expected
    write_pack(open_corpus(corpus), pack)
    run(weights, pack, "--labels", corpus / "labels.tsv", "--predictions", out, "--batch", "2")
    assert _predictions(out) == expected
    run(weights, pack, "--json", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["n"] == 5


def test_coverage_of_all_steps_is_read_step_by_step(corpus: Path, tmp_path: Path) -> None:
    weights = _save(tmp_path / "gs.safetensors", kind="san-gs")
    run(weights, corpus, "--report", tmp_path / "out.html", "--gallery", "2")
    page = Page((tmp_path / "out.html").read_text("utf-8"))
    assert page.tags.count("article") == 2
    assert "2 of 5 wrong readings" in page.text


def test_ink_that_carries_its_truth_needs_no_labels(weights: Path, tmp_path: Path) -> None:
    fill(tmp_path / "ink", {"a.inkml": write_inkml(fraction()), "b.inkml": "<ink"})
    result = run(weights, tmp_path / "ink", "--json", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["n"] == 1
    assert "b.inkml: does not open" in result.stderr


def test_a_model_that_comes_with_san_is_named(tmp_path: Path) -> None:
    (tmp_path / "fraction.inkml").write_bytes(write_inkml(fraction()))
    done = run("san-paper", tmp_path, "--report", tmp_path / "out.html")
    assert done.exit_code == 0
    assert "san-paper.safetensors" in (tmp_path / "out.html").read_text("utf-8")
    with pytest.raises(SanError, match=r"^none: .* those are: san, san-densenet, san-paper$"):
        run("none", tmp_path)


def test_a_full_disk_takes_one_result_and_not_the_others(
    weights: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: Path, content: str) -> None:
        if path.suffix == ".tsv":
            raise FileError(f"{path}: cannot be written (no space left on device)")
        path.write_text(content, "utf-8")

    monkeypatch.setattr("san.cli.evaluate.write_file", write)
    out = tmp_path / "out.tsv", tmp_path / "out.html"
    with pytest.raises(SanError, match=r"^\S+/out.tsv: cannot be written \(no space left on devi"):
        run(weights, corpus, "--predictions", out[0], "--report", out[1])
    assert out[1].is_file()


def test_bad_input_is_one_line(weights: Path, corpus: Path, tmp_path: Path) -> None:
    bad, short = tmp_path / "bad.safetensors", tmp_path / "short.tsv"
    short.write_text("row\ta+b\nfraction\n")
    bad.write_bytes(b"nonsense")
    for arguments, reason in (
        ((tmp_path / "none", corpus), "no weights can be read"),
        ((bad, corpus), "no weights can be read"),
        ((weights, tmp_path / "none"), "no such file"),
        ((weights, corpus, "--json", tmp_path / "no" / "out.json"), "there is no folder"),
        ((weights, corpus, "--report", weights), "would overwrite"),
        ((weights, corpus, "--report", corpus / "row.inkml"), "would overwrite"),
        ((weights, corpus, "--skipped", corpus / "labels.tsv"), "would overwrite"),
        ((weights, corpus, "--labels", short), "line 2: not a line of labels"),
    ):
        with pytest.raises(SanError, match=reason) as caught:
            run(*arguments)
        assert "\n" not in str(caught.value)


def test_an_option_that_would_change_nothing_is_refused(weights: Path, corpus: Path) -> None:
    for options, torch, reason in (
        (("--batch", "8"), False, "name its --device"),
        (("--precision", "int8"), True, "takes no --precision int8"),
        (("--gallery", "9"), True, "with --report"),
        (("--gallery", "60"), False, "with --report"),
    ):
        with pytest.raises(SanError, match=reason):
            run(weights, corpus, *options, torch=torch)


def test_without_torch_it_says_what_to_install(
    weights: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("san.model.torch")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SanError, match=r"needs torch.*pip install '\.\[train\]'"):
        run(weights, corpus)


@pytest.mark.parametrize("options", [(), ("--quick",)])
def test_it_reads_as_san_read_does(tmp_path: Path, options: tuple[str, ...]) -> None:
    folder = tmp_path / "in"
    names = ["basel.inkml", "basel.png", "photo-quadratic.jpg"]
    stems = ["ink", "bitmap", "photograph"]
    files = {
        f"{stem}{Path(name).suffix}": (Path("samples") / name).read_bytes()
        for stem, name in zip(stems, names, strict=True)
    }
    fill(folder, files | {"labels.tsv": "".join(f"{stem}\tx\n" for stem in stems)})
    run("san", folder, "--predictions", tmp_path / "evaluated.tsv", *options, torch=False)
    done = san("read", folder, "-o", tmp_path / "read.tsv", *options)
    assert done.returncode == 0, done.stderr
    read = _predictions(tmp_path / "read.tsv")
    assert _predictions(tmp_path / "evaluated.tsv") == read
    assert set(read) == set(stems)


KINDS: tuple[Kind, ...] = ("san-gs", *OTHERS)


@pytest.mark.parametrize("kind", KINDS)
def test_networks_of_every_kind_are_evaluated_and_read(
    kind: Kind, corpus: Path, tmp_path: Path
) -> None:
    weights = _save(tmp_path / f"{kind}.safetensors", kind)
    found = []
    for number, torch in enumerate((True, False)):
        out = [tmp_path / f"{number}.{end}" for end in ("tsv", "html")]
        done = run(weights, corpus, "--predictions", out[0], "--report", out[1], torch=torch)
        assert done.exit_code == 0
        found.append(_predictions(out[0]))
    # What is no formula is wrong; `san read` says so instead of writing it down.
    assert found[1].items() <= found[0].items()
    assert len(found[0]) == 5
    if kind in STRING_KINDS:
        run(weights, corpus, "--beam", "3", "--predictions", tmp_path / "beam.tsv")
        assert set(_predictions(tmp_path / "beam.tsv")) == set(found[0])


@pytest.mark.parametrize("kind", KINDS)
def test_onnx_graphs_of_other_kinds_are_refused_in_a_line(kind: Kind, tmp_path: Path) -> None:
    weights = _save(tmp_path / "other.safetensors", kind)
    done = san("export", weights, "-o", tmp_path / "onnx")
    assert done.returncode == 2
    assert f"of kind {kind}; ONNX" in done.stderr
    assert done.stderr.count("\n") == 1


def test_large_weights_say_what_they_are(tmp_path: Path) -> None:
    large = tmp_path / "large.safetensors"
    large.write_bytes(NETWORK.read_bytes())
    with large.open("rb+") as file:
        file.truncate(MAX_BYTES + 1)
    told = _facts(large)
    assert told["weights"] == large.name
    assert {**told, "weights": NETWORK.name} == _facts(NETWORK)
