"""Every kind of corpus gives samples, and whatever cannot be used is named."""

import os
from pathlib import Path

import numpy as np
import pytest

from san.data.corpus import open_corpus
from san.data.sample import DataError, Fault
from san.files import FileError
from san.grammar import parse
from san.images.clean.pipeline import clean
from san.images.open import open_image
from san.synth.photo.paper import PaperPage
from tests.data.drawn import bitmap, encoded, fill, ink, inkml, photograph, zipped
from tests.images.photographs import formula, grey_photograph
from tests.images.test_open import bomb


def test_ink_in_a_zip_with_a_tsv_beside_it(tmp_path: Path) -> None:
    zipped(tmp_path / "train.inkml.zip", {"A/a.inkml": inkml("y", 1), "B/b.inkml": inkml("y", 2)})
    fill(tmp_path, {"train.tsv": "b\t\\frac { x } { 2 }\na\tx\n"})
    corpus = open_corpus(tmp_path / "train.inkml.zip")
    samples = list(corpus)
    assert len(corpus) == 2
    assert [sample.id for sample in samples] == ["a", "b"]
    assert [sample.tree for sample in samples] == [parse("x"), parse(r"\frac{x}{2}")]
    assert [glyph.label for glyph in samples[0].glyphs] == ["x", r"\alpha"]
    assert samples[0].image is None
    assert samples[1].ink is not None
    assert (samples[1].ink.points == ink(2).points).all()
    assert samples[1].picture().max() == 255
    assert corpus.skipped == []


def test_ink_without_labels_is_labelled_by_its_truth(tmp_path: Path) -> None:
    files = {"a.inkml": inkml("x^2"), "b.inkml": inkml(r"\frac{x"), "c.inkml": inkml(None)}
    corpus = open_corpus(fill(tmp_path / "own", files))
    assert [(sample.id, sample.tree) for sample in corpus] == [("a", parse("x^2"))]
    assert [(skip.name, skip.fault) for skip in corpus.skipped] == [
        ("b", Fault.LABEL),
        ("c", Fault.LABEL),
    ]
    assert "carries none" in corpus.skipped[1].detail


def test_photographs_with_labels_by_file_name(tmp_path: Path) -> None:
    content = encoded(photograph(3))
    fill(tmp_path, {"p/sub/train_0.png": content, "p/labels.tsv": "train_0.png\tx\n"})
    (sample,) = open_corpus(tmp_path / "p")
    assert sample.id == "train_0"
    assert sample.ink is None
    assert sample.image is not None
    assert (sample.image == photograph(3)).all()
    assert sample.encoded == content


def test_a_folder_of_ones_own_with_json_lines(tmp_path: Path) -> None:
    files = {"a.bmp": encoded(bitmap(1), "BMP"), "l.jsonl": '{"file": "a.bmp", "latex": "x_1"}'}
    (sample,) = open_corpus(fill(tmp_path / "own", files))
    assert sample.tree == parse("x_{1}")
    assert np.array_equal(sample.picture(), bitmap(1))


def test_nothing_goes_missing_in_silence(tmp_path: Path) -> None:
    image = encoded(photograph())
    fill(
        tmp_path / "c",
        {
            "good.png": image,
            "unlabelled.png": image,
            "broken.png": image[:60],
            "bomb.png": bomb(),
            "grammar.png": image,
            "blank.png": image,
            "twice.png": image,
            "twice.jpg": image,
            "ink.inkml": "<ink",
            "notes.pdf": b"",
        },
    )
    labelled = "good broken bomb twice ink gone".split()
    lines = [f"{name}\tx" for name in labelled]
    lines += ["no tab", "good\ty", "grammar\t\\frac{x", "blank\t{ }"]
    fill(tmp_path, {"l.tsv": "\n".join(lines)})
    corpus = open_corpus(tmp_path / "c", tmp_path / "l.tsv")
    assert [sample.id for sample in corpus] == ["good", "twice"]
    faults = {skip.name: (skip.fault, skip.detail) for skip in corpus.skipped}
    assert len(faults) == len(corpus.skipped)
    assert {name: fault for name, (fault, _) in faults.items()} == {
        "l.tsv line 7": Fault.LINE,
        "l.tsv line 8": Fault.TWICE,
        "unlabelled.png": Fault.UNLABELLED,
        "twice.png": Fault.TWICE,
        "gone": Fault.MISSING,
        "broken.png": Fault.FILE,
        "bomb.png": Fault.FILE,
        "ink.inkml": Fault.FILE,
        "grammar": Fault.LABEL,
        "blank": Fault.LABEL,
    }
    assert "pixels" in faults["bomb.png"][1]
    assert "XML" in faults["ink.inkml"][1]
    assert "nothing is written" in faults["blank"][1]


