"""A second attention, at twice the resolution (ours; the paper's network has none).

- The attention sees the image in cells of 16 pixels, where a subscript is smaller than one cell.
  The fine attention sees it in cells of 8: the last transition's output, before it is pooled.
- It keeps near the attention, whose logarithm is added to its scores. So gradients go through the
  attention, too, and a cell that it left out can still be found.
- Its output goes to the two heads alone, not into the recurrence: for all steps of a batch it is a
  few products at the end. Steps are grouped by image for that (`StepsByImage`), and no step has
  features of its own in memory.
- `proj` begins at zero: a network that is given this part reads as it did before.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from san.model.spec import MIN_ATTENTION, NetworkConfig

MASKED = -1e9  # score of a cell outside its image; not -inf, for some images have no cells


class FineFeatures(NamedTuple):
    """What it reads of a batch of images; each of L cells has four fine ones."""

    features: Tensor  # B x 4L x C', row by row, zero outside an image
    keys: Tensor  # B x 4L x G


class StepsByImage(NamedTuple):
    """A batch's steps grouped by image: B groups of S, S being the most that an image has."""

    slots: Tensor  # B * S: the slot of each; any, where an image has fewer
    positions: Tensor  # for each slot its position among those; any, for an unused slot
    max_steps: int  # S


def group_by_image(image: Tensor, used: Tensor, images: int, max_steps: int) -> StepsByImage:
    """`image` says for each slot which image it reads. Nothing here waits for the device."""
    number = torch.arange(len(image), device=image.device)
    image, used = image.long(), used.bool()
    member = (torch.arange(images, device=image.device)[:, None] == image) & used
    rank = member.cumsum(1, dtype=torch.int32).gather(0, image[None])[0] - 1
    rows = images * max_steps
    # Unused slots are spread: where gradients are added up, none waits for many others.
    positions = torch.where(used, image * max_steps + rank, number % rows)
    slots = torch.arange(rows + 1, device=image.device) % len(image)
    slots = slots.scatter(0, torch.where(used, positions, rows), number)[:-1]
    return StepsByImage(slots, positions, max_steps)


class FineAttention(nn.Module):
    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        # A key's bias would add the same to all scores of a step: softmax would not see it.
        self.key = nn.Linear(config.fine, config.fine_attention, bias=False)
        self.query = nn.Linear(config.hidden, config.fine_attention)
        self.proj = nn.Linear(config.fine, config.merge, bias=False)
        nn.init.zeros_(self.proj.weight)

    def memory(self, features: Tensor) -> FineFeatures:
        """`features` is B x 2h x 2w x C'."""
        flat = features.flatten(1, 2)
        return FineFeatures(flat, self.key(flat))

    def forward(
        self,
        fine: FineFeatures,
        mask: Tensor,
        grid: tuple[int, int],
        steps: StepsByImage,
        states: Tensor,
        weights: Tensor,
    ) -> Tensor:
        """The steps' fine contexts: states (... x H) and attention (... x L) -> ... x C'."""
        images, size = len(fine.keys), fine.keys.shape[2]
        rows, columns = grid
        query = self.query(states).view(-1, size).index_select(0, steps.slots) * size**-0.5
        scores = torch.bmm(query.view(images, -1, size), fine.keys.transpose(1, 2)).float()
        coarse = weights.view(-1, rows * columns).index_select(0, steps.slots).float()
        prior = torch.log(coarse + MIN_ATTENTION).view(images, steps.max_steps, -1)
        prior = prior.masked_fill(~mask[:, None], MASKED)
        scores = scores.view(images, steps.max_steps, rows, 2, columns, 2)
        scores = scores + prior.view(images, steps.max_steps, rows, 1, columns, 1)
        attention = torch.softmax(scores.flatten(2), -1).to(fine.features.dtype)
        context = torch.bmm(attention, fine.features).flatten(0, 1)
        return context.index_select(0, steps.positions).view(*states.shape[:-1], -1)
