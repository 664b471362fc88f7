"""The fused kernels against their plain twins; without a GPU in Triton's interpreter."""

import dataclasses
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
import torch
from torch import Tensor

from san.grammar import Expression, parse
from san.grammar.languages import Kind
from san.grammar.productions import unfold
from san.grammar.vocabulary import Vocabulary
from san.model.kernels import decoders as fused_decoders
from san.model.kernels.batch_norm import NormRows, NormStore, PixelMask
from san.model.kernels.encoder import encode_rows
from san.model.kernels.tree_tables import TableShape, pack, unpack
from san.model.spec import NORM_EPSILON
from san.model.torch import SAN, NetworkConfig
from san.model.torch.batch import Batch, canvas, levels, slots
from san.model.torch.losses import LossOptions, losses
from san.model.torch.masked_norm import Norm
from san.training.batching import Bucket, PlannedBatch
from san.training.captured import CapturedStep
from san.training.config import TrainingConfig
from san.training.dataset import ArraySource, PackedDataset
from san.training.distributed import ALONE, Ranks
from san.training.optimiser import FlatParameters, Optimiser
from san.training.warp import WarpConfig
from tests.model.encoders import ENCODERS, EncoderName, fill_blocks, with_encoder

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SMALL = NetworkConfig(
    stem=8, growth=4, layers=2, hidden=16, embedding=16, attention=32, coverage_kernel=5, merge=12,
    dropout=0.0, head_dropout=0.0,
)  # fmt: skip
LABELS = (r"x", r"\frac { a } { b } = c", r"x _ { i } ^ { 2 }")


def case(config: NetworkConfig = SMALL) -> tuple[SAN, Batch, Tensor, TableShape]:
    trees = [parse(label) for label in LABELS]
    vocabulary = Vocabulary.gather(trees)
    network = SAN(config, vocabulary).to(DEVICE).train()
    fill_blocks(network)
    rng = np.random.default_rng(1)
    images = [(rng.random(size) < 0.2) for size in ((30, 20), (16, 20), (17, 30))]
    pixels, mask = canvas(images, (32, 48))
    shape = TableShape(3, 7, 8)
    numbers = [levels(unfold(tree), vocabulary, boxes(tree)) for tree in trees]
    arrays = slots(numbers, vocabulary, 7, 8)
    columns = {name: torch.from_numpy(array) for name, array in arrays.items()}
    batch = Batch(torch.from_numpy(pixels), torch.from_numpy(mask), **columns).to(DEVICE)
    vector = pack(arrays, shape)
    assert len(vector) == shape.length
    return network, batch, torch.from_numpy(vector).to(DEVICE), shape


def boxes(tree: Expression) -> np.ndarray:
    """A box for each step but the first, whose place nobody knows."""
    corners = np.random.default_rng(2).uniform(0, 25, (len(unfold(tree)), 2))
    corners[0] = np.nan
    return np.concatenate((corners, corners + 7), 1).astype(np.float32)


def norms(network: SAN) -> list[Norm]:
    return [module for module in network.modules() if isinstance(module, Norm)]


def close(mine: Tensor, other: Tensor, name: str = "") -> None:
    error = (mine - other).norm() / other.norm().clamp(min=1e-8)
    assert error < 1e-4, (name, error.item())


@pytest.mark.parametrize("encoder", ENCODERS)
def test_encoder_rows_are_the_encoder_s(encoder: EncoderName) -> None:
    network, batch, _, _ = case(with_encoder(SMALL, encoder))
    twin, _, _, _ = case(with_encoder(SMALL, encoder))
    twin.load_state_dict(network.state_dict())
    seed = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    store = NormStore(norms(network))
    mine, fine = encode_rows(network.encoder, store, batch.images, batch.mask, seed)
    other, finer = (m.permute(0, 2, 3, 1) for m in twin.encoder.scales(batch.images, batch.mask))
    close(mine, other)
    close(fine, finer)
    pull = torch.randn_like(other)
    (mine * pull).sum().backward()
    (other * pull).sum().backward()
    for (name, one), two in zip(
        network.encoder.named_parameters(), twin.encoder.parameters(), strict=True
    ):
        assert one.grad is not None
        assert two.grad is not None
        close(one.grad, two.grad, name)
    for (name, one), (_, two) in zip(network.named_buffers(), twin.named_buffers(), strict=True):
        close(one, two, name)


