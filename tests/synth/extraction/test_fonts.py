"""The characters of a font become strokes, on its base line; what is no hand is left out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from san.config import build
from san.data.print_fonts import outline_of
from san.decoding.engine import Floats, Memory, Outcome
from san.errors import SanError
from san.grammar import parse
from san.grammar.vocabulary import Vocabulary
from san.ink.strokes import box_of
from san.synth.extraction.config import ExtractionConfig, FontGlyphsConfig
from san.synth.extraction.extract import ExtractedPhoto
from san.synth.extraction.fonts import extract_font, font_files, rasterise, symbol_names
from san.synth.layout.measure import outline
from tests.synth.printed.drawn_font import CAPITAL, UNITS, X_HEIGHT, write_font, write_hand

pytest.importorskip("fontTools")

HAND = "0123456789acdxyAB+="
FONTS = FontGlyphsConfig(min_symbols=3)


class Undecided:
    """A network to which every symbol is as probable as any other, but for those it never reads."""

    def __init__(self, names: str, never: str = "") -> None:
        self.vocabulary = Vocabulary(tuple(sorted(names)))
        self._never = [self.vocabulary.number(name) for name in never]

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        return Memory(None, np.zeros((1, 2), np.float32), np.zeros((1, 1, 1), np.float32))

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        symbols = np.zeros((len(image), len(self.vocabulary.targets)), np.float32)
        symbols[:, self._never] = -20
        return Outcome(symbols, np.zeros((len(image), 7), np.float32), hidden, path)


def extracted(path: Path, never: str = "", fonts: FontGlyphsConfig = FONTS) -> ExtractedPhoto:
    return extract_font(Undecided(HAND, never), path, ExtractionConfig(fonts=fonts))


def test_characters_become_strokes_on_the_base_line(tmp_path: Path) -> None:
    write_hand(tmp_path / "hand.ttf", HAND)
    found = extracted(tmp_path / "hand.ttf")
    assert found.outline.parents == outline(parse(" ".join(found.outline.names))).parents
    assert {*found.outline.names} == {*HAND}
    boxes = dict(
        zip(found.outline.names, map(box_of, found.strokes), strict=True)
    )  # in pixels, y downwards
    em = FONTS.pixels_per_em
    for name in "2A":
        assert boxes[name].top == pytest.approx(-CAPITAL / UNITS * em, abs=0.08 * em)
        assert boxes[name].bottom == pytest.approx(0, abs=0.05 * em)
    assert boxes["x"].top == pytest.approx(-X_HEIGHT / UNITS * em, abs=0.08 * em)
    assert boxes["y"].bottom > 0.15 * em
    lefts = [boxes[name].left for name in found.outline.names]
    assert lefts == sorted(lefts)
    assert min(found.fidelity) >= FONTS.min_fidelity


def test_a_seven_stands_upright(tmp_path: Path) -> None:
    """Its bar is above: fonts count upwards, pictures downwards."""
    write_hand(tmp_path / "hand.ttf", "7xA")
    found = extracted(tmp_path / "hand.ttf")
    points = np.concatenate(found.strokes[found.outline.names.index("7")])
    middle = points[:, 1].mean()
    upper, lower = (points[points[:, 1] < middle], points[points[:, 1] > middle])
    assert np.ptp(upper[:, 0]) > np.ptp(lower[:, 0])


def test_what_is_read_as_something_else_is_left(tmp_path: Path) -> None:
    write_hand(tmp_path / "hand.ttf", HAND)
    assert {*extracted(tmp_path / "hand.ttf", never="3+").outline.names} == {*HAND} - {*"3+"}


def test_bars_and_dots_are_left(tmp_path: Path) -> None:
    assert not {"-", "|", ".", ",", r"\prime", "\\", "{"} & symbol_names()
    assert {"x", "=", "(", r"\{", r"\%", r"\alpha", r"\times"} <= symbol_names()


def test_what_is_no_stroke_is_left(tmp_path: Path) -> None:
    write_font(tmp_path / "blot.ttf", HAND)
    with pytest.raises(SanError, match=r"blot\.ttf: 0 characters that can be traced and read, 3"):
        extracted(tmp_path / "blot.ttf")


def test_a_font_with_few_characters_is_one_line(tmp_path: Path) -> None:
    write_hand(tmp_path / "few.ttf", "2x")
    with pytest.raises(SanError, match=r"few\.ttf: 2 characters .* 3 are wanted$"):
        extracted(tmp_path / "few.ttf")
    assert len(extracted(tmp_path / "few.ttf", fonts=FontGlyphsConfig(min_symbols=2)).outline) == 2
    with pytest.raises(SanError, match="min_symbols: 0 is not between 1 and"):
        build(FontGlyphsConfig, {"min_symbols": 0})


def test_characters_of_an_impossible_size_are_never_drawn(tmp_path: Path) -> None:
    """A character as tall as 20 em would be a picture of millions of pixels."""
    write_hand(tmp_path / "huge.ttf", "2xA", larger=30)
    with pytest.raises(SanError, match=r"huge\.ttf: 0 characters"):
        extracted(tmp_path / "huge.ttf")


def square(left: float, top: float, side: float, turned: bool = False) -> NDArray[np.float32]:
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    return np.array(
        [(left + x * side, top + y * side) for x, y in (corners[::-1] if turned else corners)],
        np.float32,
    )


@pytest.mark.parametrize("turned", [False, True])
def test_contours_that_overlap_are_filled_and_holes_are_not(turned: bool) -> None:
    def filled(*polygons: NDArray[np.float32]) -> NDArray[np.bool_]:
        mask, (x, y) = rasterise(outline_of(1.0, polygons), 100)
        page = np.zeros((100, 100), np.bool_)
        page[50 + y : 50 + y + len(mask), 20 + x : 20 + x + mask.shape[1]] = mask > 0
        return page

    big = square(0.0, -0.4, 0.4, turned)
    whole = filled(big)
    assert whole.sum() == pytest.approx(1600, rel=0.06)
    assert whole[11:49, 21:59].all()  # above the base line, right of its start
    # Another one within it, or half over it, leaves no hole, whichever way both run.
    assert (filled(big, square(0.1, -0.3, 0.2, turned)) == whole).all()
    both = filled(big, square(0.2, -0.2, 0.4, turned))
    assert both[31:49, 41:59].all()
    assert both.sum() == pytest.approx(2 * 1600 - 400, rel=0.06)
    # One that runs the other way is a hole.
    ring = filled(big, square(0.1, -0.3, 0.2, not turned))
    assert not ring[22:38, 32:48].any()
    assert ring.sum() == pytest.approx(1600 - 400, rel=0.06)


def test_fonts_are_found_in_folders_and_each_is_taken_once(tmp_path: Path) -> None:
    (tmp_path / "in" / "it").mkdir(parents=True)
    files = [tmp_path / name for name in ("in/a.ttf", "in/it/b.WOFF", "in/it/c.woff2", "d")]
    for file in files:
        file.write_bytes(b"")
    (tmp_path / "in" / "folder.otf").mkdir()
    assert font_files([tmp_path / "in"]) == files[:2]
    assert font_files([files[0], tmp_path / "in", files[3]]) == [*files[:2], files[3]]
    with pytest.raises(SanError, match=r"folder\.otf: no font in it \(\.ttf, \.otf, \.woff\)"):
        font_files([tmp_path / "in" / "folder.otf"])
    with pytest.raises(SanError, match=r"none\.ttf: no such file or folder"):
        font_files([tmp_path / "none.ttf"])
