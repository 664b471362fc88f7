"""Characters by themselves become a writer's glyphs: as large and as high as they usually are."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from san.data.pack import Pack, write_pack
from san.ink.strokes import Points, box_of
from san.ink.unipen import Character
from san.synth.extraction.characters import character_rows, smoothed, usual_sizes
from san.synth.extraction.config import CharacterGlyphsConfig, ExtractionConfig
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.glyphs.photo_glyphs import Row, rows_of, size_and_height
from tests.synth.extraction.test_fonts import Undecided

pytestmark = pytest.mark.slow  # its bank takes seconds to make

NAMES = "2axyBg+"
CONFIG = CharacterGlyphsConfig(min_symbols=3)
Rows = Callable[..., dict[str, Row]]


@pytest.fixture(scope="module")
def bank() -> GlyphBank:
    return build_bank(Copybook())


def by(writer: str, bank: GlyphBank, names: str, size: float = 200.0) -> Iterator[Character]:
    """The bank's own glyphs, each somewhere on its tablet, `size` units to an em."""
    rng = np.random.default_rng(len(names))
    for name in names:
        glyph = bank.by_name[name][0]
        start, end = bank.stroke_ends[glyph], bank.stroke_ends[glyph + 1]
        points = bank.points[bank.point_ends[glyph] : bank.point_ends[glyph + 1]]
        ends = np.cumsum(bank.stroke_lengths[start:end])[:-1]
        place = rng.uniform(-5000, 5000, 2)
        strokes = np.split(points / bank.em[glyph] * size + place, ends)
        yield Character(name, writer, tuple(stroke.astype(np.float32) for stroke in strokes))


@pytest.fixture
def rows(bank: GlyphBank, tmp_path: Path) -> Rows:
    """The rows of some characters, by their writers, as a pack holds them."""

    def made(*characters: Character, never: str = "") -> dict[str, Row]:
        config = ExtractionConfig(characters=CONFIG)
        samples = character_rows(Undecided(NAMES, never), characters, bank, config)
        write_pack(samples, tmp_path / "rows.npz")
        pack = Pack.load(tmp_path / "rows.npz")
        return dict(zip(pack.ids, rows_of(pack), strict=True))

    return made


def test_they_stand_on_a_line_as_large_as_usual(bank: GlyphBank, rows: Rows) -> None:
    found = rows(*by("one", bank, NAMES), *by("two", bank, NAMES, size=31))
    assert {*found} == {"one", "two"}
    usual = usual_sizes(bank)
    for row in found.values():
        assert row.names == sorted(NAMES)
        for name, strokes in zip(row.names, row.strokes, strict=True):
            size, height = size_and_height(box_of(strokes), row.em, row.axis)
            assert size == pytest.approx(usual[name][0], abs=0.15)
            assert height == pytest.approx(usual[name][1], abs=0.02)
    heights = {name: box_of(strokes) for name, strokes in zip(row.names, row.strokes, strict=True)}
    assert heights["g"].bottom > heights["a"].bottom + 0.1 * row.em  # it hangs below the line


def test_what_is_read_as_something_else_is_left_out(bank: GlyphBank, rows: Rows) -> None:
    assert "a" in rows(*by("one", bank, NAMES))["one"].names
    assert "a" not in rows(*by("one", bank, NAMES), never="a")["one"].names


def test_nobody_outweighs_others(bank: GlyphBank, rows: Rows) -> None:
    many = [one for _ in range(5) for one in by("many", bank, NAMES)]
    found = rows(*many, *by("few", bank, "2a"))
    assert {*found} == {"many"}
    assert found["many"].names.count("x") == CONFIG.per_symbol


def test_bars_dots_specks_and_foreign_signs_are_no_glyphs(bank: GlyphBank, rows: Rows) -> None:
    (cross,) = (one.strokes for one in by("one", bank, "x"))
    speck = tuple(stroke * np.float32(0.001) for stroke in cross)
    odd = [Character(label, "one", cross) for label in ("-", ".", "@", "\\", "Z")]
    found = rows(*by("one", bank, "2axy"), *odd, Character("B", "one", speck))
    assert found["one"].names == sorted("2axy")


def stairs(steps: int) -> Points:
    """A slope on a tablet that knows whole numbers alone."""
    ways = [((place + 1) // 2, place // 2) for place in range(2 * steps)]
    return np.array(ways, np.float32)


def test_stairs_of_a_coarse_tablet_become_slopes() -> None:
    stroke = stairs(20)
    assert np.abs(stroke[:, 0] - stroke[:, 1]).max() == 1
    smooth = smoothed(stroke, CONFIG)
    off = np.abs(smooth[:, 0] - smooth[:, 1] - 0.5)
    assert off.max() < 0.51
    assert off[4:-4].max() < 0.1
    assert np.allclose(smooth[[0, -1]], stroke[[0, -1]], atol=0.3)


def test_a_fine_tablets_strokes_stay() -> None:
    turns = np.linspace(0, np.pi, 60)
    bow = (np.stack((np.cos(turns), np.sin(turns)), axis=1) * 500).astype(np.float32)
    smooth = smoothed(bow, CONFIG)
    assert len(smooth) <= CONFIG.max_points + 1
    assert np.abs(np.hypot(*smooth.T) - 500).max() < 3
    assert np.allclose(smooth[[0, -1]], bow[[0, -1]], atol=1)


def test_a_dot_is_a_point() -> None:
    dot = np.array([(3, 4), (3, 4), (3.2, 4)], np.float32)
    assert smoothed(dot, CONFIG).tolist() == [[3, 4]]