def test_a_second_reading_counts_anew(tmp_path: Path) -> None:
    corpus = open_corpus(fill(tmp_path / "c", {"a.inkml": "<ink", "b.inkml": inkml("x")}))
    assert [len(list(corpus)) for _ in range(2)] == [1, 1]
    assert len(corpus.skipped) == 1


def test_a_damaged_member_of_a_zip_is_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "c.zip", {"a.inkml": inkml("x"), "b.inkml": inkml("y")})
    damaged = bytearray(path.read_bytes())
    damaged[100:140] = bytes(40)
    path.write_bytes(damaged)
    corpus = open_corpus(path)
    assert [sample.id for sample in corpus] == ["b"]
    assert [skip.name for skip in corpus.skipped] == ["a.inkml"]


def test_names_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    path = zipped(tmp_path / "c.zip", {"\x1b[2J\n.inkml": "<ink", "b.inkml": inkml("y")})
    corpus = open_corpus(path)
    assert len(list(corpus)) == 1
    assert str(corpus.skipped[0]).isprintable()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"readme.md": ""}, "no InkML file and no image in it"),
        ({"a.png": b""}, "no labels for its images; name their file with --labels"),
    ],
)
def test_what_is_no_corpus(tmp_path: Path, files: dict[str, bytes | str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_corpus(fill(tmp_path / "c", files))


def test_labels_that_are_not_there(tmp_path: Path) -> None:
    fill(tmp_path, {"c/a.png": b""})
    with pytest.raises(FileError, match=r"no\.tsv: no such file"):
        open_corpus(tmp_path / "c", tmp_path / "no.tsv")


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    fill(tmp_path / "c", {"a.inkml": inkml("x")})
    (tmp_path / "c" / "b.inkml").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "c" / "c.inkml")
    corpus = open_corpus(tmp_path / "c")
    assert [sample.id for sample in corpus] == ["a"]
    assert sorted(str(skip) for skip in corpus.skipped) == [
        f"{name}.inkml: does not open: neither a file nor a folder" for name in "bc"
    ]


def test_origins_are_what_nobody_should_overwrite(tmp_path: Path) -> None:
    image = encoded(photograph())
    fill(tmp_path / "c", {"a.png": image, "free.png": image, "labels.txt": "a\tx", "p.npz": b""})
    named = [path.name for path in open_corpus(tmp_path / "c").origins()]
    assert sorted(named) == ["a.png", "c", "free.png", "labels.txt"]
    fill(tmp_path, {"mine.txt": "a\tx"})
    assert tmp_path / "mine.txt" in open_corpus(tmp_path / "c", tmp_path / "mine.txt").origins()


def test_photographs_are_cleaned_on_the_way_and_empty_ones_named(tmp_path: Path) -> None:
    photo = encoded(grey_photograph(formula(), PaperPage(zoom=1.0)))
    blank = encoded(np.full((60, 90), 240, np.uint8))
    fill(tmp_path / "p", {"a.png": photo, "b.png": blank, "c.png": b"no", "d.inkml": inkml("x")})
    fill(tmp_path, {"p.tsv": "a\tx\nb\ty\nc\tz\nd\tx\n"})
    corpus = open_corpus(tmp_path / "p", cleaned=True)
    sample, ink_sample = list(corpus)
    assert sample.image is not None
    assert np.array_equal(sample.image, clean(open_image(photo)))
    assert sample.encoded == b""
    assert ink_sample.ink is not None
    assert [(skip.name, skip.fault) for skip in corpus.skipped] == [
        ("b.png", Fault.EMPTY),
        ("c.png", Fault.FILE),
    ]
    assert "no ink found" in str(corpus.skipped[0])
