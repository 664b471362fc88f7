"""The real corpora, where they are at hand: what is read, how small it packs, how it loads."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from san.data.corpus import Corpus, open_corpus
from san.data.pack import Pack, write_pack
from san.data.sample import Fault
from san.ink.draw import draw
from san.ink.inkml import read_inkml
from tests.work import calls_of

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def train(data_root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, Path]:
    """CROHME's training set, packed."""
    path = tmp_path_factory.mktemp("packs") / "train.npz"
    corpus = open_corpus(data_root / "crohme" / "train.inkml.zip")
    write_pack(corpus, path)
    return corpus, path


def test_crohme_train_is_read_but_for_two_files(train: tuple[Corpus, Path]) -> None:
    corpus, path = train
    assert len(corpus) == 8835  # labelled
    assert len(Pack.load(path)) == 8834
    assert [(skip.name, skip.fault) for skip in corpus.skipped] == [
        ("MfrDB/MfrDB3088.inkml", Fault.UNLABELLED),  # and empty
        ("MfrDB/MfrDB0104.inkml", Fault.FILE),
    ]
    assert "not well-formed XML" in corpus.skipped[1].detail


def test_crohme_train_packs_small(train: tuple[Corpus, Path]) -> None:
    _, path = train
    with zipfile.ZipFile(path) as archive:
        size = {member.filename: member.compress_size for member in archive.infolist()}
    assert path.stat().st_size - size["steps.npy"] - size["points.npy"] < 12e6
    assert path.stat().st_size < 16e6


def test_crohme_train_loads_in_a_blink(train: tuple[Corpus, Path]) -> None:
    _, path = train
    samples = 8834
    assert len(Pack.load(path)) == samples
    assert calls_of(lambda: Pack.load(path)) < 10 * samples  # to parse one takes hundreds


def test_packed_ink_draws_as_the_original(train: tuple[Corpus, Path]) -> None:
    corpus, path = train
    pack = Pack.load(path)
    names = {Path(name).stem: name for name in corpus.files.names}
    for place in range(0, len(pack), 20):
        original = read_inkml(corpus.files.read(names[pack.ids[place]]))
        packed = pack.ink(place)
        assert packed is not None
        assert np.array_equal(pack.image(place), draw(original.ink))
        assert np.array_equal(pack.image(place), draw(packed, scale=1))
        assert [(g.label, g.strokes) for g in pack.glyphs(place)] == [
            (g.label, g.strokes) for g in original.glyphs
        ]


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("crohme/test2014.inkml.zip", 986),
        ("crohme/test2016.inkml.zip", 1147),
        ("crohme/test2014.bitmaps.zip", 986),
        ("crohme/test2016.bitmaps.zip", 1147),
        ("hme100k/train_photos.zip", 597),
        ("hme100k/test_photos.zip", 1039),
    ],
)
def test_the_others_are_read_whole(data_root: Path, source: str, count: int) -> None:
    corpus = open_corpus(data_root / source)
    assert sum(1 for _ in corpus) == len(corpus) == count
    assert corpus.skipped == []


def test_ink_is_labelled_by_its_own_truth_where_no_file_does(
    data_root: Path, tmp_path: Path
) -> None:
    link = tmp_path / "unlabelled.zip"
    link.symlink_to(data_root / "crohme" / "test2014.inkml.zip")
    corpus = open_corpus(link)
    own = {sample.id: sample.tree for sample in corpus}
    given = {s.id: s.tree for s in open_corpus(data_root / "crohme" / "test2014.bitmaps.zip")}
    assert len(own) + len(corpus.skipped) == 986
    assert sum(own.get(key) == tree for key, tree in given.items()) > 900
