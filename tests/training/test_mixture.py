"""Epochs mixed from a pack of our own ink."""

from pathlib import Path

import numpy as np
import pytest

from san.data.pack import Pack
from san.data.packing import write_pack
from san.data.sample import Sample
from san.errors import SanError
from san.grammar import parse
from san.grammar.productions import MARKS, unfold
from san.ink.alphabet import compose
from san.ink.strokes import Box
from san.training.config import ComposeConfig
from san.training.mixture import Mixture

LABELS = ("x + 1", "2 + y", "x - 2 y", "1 x + 2", "y = x + 1", "2 = x")


def ink_pack(folder: Path, count: int = 24) -> Path:
    """Rows of symbols, each a little apart."""
    rng = np.random.default_rng(0)
    samples = []
    for index in range(count):
        label = LABELS[index % len(LABELS)]
        placed, left = [], 0.0
        for name in label.split():
            wide = float(rng.uniform(10, 16))
            flat = {"-": (9.0, 10.0), "=": (7.0, 13.0)}.get(name, (0.0, 20.0))
            placed.append((name, Box(left, flat[0], left + wide, flat[1])))
            left += wide + float(rng.uniform(4, 9))
        sheet = compose(placed)
        samples.append(
            Sample(f"hand{index % 3}_sub_{index}", parse(label), sheet.ink, sheet.glyphs)
        )
    path = folder / "ink.npz"
    write_pack(samples, path)
    return path


def formulas(folder: Path) -> Path:
    path = folder / "formulas.txt"
    path.write_text("x = 1 + y\n2 - x\n1 + 2 = y\n")
    return path


def test_every_kind_comes_with_its_places(tmp_path: Path) -> None:
    config = ComposeConfig(samples=8, formulas=str(formulas(tmp_path)))
    mixer = Mixture(str(ink_pack(tmp_path)), config).open()
    rng = np.random.default_rng(0)
    known = total = 0
    for _ in range(60):
        sample = mixer.make(rng, 0.0)
        steps = unfold(sample.tree)
        assert sample.boxes.shape == (len(steps), 4)
        height, width = sample.picture.shape
        for step, box in zip(steps, sample.boxes, strict=True):
            if step.target in MARKS:
                assert np.isnan(box).all()
                continue
            total += 1
            if np.isfinite(box).all():
                known += 1
                left, top, right, bottom = np.rint(box).astype(int)
                assert 0 <= left < right <= width
                assert 0 <= top < bottom <= height
                assert sample.picture[top:bottom, left:right].any()
    assert known > 0.9 * total


def test_the_end_of_a_run_is_the_corpus_as_it_is(tmp_path: Path) -> None:
    config = ComposeConfig(8, str(formulas(tmp_path)), fade=0.5, last_composed=0.0, last_varied=0.0)
    path = ink_pack(tmp_path)
    pack = Pack.load(path)
    mixer = Mixture(str(path), config).open()
    known = {pack.image(place).tobytes(): pack.tree(place) for place in range(len(pack))}
    rng = np.random.default_rng(0)
    for _ in range(20):
        sample = mixer.make(rng, 1.0)
        assert known[sample.picture.tobytes()] == sample.tree
        # To the pixel: a box has ink on each of its sides.
        for left, top, right, bottom in sample.boxes[np.isfinite(sample.boxes[:, 0])].astype(int):
            own = sample.picture[top:bottom, left:right]
            assert all(side.any() for side in (own[0], own[-1], own[:, 0], own[:, -1]))


def test_formulas_that_are_not_there_are_one_line(tmp_path: Path) -> None:
    config = ComposeConfig(samples=8, formulas=str(tmp_path / "none.txt"))
    with pytest.raises(SanError, match=r"none\.txt"):
        Mixture(str(ink_pack(tmp_path)), config).open()
