"""Labels are the measure, to the last line; predictions are whatever came."""

from pathlib import Path

import pytest

from san.data.sample import DataError
from san.data.scored import load_predictions, load_truths, paired
from tests.data.drawn import fill


def test_ids_are_taken_whole(tmp_path: Path) -> None:
    fill(tmp_path, {"l.tsv": "s1/1\tx\ns2/1\ty\na.png\tz\na.jpg\tn\n"})
    for load in (load_truths, load_predictions):
        assert load(tmp_path / "l.tsv").latex == {
            "s1/1": "x",
            "s2/1": "y",
            "a.png": "z",
            "a.jpg": "n",
        }


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("a\tx\nno tab\n", "l.tsv line 2: not a line of labels: no tab"),
        ("a\tx\na\ty\n", "l.tsv line 2: its id is taken: a second line for 'a'"),
        ("a\tx\ty\nb\tz\n", "more than one tab"),
        ("", "l.tsv: no labels in it"),
    ],
)
def test_every_line_of_the_labels_must_count(tmp_path: Path, lines: str, reason: str) -> None:
    fill(tmp_path, {"l.tsv": lines})
    with pytest.raises(DataError, match=reason):
        load_truths(tmp_path / "l.tsv")


def test_predictions_may_be_bad_but_not_none_nor_two(tmp_path: Path) -> None:
    fill(tmp_path, {"p.tsv": "a\tx\nno tab\n", "empty.tsv": "", "two.tsv": "a\tx\na\tx\n"})
    found = load_predictions(tmp_path / "p.tsv")
    assert (found.latex, [skip.name for skip in found.skipped]) == ({"a": "x"}, ["p.tsv line 2"])
    with pytest.raises(DataError, match=r"empty\.tsv: no predictions in it"):
        load_predictions(tmp_path / "empty.tsv")
    with pytest.raises(DataError, match=r"two\.tsv line 2: its id is taken"):
        load_predictions(tmp_path / "two.tsv")


def test_predictions_find_their_labels() -> None:
    labels = {"test_0.jpg": "x", "s1/1": "y", "s2/1": "z"}
    given = {"test_0": "a", "s1/1": "b", "1": "c"}
    assert paired(given, labels) == {"test_0.jpg": "a", "s1/1": "b", "1": "c"}
