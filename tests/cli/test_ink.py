"""`san ink show`: a picture, or one clear line and exit code 2."""

import sys
from pathlib import Path

import pytest
from PIL import Image

from san.cli.main import main
from san.ink import write_inkml
from tests.ink.formulas import fraction


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ink").mkdir()
    (tmp_path / "ink" / "half.inkml").write_bytes(write_inkml(fraction()))
    (tmp_path / "bad.inkml").write_text("<ink><trace>1 2, 3 x</trace></ink>")
    (tmp_path / "link.png").symlink_to(tmp_path / "ink" / "half.inkml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["san", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


def test_saves_beside_us_and_prints_where(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "ink", "show", "ink/half.inkml") == 0
    assert capsys.readouterr().out == "half.png\n"
    with Image.open(folder / "half.png") as picture:
        assert picture.mode == "RGB"
        assert picture.width > 300


def test_saves_where_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "ink", "show", "ink/half.inkml", "-o", "ink/other.png") == 0
    assert capsys.readouterr().out == "ink/other.png\n"
    assert (folder / "ink" / "other.png").is_file()
    assert not (folder / "half.png").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["bad.inkml"], "bad.inkml: stroke 1: not a point of 2 numbers: '3 x'"),
        (["none.inkml"], "none.inkml: no such file or directory"),
        (["ink"], "ink: is a directory"),
        (["ink/half.inkml", "-o", "no/where.png"], "no/where.png: there is no folder no"),
        (["ink/half.inkml", "-o", "picture.xyz"], "not the name of a picture; try picture.png"),
        (["ink/half.inkml", "-o", "picture.fits"], "not the name of a picture; try picture.png"),
        (["ink/half.inkml", "-o", "link.png"], "would overwrite what is read"),
        (["ink/half.inkml", "-o", "x" * 300 + ".png"], "file name too long"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    reason: str,
) -> None:
    assert run(monkeypatch, "ink", "show", *words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("san: ")
    assert reason in shown.err
    assert shown.err.count("\n") == 1
