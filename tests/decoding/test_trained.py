"""The shipped weights: what they read of our own ink, and that both decoders agree on it."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")

from san.data.corpus import open_corpus  # noqa: E402
from san.decoding import decode, decode_beam  # noqa: E402
from san.decoding.stack import decode_by_stack  # noqa: E402
from san.grammar import parse  # noqa: E402
from san.ink import Box, Sheet, draw  # noqa: E402
from san.ink.alphabet import SHAPES, compose  # noqa: E402
from san.model.torch.engine import TorchEngine  # noqa: E402
from san.model.torch.weights import load_weights  # noqa: E402
from tests.conftest import REPOSITORY  # noqa: E402
from tests.ink.formulas import fraction, quadratic  # noqa: E402

WEIGHTS = REPOSITORY / "src" / "san" / "models" / "san.safetensors"


@pytest.fixture(scope="module")
def engine() -> TorchEngine:
    return TorchEngine(load_weights(WEIGHTS))


def _picture(sheet: Sheet) -> NDArray[np.float32]:
    return draw(sheet.ink).astype(np.float32) / 255


def _rows(count: int) -> Iterator[Sheet]:
    """Symbols thrown together, some of them raised or lowered: readings of every kind."""
    random = np.random.default_rng(7)
    names = sorted(name for name in SHAPES if name not in (r"\frac", r"\sqrt"))
    for _ in range(count):
        boxes = []
        for place in range(int(random.integers(2, 9))):
            top, size = int(random.integers(-40, 40)), int(random.integers(20, 60))
            box = Box(55 * place, top, 55 * place + 0.7 * size, top + size)
            boxes.append((str(random.choice(names)), box))
        yield compose(boxes)


@pytest.mark.parametrize("sheet", [fraction(), quadratic()], ids=["fraction", "quadratic"])
@pytest.mark.slow
def test_reads_our_own_hand(engine: TorchEngine, sheet: Sheet) -> None:
    reading = decode(engine, [_picture(sheet)])[0]
    assert sheet.truth is not None
    assert reading.expression == parse(sheet.truth)
    assert reading.probability > 0.5


@pytest.mark.slow
def test_a_beam_reads_our_own_hand_too_and_names_others(engine: TorchEngine) -> None:
    sheet = quadratic()
    best, *others = decode_beam(engine, [_picture(sheet)], 4)[0]
    assert sheet.truth is not None
    assert best.expression == parse(sheet.truth)
    assert len(others) >= 3
    # Something like 2 and z: what is sure is named first, what is likely comes soon after.
    assert all(other.probability < 0.5 < best.probability for other in others)


def test_weights_are_small_and_say_what_they_are() -> None:
    assert WEIGHTS.stat().st_size < 28_000_000
    assert (WEIGHTS.parent / "san.md").read_text("utf-8").startswith("# Model card")


@pytest.mark.slow
def test_frontier_and_stack_agree_on_trained_weights(engine: TorchEngine) -> None:
    pictures = [_picture(sheet) for sheet in (fraction(), quadratic(), *_rows(12))]
    for picture in pictures:
        by_frontier, by_stack = decode(engine, [picture])[0], decode_by_stack(engine, [picture])[0]
        assert by_frontier.expression == by_stack.expression


@pytest.mark.corpus
def test_frontier_and_stack_agree_on_the_fields_bitmaps(
    engine: TorchEngine, data_root: Path
) -> None:
    corpus = open_corpus(data_root / "crohme" / "test2014.bitmaps.zip")
    for sample in islice(corpus, 0, None, 33):
        picture = sample.picture().astype(np.float32) / 255
        by_frontier, by_stack = decode(engine, [picture])[0], decode_by_stack(engine, [picture])[0]
        assert by_frontier.expression == by_stack.expression, sample.id
