"""The fused attentions of reading against their plain twins."""

import dataclasses

import torch

from san.model.kernels.reading import FusedAttention, FusedAttentions, FusedFineAttention
from san.model.torch.attention import Attention, Memory
from san.model.torch.captured_steps import CapturedSteps, StepTensors
from san.model.torch.decoder import StepOutput
from san.model.torch.engine import TorchEngine
from san.model.torch.fine_attention import FineAttention, group_by_image
from tests.model.kernels.test_training_step import DEVICE, SMALL, case, close


def test_the_fused_attention_is_the_attention() -> None:
    attention = Attention(SMALL).to(DEVICE).eval()
    images, grid, steps = 3, (3, 7), 5
    cells = grid[0] * grid[1]
    mask = torch.ones(images, cells, dtype=torch.bool, device=DEVICE)
    mask[1, 4:] = False
    features = torch.randn(images, cells, SMALL.features, device=DEVICE) * mask[..., None]
    with torch.inference_mode():
        keys = attention.key(features)
        memory = Memory(features, keys, mask, features.new_zeros(images, SMALL.hidden), grid)
        image = torch.tensor([2, 0, 1, 1, 0], device=DEVICE)
        state = torch.randn(steps, SMALL.hidden, device=DEVICE)
        past = torch.rand(steps, cells, device=DEVICE) * mask[image]
        coverage = attention.folded_coverage()
        fused = FusedAttention(attention)(memory, coverage, image, state, past)
        plain = attention(memory, coverage, image, state, past)
    for mine, other in zip(fused, plain, strict=True):
        close(mine, other)
    assert not fused[0][2][~mask[1]].any(), "no attention outside an image"


def test_the_fused_fine_attention_is_the_fine_attention() -> None:
    config = dataclasses.replace(SMALL, fine_attention=6)
    attention = FineAttention(config).to(DEVICE).eval()
    images, grid = 3, (3, 13)
    cells = grid[0] * grid[1]
    mask = torch.ones(images, cells, dtype=torch.bool, device=DEVICE)
    mask[1, 4:] = False
    image = torch.tensor([2, 0, 1, 1, 0, 0], device=DEVICE)
    used = torch.tensor([1, 1, 1, 1, 1, 0], device=DEVICE)
    with torch.inference_mode():
        fine = attention.memory(torch.randn(images, 6, 26, config.fine, device=DEVICE))
        features = torch.randn(images, cells, config.features, device=DEVICE)
        state = torch.randn(len(image), config.hidden, device=DEVICE)
        weights = torch.rand(len(image), cells, device=DEVICE) * mask[image]
        weights /= weights.sum(1, keepdim=True)
        memory = Memory(features, features, mask, state[:images], grid, fine)
        output = StepOutput(state, features[image, 0], weights)
        mine = FusedFineAttention(attention)(memory, image, output, used)
        steps = group_by_image(image, used, images, 2)
        plain = attention(fine, mask, grid, steps, state, weights)
    close(mine[:5], plain[:5])
    assert not mine[5].any(), "nothing is read for what no step uses"


def test_an_engine_steps_alike_with_the_fused_attentions() -> None:
    """Slots that only fill up a graph change nothing either."""
    network, batch, _, _ = case(dataclasses.replace(SMALL, fine_attention=8, head_hidden=12))
    engine = TorchEngine(network, DEVICE)
    memory = engine.encode_canvas(batch.images, batch.mask)
    image = torch.tensor([0, 1, 1], device=DEVICE)
    with torch.inference_mode():
        hidden, path = memory.hidden.rows[image], torch.rand_like(memory.path.rows[image])
        path *= batch.mask[image]
        given = StepTensors(image, image, torch.ones_like(image), hidden, path)
        plain = engine._part(memory.content, given, 2)
        engine.fused = FusedAttentions(network.decoder)
        engine.captured = CapturedSteps(engine._part, lambda work: (list, work()), max_cells=0)
        fused = engine._part(memory.content, given)
        filled = StepTensors(*(torch.cat([rows, torch.zeros_like(rows[:2])]) for rows in given))
        wide = engine._part(memory.content, filled)
    for mine, other, padded in zip(fused, plain, wide, strict=True):
        close(mine, other)
        close(padded[:3], other)
