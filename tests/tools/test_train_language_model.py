"""A language model learns what it is shown, and numpy says of it what torch does; what it cannot
learn or write is said in a line, and before the training where that can be known."""

from errno import ENOSPC
from pathlib import Path
from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tools.train_language_model import (  # noqa: E402
    HELD_OUT,
    MAX_STEPS,
    PADDING,
    TrainedLanguageModel,
    _batches,
    main,
    perplexity,
    sources,
    split_held_out,
    train,
)

from san.errors import SanError, run_or_exit  # noqa: E402
from san.grammar import parse  # noqa: E402
from san.reader.rescoring.language_model import UNKNOWN, step_tokens  # noqa: E402
from san.reader.rescoring.rescorer import Rescorer, RescoringWeights, file_content  # noqa: E402
from san.synth.formulas.text import fingerprint  # noqa: E402
from san.training.rescoring_config import LanguageModelConfig  # noqa: E402
from tools import train_language_model  # noqa: E402


def file(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def formulas(letters: str) -> list[str]:
    return [f"{a}+{b}={n}" for a in letters for b in letters for n in range(3)]


def test_files_are_formulas_without_what_any_of_them_bars(tmp_path: Path) -> None:
    barred = fingerprint(parse("a+b=1"))
    labels = file(tmp_path / "a.tsv", [f"id{n}\t{f}" for n, f in enumerate(formulas("abc") * 2)])
    plain = file(tmp_path / "b.txt", [f"#{barred}", *formulas("xyz"), r"\frac{", ""])
    ink, school = sources([labels, plain])
    assert (len(ink), len(school)) == (26, 27)  # each once; nothing that is no formula
    assert parse("a+b=1") not in ink
    with pytest.raises(SanError, match="only 1 formulas"):
        sources([file(tmp_path / "c.txt", ["x"])])


def test_what_is_held_out_stands_in_no_other_file() -> None:
    ink = [parse(formula) for formula in formulas("abc")]
    school = [ink[HELD_OUT], *(parse(formula) for formula in formulas("xyz"))]
    school[1], school[0] = school[0], school[1]  # where it is learnt
    learnt, held = split_held_out([ink, school])
    assert held == [[ink[0]], [school[0], school[HELD_OUT]]]
    assert ink[HELD_OUT] in learnt[1]
    assert not {tree for own in held for tree in own} & {tree for own in learnt for tree in own}


def test_who_is_named_twice_has_twice_the_share() -> None:
    ink, school = ([step_tokens(parse(formula))] for formula in ("a+b", "x=1"))
    batches = [batch[0] for batch in _batches([ink, school, school], 30, 64, Random(0))]
    assert (batches.count(ink[0]), batches.count(school[0])) == (10, 20)


def test_long_formulas_are_left_out_before_they_are_counted(tmp_path: Path) -> None:
    long = [f"{formula}+{'1' * MAX_STEPS}" for formula in formulas("abc")]
    some = sources([file(tmp_path / "some.txt", formulas("abc") + long)])
    assert some == [[parse(formula) for formula in formulas("abc")]]
    only = file(tmp_path / "only.txt", long)
    with pytest.raises(SanError, match=f"only 0 formulas of at most {MAX_STEPS} steps"):
        sources([only])


def told(monkeypatch: pytest.MonkeyPatch, *asked: object) -> str:
    """The one line that the tool ends with."""
    monkeypatch.setattr("sys.argv", ["train_language_model", *map(str, asked)])
    with pytest.raises(SystemExit) as end:
        run_or_exit(main)
    assert isinstance(end.value.code, str)
    assert "\n" not in end.value.code
    return end.value.code


def test_what_cannot_be_is_said_before_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_language_model, "train", lambda *_: pytest.fail("it was trained"))
    known, output = file(tmp_path / "a.txt", formulas("abc")), tmp_path / "rescoring"
    assert "at least 1" in told(monkeypatch, known, "--steps", 0, "-o", output)
    assert "no folder" in told(monkeypatch, known, "-o", tmp_path / "nowhere" / "rescoring")
    assert "is a folder" in told(monkeypatch, known, "-o", tmp_path)
    assert "overwrite" in told(monkeypatch, known, "-o", known)
    assert not output.exists()


@pytest.mark.slow
def test_a_step_makes_a_file_and_a_disk_that_fails_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known, output = file(tmp_path / "a.txt", formulas("abc")), tmp_path / "rescoring"
    asked = ["train_language_model", str(known), str(known), "--steps", "1", "-o", str(output)]
    monkeypatch.setattr("sys.argv", asked)
    main()
    assert Rescorer(output).weights == RescoringWeights()
    assert capsys.readouterr().out.count("a.txt: 27 formulas") == 1

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    reason = "cannot be written (no space left on device)"
    assert told(monkeypatch, *asked[1:]) == f"{output}: {reason}"


@pytest.mark.slow
def test_it_learns_and_numpy_agrees(tmp_path: Path) -> None:
    files = [file(tmp_path / f"{own}.txt", formulas(own)) for own in ("abc", "xyz")]
    learnt = [[step_tokens(tree) for tree in own] for own in sources(files)]
    before, after = (train(learnt, LanguageModelConfig(steps=steps)) for steps in (4, 90))
    assert perplexity(after, learnt[0]) < 3 < perplexity(before, learnt[0])
    rescorer = Rescorer(file_content(tuple(after.index), after.arrays(), RescoringWeights()))
    assert len(after.arrays()["token_gates"]) == len(rescorer.vocabulary)
    trees = [parse("a+b=1"), parse("a+=b"), parse(r"\alpha")]
    with torch.no_grad():
        theirs = [-float(after([step_tokens(tree)])) * len(step_tokens(tree)) for tree in trees]
    ours = rescorer.features(trees)[:, 0]
    assert ours == pytest.approx(np.array(theirs), abs=0.05)
    assert ours[0] > ours[1]


def test_padding_changes_nothing() -> None:
    model = TrainedLanguageModel([UNKNOWN, "x", "<empty>"], LanguageModelConfig()).eval()
    short, long = step_tokens(parse("x")), step_tokens(parse("xxxx"))
    place, word = model._padded([short, long])
    assert (word[0] == PADDING).sum() == 3
    assert place.shape == word.shape
    with torch.no_grad():
        both = float(model([short, long])) * 7
        alone = float(model([short])) * 2 + float(model([long])) * 5
    assert both == pytest.approx(alone, abs=1e-4)
