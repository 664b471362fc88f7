"""A judge of readings: what it is shown, the file that keeps it, and that it learns what the ink
alone tells."""

import sys
from pathlib import Path

import numpy as np
import pytest

from san.errors import SanError
from san.grammar import parse
from san.grammar.productions import by_level, unfold
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from san.model.onnx import OnnxEngine
from san.model.onnx.models import load_models
from san.models import NETWORK
from san.synth.extraction.attention import decode_forced
from tests.synth.packs import ink_pack

pytest.importorskip("torch")

from tools.judge import is_right
from tools.judge_data import Example, Examples, Reading, Seen, load_examples, save_examples

from tools import judge_curve, judge_examples

VOCABULARY = Vocabulary(("1", "2", "x", "y"))
TERMS = 9
TARGETS, HIDDEN = len(VOCABULARY.targets) + len(Relation), 8


def reading(latex: str) -> Reading:
    steps = by_level(unfold(parse(latex)))
    number = VOCABULARY.number
    rows = [
        (
            step.parent,
            number(step.partner),
            number(step.target),
            sum(1 << [*Relation].index(relation) for relation in step.relations),
        )
        for step in steps
    ]
    return Reading(np.array(rows, np.int16), np.arange(len(steps), dtype=np.int32))


def example(rng: np.random.Generator) -> Example:
    """`xy` or `yx`, of which the network is equally sure; its state tells the right one."""
    pair = [reading("xy"), reading("yx")]
    truth = int(rng.integers(2))
    count = len(pair[0].rows)
    seen = Seen(
        np.full((count, TARGETS), -2.0, np.float16),
        np.tile(np.float16(2 * truth - 1), (count, HIDDEN)),
        np.zeros((count, 4), np.float16),
    )
    terms = np.zeros((3, TERMS), np.float32)
    terms[:2, 0], terms[2, -2:] = np.log(0.45), (np.log(0.1), 1)
    return Example(terms, truth, pair, seen)


def examples(count: int, seed: int) -> Examples:
    rng = np.random.default_rng(seed)
    return Examples([example(rng) for _ in range(count)], count + 10, 10, VOCABULARY)


def test_steps_are_those_of_the_right_tree_where_they_stand_at_its_place() -> None:
    first = VOCABULARY.number(Relation.ABOVE)
    truth, other = reading(r"x^{2}y"), reading(r"x^{1}y")
    assert all(is_right(truth, truth, first))
    wrong = [
        VOCABULARY.targets[step[2]]
        for step, right in zip(other.steps, is_right(other, truth, first), strict=True)
        if not right
    ]
    assert wrong == ["1"]
    # A symbol too many: what follows stands at another place.
    longer = reading("xxy")
    assert sum(is_right(longer, reading("xy"), first)) == 1


@pytest.mark.slow
def test_trees_are_walked_together_as_they_are_one_by_one(tmp_path: Path) -> None:
    engine = OnnxEngine(load_models(NETWORK, exact=True), 1)
    (picture, tree), *_ = judge_examples.made_samples(_configuration(tmp_path), None, 1, 0)
    trees = [tree, parse("x^{2}+y"), parse("x^{2}+z")]
    memory = engine.encode([(picture > 127).astype(np.float32)])
    readings, seen = judge_examples.walk_along(engine, memory, trees)
    assert len(seen.scores) < sum(len(own.rows) for own in readings)  # what they share, once
    for own, one in zip(trees, readings, strict=True):
        forced = decode_forced(engine, picture, own)
        targets = one.steps[:, 2]
        probability = np.exp(seen.scores[one.rows, targets].astype(float))
        writes = targets > 1  # neither an end nor an E
        assert sorted(probability[writes]) == pytest.approx(sorted(forced.probabilities), abs=0.01)


