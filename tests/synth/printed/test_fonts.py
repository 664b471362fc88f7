"""Outlines are taken out of font files that are made here."""

from pathlib import Path

import pytest

from san.data.print_fonts import Character
from san.errors import SanError
from san.synth.printed.fonts import FACES, find_faces
from tests.synth.printed.drawn_font import write_font

pytest.importorskip("fontTools")


def test_letters_are_italic_in_formulas_and_upright_in_words(tmp_path: Path) -> None:
    file = FACES["latin modern"].upright
    write_font(tmp_path / file, "ax1+(𝑎𝑥α")
    faces, missing = find_faces([tmp_path])
    assert list(faces) == ["latin modern"]
    assert "termes" in missing
    face = faces["latin modern"]
    assert {Character("a"), Character("a", True), Character("1"), Character("α")} <= face.keys()
    (outline,) = face[Character("x")]
    assert outline.advance == pytest.approx(0.6)
    assert outline.box == pytest.approx((0.1, -0.5, 0.5, 0.0), abs=1e-3)
    (polygon,) = outline.polygons
    assert len(polygon) > 5  # the curve has corners between its ends


def test_no_font_and_no_real_font_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match="no font of those"):
        find_faces([tmp_path])
    (tmp_path / FACES["latin modern"].upright).write_bytes(b"no font")
    with pytest.raises(SanError, match="not a font that can be read") as caught:
        find_faces([tmp_path])
    assert "\n" not in str(caught.value)
