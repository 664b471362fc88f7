"""Files as people have them read as their plain twin: light ink, transparency, turned cameras."""

from collections.abc import Callable
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from san.grammar import parse
from san.reader import Recognizer
from tests.images.clean.test_light_ink import board, enlarged
from tests.ink.formulas import quadratic

ORIENTATION = 0x0112
"""The Exif tag."""
STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    8: Image.Transpose.ROTATE_270,
}
"""How a camera that notes so has turned the pixels."""


def on_nothing(mode: str, value: int) -> Image.Image:
    alpha = np.rint(255 * enlarged(2.0)).clip(0, 255).astype(np.uint8)
    colours = [np.full_like(alpha, value)] * (len(mode) - 1)
    return Image.fromarray(np.stack([*colours, alpha], axis=-1), mode)


def mixed(paper: tuple[int, ...], pen: tuple[int, ...]) -> Image.Image:
    share = enlarged(2.0)[..., None]
    colours = np.array(paper) * (1 - share) + np.array(pen) * share
    return Image.fromarray(np.rint(colours).clip(0, 255).astype(np.uint8), "RGB")


def palette() -> Image.Image:
    """White ink, and a colour that stands for nothing."""
    picture = Image.fromarray((enlarged(2.0) > 0.5).astype(np.uint8), "P")
    picture.putpalette([0, 0, 0, 255, 255, 255])
    picture.info["transparency"] = 0
    return picture


def file_of(picture: Image.Image, form: str = "PNG", orientation: int = 1) -> bytes:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    written = BytesIO()
    turned = picture.transpose(STORED[orientation]) if orientation in STORED else picture
    turned.save(written, form, exif=exif.tobytes())
    return written.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    "picture",
    [
        lambda: on_nothing("RGBA", 255),
        lambda: on_nothing("LA", 255),
        lambda: on_nothing("RGBA", 0),
        palette,
        lambda: mixed((18, 18, 24), (235, 235, 245)),
        lambda: mixed((20, 30, 70), (250, 220, 60)),
        lambda: Image.fromarray(board(0, 12.0)),
    ],
    ids=["white-on-nothing", "grey-alpha", "black-on-nothing", "palette", "dark", "blue", "chalk"],
)
def test_light_ink_and_transparency(reader: Recognizer, picture: Callable[[], Image.Image]) -> None:
    read = reader.read(file_of(picture()))
    assert read.expression == parse(quadratic().truth or "")
    assert read.confidence > 0.8
    assert read.turned == 0


@pytest.mark.slow
@pytest.mark.parametrize("orientation", sorted(STORED))
def test_a_camera_says_how_it_was_held(reader: Recognizer, orientation: int) -> None:
    """Boxes are on the picture as people see it."""
    photograph = Image.fromarray(np.rint(235 - 190 * enlarged(2.0)).clip(0, 255).astype(np.uint8))
    upright, read = (reader.read(file_of(photograph, "PNG", one)) for one in (1, orientation))
    assert read.expression == upright.expression == parse(quadratic().truth or "")
    assert read.turned == 0
    assert read.to_dict()["source"] == upright.to_dict()["source"]
    assert read.symbols[0].box == pytest.approx(upright.symbols[0].box, abs=2)
