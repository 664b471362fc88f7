import pytest
import torch

from san.training.config import TrainingConfig
from san.training.optimiser import FlatParameters, Optimiser, Schedule


def test_rises_over_the_first_epoch_and_falls_to_zero() -> None:
    schedule = Schedule(TrainingConfig(epochs=10), 100)
    rates = [schedule.learning_rate(step, 0.0) for step in range(1001)]
    assert rates[0] == pytest.approx(0.01)
    assert max(rates) == pytest.approx(1.0, abs=0.03)
    assert rates.index(max(rates)) == 99
    assert rates[-1] == pytest.approx(0.0)
    assert rates[550] == pytest.approx(0.42, abs=0.02)


def test_a_part_of_the_rate_may_be_left_at_the_end() -> None:
    schedule = Schedule(TrainingConfig(epochs=10, warmup_epochs=0.0, final_rate=0.4), 100)
    assert schedule.learning_rate(0, 0.0) == pytest.approx(1.0)
    assert schedule.learning_rate(500, 0.0) == pytest.approx(0.7)
    assert schedule.learning_rate(1000, 0.0) == pytest.approx(0.4)


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


@pytest.mark.parametrize("rho", [0.95, 0.9])
def test_adadelta_is_torch_s(rho: float) -> None:
    config = TrainingConfig(rho=rho, epsilon=1e-6, weight_decay=1e-2, clip_norm=1e9)
    torch.manual_seed(0)
    module = torch.nn.Linear(7, 5)
    twin = torch.nn.Linear(7, 5)
    twin.load_state_dict(module.state_dict())
    ours = Optimiser(FlatParameters(module), config)
    theirs = torch.optim.Adadelta(twin.parameters(), lr=0.7, rho=rho, eps=1e-6, weight_decay=1e-2)
    for count in range(1, 31):
        gradients = [torch.randn_like(parameter) for parameter in twin.parameters()]
        for parameter, gradient in zip(twin.parameters(), gradients, strict=True):
            parameter.grad = gradient.clone()
        ours.flat.collect(["weight", "bias"], gradients)
        theirs.step()
        ours.step(torch.tensor([0.7, 0.9, float(count)]))
    found = ours.flat.tensors(ours.flat.master)
    for name, parameter in twin.named_parameters():
        torch.testing.assert_close(found[name], parameter.data, rtol=0, atol=1e-6)


def test_a_gradient_that_is_too_long_is_cut() -> None:
    module = torch.nn.Linear(3, 1, bias=False)
    own = Optimiser(FlatParameters(module), TrainingConfig(clip_norm=2.0, weight_decay=0.0))
    own.flat.collect(["weight"], [torch.tensor([[3.0, 0.0, 4.0]])])
    norm = own.step(torch.tensor([0.0, 0.9, 1.0]))
    assert norm == pytest.approx(5.0)
    gradient = own.flat.tensors(own.flat.gradient)["weight"]
    torch.testing.assert_close(gradient, torch.tensor([[1.2, 0.0, 1.6]]), atol=1e-5, rtol=0)
