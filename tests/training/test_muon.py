"""Muon on matrices of our own: what a change looks like, and that company does not matter."""

import pytest
import torch
from torch import Tensor, nn

from san.grammar.vocabulary import Vocabulary
from san.model.spec import NetworkConfig
from san.model.torch.network import SAN
from san.training.config import TrainingConfig
from san.training.flat import FlatParameters
from san.training.muon import MOMENTUM, Muon, orthogonal
from san.training.optimiser import Optimiser
from tests.training.test_loop import SMALL


class Several(nn.Module):
    """Shapes that meet in a group, standing and lying, and one that does not."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.Linear(50, 20)
        self.tall = nn.Linear(18, 40)
        self.square = nn.Linear(21, 21)
        self.kernel = nn.Conv2d(6, 10, 3)
        self.gru = nn.GRUCell(30, 24)


def random_gradient(flat: FlatParameters, seed: int = 0) -> Tensor:
    """As training leaves it: nothing where no parameter lies."""
    torch.manual_seed(seed)
    for own in flat.gradients:
        own.normal_()
    return flat.gradient


def network(config: NetworkConfig = SMALL) -> FlatParameters:
    torch.manual_seed(0)
    return FlatParameters(SAN(config, Vocabulary(("1", "2", "x"))))


@pytest.mark.parametrize(("kind", "close"), [(torch.float32, 1e-3), (torch.bfloat16, 0.05)])
@pytest.mark.parametrize("shape", [(24, 24), (20, 50), (24, 864), (96, 130)])
def test_directions_stay_and_sizes_become_one(
    shape: tuple[int, int], kind: torch.dtype, close: float
) -> None:
    torch.manual_seed(0)
    # Singular values over two decades, as gradients have them.
    own = torch.linspace(0, -2, shape[0])
    left = torch.linalg.qr(torch.randn(shape[0], shape[0]))[0]
    right = torch.linalg.qr(torch.randn(shape[1], shape[0]))[0]
    matrix = left @ torch.diag(10**own) @ right.T
    made = orthogonal(matrix[None], kind)[0].float()
    inner = left.T @ made @ right
    sizes = torch.linalg.svdvals(made)
    assert sizes.min() > 0.65
    assert sizes.max() < 1.25
    torch.testing.assert_close(inner, torch.diag(inner.diagonal()), atol=close, rtol=0)
    assert (inner.diagonal() > 0).all()


def test_a_matrix_without_gradient_is_left_alone() -> None:
    assert not orthogonal(torch.zeros(1, 4, 6)).any()


def test_singular_values_of_changes_are_near_one() -> None:
    """Before they are scaled; gates of a GRU by themselves."""
    flat = FlatParameters(Several())
    Muon(flat).turn(random_gradient(flat), torch.zeros_like(flat.master))
    made = flat.tensors(flat.gradient)
    gates = made["gru.weight_hh"].chunk(3) + made["gru.weight_ih"].chunk(3)
    for own in (made["wide.weight"], made["tall.weight"], made["kernel.weight"].flatten(1), *gates):
        sizes = torch.linalg.svdvals(own) / (0.2 * max(own.shape) ** 0.5)
        assert sizes.min() > 0.6
        assert sizes.max() < 1.25
        assert 0.15 < own.square().mean().sqrt() < 0.25  # as AdamW's changes are


def test_neither_company_nor_padding_matters() -> None:
    """All together as each alone and without zeros around it."""
    flat = FlatParameters(Several())
    gradient = random_gradient(flat)
    alone = {name: own.clone() for name, own in flat.tensors(gradient).items()}
    muon = Muon(flat)
    assert len(muon.groups) < 6, "several matrices share a group"
    assert len(muon.stack) > len(muon.slots), "there are zeros"
    muon.turn(gradient, torch.zeros_like(gradient))
    for name, made in flat.tensors(gradient).items():
        if made.dim() < 2:
            assert torch.equal(made, alone[name])
            continue
        parts = 3 if "gru" in name else 1
        pairs = zip(alone[name].flatten(1).chunk(parts), made.flatten(1).chunk(parts), strict=True)
        for before, after in pairs:
            lying = before if before.shape[0] <= before.shape[1] else before.T
            own = orthogonal(lying[None])[0] * 0.2 * lying.shape[1] ** 0.5
            own = own if before.shape[0] <= before.shape[1] else own.T
            torch.testing.assert_close(after, own, atol=1e-4, rtol=1e-4)


def test_momentum_looks_ahead() -> None:
    """Two steps: what is turned is the mean so far, and once more the gradient of the day."""
    flat = FlatParameters(nn.Linear(12, 8, bias=False))
    muon, momentum = Muon(flat), torch.zeros_like(flat.master)
    first = random_gradient(flat, 1).clone()
    muon.turn(flat.gradient, momentum)
    second = random_gradient(flat, 2).clone()
    muon.turn(flat.gradient, momentum)
    kept = (1 - MOMENTUM) * (MOMENTUM * first + second)
    torch.testing.assert_close(momentum, kept)
    ahead = (MOMENTUM * kept + (1 - MOMENTUM) * second).view(1, 8, 12)
    expected = orthogonal(ahead).flatten() * 0.2 * 12**0.5
    torch.testing.assert_close(flat.gradient, expected, atol=1e-4, rtol=1e-4)


def test_maps_between_features_are_turned_and_nothing_else() -> None:
    """Where nothing is turned the step is AdamW's to the bit."""
    found = []
    for optimiser in ("muon", "adamw"):
        flat = network()
        own = Optimiser(flat, TrainingConfig(optimiser=optimiser, clip=1.0))  # type: ignore[arg-type]
        before = flat.master.clone()
        random_gradient(flat)
        own.step(torch.tensor([0.01, 0.9, 1.0]))
        found.append({n: t - flat.tensors(before)[n] for n, t in flat.tensors(flat.master).items()})
    turned = {name for name, own in found[0].items() if not torch.equal(own, found[1][name])}
    left = found[0].keys() - turned
    assert {name for name in left if found[0][name].dim() > 1} == {
        "encoder.stem.weight",
        *(f"{own}.{name}.weight" for own in ("decoder", "reversed") for name in
          ("embedding", "symbol", "attention.score")),
        "decoder.relation.weight",
    }  # fmt: skip
    assert all(found[0][name].dim() > 1 for name in turned)


def test_decay_is_adamw_s() -> None:
    flat = FlatParameters(nn.Linear(12, 8))
    own = Optimiser(flat, TrainingConfig(optimiser="muon", decay=0.5))
    before = flat.tensors(flat.master.clone())
    own.step(torch.tensor([0.1, 0.9, 1.0]))  # no gradient
    after = flat.tensors(flat.master)
    torch.testing.assert_close(after["weight"], 0.95 * before["weight"])
    assert torch.equal(after["bias"], before["bias"])


def test_the_whole_network_takes_few_groups() -> None:
    """Each takes some twenty kernels, and a captured step some two thousand."""
    muon = Muon(network(NetworkConfig(glance=128, reversed=False)))
    assert len(muon.groups) <= 8
    assert len(muon.stack) < 2 * len(muon.slots)
