"""The fused attention of reading against its plain twin."""

import torch

from san.model.kernels.reading import FusedAttention
from san.model.torch.attention import Attention, Memory
from tests.model.kernels.test_training_step import DEVICE, SMALL, close


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
