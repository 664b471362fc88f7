"""The paper's table 1: labels are counted as the paper counts them, and as they are written."""

from pathlib import Path

import pytest
from tools.paper_statistics import Statistics, count, labels_of, main

from san.errors import SanError

LABELS = (r"x ^ { 2 } + x", r"\frac { 1 } { 2 }", "a b", r"\frac { 1")


def test_tokens_and_symbols_are_counted_apart() -> None:
    found = count(LABELS)
    tokens = {*"x^{2}+1ab", r"\frac"}
    symbols = {"x", "2", "+", "1", "a", "b", r"\frac"}
    nested = 2 / 3
    assert found == Statistics(
        labels=4, token_kinds=len(tokens), most_tokens=7, mean_tokens=19 / 4,
        symbol_kinds=len(symbols), mean_symbols=9 / 3, nested=nested, unparsed=1,
    )  # fmt: skip


def test_files_with_and_without_names_are_one_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    named, bare = tmp_path / "named.tsv", tmp_path / "bare.txt"
    named.write_text("one\tx ^ { 2 } + x\n\ntwo\ta b\n", "utf-8")
    bare.write_text("\\frac { 1 } { 2 }\n", "utf-8")
    assert labels_of(named) == [LABELS[0], "a b"]
    monkeypatch.setattr("sys.argv", ["paper_statistics", f"both={named},{bare}"])
    main()
    assert "| both | 3 | 10 | 7 | 5.33 | 7 | 3.00 | 66.7% | 0 |" in capsys.readouterr().out


def test_what_names_no_file_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for corpus in ("CROHME", "CROHME=nowhere.tsv"):
        monkeypatch.setattr("sys.argv", ["paper_statistics", corpus])
        with pytest.raises(SanError, match=corpus.rpartition("=")[2]):
            main()
