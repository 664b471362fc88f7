"""Packs: what goes in comes out, and a file that was tampered with is one clear line."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from san.data.container import read_arrays, write_arrays
from san.data.pack import TYPES, Pack, is_pack, write_pack
from san.data.sample import DataError, Sample
from san.grammar import parse, to_latex
from san.ink import draw
from tests.data.drawn import bitmap, encoded, fill, ink, photograph, sheet, zipped

LATEX = [r"\frac{x}{2}", "x_1^2", r"\sqrt[3]{\alpha}", "{}^{14}C"]


def samples() -> list[Sample]:
    """Ink with symbols, a photograph, a bitmap, ink without symbols."""
    written, trees = sheet("x", seed=1), [parse(latex) for latex in LATEX]
    jpeg = encoded(photograph(2), "PNG")
    return [
        Sample("ink", trees[0], ink=written.ink, glyphs=written.glyphs),
        Sample("photo", trees[1], image=photograph(2), encoded=jpeg),
        Sample("bitmap", trees[2], image=bitmap(3), encoded=encoded(bitmap(3), "BMP")),
        Sample("ünïcode", trees[3], ink=ink(4, strokes=1)),
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    assert write_pack(samples(), tmp_path / "p.npz") == 4
    return tmp_path / "p.npz"


def test_what_goes_in_comes_out(path: Path) -> None:
    pack = Pack.load(path)
    assert len(pack) == 4
    assert pack.ids == ["ink", "photo", "bitmap", "ünïcode"]
    for place, sample in enumerate(samples()):
        assert pack.tree(place) == sample.tree
        assert pack.latex[place] == to_latex(sample.tree)
        picture = pack.image(place)
        assert picture.dtype == np.uint8
        assert np.array_equal(picture, sample.picture())
        assert pack.shape(place) == picture.shape
        restored = pack.ink(place)
        assert (restored is None) == (sample.ink is None)
        if restored is not None:
            assert np.array_equal(draw(restored, scale=1), picture)


def test_the_segmentation_comes_along(path: Path) -> None:
    pack = Pack.load(path)
    glyphs = pack.glyphs(0)
    assert [(glyph.label, glyph.strokes) for glyph in glyphs] == [("x", (0, 2)), (r"\alpha", (1,))]
    restored = pack.ink(0)
    assert restored is not None
    left, top = restored.strokes[1].min(axis=0)
    assert glyphs[1].box[:2] == (left, top)
    assert pack.glyphs(1) == pack.glyphs(3) == ()


def test_files_are_kept_only_where_they_are_needed(path: Path) -> None:
    arrays = read_arrays(path, TYPES)
    assert (arrays["file_bytes"] > 0).tolist() == [False, True, False, False]


def test_grey_pixels_without_their_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="packed as its file"):
        write_pack([Sample("a", parse("x"), image=photograph())], tmp_path / "p.npz")


def test_two_samples_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two samples have the id 'a'"):
        write_pack([Sample("a", parse("x"), ink=ink())] * 2, tmp_path / "p.npz")


def test_a_sample_is_ink_or_image() -> None:
    with pytest.raises(ValueError, match="either"):
        Sample("a", parse("x"))
    with pytest.raises(ValueError, match="either"):
        Sample("a", parse("x"), ink=ink(), image=bitmap())


def test_nothing_makes_no_file(tmp_path: Path) -> None:
    assert write_pack([], tmp_path / "p.npz") == 0
    assert not (tmp_path / "p.npz").exists()


def test_packs_are_recognised(path: Path, tmp_path: Path) -> None:
    renamed = path.rename(tmp_path / "p.pack")
    assert is_pack(renamed)
    assert is_pack(tmp_path / "gone.npz")  # meant as one: loading says what is wrong
    assert not is_pack(zipped(tmp_path / "c.zip", {"a.png": b""}))
    assert not is_pack(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert not is_pack(tmp_path / "pipe")
    assert not is_pack("/dev/zero")
    assert not is_pack("x" * 300)


def _index(**changes: object) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        index = json.loads(arrays["index"].tobytes()) | changes
        arrays["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)

    return change


def _entry(name: str, value: int) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name].flat[0] = value

    return change


def _array(name: str, value: np.ndarray) -> Callable[[dict[str, Any]], None]:
    return lambda arrays: arrays.update({name: value})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_index(format="other"), "does not call itself san-pack"),
        (_index(version=2), "version 2 and this san reads 1: make it again"),
        (_index(version=True), "version True and this san reads 1"),
        (_index(version=1.0), "version 1.0 and this san reads 1"),
        (_index(ids=["a"]), "differ in length"),
        (_index(ids=["a", "b", "c", "a"]), "two samples have one id"),
        (_index(ids=[1, 2, 3, 4]), "no ids"),
        (_index(latex="xxxx"), "no latex"),
        (_index(labels=["x"]), "a symbol has no label"),
        (_array("index", np.frombuffer(b"{", np.uint8)), "not JSON"),
        (_array("index", np.frombuffer(b"[" * 99_999, np.uint8)), "not JSON"),
        (_array("shape", np.ones(8, "<u4")), "differ in length"),
        (_array("strokes", np.zeros(3, "<u4")), "one entry a sample"),
        (_array("steps", np.zeros((3, 5), "<u2")), "not two rows"),
        (_array("bits", np.zeros(3, "<u1")), "bits has 3 entries where"),
        (_array("glyph_stroke", np.zeros(0, "<u4")), "glyph_stroke has 0 entries where 3"),
        (_array("points", np.ones((5, 1), "<u4")), "points is not one row"),
        (_array("glyph_label", np.zeros((2, 1), "<u4")), "glyph_label is not one row"),
        (_array("glyph_strokes", np.ones((1, 2), "<u4")), "glyph_strokes is not one row"),
        (_array("glyph_stroke", np.array(0, "<u4")), "glyph_stroke is not one row"),
        (_array("bits", np.zeros((3, 1), "<u1")), "bits is not one row"),
        (_array("files", np.zeros((1, 3), "<u1")), "files is not one row"),
        (_entry("shape", 0), "impossible size"),
        (_entry("shape", 2**32 - 1), "impossible size"),
        (_entry("strokes", 7), "points has 5 entries where 8"),
        (_entry("points", 0), "steps has"),
        (_entry("file_bytes", 2**32 - 1), "entries where"),
        (_entry("glyphs", 1), "glyph_label has 2 entries where 1"),
        (_entry("glyph_stroke", 4), "a stroke that is not there"),
    ],
)
@pytest.mark.slow
def test_tampered_packs(path: Path, change: Callable[[dict[str, Any]], None], reason: str) -> None:
    arrays = read_arrays(path, TYPES)
    change(arrays)
    write_arrays(path, arrays)
    with pytest.raises(DataError, match=r"p\.npz: not a usable pack: .*" + reason):
        Pack.load(path)


def test_an_empty_stroke(path: Path) -> None:
    arrays = read_arrays(path, TYPES)
    points = arrays["points"].copy()
    points[1], points[0] = points[0] + points[1], 0
    write_arrays(path, arrays | {"points": points})
    with pytest.raises(DataError, match="a stroke or a symbol is empty"):
        Pack.load(path)


def test_a_photograph_of_another_size(path: Path) -> None:
    arrays = read_arrays(path, TYPES)
    shape = arrays["shape"].copy()
    shape[1] += 1
    write_arrays(path, arrays | {"shape": shape})
    with pytest.raises(DataError, match="photo: its picture has not the size"):
        Pack.load(path).image(1)


def test_a_photograph_that_does_not_open(path: Path) -> None:
    arrays = read_arrays(path, TYPES)
    write_arrays(path, arrays | {"files": np.zeros_like(arrays["files"])})
    with pytest.raises(DataError, match="photo: not a PNG"):
        Pack.load(path).image(1)


def test_files_that_are_no_packs(tmp_path: Path) -> None:
    fill(tmp_path, {"text.npz": "no zip"})
    zipped(tmp_path / "other.npz", {"a.npy": b""})
    for name, reason in (
        ("text.npz", "not a pack, or cut short"),
        ("other.npz", "no item named 'index.npy'"),
        ("gone.npz", "no such file"),
    ):
        with pytest.raises(DataError, match=rf"{name}: .*{reason}"):
            Pack.load(tmp_path / name)


def test_every_truncation_and_many_flipped_bits_are_noticed(path: Path) -> None:
    whole = path.read_bytes()
    expected = [Pack.load(path).image(place) for place in range(4)]
    random = np.random.default_rng(0)
    for cut in random.integers(0, len(whole), 50):
        path.write_bytes(whole[:cut])
        with pytest.raises(DataError):
            Pack.load(path)
    refused = []
    for place in random.integers(0, len(whole), 150):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(random.integers(8))
        path.write_bytes(flipped)
        try:
            pack = Pack.load(path)
        except DataError as error:
            refused.append(str(error))
        else:  # in what a zip says twice or does not need
            assert all(np.array_equal(pack.image(i), expected[i]) for i in range(4))
    assert len(refused) > 50
    assert all("\n" not in line for line in refused)


def test_loading_needs_no_library_that_opens_files() -> None:
    code = (
        "import sys\n"
        "for name in ('defusedxml', 'PIL', 'pydantic', 'typer', 'rich'): sys.modules[name] = None\n"
        "import san.data.pack"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
