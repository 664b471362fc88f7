"""Many stacks abreast read what one stack after the other reads."""

import pytest

from san.decoding import DecodingLimits
from san.decoding.stack import decode_by_stack, decode_stacks
from tests.decoding.noise import GRID, ONE, Noise


@pytest.mark.parametrize(
    "limits", [DecodingLimits(steps=50), DecodingLimits(steps=12), DecodingLimits(depth=6)]
)
@pytest.mark.slow
def test_abreast_and_one_by_one_read_the_same(limits: DecodingLimits) -> None:
    lengths = set()
    for seed in range(40):
        engine = Noise(seed)
        ours = decode_stacks(engine, ONE * 4, limits)
        theirs = decode_by_stack(engine, ONE * 4, limits, coverage="all")
        for mine, reference in zip(ours, theirs, strict=True):
            assert [one.step for one in mine.steps] == [one.step for one in reference.steps]
            assert mine.probability == pytest.approx(reference.probability)
            for one, other in zip(mine.steps, reference.steps, strict=True):
                assert one.attention.shape == GRID
                assert one.attention == pytest.approx(other.attention, abs=1e-6)
            lengths.add(len(mine.steps))
    assert len(lengths) > 5


@pytest.mark.slow
def test_it_is_not_the_path_s_reading() -> None:
    differ = 0
    for seed in range(40):
        engine = Noise(seed)
        ours = decode_stacks(engine, ONE * 4, DecodingLimits(steps=50))
        path = decode_by_stack(engine, ONE * 4, DecodingLimits(steps=50))
        differ += [one.expression for one in ours] != [one.expression for one in path]
    assert differ > 10


def test_nothing_is_read_from_no_images() -> None:
    assert decode_stacks(Noise(0), []) == []
