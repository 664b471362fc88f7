"""The samples that come with san: made by its own hand, and honest about how they are read."""

import re

import numpy as np
import pytest
from PIL import Image
from tools.make_samples import (
    FORMULAS,
    PHOTOGRAPHS,
    SAMPLES,
    files,
    on_paper,
    photographed,
    read_right,
    sample,
)

from san.grammar import parse
from san.ink import Ink, read_inkml, write_inkml
from san.reader import Recognizer

pytestmark = pytest.mark.slow

README = (SAMPLES / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def recognizer() -> Recognizer:
    return Recognizer()


@pytest.mark.parametrize("name", FORMULAS)
def test_the_ink_is_what_the_tool_writes(name: str) -> None:
    file = SAMPLES / f"{name}.inkml"
    sheet = read_inkml(file)
    wanted = sample(name)
    assert sheet.truth == FORMULAS[name]
    assert [(g.label, g.strokes) for g in sheet.glyphs] == [
        (g.label, g.strokes) for g in wanted.glyphs
    ]
    # Other machines may round the last digit otherwise.
    for kept, made in zip(sheet.ink.strokes, wanted.ink.strokes, strict=True):
        np.testing.assert_allclose(kept, made, atol=0.11)
    assert len(file.read_bytes()) == pytest.approx(len(write_inkml(wanted)), rel=0.01)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_pictures_are_what_the_tool_draws(name: str) -> None:
    with Image.open(SAMPLES / f"{name}.png") as kept:
        pixels = np.asarray(kept, np.int16)
    made = on_paper(sample(name).ink).astype(np.int16)
    assert pixels.shape == made.shape
    assert np.abs(pixels - made).mean() < 1
    assert pixels.min() < 40
    assert (pixels > 250).mean() > 0.8, "black ink on white paper"


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_the_photographs_are_what_the_tool_takes(name: str) -> None:
    with Image.open(SAMPLES / f"photo-{name}.jpg") as kept:
        pixels = np.asarray(kept, np.int16)
    made = photographed(name).astype(np.int16)
    assert pixels.shape == made.shape
    assert np.abs(pixels - made).mean() < 6  # JPEG, and its version of it


def test_dots_are_drawn() -> None:
    dot = on_paper(Ink.of([[[5, 5]]]))
    assert 8 <= (dot < 128).sum() <= 30, "about as wide as the pen"


def test_nothing_else_lies_there() -> None:
    wanted = {file.name for name in FORMULAS for file in files(name)} | {"README.md"}
    assert {file.name for file in SAMPLES.iterdir() if not file.name.startswith(".")} == wanted


def test_hands_differ_from_sample_to_sample_and_from_seed_to_seed() -> None:
    first, again = sample("euler"), sample("euler", 1)
    assert len(first.ink.strokes) == len(again.ink.strokes)
    assert first.ink.box != again.ink.box


def test_the_weights_read_as_many_as_the_readme_says(recognizer: Recognizer) -> None:
    right = {name: read_right(recognizer, name) for name in FORMULAS}
    found = re.search(r"read (\d+) of these (\d+) files right", README)
    assert found is not None
    assert sum(map(len, right.values())) == int(found[2])
    assert sum(map(sum, right.values())) >= int(found[1])
    rows = re.findall(r"^\| ([\w-]+) \| `.*?` \| (.*) \|$", README, re.MULTILINE)
    assert [name for name, _ in rows] == list(FORMULAS)
    assert sum(words.count("right") for _, words in rows) == int(found[1])


def test_other_seeds_are_read_too(recognizer: Recognizer) -> None:
    """The shapes are not made for the weights: written anew, the formulas stay legible."""
    names = ["quadratic", "pythagoras", "gauss-sum", "integral", "trigonometry", "system"]
    right = [
        recognizer.read(sample(name, again)).expression == parse(FORMULAS[name])
        for name in names
        for again in (1, 2)
    ]
    assert sum(right) >= 0.8 * len(right)
