"""An encoder's training step over rows of pixels. Plain twin: `san.model.torch.encoder`."""

import torch
from torch import Tensor

from san.model.kernels.batch_norm import NormStore
from san.model.kernels.densenet import encode_densenet
from san.model.kernels.encoder_rows import EncoderRows, Maps
from san.model.kernels.residual import encode_residual
from san.model.torch.encoder import Encoder
from san.model.torch.residual import ResidualEncoder


def encode_rows(
    encoder: Encoder, store: NormStore, images: Tensor, mask: Tensor, seed: Tensor
) -> Maps:
    """The encoder in training mode."""
    store.reset()
    rows = EncoderRows(store, mask, mask.sum(dtype=torch.float32).view(1), seed)
    if isinstance(encoder, ResidualEncoder):
        return encode_residual(encoder, rows, images)
    return encode_densenet(encoder, rows, images)
