import json
from collections import Counter
from pathlib import Path

import pytest

from san.evaluation.compare import Difficulty, difficulty
from san.evaluation.report import score

LABELS = {
    "right": r"x ^ { 2 }",
    "symbol": r"2 + x",
    "place": r"a _ { i } + 1",
    "absent": r"\alpha",
    "broken": r"\frac { 1 } { 2 }",
    "long": " + ".join("abcdefghijk"),
}
PREDICTIONS = {
    "right": "x^2",
    "symbol": "z+x",
    "place": "a^i+1",
    "broken": r"\frac{1}{",
    "long": "a",
    "stray": "y",
}


def test_every_label_counts_whatever_came_for_it() -> None:
    report = score(PREDICTIONS, LABELS)
    assert report.n == report.exprate.total == 6
    assert report.exprate.right == 1
    assert report.le1.right == 3  # one edit would make the absent label right, had it been read
    assert report.missing == ["absent"]
    assert report.unparsed == ["broken"]
    assert report.unknown == ["stray"]
    assert report.espr.right == 2


def test_errors_name_symbols_and_relations() -> None:
    errors = score(PREDICTIONS, LABELS).errors
    assert errors.confusions["2", "z"] == 1
    assert errors.by_relation["sub"].misplaced == 1
    assert errors.by_relation["sub"].wrong == 0
    assert errors.by_relation["start"].wrong == 1
    assert errors.by_relation["right"].total == 2 + 2 + 20
    added = score({"a": "x+y"}, {"a": "x"}).errors.added
    assert added == Counter({"+": 1, "y": 1})


def test_lengths_and_degrees_part_the_labels() -> None:
    report = score(PREDICTIONS, LABELS)
    assert sum(rate.total for rate in report.by_length.values()) == 6
    assert report.by_length["21-40"].total == 1
    assert {degree: rate.total for degree, rate in report.by_difficulty.items()} == {
        Difficulty.EASY: 5,
        Difficulty.MODERATE: 0,
        Difficulty.HARD: 1,
    }


def test_labels_without_a_length_are_counted_as_such() -> None:
    labels = LABELS | {"no formula": r"\frac{", "empty": ""}
    report = score(PREDICTIONS | {"empty": ""}, labels)
    assert (report.no_length.right, report.no_length.total) == (1, 2)
    assert sum(rate.total for rate in report.by_length.values()) + 2 == report.n
    assert report.to_dict()["no_length"]["n"] == 2


def test_figures_are_json_in_percent() -> None:
    figures = json.loads(json.dumps(score(PREDICTIONS, LABELS).to_dict()))
    assert figures["n"] == 6
    assert figures["exprate"] == pytest.approx(100 / 6)
    assert figures["easy"] == {
        "n": 5,
        "exprate": 20.0,
        "exprate_interval": pytest.approx([3.62, 62.45], abs=0.01),
    }
    assert {"le1", "le2", "espr", "moderate", "hard"} <= set(figures)
    assert figures["moderate"] == {"n": 0, "exprate": 0.0, "exprate_interval": [0.0, 100.0]}


def test_what_is_missing_and_what_is_added_in_json() -> None:
    figures = score({"a": "x+y", "b": "x"}, {"a": "x", "b": "xy"}).to_dict()
    assert figures["confusions"] == [{"truth": "y", "read": None, "n": 1}]
    assert figures["added"] == [{"read": "+", "n": 1}, {"read": "y", "n": 1}]


def test_an_empty_prediction_is_as_good_as_none() -> None:
    report = score({"a": "", "b": "{}", "c": " "}, {"a": "x", "b": "y", "c": ""})
    assert report.empty == ["a", "b"]
    assert report.missing == report.unparsed == []
    assert report.le2.right == report.exprate.right == 1
    assert not report.errors.by_relation


@pytest.mark.parametrize(
    ("label", "degree"),
    [
        ("a b c d e f g h i", Difficulty.EASY),
        ("a b c d e f g h i j", Difficulty.MODERATE),
        ("x ^ { a b c d e f g h }", Difficulty.EASY),
        ("x ^ { 2 ^ { 3 } }", Difficulty.HARD),
        ("^ _ a b c d e f g h i", Difficulty.EASY),
        (" ".join("abcdefghijklmnopqrst"), Difficulty.HARD),
    ],
)
def test_degrees_of_difficulty(label: str, degree: Difficulty) -> None:
    assert difficulty(label) is degree


@pytest.mark.corpus
def test_hme100k_parts_as_measured(data_root: Path) -> None:
    """The paper prints 7,721 / 10,450 / 6,436 for the same rule."""
    lines = (data_root / "hme100k" / "test_labels.tsv").read_text("utf-8").splitlines()
    counts = Counter(difficulty(line.partition("\t")[2]) for line in lines)
    assert [counts[degree] for degree in Difficulty] == [7711, 10461, 6435]
