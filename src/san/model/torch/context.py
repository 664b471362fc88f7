"""A small transformer over all cells of the feature grid (ours; the paper has none).

- A cell's features know what is near it, a step knows the path that led to it. What stands
  elsewhere in the formula (the same letter once more, the other bracket, the length of a bar) is
  known to neither. So all cells attend to each other before the first step: two pre-norm layers, in
  a space that is narrower than the features.
- Sine and cosine waves of row and column tell each cell where it is.
- The output is added to the features, so that attention, contexts and initial state all have it.
  `proj_out` begins at zero: a network that is given this part reads as it did before.
- Norms have no weights of their own: the linear maps behind them have.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import (
    CONTEXT_EXPANSION,
    CONTEXT_HEAD,
    CONTEXT_LAYERS,
    POSITION_BASE,
    NetworkConfig,
)


def position_waves(width: int, device: torch.device | None = None) -> Tensor:
    """3 x width: each wave's speed along rows and along columns, and its phase."""
    speeds = POSITION_BASE ** -torch.linspace(0, 1, width // 4, device=device)
    zeros = torch.zeros_like(speeds)
    of_rows = torch.cat((speeds, speeds, zeros, zeros))
    of_columns = torch.cat((zeros, zeros, speeds, speeds))
    phase = torch.cat((zeros, zeros + math.pi / 2)).repeat(2)
    return torch.stack((of_rows, of_columns, phase))


class ContextLayer(nn.Module):
    """Self-attention, then an MLP; both behind a layer norm and with a residual."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.proj = nn.Linear(width, width)
        self.fc1 = nn.Linear(width, CONTEXT_EXPANSION * width)
        self.fc2 = nn.Linear(CONTEXT_EXPANSION * width, width)
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`x` is B x L x width, `mask` B x L, true where a cell may be attended to."""
        qkv = self.qkv(functional.layer_norm(x, x.shape[-1:]))
        query, key, value = qkv.unflatten(2, (3, -1, CONTEXT_HEAD)).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask[:, None, None]
        )
        x = x + self._dropped(self.proj(attended.transpose(1, 2).flatten(2)))
        expanded = functional.relu(self.fc1(functional.layer_norm(x, x.shape[-1:])))
        output: Tensor = x + self._dropped(self.fc2(expanded))
        return output

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)


class ContextTransformer(nn.Module):
    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.context
        self.proj_in = nn.Linear(config.features, width)
        self.layers = nn.ModuleList(
            ContextLayer(width, config.dropout) for _ in range(CONTEXT_LAYERS)
        )
        self.proj_out = nn.Linear(width, config.features, bias=False)
        nn.init.zeros_(self.proj_out.weight)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """`features` B x h x w x C, zero where `mask` (B x h x w) is false -> the same shape."""
        exists = mask.flatten(1)
        # An image without cells only fills up a batch; a softmax over no cell would be no number.
        attended = exists | ~exists.any(1, keepdim=True)
        x = (self.proj_in(features) + self._positions(features)).flatten(1, 2)
        for layer in self.layers:
            x = layer(x, attended)
        added = self.proj_out(functional.layer_norm(x, x.shape[-1:])) * exists[..., None]
        output: Tensor = features + added.view_as(features)
        return output

    def _positions(self, features: Tensor) -> Tensor:
        """h x w x width."""
        of_rows, of_columns, phase = position_waves(self.proj_in.out_features, features.device)
        rows = torch.arange(features.shape[1], device=features.device)[:, None, None] * of_rows
        columns = torch.arange(features.shape[2], device=features.device)[:, None] * of_columns
        return torch.sin(rows + columns + phase).to(features.dtype)
