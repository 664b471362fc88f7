"""A survey of the whole picture before the first step is taken (ours; the paper has none).

- A cell's features know what is near it, a step knows the path that led to it. What stands
  elsewhere in the formula (the same letter once more, the other bracket, the width of a bar) is
  known to neither. In a survey each cell asks all others: two rounds of self-attention, in a space
  that is narrower than the features.
- Each cell knows its row and column: waves of both, long and short, are added once.
- What is found is added to the features, so that attention, contexts and first state all have it.
  Its way back begins at zero: a network that gets a survey reads as it did before.
- Norms have no weights of their own: the maps behind them have.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import HEAD, NetworkConfig

ROUNDS = 2
LONGEST = 400.0
"""Cells of the longest wave, over two pi: a few times the widest picture."""


def waves(size: int, device: torch.device | None = None) -> Tensor:
    """3 x size: how fast each number turns with a cell's row and column, and where it begins."""
    speeds = LONGEST ** -torch.linspace(0, 1, size // 4, device=device)
    still = torch.zeros_like(speeds)
    down = torch.cat((speeds, speeds, still, still))
    right = torch.cat((still, still, speeds, speeds))
    begin = torch.cat((still, still + math.pi / 2)).repeat(2)
    return torch.stack((down, right, begin))


class Round(nn.Module):
    """All cells ask all cells; then each thinks for itself."""

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        self.ask = nn.Linear(size, 3 * size, bias=False)  # queries, keys, values
        self.told = nn.Linear(size, size)
        self.widen = nn.Linear(size, 2 * size)
        self.narrow = nn.Linear(2 * size, size)
        self.dropout = dropout

    def forward(self, x: Tensor, owned: Tensor) -> Tensor:
        """`x` is B x L x size, `owned` B x L, true where a cell may be asked."""
        asked = self.ask(functional.layer_norm(x, x.shape[-1:]))
        query, key, value = asked.unflatten(2, (3, -1, HEAD)).permute(2, 0, 3, 1, 4)
        who = owned[:, None, None]
        heard = functional.scaled_dot_product_attention(query, key, value, attn_mask=who)
        x = x + self._dropped(self.told(heard.transpose(1, 2).flatten(2)))
        wide = functional.relu(self.widen(functional.layer_norm(x, x.shape[-1:])))
        thought: Tensor = x + self._dropped(self.narrow(wide))
        return thought

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)


class Survey(nn.Module):
    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.into = nn.Linear(config.features, config.survey)
        self.rounds = nn.ModuleList(Round(config.survey, config.dropout) for _ in range(ROUNDS))
        self.back = nn.Linear(config.survey, config.features, bias=False)
        nn.init.zeros_(self.back.weight)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """`features` B x h x w x C, zero where `mask` (B x h x w) is false -> the same, knowing."""
        owned = mask.flatten(1)
        # An image without cells only fills up a batch; it asks itself, for somebody must answer.
        asked = owned | ~owned.any(1, keepdim=True)
        x = (self.into(features) + self._places(features)).flatten(1, 2)
        for one in self.rounds:
            x = one(x, asked)
        found = self.back(functional.layer_norm(x, x.shape[-1:])) * owned[..., None]
        known: Tensor = features + found.view_as(features)
        return known

    def _places(self, features: Tensor) -> Tensor:
        """h x w x size."""
        down, right, begin = waves(self.into.out_features, features.device)
        rows = torch.arange(features.shape[1], device=features.device)[:, None, None] * down
        columns = torch.arange(features.shape[2], device=features.device)[:, None] * right
        return torch.sin(rows + columns + begin).to(features.dtype)
