"""A language model learns what it is shown, and numpy says of it what torch does."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tools.train_sense import PADDING, Language, perplexity, sources, train  # noqa: E402

from san.compose.formulas import fingerprint  # noqa: E402
from san.errors import SanError  # noqa: E402
from san.grammar import parse  # noqa: E402
from san.reader.fluency import UNKNOWN, words  # noqa: E402
from san.reader.sense import Rule, Sense, written  # noqa: E402


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
    assert words(parse("a+b=1")) not in ink
    with pytest.raises(SanError, match="only 1 formulas"):
        sources([file(tmp_path / "c.txt", ["x"])])


def test_it_learns_and_numpy_agrees(tmp_path: Path) -> None:
    learnt = sources([file(tmp_path / f"{own}.txt", formulas(own)) for own in ("abc", "xyz")])
    before, after = (train(learnt, steps) for steps in (4, 90))
    assert perplexity(after, learnt[0]) < 3 < perplexity(before, learnt[0])
    sense = Sense(written(tuple(after.number), after.arrays(), Rule()))
    assert len(after.arrays()["after"]) == len(sense.names)
    trees = [parse("a+b=1"), parse("a+=b"), parse(r"\alpha")]
    with torch.no_grad():
        theirs = [-float(after([words(tree)])) * len(words(tree)) for tree in trees]
    ours = sense.features(trees)[:, 0]
    assert ours == pytest.approx(np.array(theirs), abs=0.05)
    assert ours[0] > ours[1]


def test_padding_changes_nothing() -> None:
    model = Language([UNKNOWN, "x", "<empty>"]).eval()
    short, long = words(parse("x")), words(parse("xxxx"))
    place, word = model._tables([short, long])
    assert (word[0] == PADDING).sum() == 3
    assert place.shape == word.shape
    with torch.no_grad():
        both = float(model([short, long])) * 7
        alone = float(model([short])) * 2 + float(model([long])) * 5
    assert both == pytest.approx(alone, abs=1e-4)
