"""Outlines are taken out of font files that are made here."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from san.data.print_fonts import Character
from san.errors import SanError
from san.synth.printed.fonts import FACES, Font, find_faces
from tests.synth.printed.drawn_font import save_font, write_font, write_hand

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


def test_damaged_fonts_are_one_line_that_names_them(tmp_path: Path) -> None:
    sound, path = tmp_path / "sound.ttf", tmp_path / "damaged.ttf"
    write_hand(sound, "0123456789xyz")
    data = sound.read_bytes()
    random, complaints = np.random.default_rng(0), list[str]()
    for _ in range(150):
        hit = np.frombuffer(data, np.uint8).copy()
        hit[random.integers(0, len(hit), 8)] = random.integers(0, 256, 8)
        path.write_bytes(hit[: random.integers(1, len(hit))] if random.random() < 0.2 else hit)
        try:
            font = Font(path)
            for code in range(33, 127):
                font.outline(code)
        except SanError as error:
            complaints.append(str(error))
    assert len(complaints) > 50
    for complaint in complaints:
        assert complaint.startswith(f"{path}: not a font that can be read: ")
        assert "\n" not in complaint


def test_a_font_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match=r"none\.ttf: .*: no such file or directory$"):
        Font(tmp_path / "none.ttf")


def test_a_glyph_that_is_put_together_without_end_is_one_line(tmp_path: Path) -> None:
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    def twice(name: str) -> Any:
        pen = TTGlyphPen({name: None})
        for _ in range(2):
            pen.addComponent(name, (1, 0, 0, 1, 0, 0))
        return pen.glyph()

    chain = {f"part{depth}": twice(f"part{depth + 1}") for depth in range(7)}
    write_hand(tmp_path / "hand.ttf", "x")
    save_font(
        tmp_path / "bomb.ttf", {"x": twice("part0")}, {**chain, "part7": TTGlyphPen(None).glyph()}
    )
    with pytest.raises(SanError, match=r"bomb\.ttf: .* is one of more than 64 parts"):
        Font(tmp_path / "bomb.ttf").outline(ord("x"))
    assert Font(tmp_path / "hand.ttf").outline(ord("x")) is not None


def test_an_impossible_em_is_one_line(tmp_path: Path) -> None:
    from fontTools.ttLib import TTFont

    write_hand(tmp_path / "hand.ttf", "x")
    font = TTFont(tmp_path / "hand.ttf")
    font["head"].unitsPerEm = 0
    font.save(tmp_path / "none.ttf")
    with pytest.raises(SanError, match=r"none\.ttf: .* an em of 0 units"):
        Font(tmp_path / "none.ttf")
