"""The file of formulas, and what must never be in it."""

from pathlib import Path

import pytest

from san.errors import SanError
from san.files import MAX_BYTES
from san.grammar import parse
from san.grammar.vocabulary import Vocabulary
from san.synth.formulas.config import FormulaTextConfig, MaxFormulas
from san.synth.formulas.text import fingerprint, prepare, read_lines, select, split

KNOWN = Vocabulary(tuple(sorted(["x", "y", "1", "2", "+", "=", r"\frac"])))


def test_only_what_can_be_composed_is_chosen_and_each_once() -> None:
    texts = [
        "x + 1",
        "x+1",  # the same
        r"\frac { x } { y }",
        "x + z",  # not known
        "x {",  # no formula
        "{}^{2} x",  # a script on nothing
        "+".join(["x"] * FormulaTextConfig().max_steps),  # too long
        "",
    ]
    formulas, barred = split(select({"mine": texts}, [], KNOWN))
    assert sorted(formulas) == [r"\frac{x}{y}", "x+1"]
    assert not barred


def test_functions_spelled_as_letters_are_left_out() -> None:
    known = Vocabulary(tuple(sorted(["s", "i", "n", "x", r"\sin"])))
    formulas, _ = split(select({"mine": [r"\sin x", "s i n x", "s _ { i } n"]}, [], known))
    assert sorted(formulas) == [r"\sin x", "s_{i}n"]


def test_labels_of_a_test_set_are_kept_out_however_they_are_written() -> None:
    lines = select({"mine": ["x ^ { 2 }", "x", "y"]}, ["x^2", r"x \limits"], KNOWN)
    formulas, barred = split(lines)
    assert formulas == ["y"]
    assert barred == {fingerprint(parse("x^{2}")), fingerprint(parse("x"))}


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("\n".join("x + y = 1 2".split()))
    (tmp_path / "two.txt").write_text("x + x\nx = y\ny = 2\n")
    tests = tmp_path / "test.tsv"
    tests.write_text("a\tx = y\nb\t1\n")
    lines = prepare(tmp_path, [tests], KNOWN, seed=1)
    assert lines == prepare(tmp_path, [tests], KNOWN, seed=1)
    assert lines != prepare(tmp_path, [tests], KNOWN, seed=2)
    formulas, barred = split(lines)
    assert sorted(formulas) == ["+", "2", "=", "x", "x+x", "y", "y=2"]
    assert len(barred) == 2


def test_a_source_can_give_all_it_has_and_be_the_only_one(tmp_path: Path) -> None:
    many = ["+".join(["x"] * count) for count in range(1, 20)]
    (tmp_path / "hme100k_train.txt").write_text("\n".join(many))
    (tmp_path / "crohme.txt").write_text("y = 2\n")
    found, _ = split(prepare(tmp_path, [], KNOWN, only="hme100k", max_formulas=0))
    assert sorted(found) == sorted(many)
    found, _ = split(prepare(tmp_path, [], KNOWN, max_formulas=5))
    assert len(found) == 6
    assert "y=2" in found


def test_what_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match=r"no \.txt files"):
        prepare(tmp_path, [], KNOWN)
    (tmp_path / "one.txt").write_text("z\n")
    with pytest.raises(SanError, match="known symbols only"):
        prepare(tmp_path, [], KNOWN)
    with pytest.raises(SanError, match="no such file"):
        prepare(tmp_path, [tmp_path / "gone.tsv"], KNOWN)
    (tmp_path / "one.txt").write_bytes(b"\xff")
    with pytest.raises(SanError, match="not UTF-8"):
        prepare(tmp_path, [], KNOWN)


def test_a_line_is_a_line_wherever_formulas_are_read(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_bytes("x\u2028+1\r\ny\n".encode())
    assert split(read_lines(path)) == (["x\u2028+1", "y"], frozenset())
    assert read_lines("") == []
    path.write_bytes(b"")
    assert read_lines(str(path)) == []
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(SanError, match="larger than"):
        read_lines(path)


@pytest.mark.parametrize(
    ("name", "count"), [("crohme", 13_000), ("hme100k_train", 4_500), ("mine", 5_000), ("", 5_000)]
)
def test_a_source_gives_as_many_as_its_name_says(name: str, count: int) -> None:
    assert MaxFormulas().of(name) == count
