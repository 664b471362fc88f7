"""A reading that writes its steps when asked is the reading that was written at once."""

import pickle
from math import prod

import numpy as np

from san.decoding import DecodingLimits, Reading, decode
from san.decoding.frontier import decode_levels, to_readings
from san.decoding.reading import LazyReading
from tests.decoding.noise import ONE, Noise

LIMITS = DecodingLimits(steps=40, depth=12)


def some() -> list[Reading]:
    found = [one for seed in range(20) for one in decode(Noise(seed, 0.0), ONE * 4, LIMITS)]
    assert sum(len(one.steps) > 9 for one in found) > 20
    return found


def test_tree_and_probability_are_those_of_the_steps() -> None:
    for reading in some():
        written = Reading(reading.steps)
        assert reading.expression == written.expression
        assert reading.probability == written.probability
        assert reading.probability == prod(step.step_probability for step in reading.steps)


def test_steps_are_written_once_and_only_if_asked_for() -> None:
    reading, *_ = decode(Noise(3), ONE * 4, LIMITS)
    assert reading.expression is reading.expression
    assert 0 < reading.probability < 1
    assert "steps" not in vars(reading)
    assert reading.steps is reading.steps


def test_a_reading_that_nobody_asked_keeps_no_other_alive() -> None:
    for reading in decode(Noise(5, 0.0), ONE * 4, LIMITS):
        assert isinstance(reading, LazyReading)
        for column in reading._columns:
            assert column.base is None


def test_a_reading_can_be_sent_elsewhere() -> None:
    for reading in some()[:8]:
        again = pickle.loads(pickle.dumps(reading))
        assert (again.expression, again.probability) == (reading.expression, reading.probability)
        for one, other in zip(again.steps, reading.steps, strict=True):
            assert (one.step, one.alternatives) == (other.step, other.alternatives)
            assert (one.attention == other.attention).all()


def test_decoding_and_making_readings_are_apart() -> None:
    engine = Noise(7)
    decoded = decode_levels(engine, engine.encode(ONE * 4), LIMITS)
    apart, whole = to_readings(decoded), decode(engine, ONE * 4, LIMITS)
    assert [one.expression for one in apart] == [one.expression for one in whole]
    assert len(decoded.attention) == sum(len(one.steps) for one in whole)
    assert to_readings(decode_levels(engine, engine.encode([]), LIMITS)) == []
    for reading in apart:
        for step in reading.steps:
            assert np.isclose(step.attention.sum(), 1, atol=1e-5)