def test_decoder_runs_are_the_decoder_s() -> None:
    network, batch, vector, shape = case()
    assert network.reversed is not None
    # State dropout, of the same steps in both.
    kept = (torch.rand(shape.levels, shape.slots, 1) > 0.3).float().to(DEVICE)
    for decoder in (network.decoder, network.reversed):
        decoder.state_dropout_mask = lambda *_: kept  # type: ignore[method-assign]
    with torch.no_grad():
        features = network.encoder(batch.images, batch.mask).permute(0, 2, 3, 1).contiguous()
    tables = unpack(vector, shape)
    mine = features.clone().requires_grad_()
    runs = (
        fused_decoders.decode_forward(network.decoder, mine, batch.mask, tables),
        fused_decoders.decode_reversed(network.reversed, mine, batch.mask, tables, network.start),
    )
    parameters = dict([*network.decoder.named_parameters(), *network.reversed.named_parameters()])
    names = [n for n, _ in network.named_parameters() if not n.startswith("encoder")]
    assert (batch.box[..., 2] >= 0).sum() > 5
    ours = losses(batch, *runs, LossOptions(with_attention=True))
    gradients = torch.autograd.grad(ours.total(0.7), [mine, *(_get(network, n) for n in names)])

    from san.model.torch.network import decode_by_level, decode_reversed

    other = features.clone().requires_grad_()
    maps = other.permute(0, 3, 1, 2)
    plain = (
        decode_by_level(network.decoder, network.decoder.memory(maps, batch.mask), batch),
        decode_reversed(
            network.reversed, network.reversed.memory(maps, batch.mask), batch, network.start
        ),
    )
    theirs = losses(batch, *plain, LossOptions(with_attention=True))
    for one, two in zip(ours, theirs, strict=True):
        assert one > 0
        close(one, two)
    expected = torch.autograd.grad(theirs.total(0.7), [other, *(_get(network, n) for n in names)])
    for name, one, two in zip(["features", *names], gradients, expected, strict=True):
        close(one, two, name)
    assert parameters


def _get(network: SAN, name: str) -> Tensor:
    return network.get_parameter(name)


def test_steps_of_the_traversal_are_the_decoder_s() -> None:
    """SAN-GS: with rows and slots to spare, and state dropout."""
    network, batch, _, _ = case()
    network.config = dataclasses.replace(network.config, kind="san-gs")
    network.decoder.attention.coverage_conv.weight.data *= 10  # so that past attention matters
    trees = [parse(label) for label in LABELS]
    numbers = [levels(unfold(tree), network.vocabulary, boxes(tree)) for tree in trees]
    shape = TableShape(4, 15, 4, sequential=True)
    arrays = network.slots(numbers, shape.levels, shape.slots)
    vector = torch.from_numpy(pack(arrays, shape)).to(DEVICE)
    assert len(vector) == shape.length
    columns = {name: torch.from_numpy(array).to(DEVICE) for name, array in arrays.items()}
    blank = torch.zeros_like(batch.mask[:1])  # fills up the batch
    batch = Batch(batch.images, torch.cat((batch.mask, blank)), **columns)
    kept = (torch.rand(shape.levels, shape.slots, 1) > 0.3).float().to(DEVICE)
    network.decoder.state_dropout_mask = lambda *_: kept  # type: ignore[method-assign]
    with torch.no_grad():
        features = network.encoder(batch.images, batch.mask[:3]).permute(0, 2, 3, 1)
        features = torch.cat((features, torch.zeros_like(features[:1]))).contiguous()
    mine, other = features.clone().requires_grad_(), features.clone().requires_grad_()
    memory = network.decoder.memory(other.permute(0, 3, 1, 2), batch.mask)
    ours = losses(
        batch,
        fused_decoders.decode_forward(network.decoder, mine, batch.mask, unpack(vector, shape)),
        None,
        LossOptions(with_attention=True),
    )
    theirs = losses(batch, network.decode(memory, batch), None, LossOptions(with_attention=True))
    for one, two in zip(ours, theirs, strict=True):
        close(one, two)
    names = [name for name, _ in network.named_parameters() if name.startswith("decoder")]
    wanted = [_get(network, name) for name in names]
    gradients = torch.autograd.grad(ours.total(0.7), [mine, *wanted])
    expected = torch.autograd.grad(theirs.total(0.7), [other, *wanted])
    for name, one, two in zip(["features", *names], gradients, expected, strict=True):
        close(one, two, name)


def test_dropout_leaves_out_its_share() -> None:
    network, _, _, _ = case()
    first = network.encoder.stem_norm
    first.dropout = 0.25
    store = NormStore([first])
    x = torch.randn(4000, 8, device=DEVICE)
    pixels = PixelMask(
        torch.ones(4000, device=DEVICE), torch.full((1,), 4000.0, device=DEVICE), 1.0
    )
    seeds = [torch.full((1,), value, dtype=torch.int32, device=DEVICE) for value in (1, 2)]
    kept = []
    for seed in seeds:
        store.reset()
        y = NormRows.apply(x, first.weight, first.bias, store.of(first), pixels, seed)
        kept.append(y > 0)
    above = kept[0] | kept[1]
    share = (kept[0].sum() / above.sum()).item()
    assert 0.75 < share < 0.85  # of those above zero, 1 / (1 + 1/4) is expected
    assert not torch.equal(kept[0], kept[1])


