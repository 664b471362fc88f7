"""Files of symbol masks."""

from pathlib import Path

import numpy as np
import pytest

from san.data.container import write_arrays
from san.data.pack import Pack, write_pack
from san.data.photo_masks import PhotoMask, PhotoMasks, write_photo_masks
from san.data.sample import DataError, Sample
from san.grammar import parse

PICTURE = np.zeros((20, 30), np.uint8)
PICTURE[5:15, 5:8] = PICTURE[5:15, 15:25] = 255
LABELS = np.zeros((20, 30), np.uint8)
LABELS[5:15, 5:8], LABELS[5:15, 15:25] = 1, 2


@pytest.fixture
def photos(tmp_path: Path) -> Pack:
    write_pack([Sample("p", parse("1 x"), image=PICTURE)], tmp_path / "photos.npz")
    return Pack.load(tmp_path / "photos.npz")


def test_what_is_written_is_read(tmp_path: Path, photos: Pack) -> None:
    write_photo_masks(
        {"p": PhotoMask("1x", LABELS, 3.5), "q": PhotoMask("x", LABELS[:9], 4.0)}, tmp_path / "a"
    )
    masks = PhotoMasks.load(tmp_path / "a")
    assert len(masks) == 2
    own = masks.of("p")
    assert own is not None
    assert own.width == 3.5
    assert np.array_equal(own.labels, LABELS)
    assert masks.of("nobody") is None
    masks.check(photos)


@pytest.mark.parametrize(
    ("marked", "reason"),
    [
        (PhotoMask("2x", LABELS, 3.5), "p: its mask is that of another photograph"),
        (PhotoMask("1x", LABELS[:, :-1], 3.5), "p: its mask is that of another photograph"),
        (PhotoMask("1x", LABELS + np.uint8(1), 3.5), "p: its mask is not on its ink"),
        (PhotoMask("1x", LABELS * np.uint8(2), 3.5), "p: its mask is not on its ink"),
    ],
)
def test_masks_of_other_photographs_are_one_line(
    tmp_path: Path, photos: Pack, marked: PhotoMask, reason: str
) -> None:
    write_photo_masks({"p": marked}, tmp_path / "photo-masks.npz")
    with pytest.raises(DataError, match=reason):
        PhotoMasks.load(tmp_path / "photo-masks.npz").check(photos)


def test_masks_of_no_photograph_at_hand_are_one_line(tmp_path: Path, photos: Pack) -> None:
    write_photo_masks({"q": PhotoMask("1x", LABELS, 3.5)}, tmp_path / "a")
    with pytest.raises(DataError, match="masks of other photographs"):
        PhotoMasks.load(tmp_path / "a").check(photos)


def test_a_blot_has_no_mask(tmp_path: Path) -> None:
    """What is written can be read again."""
    blot = PhotoMask("x", LABELS, 360.0)
    write_photo_masks({"p": PhotoMask("1x", LABELS, 3.5), "blot": blot}, tmp_path / "a")
    assert len(PhotoMasks.load(tmp_path / "a")) == 1
    with pytest.raises(DataError, match="no masks to write"):
        write_photo_masks({"blot": blot}, tmp_path / "b")


def test_what_is_no_file_of_masks_is_one_line(tmp_path: Path, photos: Pack) -> None:
    good = tmp_path / "good.npz"
    write_photo_masks({"p": PhotoMask("1x", LABELS, 3.5)}, good)
    arrays = dict(np.load(good))
    wrong = {
        "shape": np.array([[20, 31]], "<u4"),
        "width": np.array([np.nan], "<f4"),
        "labels": arrays["labels"][:-1],
        "index": np.frombuffer(b'{"format": "san-pack"}', np.uint8),
    }
    for name, array in wrong.items():
        write_arrays(tmp_path / "bad.npz", {**arrays, name: array})
        with pytest.raises(DataError, match=r"bad\.npz: no usable masks: [^\n]+$"):
            PhotoMasks.load(tmp_path / "bad.npz")
    np.savez(tmp_path / "bad.npz", **{**arrays, "width": np.array([{}], object)})
    with pytest.raises(DataError, match="width has not the type"):
        PhotoMasks.load(tmp_path / "bad.npz")
    for name in ("photos.npz", "none.npz"):
        with pytest.raises(DataError, match=name):
            PhotoMasks.load(tmp_path / name)
    with pytest.raises(DataError, match="there are no masks"):
        write_photo_masks({}, tmp_path / "none.npz")
