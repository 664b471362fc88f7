"""What holds no formula is refused in a line, or read with a confidence that says so."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from san.decoding.reading import Reading, ReadStep
from san.errors import SanError
from san.grammar import parse
from san.grammar.productions import unfold
from san.reader import Recognizer
from san.reader.pages.prose import is_prose
from san.reader.prepared import MAX_PIXELS, OtherView, prepare_image
from san.reader.rescoring.second_pass import is_unsure
from san.reader.upright import MAX_PIXELS_AGAIN, Look, prepare_upright
from san.reader.wording import doubt_note
from tests.conftest import REPOSITORY
from tests.reader.odd_pictures import cat, prose, squares

LONG = parse("+".join("abcdefghijklm"))
NO_ATTENTION = np.zeros((1, 1), np.float32)
MAX_HOPELESS_STEPS = 250
"""Of a reading that is given up: a page of words would have as many as there may be."""
MEMORY = """
from pathlib import Path
from san.reader import Recognizer
from tests.reader.odd_pictures import prose
Recognizer(threads=1).read(prose(1400, 1000))
print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) >> 10)
"""
"""ru_maxrss would count the process that began this one, too."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is told as Linux tells it")
def test_a_page_of_prose_takes_less_than_a_gigabyte() -> None:
    run = [sys.executable, "-c", MEMORY]
    megabytes = int(subprocess.run(run, cwd=REPOSITORY, capture_output=True, check=True).stdout)
    assert megabytes < 1000


@pytest.mark.slow
@pytest.mark.parametrize("picture", [prose(500, 600), cat(400)], ids=["prose", "cat"])
def test_what_is_no_formula_is_doubtful_and_says_so(
    reader: Recognizer, picture: np.ndarray
) -> None:
    read = reader.read(picture)
    assert read.confidence < 0.3
    assert doubt_note(read.confidence, read.doubts)
    assert read.doubts[0] == "this may be no formula"
    assert read.prepared.picture.size <= MAX_PIXELS
    assert len(read.reading.steps) <= MAX_HOPELESS_STEPS


@pytest.mark.slow
def test_a_line_of_prose_gets_no_second_pass(
    reader: Recognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("san.reader.rescoring.read_again.second_pass", pytest.fail)
    read = reader.read(prose(110, 300))  # a longer one is hopeless in some arithmetics
    assert is_unsure(read.reading)
    assert is_prose(read.expression)


@pytest.mark.slow
@pytest.mark.parametrize("line", [3, 25])
def test_twenty_megapixels_of_squares_are_an_empty_page(line: int) -> None:
    with pytest.raises(SanError, match="no ink found"):
        prepare_upright(squares(4000, 5000, line=line))


def test_a_blank_sheet_is_an_empty_page() -> None:
    rng = np.random.default_rng(0)
    for sheet in (np.full((600, 800), 235), 235 + rng.normal(0, 3, (600, 800))):
        with pytest.raises(SanError, match="no ink found"):
            prepare_upright(np.clip(sheet, 0, 255).astype(np.uint8))


@pytest.mark.slow
def test_what_is_large_is_looked_at_once_unless_it_was_turned() -> None:
    lies = replace(prepare_image(prose(900, 700)), others=(OtherView(-1.0, pytest.fail),))
    assert lies.picture.size > MAX_PIXELS_AGAIN
    assert lies.view.turned == 0
    turned = replace(lies, view=replace(lies.view, turned=180.0))
    doubtful, hopeless = (
        Reading(tuple(ReadStep(step, likely, (0.5,) * 7, NO_ATTENTION) for step in unfold(LONG)))
        for likely in (0.8, 0.1)
    )
    assert not Look(lies, None, [doubtful]).others
    assert not Look(turned, None, [hopeless]).others
    assert Look(turned, None, [doubtful]).others == lies.others