@pytest.mark.parametrize("dropout", [0.0, 0.25])
def test_gradients_pass_where_something_was_kept(dropout: float) -> None:
    """Rows of padding are neither counted nor given a gradient, with dropout and without."""
    network, _, _, _ = case()
    norm = network.encoder.stem_norm
    norm.dropout = dropout
    store = NormStore([norm])
    store.reset()
    torch.manual_seed(0)
    torch.nn.init.normal_(norm.weight)
    torch.nn.init.normal_(norm.bias)
    x = torch.randn(300, 8, device=DEVICE, requires_grad=True)
    exists = (torch.arange(300, device=DEVICE) % 3 > 0).float()
    pixels = PixelMask(exists, exists.sum()[None], 1.0)
    seed = torch.ones(1, dtype=torch.int32, device=DEVICE)
    y = NormRows.apply(x, norm.weight, norm.bias, store.of(norm), pixels, seed)
    inside = x[exists > 0]
    variance, mean = torch.var_mean(inside, 0, correction=0)
    plain = (inside - mean) * (variance + NORM_EPSILON).rsqrt() * norm.weight + norm.bias
    kept = (y[exists > 0] > 0).float()
    expected = plain * kept / (1 - dropout)
    close(y[exists > 0], expected)
    assert not y[exists == 0].any()
    upstream = torch.randn_like(y)
    wanted = (x, norm.weight, norm.bias)
    theirs = torch.autograd.grad((expected * upstream[exists > 0]).sum(), wanted)
    for one, other in zip(torch.autograd.grad((y * upstream).sum(), wanted), theirs, strict=True):
        close(one, other)