@pytest.mark.slow
def test_a_judge_learns_what_the_ink_alone_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made, corpus = tmp_path / "made.npz", tmp_path / "corpus.npz"
    save_examples(made, examples(300, 0))
    save_examples(corpus, examples(60, 1))
    words = [str(made), "--corpora", str(corpus), "--sizes", "200", "--epochs", "9"]
    monkeypatch.setattr(sys, "argv", ["judge_curve", *words])
    judge_curve.main()
    rows = [line.split("│")[1:-1] for line in capsys.readouterr().out.splitlines() if "│" in line]
    (_, before, without), (_, after, judged) = ([cell.strip() for cell in row] for row in rows)
    assert float(before) == pytest.approx(np.log(2), abs=1e-3)
    assert float(after) < 0.1
    assert float(without) < 75 < 95 < float(judged)


def test_examples_come_back_as_they_were(tmp_path: Path) -> None:
    first, second = examples(3, 0), examples(5, 1)
    paths = [tmp_path / "first.npz", tmp_path / "second.npz"]
    for path, own in zip(paths, (first, second), strict=True):
        save_examples(path, own)
    found = load_examples(paths)
    assert (found.pictures, found.settled, found.vocabulary) == (28, 20, VOCABULARY)
    for own, one in zip(found.unsure, [*first.unsure, *second.unsure], strict=True):
        assert own.truth == one.truth
        assert np.array_equal(own.terms, one.terms)
        for parts in zip((*own.seen, *own.readings[1]), (*one.seen, *one.readings[1]), strict=True):
            assert np.array_equal(*parts)


def test_what_is_no_file_of_examples_is_one_line(tmp_path: Path) -> None:
    for name, content in (("text.npz", b"nonsense"), ("empty.npz", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SanError, match="no file of examples"):
            load_examples([tmp_path / name])
    with (tmp_path / "other.npz").open("wb") as file:
        np.savez(file, truth=np.zeros(3))
    with pytest.raises(SanError, match="no file of examples"):
        load_examples([tmp_path / "other.npz"])
    with pytest.raises(SanError, match="no such file"):
        load_examples([tmp_path / "none.npz"])
    with pytest.raises(SanError, match="none of 4 pictures"):
        save_examples(tmp_path / "made.npz", Examples([], 4, 4, VOCABULARY))
    save_examples(tmp_path / "one.npz", examples(1, 0))
    save_examples(tmp_path / "two.npz", examples(1, 0)._replace(vocabulary=Vocabulary(("x",))))
    with pytest.raises(SanError, match=r"two\.npz: examples of another network"):
        load_examples([tmp_path / "one.npz", tmp_path / "two.npz"])


@pytest.mark.slow
def test_samples_and_corpora_become_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config, output = _configuration(tmp_path), tmp_path / "made.npz"
    monkeypatch.setattr(judge_examples, "is_unsure", lambda first: True)
    words = [str(output), "--config", str(config), "--count", "3"]
    monkeypatch.setattr(sys, "argv", ["judge_examples", *words])
    judge_examples.main()
    assert "3 of 3 pictures read unsurely" in capsys.readouterr().out
    nowhere = ["judge_examples", str(tmp_path / "none" / "made.npz"), "--config", str(config)]
    monkeypatch.setattr(sys, "argv", nowhere)
    with pytest.raises(SanError, match="there is no folder"):  # before anything is read
        judge_examples.main()
    found = load_examples([output])
    assert found.pictures == 3
    for one in found.unsure:
        assert len(one.terms) == len(one.readings) + 1
        assert 0 <= one.truth <= len(one.readings)
        assert all(own.rows.max() < len(one.seen.hidden) for own in one.readings)


def _configuration(folder: Path) -> Path:
    config = folder / "ink.toml"
    formulas = folder / "formulas.txt"
    formulas.write_text("x+2\n2x=y\n", "utf-8")
    config.write_text(
        f'[data]\ntrain = "{ink_pack(folder)}"\n[synth]\nformulas = "{formulas}"\n', "utf-8"
    )
    return config
