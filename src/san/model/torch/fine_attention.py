"""A second look, at twice the resolution (ours; the paper's network has none).

- The attention sees the image in cells of 16 pixels, where a subscript is smaller than one cell. A
  glance sees it in cells of 8: what the second transition made, before it is pooled.
- It looks near where the attention looked: the attention's logarithm is added to its scores. So
  gradients go through it, too, and a cell that the attention left out can still be found.
- What it sees goes to the two heads alone, not into the recurrence: the glances of all steps of a
  batch are a few products at the end. Steps come image by image for that (`Places`), and no step
  has features of its own in memory.
- Its way into the heads begins at zero: a network that gets a glance reads as it did before.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from san.model.spec import NetworkConfig

FAINT = 1e-4  # attention that a fine cell is given at least
NOWHERE = -1e9  # the score of a cell outside its image; -inf, were there no images without cells


class Fine(NamedTuple):
    """What a glance remembers of a batch of images; each of L cells has four fine ones."""

    features: Tensor  # B x 4L x C', row by row, zero outside an image
    keys: Tensor  # B x 4L x G


class Places(NamedTuple):
    """Steps image by image: B times S of them, S being the most that an image has."""

    slots: Tensor  # B * S: the slot of each; any, where an image has fewer
    back: Tensor  # for each slot its place among those; any, for an unused slot
    most: int  # S


def places(image: Tensor, used: Tensor, images: int, most: int) -> Places:
    """`image` says for each slot which image it reads. Nothing here waits for the device."""
    number = torch.arange(len(image), device=image.device)
    image, used = image.long(), used.bool()
    own = (torch.arange(images, device=image.device)[:, None] == image) & used
    rank = own.cumsum(1, dtype=torch.int32).gather(0, image[None])[0] - 1
    rows = images * most
    # What is of no use is spread: where gradients are added up, none waits for many others.
    back = torch.where(used, image * most + rank, number % rows)
    slots = torch.arange(rows + 1, device=image.device) % len(image)
    slots = slots.scatter(0, torch.where(used, back, rows), number)[:-1]
    return Places(slots, back, most)


class Glance(nn.Module):
    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        # A key's bias would add the same to all scores of a step: softmax would not see it.
        self.key = nn.Linear(config.fine, config.glance, bias=False)
        self.query = nn.Linear(config.hidden, config.glance)
        self.into = nn.Linear(config.fine, config.merge, bias=False)
        nn.init.zeros_(self.into.weight)

    def remember(self, features: Tensor) -> Fine:
        """`features` is B x 2h x 2w x C'."""
        flat = features.flatten(1, 2)
        return Fine(flat, self.key(flat))

    def forward(
        self,
        fine: Fine,
        mask: Tensor,
        grid: tuple[int, int],
        at: Places,
        states: Tensor,
        weights: Tensor,
    ) -> Tensor:
        """What steps see: their states (... x H) and attention (... x L) -> ... x C'."""
        images, size = len(fine.keys), fine.keys.shape[2]
        rows, columns = grid
        asked = self.query(states).view(-1, size).index_select(0, at.slots) * size**-0.5
        scores = torch.bmm(asked.view(images, -1, size), fine.keys.transpose(1, 2)).float()
        looked = weights.view(-1, rows * columns).index_select(0, at.slots).float()
        near = torch.log(looked + FAINT).view(images, at.most, -1)
        near = near.masked_fill(~mask[:, None], NOWHERE)
        scores = scores.view(images, at.most, rows, 2, columns, 2)
        scores = scores + near.view(images, at.most, rows, 1, columns, 1)
        looks = torch.softmax(scores.flatten(2), -1).to(fine.features.dtype)
        found = torch.bmm(looks, fine.features).flatten(0, 1)
        return found.index_select(0, at.back).view(*states.shape[:-1], -1)
