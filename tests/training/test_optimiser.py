import pytest

from san.training.config import TrainingConfig
from san.training.optimiser import Schedule


def test_rises_over_the_first_epoch_and_falls_to_zero() -> None:
    schedule = Schedule(TrainingConfig(epochs=10), 100)
    rates = [schedule.learning_rate(step, 0.0) for step in range(1001)]
    assert rates[0] == pytest.approx(0.01)
    assert max(rates) == pytest.approx(1.0, abs=0.03)
    assert rates.index(max(rates)) == 99
    assert rates[-1] == pytest.approx(0.0)
    assert rates[550] == pytest.approx(0.42, abs=0.02)


def test_minutes_go_by_the_clock() -> None:
    schedule = Schedule(TrainingConfig(minutes=2.0), 100)
    assert schedule.done(10**6, 60.0) == 0.5
    assert schedule.learning_rate(10**6, 120.0) == pytest.approx(0.0)


def test_the_attention_loss_weight_falls_with_the_rate() -> None:
    schedule = Schedule(
        TrainingConfig(epochs=10, warmup_epochs=0.0, attention_loss=0.5, attention_loss_end=0.1), 4
    )
    assert schedule.attention_weight(0, 0.0) == pytest.approx(0.5)
    assert schedule.attention_weight(20, 0.0) == pytest.approx(0.3)
    assert schedule.attention_weight(40, 0.0) == pytest.approx(0.1)
