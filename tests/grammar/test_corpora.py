"""The grammar against the labels of the corpora: what it must express, and how fast."""

from pathlib import Path

import pytest

from san.grammar import GrammarError, parse, to_latex, to_tokens
from san.grammar.productions import by_level, fold, unfold

pytestmark = pytest.mark.corpus


def _labels(root: Path, *names: str) -> list[str]:
    lines = (line for name in names for line in (root / name).read_text("utf-8").splitlines())
    return [line.rpartition("\t")[2] for line in lines]


def _lost(labels: list[str]) -> list[str]:
    """Labels that do not come back from tree, steps and LaTeX as the same tree."""
    lost = []
    for label in labels:
        try:
            tree = parse(label)
        except GrammarError:
            lost.append(label)
            continue
        steps = unfold(tree)
        back = fold(steps)
        forms = (
            back,
            fold(by_level(steps)),
            parse(to_latex(back)),
            parse(" ".join(to_tokens(back))),
        )
        if any(form != tree for form in forms):
            lost.append(label)
    return lost


def test_every_crohme_label_comes_back(data_root: Path) -> None:
    names = ("crohme/train.tsv", "crohme/test2014.tsv", "crohme/test2016.tsv")
    labels = _labels(data_root, *names)
    assert len(labels) == 8835 + 986 + 1147
    assert _lost(labels) == []


def test_practically_every_hme100k_label_comes_back(data_root: Path) -> None:
    labels = _labels(data_root, "hme100k/train_labels.txt", "hme100k/test_labels.tsv")
    assert len(labels) == 99_109
    lost = _lost(labels[::5])  # all of them take a minute; that all parse is the test after next
    assert len(lost) <= 1, lost[:5]  # one has a bracket that is never closed


def test_labels_of_several_lines_come_back(data_root: Path) -> None:
    labels = _labels(data_root, "mlhme/train_lines.tsv", "formulas/mlhme_lines.txt")
    assert len(labels) == 261 + 5579
    assert _lost(labels) == []


def test_a_hundred_thousand_labels_parse_but_for_one(data_root: Path) -> None:
    labels = _labels(data_root, "hme100k/train_labels.txt", "hme100k/test_labels.tsv")
    refused = _refused(labels)
    assert [error.reason for error in refused] == ["'[' is never closed"]
    assert refused[0].position == 77 - 1


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("hme100k_train.txt", 1),
        ("crohme2023_train.txt", 0),
        ("mathwriting_valid.txt", 0),
        ("mne.txt", 0),
        ("mlhme_single.txt", 0),
    ],
)
def test_formulas_to_draw_from_are_covered(data_root: Path, name: str, allowed: int) -> None:
    labels = _labels(data_root, f"formulas/{name}")
    assert len(labels) > 100
    assert len(_refused(labels)) <= allowed


def _refused(labels: list[str]) -> list[GrammarError]:
    refused = []
    for label in labels:
        try:
            parse(label)
        except GrammarError as error:
            refused.append(error)
    return refused
