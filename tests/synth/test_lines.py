"""Samples of several lines in the mixture of an epoch."""

from pathlib import Path

import numpy as np
import pytest

from san.data.pack import write_pack
from san.data.sample import Sample
from san.errors import SanError
from san.grammar import parse
from san.grammar.constructs import MATRIX
from san.grammar.grids import INKLESS
from san.grammar.productions import MARKS, unfold
from san.ink.draw import draw, reading_scale, scale_of
from san.ink.strokes import Ink
from san.synth.config import KINDS, LinesConfig, Shares, SynthConfig
from san.synth.glyphs.copybook import Copybook
from san.synth.mixture import Mixer, Mixture

FORMULAS = r"""#0123456789abcdef
\begin{cases}x+y=1\\x-y=2\end{cases}
\begin{aligned}2x&=4\\x&=2\end{aligned}
\begin{pmatrix}1&0\\0&1\end{pmatrix}
"""


def opened(folder: Path, lines: LinesConfig, photos: str = "") -> Mixer:
    copybook = Copybook()
    samples = (
        Sample(
            copybook.ids[place], copybook.tree(place), copybook.ink(place), copybook.glyphs(place)
        )
        for place in range(len(copybook))
    )
    pack, text = folder / "ink.npz", folder / "lines.txt"
    write_pack(samples, pack)
    text.write_text(FORMULAS)
    shares = Shares(**{name: float(name == "lines") for name in KINDS})
    config = SynthConfig(
        8, str(text), shares=shares, lines=lines, line_formulas=str(text), line_photos=photos
    )
    return Mixture(str(pack), config).open()


@pytest.mark.slow
def test_lines_are_composed_with_boxes_for_all_that_is_decided(tmp_path: Path) -> None:
    mixer = opened(tmp_path, LinesConfig())
    rng = np.random.default_rng(0)
    grids = known = total = 0
    for _ in range(40):
        sample = mixer.make(rng, 0.0)
        steps = unfold(sample.tree)
        assert sample.boxes.shape == (len(steps), 4)
        assert sample.picture.any()
        grids += any(step.target == MATRIX for step in steps)
        for step, box in zip(steps, sample.boxes, strict=True):
            if step.target in INKLESS:
                total += 1
                known += bool(np.isfinite(box).all())
            elif step.target in MARKS:
                assert np.isnan(box).all()
    assert grids > 30
    assert known > 0.8 * total  # a few are photographed and cleaned, and a cell may be empty


@pytest.mark.slow
def test_photographs_of_lines_are_taken_anew(tmp_path: Path) -> None:
    mixer = opened(tmp_path, LinesConfig(photographed=0.0))
    tree = parse(FORMULAS.splitlines()[1])
    page = mixer.lines.ink.compose(tree, np.random.default_rng(0)) if mixer.lines else None
    assert page is not None
    write_pack([Sample("p", tree, image=page.picture)], tmp_path / "photos.npz")
    taken = opened(
        tmp_path,
        LinesConfig(ink=1e-9, photo_style=0.0, photographed=1.0),
        str(tmp_path / "photos.npz"),
    )
    rng = np.random.default_rng(0)
    pictures = [taken.make(rng, 0.0) for _ in range(8)]
    assert all(sample.tree == tree for sample in pictures)
    assert len({sample.picture.tobytes() for sample in pictures}) > 5


def test_some_of_it_must_be_composed() -> None:
    with pytest.raises(SanError, match="of ink and photo_style"):
        LinesConfig(ink=0.0, photo_style=0.0)


def test_tall_brackets_do_not_make_letters_small() -> None:
    def strokes(heights: list[float]) -> Ink:
        return Ink.of(
            [
                np.array(((30.0 * place, 0.0), (30.0 * place + 10, height)), np.float32)
                for place, height in enumerate(heights)
            ]
        )

    letters, fenced = strokes([20.0] * 8), strokes([160.0, *[20.0] * 8, 160.0])
    assert reading_scale(letters) == scale_of(letters)
    assert reading_scale(fenced) > 1.4 * scale_of(fenced)
    assert 18 < 20.0 * reading_scale(fenced) <= 28
    few = strokes([160.0, 20.0])
    assert reading_scale(few) == scale_of(few)
    assert draw(fenced, scale=reading_scale(fenced)).any()
