"""One pack of one writer's ink and that of others."""

from pathlib import Path

import pytest
from tools.mix_corpora import mix

from san.data.pack import Pack
from san.errors import SanError
from san.synth.glyphs.build import writer_of
from tests.data.drawn import bitmap, encoded, fill, inkml


def corpus(folder: Path, count: int, first: int = 0) -> Path:
    names = (f"{folder.name}{number}.inkml" for number in range(count))
    return fill(folder, {name: inkml("x+1", first + n) for n, name in enumerate(names)})


def test_a_small_corpus_is_repeated_and_a_large_one_is_drawn_from(tmp_path: Path) -> None:
    corpora = {"own": corpus(tmp_path / "a", 2), "others": corpus(tmp_path / "b", 7, 50)}
    assert mix(corpora, tmp_path / "mixed.npz", count=5) == 10
    pack = Pack.load(tmp_path / "mixed.npz")
    own, others = pack.ids[:5], pack.ids[5:]
    assert {writer_of(name) for name in own} == {"own"}  # composed as by one hand
    assert len(set(others)) == 5
    assert set(others) < {f"b{number}" for number in range(7)}
    assert (pack.image(0) == pack.image(2)).all()
    assert pack.image(0).shape != pack.image(1).shape
    mix(corpora, tmp_path / "again.npz", count=5)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "mixed.npz").read_bytes()
    mix(corpora, tmp_path / "other.npz", count=5, seed=1)
    assert Pack.load(tmp_path / "other.npz").ids[5:] != others


def test_what_cannot_be_trained_on_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = corpus(tmp_path / "a", 2)
    fill(folder, {"broken.inkml": "<ink", "nothing.inkml": inkml(None)})
    mix({"own": folder}, tmp_path / "mixed.npz", count=4)
    said = capsys.readouterr().out
    assert "broken.inkml: does not open" in said
    assert "nothing: its label does not parse" in said
    pictures = fill(tmp_path / "p", {"a.png": encoded(bitmap()), "labels.tsv": "a\tx\n"})
    with pytest.raises(SanError, match="own: no ink to train on"):
        mix({"own": pictures}, tmp_path / "none.npz")
    assert not (tmp_path / "none.npz").exists()


def test_an_id_may_be_in_both(tmp_path: Path) -> None:
    corpora = {"own": corpus(tmp_path / "a", 2), "others": corpus(tmp_path / "b" / "a", 2, 9)}
    mix(corpora, tmp_path / "mixed.npz", count=2)
    assert set(Pack.load(tmp_path / "mixed.npz").ids) == {"a0", "a1", "others-a0", "others-a1"}


def test_nothing_is_written_over(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "a", 1)
    with pytest.raises(SanError, match="not written over"):
        mix({"own": folder}, folder / "a0.inkml")
