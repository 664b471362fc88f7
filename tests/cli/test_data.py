"""`san data`: packs and tables for people, and one clear line where there is nothing to pack."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from san.data.pack import Pack
from san.synth.photo.paper import PaperPage
from tests.cli.console import complaint, san
from tests.data.drawn import bitmap, encoded, fill, inkml, photograph, zipped
from tests.images.photographs import formula, grey_photograph

pytestmark = pytest.mark.slow


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Three samples of ink, one of which is broken; a label too many, and a file too many."""
    files = {f"{name}.inkml": inkml("x", seed) for seed, name in enumerate(("a", "b", "free"))}
    zipped(tmp_path / "train.inkml.zip", files | {"broken.inkml": "<ink"})
    labels = "".join(f"gone{number}\tx\n" for number in range(7))
    fill(tmp_path, {"train.tsv": f"a\tx ^ 2\nb\t[ y ]\nbroken\tz\n{labels}"})
    return tmp_path / "train.inkml.zip"


def test_pack_tells_what_is_in_it_and_what_is_not(source: Path, tmp_path: Path) -> None:
    done = san("data", "pack", source, "-o", "p.npz", "--skipped", "skipped.txt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "p.npz: 2 expressions, 0.0 MB\n"
    lines = done.stderr.splitlines()
    assert lines[0].startswith("skipped 9 (7 labelled, but without a file, 1 ")
    assert "  gone0: labelled, but without a file" in lines
    assert "  and 2 more: --skipped FILE names all" in lines
    assert "  free.inkml: without a label" in lines
    assert any(line.startswith("  broken.inkml: does not open: ") for line in lines)
    assert len((tmp_path / "skipped.txt").read_text("utf-8").splitlines()) == 9
    pack = Pack.load(tmp_path / "p.npz")
    assert (pack.ids, pack.latex) == (["a", "b"], ["x^{2}", "[y]"])


def test_a_part_is_held_out_for_validation(tmp_path: Path) -> None:
    files = {f"{number}.inkml": inkml("x", number) for number in range(20)}
    zipped(tmp_path / "train.inkml.zip", files)
    fill(tmp_path, {"train.tsv": "".join(f"{number}\tx\n" for number in range(20))})
    pack = ("data", "pack", "train.inkml.zip", "-o", "train.npz", "--held-out", "held.npz")
    done = san(*pack, "--held-out-share", "0.4", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    train, held = (Pack.load(tmp_path / name).ids for name in ("train.npz", "held.npz"))
    assert done.stdout.startswith(f"train.npz: {len(train)} expressions")
    assert 2 <= len(held) <= 14
    assert sorted([*train, *held], key=int) == [str(number) for number in range(20)]
    assert "holds out none of 20" in complaint(*pack, "--held-out-share", "0", cwd=tmp_path)
    assert "holds out all of 20" in complaint(*pack, "--held-out-share", "1", cwd=tmp_path)


def test_nothing_is_held_out_in_silence_for_want_of_a_file(source: Path, tmp_path: Path) -> None:
    for option in (("--held-out-share", "0.2"), ("--seed", "0")):
        said = complaint("data", "pack", source, "-o", "p.npz", *option, cwd=tmp_path)
        assert f"{option[0]} is of what is held out: name its file with --held-out" in said
    assert not (tmp_path / "p.npz").exists()


def test_a_pack_has_the_suffix_of_one(source: Path) -> None:
    pack = ("data", "pack", source, "-o")
    assert "try p.npz" in complaint(*pack, "p.txt")
    assert "try q.npz" in complaint(*pack, "p.npz", "--held-out", "q")


def test_show_a_corpus_and_its_pack_alike(source: Path, tmp_path: Path) -> None:
    assert san("data", "pack", source, "-o", tmp_path / "p.npz").returncode == 0
    pictures = []
    for shown, sheet in ((source, "zip.png"), (tmp_path / "p.npz", "pack.png")):
        done = san("data", "show", shown, "-o", tmp_path / sheet)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("2 expressions\n")
        tables = done.stdout.split(str(tmp_path / sheet))[0]
        with Image.open(tmp_path / sheet) as picture:
            pictures.append((tables, picture.tobytes()))
    assert pictures[0] == pictures[1]


def test_labels_are_named_or_found(tmp_path: Path) -> None:
    fill(tmp_path, {"mine/a.png": encoded(photograph()), "text.tsv": "a\tx\n"})
    assert "name their file with --labels" in complaint("data", "show", tmp_path / "mine")
    done = san("data", "show", tmp_path / "mine", "--labels", tmp_path / "text.tsv")
    assert done.returncode == 0
    assert done.stdout.startswith("1 expression\n")
    assert done.stderr == ""


def test_photographs_are_packed_as_the_network_sees_them(tmp_path: Path) -> None:
    page = encoded(grey_photograph(formula(), PaperPage(zoom=1.0)))
    blank = encoded(np.full((60, 90), 240, np.uint8))
    fill(tmp_path, {"p/a.png": page, "p/b.png": blank, "p.tsv": "a.png\tx\nb.png\ty\n"})
    for flags, black_and_white in (((), False), (("--clean",), True)):
        done = san("data", "pack", tmp_path / "p", "-o", tmp_path / "p.npz", *flags)
        assert done.returncode == 0, done.stderr
        pack = Pack.load(tmp_path / "p.npz")
        assert pack.is_black_and_white is black_and_white
    assert list(pack.ids) == ["a"]
    assert set(np.unique(pack.image(0))) == {0, 255}
    assert "b.png: cannot be cleaned: no ink found" in done.stderr


def test_nothing_to_pack_is_one_line(tmp_path: Path) -> None:
    folder = fill(tmp_path / "c", {"a.inkml": "<ink", "b.inkml": inkml(r"\frac{x")})
    for words in (("pack", folder, "-o", tmp_path / "p.npz"), ("show", folder)):
        line = complaint("data", *words)
        assert "skipped 2 (" in line
        assert "a.inkml: does not open" in line
    assert not (tmp_path / "p.npz").exists()


def test_bad_input_is_one_line(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "p.npz"
    fill(tmp_path, {"bad.zip": "no zip", "bad.npz": "no pack", "empty/readme.md": ""})
    assert "no such file" in complaint("data", "pack", tmp_path / "none", "-o", output)
    assert "nor a zip that opens" in complaint("data", "pack", tmp_path / "bad.zip", "-o", output)
    assert "no InkML file and no image" in complaint("data", "show", tmp_path / "empty")
    assert "not a usable pack" in complaint("data", "show", tmp_path / "bad.npz")
    assert "would overwrite" in complaint("data", "pack", source, "-o", source)
    assert "there is no folder" in complaint("data", "pack", source, "-o", tmp_path / "no" / "p")
    assert "try sheet.png" in complaint("data", "show", source, "-o", tmp_path / "sheet.txt")
    assert "Missing option" in complaint("data", "pack", source)


@pytest.mark.parametrize(
    "words",
    [
        ("pack", "own", "-o", "own/labels.tsv"),
        ("pack", "own", "-o", "own/a.png"),
        ("pack", "own", "-o", "own/free.png"),
        ("pack", "own", "-o", "p.npz", "--skipped", "own/labels.tsv"),
        ("pack", "own", "-o", "p.npz", "--skipped", "link"),
        ("show", "own", "-o", "own/a.png"),
        ("show", "own", "--skipped", "own/a.png"),
        ("pack", "photos", "-o", "p.npz", "--skipped", "photos.tsv"),
        ("pack", "photos", "-o", "p.npz", "-l", "text.txt", "--skipped", "text.txt"),
    ],
)
def test_a_corpus_is_never_overwritten(tmp_path: Path, words: tuple[str, ...]) -> None:
    image = encoded(photograph())
    fill(tmp_path, {"own/a.png": image, "own/free.png": image, "own/labels.tsv": "a\tx\n"})
    fill(tmp_path, {"photos/a.png": image, "photos.tsv": "a\tx\n", "text.txt": "a\tx\n"})
    (tmp_path / "link").symlink_to("own/labels.tsv")
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert "would overwrite what is read" in complaint("data", *words, cwd=tmp_path)
    after = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert after == before


def test_results_may_lie_in_the_corpus_and_be_made_again(tmp_path: Path) -> None:
    fill(tmp_path, {"own/a.png": encoded(photograph()), "own/labels.tsv": "a\tx\n"})
    for _ in range(2):
        words = ("data", "pack", "own", "-o", "own/p.npz", "--skipped", "own/skipped.txt")
        assert san(*words, cwd=tmp_path).returncode == 0


def test_a_pack_carries_its_own_labels(source: Path, tmp_path: Path) -> None:
    assert san("data", "pack", source, "-o", tmp_path / "p.npz").returncode == 0
    for option in ("--labels", "--skipped"):
        line = complaint("data", "show", tmp_path / "p.npz", option, tmp_path / "x.tsv")
        assert "a pack carries its own labels" in line


def test_odd_names_and_places_are_one_line(source: Path, tmp_path: Path) -> None:
    for words in (
        ("pack", source, "-o", "x" * 300 + ".npz"),
        ("pack", source, "-o", "p.npz", "-l", "x" * 300),
        ("pack", source, "-o", "p.npz", "--skipped", "x" * 300),
        ("show", "x" * 300),
    ):
        assert "file name too long" in complaint("data", *words, cwd=tmp_path)
    assert "not a regular file" in complaint("data", "show", "/dev/zero")
    assert not (tmp_path / "p.npz").exists()


def test_the_labels_of_a_pack_serve(tmp_path: Path) -> None:
    files = {f"mine/{number}.png": encoded(bitmap(number)) for number in range(3)}
    fill(tmp_path, files | {"some.tsv": "0\tx\n2\ty\n"})
    for labels, output in (("some.tsv", "a.npz"), ("a.npz", "b.npz")):
        done = san("data", "pack", "mine", "--labels", labels, "-o", output, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert Pack.load(tmp_path / "b.npz").ids == ["0", "2"]