class Twins(Ranks):
    """Two ranks with the same batch: the sum is twice what one brings."""

    def sum(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.mul_(2)


PLANNED = PlannedBatch(Bucket(16, 32), np.arange(3))


def captured_step(
    network: NetworkConfig, fused: bool, ranks: Ranks = ALONE, **options: Any
) -> CapturedStep:
    """Before its first step: three pictures, of a batch of four."""
    trees = [parse(label) for label in (r"x", r"x _ { 2 }", r"2 x")]
    rng = np.random.default_rng(1)
    sizes = ((16, 30), (12, 16), (16, 20))
    images = [(rng.random(size) < 0.2).astype(np.uint8) * np.uint8(255) for size in sizes]
    config = TrainingConfig(
        batch_size=4, precision="fp32", optimiser="adamw", attention_loss=0.5, **options
    )
    torch.manual_seed(0)
    corpus = PackedDataset(ArraySource(images, trees), DEVICE)
    corpus.levels = [levels(unfold(t), corpus.vocabulary, boxes(t)) for t in trees]
    own = SAN(network, corpus.vocabulary)
    fill_blocks(own)
    captured = CapturedStep(own, corpus, config, [4], torch.device(DEVICE), False, fused, ranks)
    if fused:
        captured.reserve(captured.shape(PLANNED).slots)
    return captured


@pytest.mark.parametrize(
    ("encoder", "kind"), [("densenet", "san"), ("densenet", "san-gs"), ("residual", "san")]
)
def test_a_fused_step_is_a_plain_step(encoder: EncoderName, kind: Kind) -> None:
    """The whole step, from bits to updated weights, against the plain network's.

    Two ranks that share the same batch come to the same.
    """
    small = dataclasses.replace(SMALL, kind=kind, reversed=kind == "san")
    small = with_encoder(small, encoder)
    found = []
    runs: list[tuple[bool, Ranks]] = [(False, ALONE), (True, ALONE), (False, Twins(0, 2))]
    if encoder == "residual":  # for one of them: Triton's interpreter takes its time
        runs.append((True, Twins(0, 2)))
    for fused, ranks in runs:
        captured = captured_step(small, fused, ranks)
        captured.step(PLANNED, 0, 1e-3, 1, 1 / ranks.world, 0.4)
        assert captured.losses[4] > 0
        parts = (
            captured.losses,
            captured.running,
            captured.flat.master,
            captured.optimiser.average,
        )
        found.append([part.cpu() for part in (*parts, *captured.optimiser.moments)])
    for plain, *others in zip(*found, strict=True):
        for other in others:
            close(other, plain)


def test_a_fused_step_follows_the_options_of_losses() -> None:
    """All of them at once: Triton's interpreter takes its time."""
    small = dataclasses.replace(SMALL, reversed_memory=False)
    options = {"relation_steps": "all", "divergence": "forward", "steps_per_image": 5.0}
    found = []
    for fused in (False, True):
        captured = captured_step(small, fused, **options)
        captured.step(PLANNED, 0, 1e-3, 1, 1.0, 0.4)
        found.append((captured.losses.cpu(), captured.flat.gradient.cpu()))
    for plain, other in zip(*found, strict=True):
        close(other, plain)


def test_a_fused_step_sees_other_views_as_the_plain_one_does() -> None:
    """Pictures and boxes are warped alike; a first view is as if there were no warp."""
    warp = WarpConfig(lean=0.1, shrink=0.2, wave=0.02, stroke=0.1)
    small = dataclasses.replace(SMALL, reversed=False)
    found = []
    for fused, options, warped in (
        (False, {"warp": warp}, True),
        (True, {"warp": warp}, True),
        (True, {"warp": warp}, False),
        (False, {}, False),
    ):
        captured = captured_step(small, fused, **options)
        captured.step(PLANNED, 0, 1e-3, 1, 1.0, 0.4, warped)
        found.append((captured.losses.cpu(), captured.flat.gradient.cpu()))
    for one, other in ((0, 1), (2, 3)):
        for plain, fused in zip(found[one], found[other], strict=True):
            close(fused, plain)
    assert not torch.allclose(found[0][0], found[3][0], rtol=1e-3)


@pytest.mark.parametrize(
    "option",
    [{"relation_steps": "all"}, {"divergence": "forward"}, {"steps_per_image": 5.0}],
    ids=lambda option: next(iter(option)),
)
def test_a_step_follows_each_option_of_losses(option: dict[str, Any]) -> None:
    found = []
    for options in ({}, option):
        captured = captured_step(SMALL, False, **options)
        captured.step(PLANNED, 0, 1e-3, 1, 1.0, 0.4)
        found.append(captured.losses.cpu())
    assert not torch.allclose(*found, rtol=1e-3)


class Told(Ranks):
    """The first rank tells its vectors; the second, which brings only zeros, is told."""

    told: ClassVar[list[torch.Tensor]] = []

    def sum(self, tensor: torch.Tensor) -> torch.Tensor:
        if self.first:
            self.told.append(tensor.clone())
            return tensor
        assert not tensor.any()
        return tensor.copy_(self.told.pop(0))


@pytest.mark.parametrize("fused", [False, True])
def test_a_rank_without_a_batch_follows(fused: bool) -> None:
    image = np.zeros((16, 30), np.uint8)
    image[4:9, 3:12] = 255
    config = TrainingConfig(batch_size=4, precision="fp32")
    planned = PlannedBatch(Bucket(16, 32), np.arange(1))
    found = []
    for rank in (0, 1):
        torch.manual_seed(0)
        corpus = PackedDataset(ArraySource([image], [parse("x")]), DEVICE)
        network = SAN(SMALL, corpus.vocabulary)
        own = (torch.device(DEVICE), False, fused and rank == 1, Told(rank, 2))
        captured = CapturedStep(network, corpus, config, [4], *own)
        captured.reserve(captured.shape(planned).slots)
        captured.step(None if rank else planned, rank, 1.0, 1, 1.0 - rank)
        assert captured.losses[6].item() == 1 - rank
        parts = (captured.flat.master, captured.running, captured.running_ema)
        found.append([part.cpu() for part in (*parts, *captured.optimiser.moments)])
    for first, second in zip(*found, strict=True):
        close(second, first)


@pytest.mark.parametrize(
    ("optimiser", "rho"),
    [("adamw", 0.95), ("muon", 0.95), ("adadelta", 0.95), ("adadelta", 0.9)],
)
def test_the_fused_update_is_the_optimiser_s(
    optimiser: Literal["adamw", "muon", "adadelta"], rho: float
) -> None:
    config = TrainingConfig(optimiser=optimiser, rho=rho, weight_decay=0.01, clip_norm=0.5)
    found = []
    for fused in (False, True):
        torch.manual_seed(0)
        # Of the second, a matrix of 10 x 54, Muon's stack has some zeros around it.
        module = torch.nn.Sequential(torch.nn.Linear(30, 20), torch.nn.Conv2d(6, 10, 3)).to(DEVICE)
        own = Optimiser(FlatParameters(module), config)
        for count in range(1, 4):
            own.flat.gradient.normal_()
            own.step(torch.tensor([0.1, 0.9, float(count)], device=DEVICE), fused)
        found.append((own.flat.master, *own.moments, own.average))
    for plain, other in zip(*found, strict=True):
        close(other, plain)
