"""Muon against a plain implementation, and which tensors of a network are its own."""

import dataclasses

import pytest
import torch
from torch import Tensor, nn

from san.grammar.languages import Kind
from san.grammar.vocabulary import Vocabulary
from san.model.torch.kinds import build_network
from san.training.config import TrainingConfig
from san.training.muon import MOMENTUM, QUINTIC, ROUNDS, Muon, orthogonal
from san.training.optimiser import FlatParameters, Optimiser
from tests.model.encoders import ENCODERS, EncoderName, with_encoder
from tests.training.test_loop import SMALL

RATE, DECAY = 0.1, 0.05


class Several(nn.Module):
    """Shapes that meet in a group, standing and lying, and some that are not Muon's."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.Linear(50, 20)
        self.tall = nn.Linear(18, 40)
        self.qkv = nn.Linear(21, 63)
        self.kernel = nn.Conv2d(6, 10, 3)
        self.gru = nn.GRUCell(30, 24)
        self.row = nn.Linear(30, 1)
        self.embedding = nn.Embedding(9, 12)


def parts(name: str) -> int:
    return 3 if "gru.weight" in name or "qkv" in name else 1


def reference(matrix: Tensor) -> Tensor:
    """What the rounds do to each singular value, which is all that they do."""
    left, values, right = torch.linalg.svd(matrix.double(), full_matrices=False)
    values = values / values.norm()
    first, third, fifth = QUINTIC
    for _ in range(ROUNDS):
        values = first * values + third * values**3 + fifth * values**5
    return (left @ torch.diag(values) @ right).float() * 0.2 * max(matrix.shape) ** 0.5


def random_gradients(flat: FlatParameters) -> None:
    for gradient in flat.gradients:
        gradient.normal_()


@pytest.mark.parametrize(("precision", "close"), [(torch.float32, 1e-3), (torch.bfloat16, 0.05)])
@pytest.mark.parametrize("shape", [(24, 24), (20, 50), (24, 216)])
def test_directions_stay_and_singular_values_become_one(
    shape: tuple[int, int], precision: torch.dtype, close: float
) -> None:
    torch.manual_seed(0)
    # Singular values over two decades, as gradients have them.
    sizes = 10 ** torch.linspace(0, -2, shape[0])
    left = torch.linalg.qr(torch.randn(shape[0], shape[0]))[0]
    right = torch.linalg.qr(torch.randn(shape[1], shape[0]))[0]
    matrix = left @ torch.diag(sizes) @ right.T
    inner = left.T @ orthogonal(matrix[None].to(precision))[0].float() @ right
    assert inner.diagonal().min() > 0.65
    assert inner.diagonal().max() < 1.25
    torch.testing.assert_close(inner, torch.diag(inner.diagonal()), atol=close, rtol=0)


def test_a_matrix_without_gradient_is_left_alone() -> None:
    assert not orthogonal(torch.zeros(1, 4, 6)).any()


def test_every_step_is_the_plain_one() -> None:
    """Each matrix alone, by its singular values; what is left by torch's AdamW.

    Neither the zeros around a matrix nor its neighbours matter, nor how a kernel lies in memory.
    """
    torch.manual_seed(0)
    module, twin = Several(), Several()
    twin.load_state_dict(module.state_dict())
    own = Optimiser(
        FlatParameters(module),
        TrainingConfig(optimiser="muon", weight_decay=DECAY, clip_norm=1e9),
    )
    assert own.muon is not None
    assert len(own.muon.groups) < 10, "several matrices share a group"
    assert len(own.muon.stack) > len(own.muon.slots), "there are zeros"
    assert module.kernel.weight.stride(1) == 1, "channels last"
    by_adamw = {"row.weight": DECAY, "embedding.weight": DECAY}
    plain = dict(twin.named_parameters())
    matrices = {name for name in plain if plain[name].dim() > 1} - set(by_adamw)
    others = [n for n in plain if n not in matrices]
    theirs = torch.optim.AdamW(
        [{"params": [plain[n]], "weight_decay": by_adamw.get(n, 0.0)} for n in others], lr=RATE
    )
    momentum = {name: torch.zeros_like(plain[name]) for name in matrices}
    for count in range(1, 4):
        random_gradients(own.flat)
        for name, gradient in own.flat.tensors(own.flat.gradient).items():
            plain[name].grad = gradient.clone()
        own.step(torch.tensor([RATE, 0.9, float(count)]))
        theirs.step()
        for name in matrices:
            weight, gradient = plain[name].data, plain[name].grad
            assert gradient is not None
            momentum[name] = MOMENTUM * momentum[name] + (1 - MOMENTUM) * gradient
            ahead = MOMENTUM * momentum[name] + (1 - MOMENTUM) * gradient
            made = [reference(part) for part in ahead.flatten(1).chunk(parts(name))]
            change = torch.cat(made).view_as(weight)
            weight.mul_(1 - RATE * DECAY).sub_(change, alpha=RATE)
        for name, weight in own.flat.tensors(own.flat.master).items():
            torch.testing.assert_close(weight, plain[name].data, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("kind", ["san", "dwap-td", "bttr"])
def test_maps_between_features_are_its_own_and_nothing_else(
    encoder: EncoderName, kind: Kind
) -> None:
    small = dataclasses.replace(with_encoder(SMALL, encoder), kind=kind, heads=4)
    if kind == "san":
        small = dataclasses.replace(small, fine_attention=8, context=32, head_hidden=24)
    network = build_network(small, Vocabulary(("1", "2", "x")))
    flat = FlatParameters(network)
    kinds = flat.tensors(Optimiser(flat, TrainingConfig(optimiser="muon")).kinds)
    left = {name for name, own in kinds.items() if own.dim() > 1 and own.unique().tolist() == [1]}
    last = {name.split(".")[-2] for name in left}
    heads = {"san": {"relation_head", "score"}, "bttr": set()}
    assert last == {"stem", "embedding", "symbol_head"} | heads.get(
        kind, {"parent_head", "relation_head", "score", "pointer_score"}
    )
    for name, own in kinds.items():
        assert own.unique().tolist() == [0 if own.dim() < 2 else 1 if name in left else 2], name
    if kind == "san":
        for part in ("head_in", "head_out"):
            assert kinds[f"decoder.{part}.weight"].unique().tolist() == [2]
    convs = [name for name in kinds if name.startswith("encoder.") and kinds[name].dim() == 4]
    assert {name for name in convs if name in left} == {"encoder.stem.weight"}


def test_frozen_weights_stay() -> None:
    module = nn.Sequential(nn.Linear(12, 8), nn.Linear(8, 8))
    module[0].requires_grad_(False)
    own = Optimiser(FlatParameters(module), TrainingConfig(optimiser="muon", weight_decay=0.5))
    before = own.flat.tensors(own.flat.master.clone())
    own.step(torch.tensor([0.1, 0.9, 1.0]))  # no gradient
    after = own.flat.tensors(own.flat.master)
    assert torch.equal(after["0.weight"], before["0.weight"])
    assert torch.equal(after["1.bias"], before["1.bias"])
    torch.testing.assert_close(after["1.weight"], 0.95 * before["1.weight"])


def test_a_step_reads_nothing_from_the_host() -> None:
    """Tensors without values cannot be read, nor met by any that lie on the host."""
    own = Optimiser(FlatParameters(Several().to("meta")), TrainingConfig(optimiser="muon"))
    assert own.step(torch.zeros(3, device="meta")).is_meta


def test_the_whole_network_takes_few_groups() -> None:
    """Each takes some twenty kernels of the thousands of a captured step."""
    wide = dataclasses.replace(
        with_encoder(SMALL, "residual"), residual_channels=(64, 96, 128), hidden=64, merge=64,
        embedding=64, attention=96, fine_attention=32, context=64, head_hidden=96, reversed=False,
    )  # fmt: skip
    flat = FlatParameters(build_network(wide, Vocabulary(("1", "2", "x"))))
    muon = Muon(flat.trained_places(), flat.master)
    assert len(muon.groups) <= 8
    assert len(muon.stack) < 2 * len(muon.slots)
