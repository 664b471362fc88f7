"""Pictures from bits in views of their own, against the plain way."""

import numpy as np
import torch

from san.grammar import parse
from san.training.batching import Bucket
from san.training.dataset import ArraySource, PackedDataset
from san.training.warp import WarpConfig, no_warp, random_warp
from tests.model.kernels.test_training_step import DEVICE


def test_views_are_those_of_the_plain_way() -> None:
    rng = np.random.default_rng(0)
    sizes = np.array([(40, 100), (48, 33), (17, 60)])
    images = [(rng.random(size) < 0.3).astype(np.uint8) * np.uint8(255) for size in sizes]
    own = PackedDataset(ArraySource(images, [parse("x")] * 3), DEVICE)
    table = torch.from_numpy(own.image_table(np.arange(3), 4)).to(DEVICE)  # and a blank
    strong = WarpConfig(lean=0.2, shrink=0.2, wave=0.05, stroke=0.1, thicken=2.0)
    bucket = Bucket(48, 112)
    for warps in (no_warp(3), random_warp(sizes, strong, rng)):
        warp = torch.from_numpy(np.concatenate((warps, no_warp(1)), axis=1)).to(DEVICE)
        plain, mask = own.unpack_images(table, bucket, torch.bfloat16, warp)
        fused, same = own.unpack_images(table, bucket, torch.bfloat16, warp, fused=True)
        assert fused.shape == plain.shape == (4, 1, 48, 112)
        assert fused.dtype == torch.bfloat16
        assert torch.equal(mask, same)
        assert plain[:3].flatten(1).any(1).all()
        assert not fused[3].any()
        # A sine may differ in its last digit, and a pixel that is just ink may be none.
        assert (plain != fused).float().mean() < 1e-3
